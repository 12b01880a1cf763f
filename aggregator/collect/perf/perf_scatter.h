/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * By how much the estimates of sampled events scatter more than those of events that are drawn one
 * by one. Periodic sampling sees a loop that keeps time with the period at some of its places only,
 * for as long as the period holds: a block. So call sites (by hash, those of a row together) are
 * compared between neighbouring blocks of like size. What else changed from one block to the next
 * adds to it: the result is rather too large.
 */

enum {
	PERF_SCATTER_ROWS = 64,      /* a power of two */
	PERF_SCATTER_OF_DRAWS = 100, /* percent: no more than that of independent draws */
};

typedef struct {
	uint32_t period; /* 0: there was no such block */
	uint32_t samples;
	uint64_t total; /* of all rows */
	uint64_t weights[PERF_SCATTER_ROWS];
	uint64_t variances[PERF_SCATTER_ROWS]; /* of independent draws: the sum of w * (w - 1) */
} PerfBlock;

/* One event of one CPU; zeros at first. */
typedef struct {
	PerfBlock now;
	PerfBlock before;
	double squares;  /* of the differences between blocks ... */
	double expected; /* ... and what they would be of independent draws */
} PerfScatter;

/* Another block begins, in which the kernel takes one of so many. */
void perf_scatter_begin(PerfScatter *scatter, uint32_t period);

/* Adds a sample of that weight to the block. */
void perf_scatter_add(PerfScatter *scatter, uint64_t call_site, uint32_t weight);

/* Adds what another event, or another CPU, has of differences. */
void perf_scatter_sum(PerfScatter *sum, const PerfScatter *added);

/* Returns by how much, in percent, the estimates scatter compared with independent draws; at least
   PERF_SCATTER_OF_DRAWS, as a smaller number is not of every row, and at most a million. */
uint64_t perf_scatter_percent(const PerfScatter *scatter);
