/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/saturate.h"
#include "count/margin.h"
#include "filter.h"
#include "held/held_sums.h"

/* What hits of probe points, and time spans between them, are worth. */
typedef struct {
	int64_t value; /* saturates, as time_ns */
	double value_variance;
	uint64_t time_ns;
	uint64_t time_max_ns;
} HitSums;

/* The variances of a row's sums between runs of the same load, in squares of their units: events
   come independently, and each adds its own amount. That of a count is the count; sampling adds to
   all. */
typedef struct {
	double bytes_requested;
	double bytes_allocated;
	double bytes_wasted;
	double value; /* of HitSums */
	double time_ns;
} Scatter;

/* The sums of allocation cells in a row of any table; metric.h derives figures from them. */
typedef struct {
	StackSummary summary;
	Variance variance; /* of the summary, if events were sampled */
	HeldSums held;
	HitSums hits;
	Scatter scatter;
} RowSums;

/* Frees and objects in use, which only some tables need; rows of other tables save the memory. */
typedef struct {
	uint64_t frees;
	uint64_t own;            /* allocations by the collector's processes: in net only */
	int64_t net;             /* allocations minus frees, if these belong together */
	uint64_t objects_in_use; /* from a reading of the host: not a sum */
	/* What the run allocated and has not freed: not a sum over intervals. */
	uint64_t held;
	uint64_t held_bytes;
	double held_variance; /* of held */
} LiveSums;

/* Adds another row. */
void row_sums_add(RowSums *sums, const RowSums *added);

/* Adds the values of another row's hits. */
static inline void hit_sums_add(HitSums *sums, const HitSums *added)
{
	sums->value = saturate_signed_sum(sums->value, added->value);
	sums->value_variance += added->value_variance;
	saturate_add(&sums->time_ns, added->time_ns);
	sums->time_max_ns = MAX(sums->time_max_ns, added->time_max_ns);
}
