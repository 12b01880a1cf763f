/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the events to take, and estimates their cost. The build copies this into the emitter; the
 * unit tests compile it, too.
 * It needs u32 and u64, and only divides 32-bit numbers: not every kernel can divide 64 bits.
 *
 * Each event is drawn independently: it is taken with a chance of one in N, and then stands for N.
 * So every event has the same chance, independent of earlier events, and no loop can be in step
 * with the draws. The estimate for each call path is unbiased. The variance for a path seen n times
 * is n * N * (N - 1). N may change at any time, also because of earlier events: it is known before
 * the next draw.
 */
#ifndef KMT_SAMPLING_H
#define KMT_SAMPLING_H

/* A linear congruential generator of 64 bits (Knuth's MMIX); the upper half is used, as the lower
   bits have short periods. */
static inline u32 kmt_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*state >> 32);
}

/* Returns the limit for random numbers: an event is taken if its number is below 2^32 / period,
   rounded. period > 1. */
static inline u32 kmt_taken_below(u32 period)
{
	u32 whole = 0xffffffffU / period, rest = 0xffffffffU % period + 1;

	return whole + (rest > period / 2);
}

/* Returns how many events this event stands for; 0: it is not taken. */
static inline unsigned kmt_draw(u64 *state, u32 period, u32 taken_below)
{
	if (period == 1)
		return 1;
	return kmt_random(state) < taken_below ? period : 0;
}

/*
 * The cost of events. One of 1 << KMT_MEASURE_SHIFT events is timed, chosen at random, and stands
 * for that many. The clock cannot see the way from the kernel through SystemTap to our code and
 * back: about 310 instructions (doc/PERFORMANCE.md). They take 80 ns on a CPU with four
 * instructions per nanosecond. Timing them would need a clock outside the probe.
 */
enum {
	KMT_MEASURE_SHIFT = 4,
	KMT_MEASURED_NS_MAX = 250000, /* a hypervisor stopped events that took longer */
	KMT_AROUND_NS = 80,
};

static inline u64 kmt_cost_ns(u64 timed_ns)
{
	u64 ours_ns = timed_ns < KMT_MEASURED_NS_MAX ? timed_ns : KMT_MEASURED_NS_MAX;

	return (ours_ns + KMT_AROUND_NS) << KMT_MEASURE_SHIFT;
}

#endif
