/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two readings of slabinfo with what they are compared with: traced sums, memory, which caches the
 * kernel can shrink. Owns what slab_growth.c and slab_table.c show.
 */
#include "report/slab_readings.h"

#include "record/format.h"
#include "session/losses.h"
#include "table/cell_filter.h"

#include <string.h>

enum { PAGE_BYTES_USUAL = 4096 }; /* if an overview has no facts about the host */

Slabinfo *slab_reading_of(const Session *session, uint32_t reading)
{
	uint64_t page_bytes =
		run_info_number(session->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_USUAL);

	return slabinfo_new(run_text_of(session->text, KMT_BATCH_SLABINFO, reading), page_bytes);
}

static SlabSpan span_of(const SlabReadings *readings, const Session *session)
{
	uint64_t start_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);
	uint64_t end_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END);

	return (SlabSpan){
		.start = readings->start,
		.end = readings->end,
		.span_ns = start_ns && end_ns > start_ns ? end_ns - start_ns : 0,
	};
}

/* If true, growth above the traced allocations must have other sources. */
static bool is_all_traced(const Session *session)
{
	const char *scope = run_info_text(session->info, KMT_FIELD_SCOPE);
	const char *events = run_info_text(session->info, KMT_FIELD_EVENTS);

	return scope && (g_str_equal(scope, "host") || g_str_equal(scope, "window")) && events &&
	       strstr(events, "kmalloc") && strstr(events, "cache") &&
	       run_info_number(session->info, KMT_FIELD_SAMPLING_PERIOD, 1) == 1 &&
	       loss_ledger_totals(session->loss).sampling_period_max <= 1 &&
	       !losses_make_incomplete(session, 0);
}

/* Whose allocations were traced, if not the whole host's; else NULL. */
static const char *traced_of_whom(const ReportSource *source)
{
	const char *scope = run_info_text(source->session->info, KMT_FIELD_SCOPE);

	if (scope && (g_str_equal(scope, "pids") || g_str_equal(scope, "command")))
		return "of the chosen processes";
	return cell_filters_pick_tasks(source->options->cells) ? "of what was asked for" : NULL;
}

static void set_growth(SlabReadings *readings, const ReportSource *source, const GArray *check)
{
	const Session *session = source->session;
	const char *recorded = run_info_text(session->info, KMT_FIELD_CACHE_FILTER);
	CacheNames *names = view_source(source->view)->caches;

	readings->traced = slab_growth_traced(source->view, source->caches);
	readings->recorded = recorded ? g_strsplit(recorded, "\t", -1) : NULL;
	readings->growth = (SlabGrowth){
		.span = span_of(readings, session),
		.query = source->caches,
		.traced = readings->traced,
		.recorded = readings->recorded,
		.of_part = session->info->sliced,
		.all_traced = is_all_traced(session) && !session->info->sliced &&
			      !slab_growth_any(session->profile, names, CACHE_UNKNOWN),
		.some_by_size = slab_growth_any(session->profile, names, CACHE_BY_SIZE),
		.of_whom = traced_of_whom(source),
		.sampled = loss_ledger_totals(session->loss).sampling_period_max > 1,
		.is_held = session->is_held,
		.human = source->human,
		.cpus = run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 0),
		.frees_unseen = run_info_text(session->info, KMT_FIELD_FREES_NOT_SEEN),
		.check = check,
	};
}

static HostState memory_of(const Session *session, enum KmtReading reading)
{
	return host_state_parse(run_text_of(session->text, KMT_BATCH_MEMORY, reading));
}

static void set_table(SlabReadings *readings, const ReportSource *source)
{
	const Session *session = source->session;
	SlabSpan span = span_of(readings, session);
	uint64_t top = source->options->top;

	readings->reclaimable =
		reclaimable_new(run_text_of(session->text, KMT_BATCH_RECLAIMABLE, 0));
	readings->table = (SlabTable){
		.span = span,
		.memory = { memory_of(session, KMT_READING_START),
			    memory_of(session, KMT_READING_END), span.span_ns },
		.reclaimable = readings->reclaimable,
		.rows_max = source->all        ? UINT32_MAX
			    : top < UINT32_MAX ? (guint)top
					       : SLAB_TABLE_ROWS,
		.cpus = (unsigned)run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 1),
		.human = source->human,
	};
}

SlabReadings *slab_readings_new(const ReportSource *source, const GArray *check)
{
	SlabReadings *readings = g_new0(SlabReadings, 1);

	readings->start = slab_reading_of(source->session, KMT_READING_START);
	readings->end = slab_reading_of(source->session, KMT_READING_END);
	if (source->caches)
		set_growth(readings, source, check);
	set_table(readings, source);
	return readings;
}

void slab_readings_free(SlabReadings *readings)
{
	if (!readings)
		return;
	slabinfo_free(readings->start);
	slabinfo_free(readings->end);
	reclaimable_free(readings->reclaimable);
	g_strfreev(readings->recorded);
	if (readings->traced)
		g_array_unref(readings->traced);
	g_free(readings);
}
