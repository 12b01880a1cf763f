/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/slab_readings.h"

#include "losses.h"
#include "rank/cell_filter_cache.h"
#include "report/recorded_caches.h"
#include "report/sampling.h"

#include <string.h>

enum { PAGE_BYTES_USUAL = 4096 }; /* where an overview has no facts of the host */

/* Owned, unlike what SlabSpan is made of. */
typedef struct {
	Slabinfo *start;
	Slabinfo *end;
	uint64_t span_ns;
} Readings;

static Slabinfo *reading_of(const Session *session, enum KmtReading reading)
{
	uint64_t page_bytes =
		run_info_number(session->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_USUAL);

	return slabinfo_new(run_text_of(session->text, KMT_BATCH_SLABINFO, reading), page_bytes);
}

static Readings readings_of(const Session *session)
{
	uint64_t start_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);
	uint64_t end_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END);

	return (Readings){
		.start = reading_of(session, KMT_READING_START),
		.end = reading_of(session, KMT_READING_END),
		.span_ns = start_ns && end_ns > start_ns ? end_ns - start_ns : 0,
	};
}

static void readings_clear(Readings *readings)
{
	slabinfo_free(readings->start);
	slabinfo_free(readings->end);
}

static SlabSpan span_of(const Readings *readings)
{
	return (SlabSpan){ readings->start, readings->end, readings->span_ns };
}

/* Only then what grew by more than was traced must have come on other ways. */
static bool is_all_traced(const Session *session)
{
	const char *scope = run_info_text(session->info, KMT_FIELD_SCOPE);
	const char *events = run_info_text(session->info, KMT_FIELD_EVENTS);

	return scope && (g_str_equal(scope, "host") || g_str_equal(scope, "window")) && events &&
	       strstr(events, "kmalloc") && strstr(events, "cache") &&
	       run_info_number(session->info, KMT_FIELD_SAMPLING_PERIOD, 1) == 1 &&
	       !sampling_is_throttled(session) && !losses_make_incomplete(session, 0);
}

/* Whose allocations were traced, where it is not the whole host's; else NULL. */
static const char *traced_of_whom(const Report *report)
{
	const char *scope = run_info_text(report->session->info, KMT_FIELD_SCOPE);

	if (scope && (g_str_equal(scope, "pids") || g_str_equal(scope, "command")))
		return "of the chosen processes";
	return cell_filters_pick_tasks(report->options->cells) ? "of what was asked for" : NULL;
}

void append_growth_of_report(GString *out, const Report *report)
{
	const Session *session = report->session;
	Readings readings = readings_of(session);
	g_autoptr(GArray) traced = NULL;
	g_auto(GStrv) recorded = recorded_caches(session);
	CacheNames *names = view_source(report->view)->caches;
	SlabGrowth growth = {
		.span = span_of(&readings),
		.query = report->caches,
		.recorded = recorded,
		.of_part = session->info->sliced,
		.all_traced = is_all_traced(session) && !session->info->sliced &&
			      !slab_growth_any(session->profile, names, CACHE_UNKNOWN),
		.some_by_size = slab_growth_any(session->profile, names, CACHE_BY_SIZE),
		.of_whom = traced_of_whom(report),
		.sampled = loss_ledger_totals(session->loss).sampling_period_max > 1,
		.human = report->human,
		.cpus = run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 0),
	};

	if (report->caches) {
		traced = slab_growth_traced(report->view, report->caches);
		growth.traced = traced;
		append_growth_lines(out, &growth);
	}
	readings_clear(&readings);
}

static HostMemoryUse memory_of(const Session *session, enum KmtReading reading)
{
	return host_memory_use_parse(run_text_of(session->text, KMT_BATCH_MEMINFO, reading));
}

void report_print_slab_table(const Report *report, FILE *out)
{
	const Session *session = report->session;
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(Reclaimable) reclaimable =
		reclaimable_new(run_text_of(session->text, KMT_BATCH_RECLAIMABLE, 0));
	Readings readings = readings_of(session);
	uint64_t top = report->options->top;
	const SlabTable table = {
		.span = span_of(&readings),
		.memory = { memory_of(session, KMT_READING_START),
			    memory_of(session, KMT_READING_END), readings.span_ns },
		.reclaimable = reclaimable,
		.rows_max = report->all        ? UINT32_MAX
			    : top < UINT32_MAX ? (guint)top
					       : SLAB_TABLE_ROWS,
		.cpus = (unsigned)run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 1),
		.human = report->human,
	};

	append_slab_table(text, &table);
	fwrite(text->str, 1, text->len, out);
	readings_clear(&readings);
}
