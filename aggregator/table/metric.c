/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/metric.h"

static uint64_t allocations(const StackSummary *summary)
{
	return summary->allocations;
}

static uint64_t bytes_requested(const StackSummary *summary)
{
	return summary->bytes_requested;
}

static uint64_t bytes_allocated(const StackSummary *summary)
{
	return summary->bytes_allocated;
}

static uint64_t bytes_wasted(const StackSummary *summary)
{
	return summary->bytes_allocated > summary->bytes_requested
		       ? summary->bytes_allocated - summary->bytes_requested
		       : 0;
}

static uint64_t failed(const StackSummary *summary)
{
	return summary->failed;
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

static double variance_of_allocations(const Variance *variance)
{
	return variance->allocations;
}

static double variance_of_requested(const Variance *variance)
{
	return variance->bytes_requested;
}

static double variance_of_allocated(const Variance *variance)
{
	return variance->bytes_allocated;
}

static double variance_of_wasted(const Variance *variance)
{
	return variance->bytes_wasted;
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
		.help = "allocations",
		.member = "allocations",
		.title = "ALLOCATIONS",
		.title_human = "ALLOCATIONS",
		.title_short = "ALLOCS",
		.width = 6,
		.type = VALUE_COUNT,
		.uses = EVERYWHERE,
		.value = allocations,
		.variance = variance_of_allocations,
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
		.needs = NEEDS_BYTES,
		.value = bytes_requested,
		.variance = variance_of_requested,
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
		.needs = NEEDS_BYTES,
		.value = bytes_allocated,
		.variance = variance_of_allocated,
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
		.needs = NEEDS_BYTES,
		.value = bytes_wasted,
		.variance = variance_of_wasted,
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
	[METRIC_FREES] = {
		.name = "free",
		.help = "objects freed",
		.member = "frees",
		.title_short = "FREES",
		.width = 6,
		.type = VALUE_COUNT,
		.uses = METRIC_RATES,
		.needs = NEEDS_FREES,
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
		.needs = NEEDS_NET,
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
	return margin_percent(metric->variance(&sums->variance), metric->value(&sums->summary));
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
		return (Value){ .known = true,
				.number = rank->value(&sums->summary),
				.other = rank->value(&context->all->summary) };
	case VALUE_PERCENT:
		return (Value){ .known = true, .percent = metric_margin(rank, sums) };
	default:
		return (Value){ .known = true, .number = metric->value(&sums->summary) };
	}
}
