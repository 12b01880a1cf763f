/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * Measures the scatter: by how much the estimates of sampled events vary more than those of events
 * drawn one by one. If a loop keeps time with the period, periodic sampling sees only some of its
 * places for as long as the period stays the same: a block. So call sites (by hash, in rows) are
 * compared between neighbouring blocks of similar size. Other changes between blocks add to the
 * result, so it is rather too large.
 */

enum {
	PERF_SCATTER_ROWS = 64,      /* a power of two */
	PERF_SCATTER_OF_DRAWS = 100, /* percent; the scatter of independent draws */
};

typedef struct {
	uint32_t period; /* 0: there was no such block */
	uint32_t samples;
	uint64_t total; /* of all rows */
	uint64_t weights[PERF_SCATTER_ROWS];
	uint64_t variances[PERF_SCATTER_ROWS]; /* for independent draws: the sum of w * (w - 1) */
} PerfBlock;

/* One event of one CPU; initially zero. */
typedef struct {
	PerfBlock now;
	PerfBlock before;
	double squares;  /* of the differences between blocks ... */
	double expected; /* ... and their expected value for independent draws */
} PerfScatter;

/* Begins a new block, in which the kernel takes one of period events. */
void perf_scatter_begin(PerfScatter *scatter, uint32_t period);

/* Adds a sample with that weight to the block. */
void perf_scatter_add(PerfScatter *scatter, uint64_t call_site, uint32_t weight);

/* Adds the differences of another event or CPU. */
void perf_scatter_sum(PerfScatter *sum, const PerfScatter *added);

/* Returns the scatter of the estimates, in percent of independent draws. At least
   PERF_SCATTER_OF_DRAWS, because a smaller value cannot hold for every row; at most a million. */
uint64_t perf_scatter_percent(const PerfScatter *scatter);
