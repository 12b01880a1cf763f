/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

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
