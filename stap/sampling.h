/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are taken. The build copies this into the emitter; the unit tests compile it, too.
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

#endif
