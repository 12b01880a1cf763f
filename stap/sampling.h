/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are taken, and what they cost. The build copies this into the emitter; the unit
 * tests compile it, too.
 * It needs u32 and u64, and divides 32 bits only: not every kernel can divide 64.
 *
 * Each event is drawn on its own: it is taken with a chance of one in N, and then stands for N. So
 * every event has the same chance, whatever came before it, and no loop can keep time with the
 * draws: the estimate of each call path is right in the mean, and the variance of one that was seen
 * n times is n * N * (N - 1). N may change at any time, because of what was taken before, too: it
 * is known before the next draw.
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

/* Returns what a random number must be below for one event of so many to be taken, period > 1:
   2^32 / period, rounded. */
static inline u32 kmt_taken_below(u32 period)
{
	u32 whole = 0xffffffffU / period, rest = 0xffffffffU % period + 1;

	return whole + (rest > period / 2);
}

/* Returns how many events this one stands for; 0: it is not taken. */
static inline unsigned kmt_draw(u64 *state, u32 period, u32 taken_below)
{
	if (period == 1)
		return 1;
	return kmt_random(state) < taken_below ? period : 0;
}

/*
 * What events cost. One of 1 << KMT_MEASURE_SHIFT is timed, any may be, and stands for as many. The
 * clock sees nothing of how the kernel comes to the probe and SystemTap to our code, and back: some
 * 400 instructions (a probe that does nothing has 290 of them; doc/PERFORMANCE.md), which take
 * 100 ns on a CPU that does four in a nanosecond. To time them takes a clock outside of the probe.
 */
enum {
	KMT_MEASURE_SHIFT = 4,
	KMT_MEASURED_NS_MAX = 250000, /* longer ones were stopped by a hypervisor, not by us */
	KMT_AROUND_NS = 100,
};

static inline u64 kmt_cost_ns(u64 timed_ns)
{
	u64 ours_ns = timed_ns < KMT_MEASURED_NS_MAX ? timed_ns : KMT_MEASURED_NS_MAX;

	return (ours_ns + KMT_AROUND_NS) << KMT_MEASURE_SHIFT;
}

#endif
