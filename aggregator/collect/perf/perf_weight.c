/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many events a sample stands for, and which samples are missing: two series, one of each twin,
 * with their counts. Integers only; perf_read.c calls it for each sample. doc/SAMPLING.md explains
 * the estimator.
 */
#include "collect/perf/perf_weight.h"

#include "base/hot_assert.h"

#include <glib.h>

enum { INTERRUPTED_MAX = 3 /* a task's, a softirq's, a hardirq's */ };

/* Ends the part of a twin, of which the other one takes over everything after that count of its
   own. */
static void hand_over(PerfSeries *before, const PerfStart *start, uint64_t count)
{
	if (before->has_begun)
		before->until = MAX(start->other + count - start->count, 1);
}

void perf_weight_start(PerfWeight *weight, unsigned twin, const PerfStart *start)
{
	PerfSeries *series = &weight->series[twin];

	hot_assert(twin < G_N_ELEMENTS(weight->series));
	*series = (PerfSeries){ .is_starting = true, .start = *start, .samples = series->samples };
	/* With period 1, nothing must be missing from now on, even before the first sample. */
	if (start->period != 1)
		return;
	series->has_begun = true;
	series->start.from = start->to;
	series->expected = start->count + 1;
	hand_over(&weight->series[!twin], start, start->count);
}

static void perf_weight_lose(PerfWeight *weight, const PerfSeries *series, uint64_t samples)
{
	weight->lost += samples * series->start.period;
	weight->lost_samples += samples;
}

/* Handles samples that are missing before a sample. A few may be those of interrupted events, which
   will still arrive. */
static void perf_weight_miss(PerfWeight *weight, PerfSeries *series, uint64_t samples)
{
	if (samples <= INTERRUPTED_MAX)
		series->awaited += samples;
	else
		perf_weight_lose(weight, series, samples);
}

/* Returns whether a sample is one of the awaited ones. */
static bool was_awaited(PerfSeries *series)
{
	uint64_t *awaited = series->awaited ? &series->awaited : &series->awaited_before;

	if (!*awaited)
		return false;
	(*awaited)--;
	return true;
}

/* The samples of a series that are due up to that count and did not come. */
static uint64_t missing_until(const PerfSeries *series, uint64_t count)
{
	uint64_t last = series->until ? MIN(count, series->until) : count;

	hot_assert(series->start.period);
	return last < series->expected ? 0 : (last - series->expected) / series->start.period + 1;
}

/* Takes a sample of a series. Returns whether it is one: no event has two samples. */
static bool perf_weight_follow(PerfWeight *weight, PerfSeries *series, uint64_t count)
{
	uint32_t period = series->start.period;
	bool is_new = count > series->seen;
	uint64_t missing;

	hot_assert(period);
	if (count < series->expected)
		return was_awaited(series) || is_new;
	missing = (count - series->expected) / period;
	perf_weight_miss(weight, series, MIN(missing, missing_until(series, count)));
	series->expected += (missing + 1) * period;
	series->seen = count;
	return true;
}

/*
 * The first sample of a series. The twin that was opened later is asked first whenever the kernel
 * has arranged a CPU's events anew, as it does when one of them is enabled: its record is before
 * that of the other twin, whose record then no longer counts. The other way round, the record
 * before has covered the event.
 */
static uint32_t perf_weight_begin(PerfWeight *weight, unsigned twin, uint64_t count)
{
	PerfSeries *series = &weight->series[twin];
	bool is_covered = !twin && weight->series[1].has_begun;

	hot_assert(twin < G_N_ELEMENTS(weight->series));
	series->is_starting = false;
	weight->has_begun = true;
	weight->in_force = twin;
	if (!series->has_begun) {
		series->has_begun = true;
		series->seen = count;
		series->expected = count + series->start.phase - 1;
		hand_over(&weight->series[!twin], &series->start, count - 1);
	} else {
		perf_weight_follow(weight, series, count);
	}
	return is_covered ? 0 : 1;
}

uint32_t perf_weight_take(PerfWeight *weight, unsigned twin, uint64_t position, uint64_t count)
{
	PerfSeries *series = &weight->series[twin];

	hot_assert(twin < G_N_ELEMENTS(weight->series));
	weight->has_begun = false;
	series->samples++;
	if (series->is_starting)
		return position >= series->start.from ? perf_weight_begin(weight, twin, count) : 0;
	if (!series->has_begun || !perf_weight_follow(weight, series, count))
		return 0;
	return twin == weight->in_force ? series->start.period : 0;
}

static void settle(PerfWeight *weight, PerfSeries *series)
{
	perf_weight_lose(weight, series, series->awaited_before);
	series->awaited_before = series->awaited;
	series->awaited = 0;
}

void perf_weight_settle(PerfWeight *weight)
{
	for (unsigned i = 0; i < PERF_TWINS; i++)
		settle(weight, &weight->series[i]);
}

bool perf_weight_is_behind(const PerfWeight *weight, unsigned twin, uint64_t count)
{
	const PerfSeries *series = &weight->series[twin];

	hot_assert(twin < G_N_ELEMENTS(weight->series));
	return series->has_begun &&
	       (series->awaited || series->awaited_before || missing_until(series, count));
}

void perf_weight_end(PerfWeight *weight, unsigned twin, uint64_t count)
{
	PerfSeries *series = &weight->series[twin];

	hot_assert(twin < G_N_ELEMENTS(weight->series));
	settle(weight, series);
	settle(weight, series);
	if (series->has_begun)
		perf_weight_lose(weight, series, missing_until(series, count));
	*series = (PerfSeries){ .samples = series->samples };
}
