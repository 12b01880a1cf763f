/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of metrics: for each figure its names, titles, type, what it needs, its value and its
 * variance as functions of a row's sums. Every -s, column, JSON member and text column comes from
 * here; nothing else knows how a figure is computed.
 */
#include "table/metric.h"

static uint64_t allocations(const RowSums *sums)
{
	return sums->summary.allocations;
}

static uint64_t bytes_requested(const RowSums *sums)
{
	return sums->summary.bytes_requested;
}

static uint64_t bytes_allocated(const RowSums *sums)
{
	return sums->summary.bytes_allocated;
}

static uint64_t bytes_wasted(const RowSums *sums)
{
	const StackSummary *summary = &sums->summary;

	return summary->bytes_allocated > summary->bytes_requested
		       ? summary->bytes_allocated - summary->bytes_requested
		       : 0;
}

static uint64_t failed(const RowSums *sums)
{
	return sums->summary.failed;
}

static uint64_t oldest_ns(const RowSums *sums)
{
	return sums->held.oldest_ns;
}

static uint64_t allocated(const RowSums *sums)
{
	return sums->held.allocated;
}

static uint64_t freed(const RowSums *sums)
{
	return sums->held.freed;
}

static uint64_t freed_early(const RowSums *sums)
{
	return sums->held.freed_early;
}

static uint64_t freed_apart(const RowSums *sums)
{
	return sums->held.freed_apart;
}

static uint64_t requested_in_run(const RowSums *sums)
{
	return sums->held.bytes_requested;
}

static uint64_t bytes_in_run(const RowSums *sums)
{
	return sums->held.bytes_allocated;
}

static uint64_t wasted_in_run(const RowSums *sums)
{
	const HeldSums *held = &sums->held;

	return held->bytes_allocated - MIN(held->bytes_requested, held->bytes_allocated);
}

static uint64_t peak_bytes(const RowSums *sums)
{
	return sums->held.peak_bytes;
}

static uint64_t doubtful(const RowSums *sums)
{
	return sums->held.doubtful;
}

static uint64_t frees(const LiveSums *live)
{
	return live->frees;
}

static uint64_t net(const LiveSums *live)
{
	return (uint64_t)live->net;
}

static uint64_t objects_in_use(const LiveSums *live)
{
	return live->objects_in_use;
}

static uint64_t held(const LiveSums *live)
{
	return live->held;
}

static uint64_t held_bytes(const LiveSums *live)
{
	return live->held_bytes;
}

static uint64_t value(const RowSums *sums)
{
	return (uint64_t)MAX(sums->hits.value, 0);
}

static uint64_t time_ns(const RowSums *sums)
{
	return sums->hits.time_ns;
}

static uint64_t time_max_ns(const RowSums *sums)
{
	return sums->hits.time_max_ns;
}

static double variance_of_value(const RowSums *sums)
{
	return variance_of_amount(&sums->variance, sums->hits.value_variance,
				  (double)sums->hits.value, sums->summary.allocations);
}

static double variance_of_allocations(const RowSums *sums)
{
	return variance_of_events(&sums->variance);
}

static double variance_of_requested(const RowSums *sums)
{
	return variance_of_amount(&sums->variance, sums->variance.bytes_requested,
				  (double)sums->summary.bytes_requested, sums->summary.allocations);
}

static double variance_of_allocated(const RowSums *sums)
{
	return variance_of_amount(&sums->variance, sums->variance.bytes_allocated,
				  (double)sums->summary.bytes_allocated, sums->summary.allocations);
}

static double variance_of_wasted(const RowSums *sums)
{
	return variance_of_amount(&sums->variance, sums->variance.bytes_wasted,
				  (double)sums->summary.bytes_allocated -
					  (double)sums->summary.bytes_requested,
				  sums->summary.allocations);
}

/* Objects that are followed stand for others. */
static double variance_of_followed(const RowSums *sums, uint64_t objects)
{
	return sums->held.scale > 1 ? (double)objects * (double)(sums->held.scale - 1) : 0;
}

static double variance_of_allocated_in_run(const RowSums *sums)
{
	return variance_of_followed(sums, sums->held.allocated);
}

static double variance_of_bytes_in_run(const RowSums *sums)
{
	return sums->held.bytes_variance;
}

static double variance_of_wasted_in_run(const RowSums *sums)
{
	return sums->held.waste_variance;
}

static double variance_of_freed(const RowSums *sums)
{
	return variance_of_followed(sums, sums->held.freed);
}

static double variance_of_freed_early(const RowSums *sums)
{
	return variance_of_followed(sums, sums->held.freed_early);
}

static double variance_of_freed_apart(const RowSums *sums)
{
	return variance_of_followed(sums, sums->held.freed_apart);
}

static double variance_of_peak(const RowSums *sums)
{
	return sums->held.peak_variance;
}

