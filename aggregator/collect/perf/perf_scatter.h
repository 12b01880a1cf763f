/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/scatter_row.h"

#include <stdint.h>

/*
 * Measures the scatter of events that are sampled by thread: all events of a thread are taken, or
 * none. So the estimates vary more than those of events drawn one by one, the more events the
 * threads have.
 */

/* Threads by hash, a power of two. Two threads in one row make the result too large. */
enum { THREAD_SCATTER_ROWS = 4096 };

/* Initially zero. */
typedef struct {
	uint32_t weight; /* of the last event */
	double draws;    /* the variance of independent draws: the sum of w * (w - 1) */
	uint64_t weights[THREAD_SCATTER_ROWS];
} ThreadScatter;

/* Adds an event of a thread, with a weight of at least 1. */
void thread_scatter_add(ThreadScatter *scatter, uint32_t tid, uint32_t weight);

/* Returns the scatter of the estimates, in percent of independent draws; 100: not sampled. */
uint64_t thread_scatter_percent(const ThreadScatter *scatter);

/*
 * Measures the scatter: by how much the estimates of sampled events vary more than those of events
 * drawn one by one. If a loop keeps time with the period, periodic sampling sees only some of its
 * places for as long as the period stays the same: a block. So places are compared between
 * neighbouring blocks of similar size, and the differences are added up by process, that is by row
 * (scatter_row.h).
 *
 * A process that comes and goes also makes neighbouring blocks differ. It does so within a block,
 * too, whereas a loop that keeps time is seen at the same places until its end. So what two parts
 * of a block differ more than draws is subtracted.
 */

enum {
	SCATTER_PLACES = 16,         /* of a row, by hash; a power of two */
	PERF_SCATTER_OF_DRAWS = 100, /* percent; the scatter of independent draws */
};

typedef struct {
	uint32_t period; /* 0: there was no such block */
	uint32_t samples;
	uint64_t total;                                  /* of all rows */
	uint32_t weights[SCATTER_ROWS * SCATTER_PLACES]; /* of some places of a row */
} PerfBlock;

/* The differences of what was compared, and their expected value for independent draws. */
typedef struct {
	double squares;
	double expected;
} PerfDifference;

typedef struct {
	PerfDifference between;           /* blocks */
	PerfDifference within;            /* blocks: of their first part and the rest */
	double variances[SCATTER_PLACES]; /* of the compared samples: sums of w * (w - 1) */
} PerfScatterRow;

/* One event of one CPU; initially zero. */
typedef struct {
	PerfBlock now;
	PerfBlock early; /* the first part of now; its samples: 0 at first */
	PerfBlock before;
	PerfScatterRow rows[SCATTER_ROWS];
	double compared; /* samples of blocks that were compared */
} PerfScatter;

/* Begins a new block, in which the kernel takes one of period events. */
void perf_scatter_begin(PerfScatter *scatter, uint32_t period);

/* Adds a sample of a row, at a place, to the block. */
void perf_scatter_add(PerfScatter *scatter, unsigned row, uint64_t place);

/* Adds the differences of another event or CPU. */
void perf_scatter_sum(PerfScatter *sum, const PerfScatter *added);

/* Returns the scatter of the estimates of a row, in percent of independent draws. At least
   PERF_SCATTER_OF_DRAWS, because a smaller value cannot hold for all of them; at most a million. A
   row of which little is known is taken for independent draws. */
uint32_t perf_scatter_percent(const PerfScatter *scatter, unsigned row);

/* Returns the part of a place of the row in the variance of all compared samples, in millionths:
   the mean of all places, by their variance. The scatter is that of such a place. */
uint32_t perf_scatter_part(const PerfScatter *scatter, unsigned row);
