/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_weight.h"

#include <string.h>

enum {
	DEBT_PARTS = 16,     /* each sample pays this part of a large debt */
	AIMED_MAX = 64,      /* samples left out; bounded, so that late readers do not miss all */
	UNSURE = 2,          /* samples after one near a change; any may be the immediate one */
	DISTANCE_MIN = 128,  /* after a change, it may be that of a period that was never seen */
	INTERRUPTED_MAX = 3, /* a task's, a softirq's, a hardirq's */
};

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void perf_weight_init(PerfWeight *weight, uint32_t opened_period)
{
	memset(weight, 0, sizeof(*weight));
	weight->last_period = opened_period;
}

bool perf_weight_can_change(const PerfWeight *weight)
{
	return weight->changes_count < PERF_CHANGES_MAX;
}

void perf_weight_change(PerfWeight *weight, const PerfChange *change, uint64_t count)
{
	if (!weight->period && !weight->changes_count)
		weight->start_count = count;
	weight->changes[weight->changes_count++] = *change;
}

/* Whether a sample lies where the ring's head was during the change of the period: it may be from
   before or after. */
static bool is_near_change(const PerfWeight *weight, uint64_t position)
{
	const PerfChange *change = &weight->changes[0];

	return weight->changes_count && position >= change->from && position < change->to;
}

/* Whether a sample at that position was taken after the oldest change. During that change: if it
   does not lie where the previous period would place it. */
static bool is_after_change(const PerfWeight *weight, uint64_t position, uint64_t count)
{
	const PerfChange *change = &weight->changes[0];

	if (!weight->changes_count || position < change->from)
		return false;
	return position >= change->to || !weight->period || count != weight->seen + weight->reach;
}

static void adopt_change(PerfWeight *weight, bool is_near)
{
	/* With period 1 before, the immediate sample looks like the samples before it. */
	bool has_come = is_near && weight->period == 1;

	weight->period = weight->changes[0].period;
	weight->is_aim = weight->changes[0].is_aim;
	weight->aimed = 0;
	/* With period 1, every event is taken at once, without a distance. */
	weight->comes_at_once = weight->period > 1 && !has_come;
	weight->was_changed = true;
	memmove(weight->changes, weight->changes + 1,
		--weight->changes_count * sizeof(weight->changes[0]));
}

/* No sample stands for events before the first sample, while the event was given its period. */
static void start(PerfWeight *weight, uint64_t count)
{
	weight->has_started = true;
	weight->seen = weight->accounted = least(count - 1, weight->start_count);
	weight->reach = 1;
}

/* longest: the longest period that may have been in force, so the number of samples is rather too
   low. */
static void lose(PerfWeight *weight, uint64_t events, uint64_t longest)
{
	weight->lost += events;
	weight->lost_samples += (events + longest - 1) / longest;
}

/* Handles events that are missing before a sample. A few single events may be interrupted ones,
   whose samples will still arrive. */
static void miss(PerfWeight *weight, uint64_t events, uint64_t longest)
{
	weight->accounted += events;
	if (longest == 1 && events <= INTERRUPTED_MAX)
		weight->awaited += events;
	else
		lose(weight, events, longest);
}

/* Returns whether a sample is one of the awaited ones. */
static bool was_awaited(PerfWeight *weight, uint64_t count)
{
	uint64_t *awaited = weight->awaited ? &weight->awaited : &weight->awaited_before;

	if (count != weight->seen || !*awaited)
		return false;
	(*awaited)--;
	return true;
}

void perf_weight_settle(PerfWeight *weight)
{
	lose(weight, weight->awaited_before, 1);
	weight->awaited_before = weight->awaited;
	weight->awaited = 0;
}

/* Events beyond the largest possible distance were lost. Near a change that distance is unknown. */
static void see(PerfWeight *weight, uint64_t count, bool is_unsure, uint64_t longest)
{
	uint64_t distance = count - weight->seen;

	if (is_unsure)
		weight->unsure = UNSURE + 1;
	if (distance > weight->reach && !weight->unsure)
		miss(weight, distance - weight->reach, longest);
	weight->seen = count;
	weight->reach = weight->period;
	weight->unsure -= weight->unsure > 0;
}

/* Pays a debt in parts: one sample that stands for many events would make its call path look
   frequent. */
static uint32_t pay(PerfWeight *weight)
{
	uint64_t owed = weight->seen > weight->accounted ? weight->seen - weight->accounted : 0;
	uint64_t period = weight->period;
	uint64_t debt = owed > period ? owed - period : 0;
	uint64_t paid = least(owed, period + most(period, debt / DEBT_PARTS));

	weight->accounted += paid;
	return (uint32_t)paid;
}

uint32_t perf_weight_take(PerfWeight *weight, uint64_t position, uint64_t count)
{
	uint64_t longest = weight->period;
	bool is_unsure = false;

	weight->was_changed = false;
	while (is_after_change(weight, position, count)) {
		is_unsure |= is_near_change(weight, position);
		longest = most(longest, most(weight->changes[0].period, weight->last_period));
		adopt_change(weight, is_near_change(weight, position));
	}
	is_unsure |= is_near_change(weight, position);
	if (was_awaited(weight, count))
		return 1;
	if (!weight->period || count <= weight->seen)
		return 0;
	if (!weight->has_started)
		start(weight, count);
	see(weight, count, is_unsure, longest);
	if (weight->comes_at_once) {
		weight->comes_at_once = false;
		weight->reach = most(weight->last_period, DISTANCE_MIN);
		weight->last_period = weight->period;
		return 0;
	}
	if (weight->period > 1)
		weight->last_period = weight->period;
	if (weight->is_aim && weight->aimed++ < AIMED_MAX)
		return 0;
	return pay(weight);
}

void perf_weight_excuse(PerfWeight *weight, uint64_t events)
{
	weight->accounted += events;
}

bool perf_weight_is_behind(const PerfWeight *weight, uint64_t count)
{
	if (weight->awaited || weight->awaited_before)
		return true;
	if (weight->has_started)
		return count >= weight->seen + weight->reach;
	return (weight->period || weight->changes_count) && count > weight->start_count;
}

void perf_weight_end(PerfWeight *weight, uint64_t count)
{
	uint64_t longest = weight->period;
	uint64_t missing;

	perf_weight_settle(weight);
	perf_weight_settle(weight);
	if (!perf_weight_is_behind(weight, count))
		return;
	for (unsigned i = 0; i < weight->changes_count; i++)
		longest = most(longest, most(weight->changes[i].period, weight->last_period));
	if (!weight->period)
		adopt_change(weight, false);
	if (!weight->has_started)
		start(weight, count);
	missing = (count - weight->seen - weight->reach) / weight->period * weight->period +
		  weight->reach;
	weight->accounted += missing;
	lose(weight, missing, longest);
	weight->seen = count;
}
