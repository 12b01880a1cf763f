/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of metrics: for each figure its names, titles, type, what it needs, and where its value
 * and its variance are in a row's sums. Every -s, column, JSON member and text column comes from
 * here; nothing else knows how a figure is computed.
 */
#include "table/metric.h"

#include <math.h>

/* Offsets in the sums of a row. A member of another type is an error of the compiler. */
#define NUMBER(member) MEMBER_AT(uint64_t, RowSums, member)
#define SIGNED(member) MEMBER_AT(int64_t, RowSums, member)
#define LIVE(member) MEMBER_AT(uint64_t, LiveSums, member)
#define DOUBLE(member) MEMBER_AT(double, RowSums, member)

enum { EVERYWHERE = METRIC_RANKS | METRIC_REPORTS | METRIC_RATES };

const Metric metrics[METRICS] = {
	[METRIC_CACHE] = {
		.name = "cache",
		.alias = "name",
		.help = "the slab cache",
		.member = "cache",
		.title_short = "CACHE",
		.width = 32,
		.type = VALUE_TEXT,
		.uses = METRIC_RATES,
	},
	[METRIC_ALLOCATIONS] = {
		.name = "count",
		.alias = "allocs",
		.help = "allocations, or hits",
		.member = "allocations",
		.title = "ALLOCATIONS",
		.title_short = "ALLOCS",
		.width = 6,
		.type = VALUE_COUNT,
		.uses = EVERYWHERE | METRIC_OF_HITS,
		.needs = NEEDS_CHURN,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(summary.allocations) },
		.variance = { .kind = SPREAD_OF_EVENTS },
		.scatter = { .kind = SPREAD_OF_COUNT },
		.block = BLOCK_EVENTS,
	},
	[METRIC_SHARE] = {
		.help = "the row's part of what rows are ranked by",
		.member = "share_percent",
		.title = "SHARE%",
		.title_short = "SHARE",
		.width = 7,
		.type = VALUE_SHARE,
		.uses = METRIC_REPORTS,
	},
	[METRIC_MARGIN] = {
		.help = "by how much what rows are ranked by may be off",
		.member = "margin_percent",
		.title = "+-%",
		.title_short = "+-%",
		.width = 4,
		.type = VALUE_PERCENT,
		.uses = METRIC_REPORTS,
		.needs = NEEDS_SAMPLING,
	},
	[METRIC_BYTES_REQUESTED] = {
		.name = "requested",
		.alias = "req",
		.help = "bytes requested",
		.member = "bytes_requested",
		.word = "requested",
		.title = "REQUESTED-BYTES",
		.title_human = "REQUESTED",
		.title_short = "REQ",
		.width = 10,
		.type = VALUE_BYTES,
		.uses = EVERYWHERE,
		.needs = NEEDS_BYTES | NEEDS_CHURN,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(summary.bytes_requested) },
		.variance = { .kind = SPREAD_OF_AMOUNT, .at = DOUBLE(variance.bytes_requested) },
		.scatter = { .kind = SPREAD_READ, .at = DOUBLE(scatter.bytes_requested) },
		.block = BLOCK_REQUESTED,
	},
	[METRIC_BYTES_ALLOCATED] = {
		.name = "bytes",
		.alias = "size",
		.help = "bytes allocated, freed or not",
		.member = "bytes_allocated",
		.word = "allocated",
		.title = "ALLOCATED-BYTES",
		.title_human = "ALLOCATED",
		.title_short = "BYTES",
		.width = 10,
		.type = VALUE_BYTES,
		.uses = EVERYWHERE,
		.needs = NEEDS_BYTES | NEEDS_CHURN,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(summary.bytes_allocated) },
		.variance = { .kind = SPREAD_OF_AMOUNT, .at = DOUBLE(variance.bytes_allocated) },
		.scatter = { .kind = SPREAD_READ, .at = DOUBLE(scatter.bytes_allocated) },
		.block = BLOCK_ALLOCATED,
	},
	[METRIC_BYTES_WASTED] = {
		.name = "waste",
		.help = "bytes allocated but not requested",
		.member = "bytes_wasted",
		.word = "wasted",
		.title = "WASTED-BYTES",
		.title_human = "WASTED",
		.title_short = "WASTE",
		.width = 10,
		.type = VALUE_BYTES,
		.uses = EVERYWHERE,
		.needs = NEEDS_BYTES | NEEDS_CHURN,
		.value = { .kind = FIGURE_DIFFERENCE,
			   .at = NUMBER(summary.bytes_allocated),
			   .less_at = NUMBER(summary.bytes_requested) },
		.variance = { .kind = SPREAD_OF_AMOUNT, .at = DOUBLE(variance.bytes_wasted) },
		.scatter = { .kind = SPREAD_READ, .at = DOUBLE(scatter.bytes_wasted) },
		.block = BLOCK_WASTED,
	},
	[METRIC_FAILED] = {
		.help = "allocations that returned NULL",
		.member = "allocations_failed",
		.title = "FAILED",
		.title_short = "FAILED",
		.width = 6,
		.type = VALUE_COUNT,
		.uses = METRIC_REPORTS,
		.if_any = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(summary.failed) },
	},
	[METRIC_HELD] = {
		.name = "held",
		.help = "objects held (--held, --import)",
		.member = "objects_held",
		.title_short = "HELD",
		.width = 7,
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_RATES,
		.needs = NEEDS_HELD,
		.instant = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(summary.allocations) },
		.live = { .kind = FIGURE_NUMBER, .at = LIVE(held) },
		.variance = { .kind = SPREAD_OF_EVENTS },
		.scatter = { .kind = SPREAD_OF_COUNT },
		.block = BLOCK_EVENTS,
	},
	[METRIC_HELD_BYTES] = {
		.name = "held-bytes",
		.help = "bytes of the objects held",
		.member = "bytes_held",
		.title_short = "HELD-BYTES",
		.width = 10,
		.type = VALUE_BYTES,
		.uses = METRIC_RANKS | METRIC_RATES,
		.needs = NEEDS_HELD,
		.instant = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(summary.bytes_allocated) },
		.live = { .kind = FIGURE_NUMBER, .at = LIVE(held_bytes) },
		.variance = { .kind = SPREAD_OF_AMOUNT, .at = DOUBLE(variance.bytes_allocated) },
		.scatter = { .kind = SPREAD_READ, .at = DOUBLE(scatter.bytes_allocated) },
		.block = BLOCK_ALLOCATED,
	},
	[METRIC_AGE] = {
		.name = "age",
		.help = "age of the oldest object held",
		.member = "age_max_seconds",
		.title = "OLDEST",
		.type = VALUE_TIME_SPAN,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_HELD | NEEDS_AGES,
		.if_any = true,
		.if_known = true,
		.is_maximum = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.oldest_ns) },
	},
	[METRIC_ALLOCATED_IN_RUN] = {
		.name = "allocated",
		.help = "with --held: allocations of the run, held or not",
		.member = "allocated",
		.title = "ALLOCATED",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.allocated) },
		.variance = { .kind = SPREAD_OF_FOLLOWED },
		.scatter = { .kind = SPREAD_OF_COUNT },
	},
	[METRIC_FREED] = {
		.name = "freed",
		.help = "... of these: freed",
		.member = "freed",
		.title = "FREED",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.freed) },
		.variance = { .kind = SPREAD_OF_FOLLOWED },
		.scatter = { .kind = SPREAD_OF_COUNT },
	},
	[METRIC_FREED_EARLY] = {
		.name = "short-lived",
		.help = "... of these: freed within 1 ms",
		.member = "freed_within_1ms",
		.title = "FREED<1ms",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.freed_early) },
		.variance = { .kind = SPREAD_OF_FOLLOWED },
		.scatter = { .kind = SPREAD_OF_COUNT },
	},
	[METRIC_FREED_APART] = {
		.name = "cross-cpu",
		.help = "... freed on a different CPU",
		.member = "freed_on_another_cpu",
		.title = "CROSS-CPU",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.freed_apart) },
		.variance = { .kind = SPREAD_OF_FOLLOWED },
		.scatter = { .kind = SPREAD_OF_COUNT },
	},
	[METRIC_REQUESTED_IN_RUN] = {
		.help = "bytes requested by the allocations of the run",
		.member = "bytes_requested_in_run",
		.title = "RUN-REQUESTED",
		.type = VALUE_BYTES,
		.uses = METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.if_run = true,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.bytes_requested) },
	},
	[METRIC_BYTES_IN_RUN] = {
		.name = "run-bytes",
		.help = "... bytes that the allocations of the run got",
		.member = "bytes_allocated_in_run",
		.title = "RUN-ALLOCATED",
		.type = VALUE_BYTES,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_run = true,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.bytes_allocated) },
		.variance = { .kind = SPREAD_READ, .at = DOUBLE(held.bytes_variance) },
	},
	[METRIC_WASTED_IN_RUN] = {
		.name = "run-waste",
		.help = "... of these: not requested",
		.member = "bytes_wasted_in_run",
		.title = "RUN-WASTED",
		.type = VALUE_BYTES,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_run = true,
		.if_known = true,
		.value = { .kind = FIGURE_DIFFERENCE,
			   .at = NUMBER(held.bytes_allocated),
			   .less_at = NUMBER(held.bytes_requested) },
		.variance = { .kind = SPREAD_READ, .at = DOUBLE(held.waste_variance) },
	},
	[METRIC_PEAK_BYTES] = {
		.name = "peak",
		.help = "with --held: bytes held when the whole run held most",
		.member = "peak_bytes",
		.title = "PEAK-BYTES",
		.title_human = "PEAK",
		.type = VALUE_BYTES,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.peak_bytes) },
		.variance = { .kind = SPREAD_READ, .at = DOUBLE(held.peak_variance) },
	},
	[METRIC_DOUBTFUL] = {
		.help = "objects held whose free may be lost",
		.member = "doubtful",
		.title = "DOUBTFUL",
		.type = VALUE_COUNT,
		.uses = METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.if_any = true,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(held.doubtful) },
	},
	[METRIC_VALUE] = {
		.name = "value",
		.help = "of probe points: sum of --weight",
		.member = "value",
		.title = "VALUE",
		.type = VALUE_COUNT,
		.uses = METRIC_OF_HITS | METRIC_REPORTS,
		.needs = NEEDS_VALUES,
		.if_known = true,
		.value = { .kind = FIGURE_POSITIVE, .at = SIGNED(hits.value) },
		.variance = { .kind = SPREAD_OF_AMOUNT, .at = DOUBLE(hits.value_variance) },
		.scatter = { .kind = SPREAD_READ, .at = DOUBLE(scatter.value) },
		.block = BLOCK_VALUE,
	},
	[METRIC_VALUE_BYTES] = {
		.help = "... if it is a number of bytes",
		.member = "value_bytes",
		.title = "BYTES",
		.type = VALUE_BYTES,
		.uses = METRIC_REPORTS,
		.needs = NEEDS_BYTE_VALUES,
		.if_known = true,
		.value = { .kind = FIGURE_POSITIVE, .at = SIGNED(hits.value) },
		.variance = { .kind = SPREAD_OF_AMOUNT, .at = DOUBLE(hits.value_variance) },
		.scatter = { .kind = SPREAD_READ, .at = DOUBLE(scatter.value) },
		.block = BLOCK_VALUE,
	},
	[METRIC_TIME] = {
		.name = "time",
		.help = "of probe points: time between begins and ends",
		.member = "time_seconds",
		.title = "TIME",
		.type = VALUE_TIME_SPAN,
		.uses = METRIC_OF_HITS | METRIC_REPORTS,
		.needs = NEEDS_TIMES,
		.if_known = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(hits.time_ns) },
		.scatter = { .kind = SPREAD_READ, .at = DOUBLE(scatter.time_ns) },
		.block = BLOCK_TIME,
	},
	[METRIC_TIME_MAX] = {
		.name = "max",
		.help = "... the longest time",
		.member = "time_max_seconds",
		.title = "MAX",
		.type = VALUE_TIME_SPAN,
		.uses = METRIC_OF_HITS | METRIC_REPORTS,
		.needs = NEEDS_TIMES,
		.if_known = true,
		.is_maximum = true,
		.value = { .kind = FIGURE_NUMBER, .at = NUMBER(hits.time_max_ns) },
	},
	[METRIC_FREES] = {
		.name = "free",
		.help = "objects freed",
		.member = "frees",
		.title_short = "FREES",
		.width = 6,
		.type = VALUE_COUNT,
		.uses = METRIC_RATES,
		.needs = NEEDS_FREES | NEEDS_CHURN,
		.live = { .kind = FIGURE_NUMBER, .at = LIVE(frees) },
	},
	[METRIC_NET] = {
		.name = "net",
		.help = "allocations minus frees",
		.member = "net",
		.title_short = "NET",
		.width = 7,
		.type = VALUE_DIFFERENCE,
		.uses = METRIC_RATES,
		.needs = NEEDS_NET | NEEDS_CHURN,
		.live = { .kind = FIGURE_NUMBER, .at = MEMBER_AT(int64_t, LiveSums, net) },
	},
	[METRIC_BUSIEST] = {
		.name = "procs",
		.help = "the processes with most allocations, by name, and their share",
		.member = "busiest_process",
		.title_short = "PROCS",
		.width = 20,
		.type = VALUE_TEXT,
		.uses = METRIC_RATES,
		.needs = NEEDS_PROCESSES,
	},
	[METRIC_OBJECTS_IN_USE] = {
		.name = "inuse",
		.help = "objects in use by /proc/slabinfo, at most 5 s old; of a recording, at its "
			"start and end",
		.member = "objects_in_use",
		.title_short = "INUSE",
		.width = 9,
		.type = VALUE_COUNT,
		.uses = METRIC_RATES,
		.needs = NEEDS_SLABINFO,
		.instant = true,
		.live = { .kind = FIGURE_NUMBER, .at = LIVE(objects_in_use) },
	},
};