/* Events come at random, and sampling adds to that. */
static double scatter_of_allocations(const RowSums *sums)
{
	return (double)allocations(sums) + variance_of_allocations(sums);
}

static double scatter_of_requested(const RowSums *sums)
{
	return sums->scatter.bytes_requested;
}

static double scatter_of_allocated(const RowSums *sums)
{
	return sums->scatter.bytes_allocated;
}

static double scatter_of_wasted(const RowSums *sums)
{
	return sums->scatter.bytes_wasted;
}

static double scatter_of_allocated_in_run(const RowSums *sums)
{
	return (double)allocated(sums) + variance_of_allocated_in_run(sums);
}

static double scatter_of_freed(const RowSums *sums)
{
	return (double)freed(sums) + variance_of_freed(sums);
}

static double scatter_of_freed_early(const RowSums *sums)
{
	return (double)freed_early(sums) + variance_of_freed_early(sums);
}

static double scatter_of_freed_apart(const RowSums *sums)
{
	return (double)freed_apart(sums) + variance_of_freed_apart(sums);
}

static double scatter_of_value(const RowSums *sums)
{
	return sums->scatter.value;
}

static double scatter_of_time(const RowSums *sums)
{
	return sums->scatter.time_ns;
}

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
		.title_human = "ALLOCATIONS",
		.title_short = "ALLOCS",
		.width = 6,
		.type = VALUE_COUNT,
		.uses = EVERYWHERE | METRIC_OF_HITS,
		.needs = NEEDS_CHURN,
		.value = allocations,
		.variance = variance_of_allocations,
		.scatter = scatter_of_allocations,
		.block = BLOCK_EVENTS,
	},
	[METRIC_SHARE] = {
		.help = "the row's part of what rows are ranked by",
		.member = "share_percent",
		.title = "SHARE%",
		.title_human = "SHARE%",
		.title_short = "SHARE",
		.width = 7,
		.type = VALUE_SHARE,
		.uses = METRIC_REPORTS,
	},
	[METRIC_MARGIN] = {
		.help = "by how much what rows are ranked by may be off",
		.member = "margin_percent",
		.title = "+-%",
		.title_human = "+-%",
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
		.value = bytes_requested,
		.variance = variance_of_requested,
		.scatter = scatter_of_requested,
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
		.value = bytes_allocated,
		.variance = variance_of_allocated,
		.scatter = scatter_of_allocated,
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
		.value = bytes_wasted,
		.variance = variance_of_wasted,
		.scatter = scatter_of_wasted,
		.block = BLOCK_WASTED,
	},
	[METRIC_FAILED] = {
		.help = "allocations that returned NULL",
		.member = "allocations_failed",
		.title = "FAILED",
		.title_human = "FAILED",
		.title_short = "FAILED",
		.width = 6,
		.type = VALUE_COUNT,
		.uses = METRIC_REPORTS,
		.if_any = true,
		.value = failed,
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
		.value = allocations,
		.live = held,
		.variance = variance_of_allocations,
		.scatter = scatter_of_allocations,
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
		.value = bytes_allocated,
		.live = held_bytes,
		.variance = variance_of_allocated,
		.scatter = scatter_of_allocated,
		.block = BLOCK_ALLOCATED,
	},
	[METRIC_AGE] = {
		.name = "age",
		.help = "age of the oldest object held",
		.member = "age_max_seconds",
		.title = "OLDEST",
		.title_human = "OLDEST",
		.type = VALUE_TIME_SPAN,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_HELD | NEEDS_AGES,
		.if_any = true,
		.if_known = true,
		.is_maximum = true,
		.value = oldest_ns,
	},
	[METRIC_ALLOCATED_IN_RUN] = {
		.name = "allocated",
		.help = "with --held: allocations of the run, held or not",
		.member = "allocated",
		.title = "ALLOCATED",
		.title_human = "ALLOCATED",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = allocated,
		.variance = variance_of_allocated_in_run,
		.scatter = scatter_of_allocated_in_run,
	},
	[METRIC_FREED] = {
		.name = "freed",
		.help = "... of these: freed",
		.member = "freed",
		.title = "FREED",
		.title_human = "FREED",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = freed,
		.variance = variance_of_freed,
		.scatter = scatter_of_freed,
	},
	[METRIC_FREED_EARLY] = {
		.name = "short-lived",
		.help = "... of these: freed within 1 ms",
		.member = "freed_within_1ms",
		.title = "FREED<1ms",
		.title_human = "FREED<1ms",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = freed_early,
		.variance = variance_of_freed_early,
		.scatter = scatter_of_freed_early,
	},
	[METRIC_FREED_APART] = {
		.name = "cross-cpu",
		.help = "... freed on another CPU than that of the allocation",
		.member = "freed_on_another_cpu",
		.title = "CROSS-CPU",
		.title_human = "CROSS-CPU",
		.type = VALUE_COUNT,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_known = true,
		.value = freed_apart,
		.variance = variance_of_freed_apart,
		.scatter = scatter_of_freed_apart,
	},
	[METRIC_REQUESTED_IN_RUN] = {
		.help = "bytes requested by the allocations of the run",
		.member = "bytes_requested_in_run",
		.title = "RUN-REQUESTED",
		.title_human = "RUN-REQUESTED",
		.type = VALUE_BYTES,
		.uses = METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.if_run = true,
		.if_known = true,
		.value = requested_in_run,
	},
	[METRIC_BYTES_IN_RUN] = {
		.name = "run-bytes",
		.help = "... bytes that the allocations of the run got",
		.member = "bytes_allocated_in_run",
		.title = "RUN-ALLOCATED",
		.title_human = "RUN-ALLOCATED",
		.type = VALUE_BYTES,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_run = true,
		.if_known = true,
		.value = bytes_in_run,
		.variance = variance_of_bytes_in_run,
	},
	[METRIC_WASTED_IN_RUN] = {
		.name = "run-waste",
		.help = "... of these: not requested",
		.member = "bytes_wasted_in_run",
		.title = "RUN-WASTED",
		.title_human = "RUN-WASTED",
		.type = VALUE_BYTES,
		.uses = METRIC_RANKS | METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.of_run = true,
		.if_run = true,
		.if_known = true,
		.value = wasted_in_run,
		.variance = variance_of_wasted_in_run,
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
		.value = peak_bytes,
		.variance = variance_of_peak,
	},
	[METRIC_DOUBTFUL] = {
		.help = "objects held whose free may be lost",
		.member = "doubtful",
		.title = "DOUBTFUL",
		.title_human = "DOUBTFUL",
		.type = VALUE_COUNT,
		.uses = METRIC_REPORTS,
		.needs = NEEDS_PAIRS,
		.if_any = true,
		.if_known = true,
		.value = doubtful,
	},
	[METRIC_VALUE] = {
		.name = "value",
		.help = "of probe points: sum of --weight",
		.member = "value",
		.title = "VALUE",
		.title_human = "VALUE",
		.type = VALUE_COUNT,
		.uses = METRIC_OF_HITS | METRIC_REPORTS,
		.needs = NEEDS_VALUES,
		.if_known = true,
		.value = value,
		.variance = variance_of_value,
		.scatter = scatter_of_value,
		.block = BLOCK_VALUE,
	},
	[METRIC_VALUE_BYTES] = {
		.help = "... if it is a number of bytes",
		.member = "value_bytes",
		.title = "BYTES",
		.title_human = "BYTES",
		.type = VALUE_BYTES,
		.uses = METRIC_REPORTS,
		.needs = NEEDS_BYTE_VALUES,
		.if_known = true,
		.value = value,
		.variance = variance_of_value,
		.scatter = scatter_of_value,
		.block = BLOCK_VALUE,
	},
	[METRIC_TIME] = {
		.name = "time",
		.help = "of probe points: time between begins and ends",
		.member = "time_seconds",
		.title = "TIME",
		.title_human = "TIME",
		.type = VALUE_TIME_SPAN,
		.uses = METRIC_OF_HITS | METRIC_REPORTS,
		.needs = NEEDS_TIMES,
		.if_known = true,
		.value = time_ns,
		.scatter = scatter_of_time,
		.block = BLOCK_TIME,
	},
	[METRIC_TIME_MAX] = {
		.name = "max",
		.help = "... the longest time",
		.member = "time_max_seconds",
		.title = "MAX",
		.title_human = "MAX",
		.type = VALUE_TIME_SPAN,
		.uses = METRIC_OF_HITS | METRIC_REPORTS,
		.needs = NEEDS_TIMES,
		.if_known = true,
		.is_maximum = true,
		.value = time_max_ns,
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
		.live = frees,
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
		.live = net,
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
		.live = objects_in_use,
	},
};

static bool is_called(const Metric *metric, const char *name, MetricUse use)
{
	return !g_strcmp0(metric->name, name) ||
	       (use == METRIC_RATES && !g_strcmp0(metric->alias, name));
}

const Metric *metric_lookup(const char *name, MetricUse use)
{
	for (MetricId id = 0; id < METRICS; id++)
		if (metrics[id].uses & use && is_called(&metrics[id], name, use))
			return &metrics[id];
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

double metric_margin(const Metric *metric, const RowSums *sums)
{
	if (!metric->variance)
		return 0;
	return margin_percent(metric->variance(sums), metric->value(sums));
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
				.number = rank->value(sums),
				.other = rank->value(context->all) };
	case VALUE_PERCENT:
		return (Value){ .known = rank->variance != NULL,
				.percent = metric_margin(rank, sums) };
	case VALUE_TIME_SPAN:
		return (Value){ .known = !(metric->needs & NEEDS_AGES) ||
					 held_sums_have_ages(&sums->held),
				.number = metric->value(sums) };
	default:
		return (Value){ .known = true, .number = metric->value(sums) };
	}
}
