/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scatter of events that are sampled by thread: weights in rows by hash of the thread.
 * perf_hits.c adds, perf_run.c writes.
 */
#include "collect/perf/thread_scatter.h"

#include "base/keyed_hash.h"

enum { PERCENT_OF_DRAWS = 100 };

void thread_scatter_add(ThreadScatter *scatter, uint32_t tid, uint32_t weight)
{
	scatter->weight = weight;
	scatter->draws += (double)weight * (weight - 1);
	scatter->weights[keyed_hash_mix(tid) % THREAD_SCATTER_ROWS] += weight;
}

/* A thread whose events weigh s together was taken with the probability 1 / w: the variance of its
   estimate is s * s * (w - 1) / w. */
uint64_t thread_scatter_percent(const ThreadScatter *scatter)
{
	double squares = 0;

	if (scatter->draws <= 0)
		return PERCENT_OF_DRAWS;
	for (unsigned row = 0; row < THREAD_SCATTER_ROWS; row++)
		squares += (double)scatter->weights[row] * (double)scatter->weights[row];
	return (uint64_t)(squares * (scatter->weight - 1) / scatter->weight / scatter->draws *
			  PERCENT_OF_DRAWS);
}