const Metric *metric_lookup(const char *name, MetricUse use)
{
	for (MetricId id = 0; id < METRICS; id++) {
		const Metric *metric = &metrics[id];

		if (!(metric->uses & use))
			continue;
		if (!g_strcmp0(metric->name, name) ||
		    (use == METRIC_RATES && !g_strcmp0(metric->alias, name)))
			return metric;
	}
	return NULL;
}

char *metric_names(MetricUse use)
{
	GString *names = g_string_new(NULL);

	for (MetricId id = 0; id < METRICS; id++)
		if (metrics[id].uses & use && metrics[id].name)
			g_string_append_printf(names, "%s%s", names->len ? ", " : "",
					       metrics[id].name);
	return g_string_free(names, FALSE);
}

static double double_at(const RowSums *sums, size_t offset)
{
	double number;

	hot_assert(offset <= sizeof(*sums) - sizeof(number));
	memcpy(&number, (const char *)sums + offset, sizeof(number));
	return number;
}

/* The figure as it was counted: also below 0. */
static double metric_amount(const Figure *figure, const RowSums *sums)
{
	uint64_t number = figure_number_at(sums, figure->at);

	switch (figure->kind) {
	case FIGURE_POSITIVE:
		return (double)(int64_t)number;
	case FIGURE_DIFFERENCE:
		return (double)number - (double)figure_number_at(sums, figure->less_at);
	default:
		return (double)number;
	}
}

/* Returns the variance of a metric's value; 0 if it is not known. */
static double metric_variance(const Metric *metric, const RowSums *sums)
{
	switch (metric->variance.kind) {
	case SPREAD_OF_EVENTS:
		return variance_of_events(&sums->variance);
	case SPREAD_OF_AMOUNT:
		return variance_of_amount(&sums->variance, double_at(sums, metric->variance.at),
					  metric_amount(&metric->value, sums),
					  sums->summary.allocations);
	case SPREAD_OF_FOLLOWED:
		return sums->held.scale > 1 ? metric_amount(&metric->value, sums) *
						      (double)(sums->held.scale - 1)
					    : 0;
	case SPREAD_READ:
		return double_at(sums, metric->variance.at);
	default:
		return 0;
	}
}

double metric_scatter(const Metric *metric, const RowSums *sums)
{
	switch (metric->scatter.kind) {
	case SPREAD_OF_COUNT:
		return metric_amount(&metric->value, sums) + metric_variance(metric, sums);
	case SPREAD_READ:
		return double_at(sums, metric->scatter.at);
	default:
		return INFINITY;
	}
}

double metric_margin(const Metric *metric, const RowSums *sums)
{
	return margin_percent(metric_variance(metric, sums), metric_figure(metric, sums));
}

bool metric_is_known(const Metric *metric, unsigned lacks)
{
	return !(metric->needs & lacks);
}

Value metric_value(const Metric *metric, const RowSums *sums, const MetricContext *context)
{
	const Metric *rank = context->rank;

	if (!metric_is_known(metric, context->lacks))
		return (Value){ .known = false };
	switch (metric->type) {
	case VALUE_SHARE:
		return (Value){ .known = metric_adds_up(rank),
				.number = metric_figure(rank, sums),
				.other = metric_figure(rank, context->all) };
	case VALUE_PERCENT:
		return (Value){ .known = rank->variance.kind != SPREAD_UNKNOWN,
				.percent = metric_margin(rank, sums) };
	case VALUE_TIME_SPAN:
		return (Value){ .known = !(metric->needs & NEEDS_AGES) ||
					 held_sums_have_ages(&sums->held),
				.number = metric_figure(metric, sums) };
	default:
		return (Value){ .known = true, .number = metric_figure(metric, sums) };
	}
}
