/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include "base/escape.h"
#include "base/unconst.h"
#include "code/lines/line_resolver.h"
#include "table/cell_filter.h"
#include "session/losses.h"
#include "render/text/render_text.h"
#include "render/formats/renderers.h"
#include "tools/rate_feed.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Metric *const rate_columns_shown[] = {
	&metrics[METRIC_CACHE],
	&metrics[METRIC_ALLOCATIONS],
	&metrics[METRIC_BYTES_ALLOCATED],
	NULL,
};

size_t fuzz_chunk_bytes(size_t size)
{
	return 1 + size % 61;
}

/* Text from outside never reaches a terminal with control characters, those of UTF-8 included. What
   a source line begins with has a tab. */
static void expect_no_control(const char *text, size_t length)
{
	bool is_blank = true; /* the line so far */

	for (size_t i = 0; i < length; i++) {
		bool c1 = i + 1 < length && text[i] == '\xc2' && (text[i + 1] & 0xe0) == 0x80;
		bool ends_line = text[i] == '\r' && i + 1 < length && text[i + 1] == '\n';
		bool ours = text[i] == '\n' || ends_line || (text[i] == '\t' && is_blank);

		if (c1 || text[i] == 0x7f || (g_ascii_iscntrl(text[i]) && !ours))
			abort();
		is_blank = text[i] == '\n' || (is_blank && g_ascii_isspace(text[i]));
	}
}

static const RateLayout rates_layout = { .columns = rate_columns_shown, .rows_max = UINT64_MAX };

/* user_data: the session. */
static void print_table(RateTable *given, void *user_data)
{
	g_autoptr(RateTable) table = given;
	g_autoptr(Facts) facts = facts_new(user_data, false);
	g_autoptr(GString) text = g_string_new(NULL);

	rate_text_append(text, table, facts, &rates_layout);
	expect_no_control(text->str, text->len);
}

static RateFeed *rates_of(Session *session, const GArray *cells, size_t memory_bytes)
{
	return rate_feed_new(session, &(RateFeedOptions){
					      .interval_s = 0.1,
					      .sort = rate_sort_default,
					      .cells = cells,
					      .bytes_max = memory_bytes,
					      .sink = print_table,
					      .user_data = session,
				      });
}

void fuzz_rates(const uint8_t *data, size_t size, size_t memory_bytes)
{
	g_autoptr(Session) session = session_new(memory_bytes);
	g_autoptr(GArray) cells = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	g_autoptr(RateFeed) feed = rates_of(session, cells, memory_bytes);

	session_feed(session, data, size);
	session_finish(session);
	rate_feed_finish(feed);
}

void fuzz_text_rates(const ImportType *type, const char *text, size_t size, size_t memory_bytes)
{
	g_autoptr(Session) session = session_new(memory_bytes);
	g_autoptr(GArray) cells = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	g_autoptr(RateFeed) feed = rates_of(session, cells, memory_bytes);
	void *state = import_begin(type, session);

	import_feed(state, text, size);
	import_finish(state);
	session_finish(session);
	rate_feed_finish(feed);
}

/* Returns what a report of held objects counts; NULL if allocations were not paired. */
static HeldCells *held_cells_of(const Session *session, const Dimension *key, bool at_peak)
{
	const HeldChoice choice = {
		.at_peak = at_peak,
		.by_age = key && key->member == MEMBER_AGE,
		.by_freer = key && key->member == MEMBER_FREER,
	};
	const HeldMoment moment = { session_end_ns(session), losses_last_ns(session) };

	return session->pairing ? held_cells_new(session->pairing, choice, moment) : NULL;
}

/* Returns a report, grouped by that key unless it is NULL. The caller frees it. */
static char *report_of(const Session *session, const Dimension *key, const Renderer *renderer,
		       bool at_peak)
{
	g_autoptr(HeldCells) held_cells = held_cells_of(session, key, at_peak);
	g_autoptr(GPtrArray) filters = g_ptr_array_new();
	g_autoptr(CacheNames) caches =
		cache_names_new(session->profile, session->info, session->text);
	g_autoptr(CgroupNames) cgroups = cgroup_names_new(session->text);
	const ViewOptions options = {
		.filters = filters,
		.sort = metric_lookup("count", METRIC_RANKS),
		.top = UINT64_MAX,
		.by = { key },
	};
	const ViewSource source = {
		.profile = session->profile,
		.symbols = session->symbols,
		.code = session->code,
		.lines = session->lines,
		.user_objects = session->user_objects,
		.user_names = session->user_names,
		.points = session->points,
		.caches = caches,
		.cgroups = cgroups,
		.memory = session->memory,
		.held = session->held_places,
		.held_cells = held_cells,
	};
	g_autoptr(View) view = view_new(&source, &options);
	const ReportSource report = {
		.command = "kmalloc-top",
		.session = session,
		.view = view,
		.options = &options,
		.hits_max = UINT64_MAX,
		.parts = renderer->parts,
		.lists_code = renderer->traits & RENDER_CODE,
		.whole_names = renderer->traits & RENDER_WHOLE_NAMES,
		.details = true,
		.human = key != NULL,
		.shows_memory = true,
		.show_host = true,
	};
	g_autoptr(ReportModel) model = report_model_new(REPORT_STACKS, &report);
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	renderer->render(model, out);
	fclose(out);
	if (!(renderer->traits & RENDER_BINARY))
		expect_no_control(text, length);
	return text;
}

/* How often the loops of fuzz_report() ask; a search takes a random one of so many. */
enum { REPORTS_MAX = 64 };

/* Whether to print the report with this number. A replay prints each input in all ways. A search
   prints it in one way, the next time in another: else it would be a hundred times slower, and what
   it spends its time with is text that is the same for all inputs. */
static bool is_due(unsigned number)
{
#ifdef FUZZ_SEARCH
	static uint32_t random;

	if (!number)
		random = random * 1664525 + 1013904223;
	return number == (random >> 16) % REPORTS_MAX;
#else
	return number < REPORTS_MAX;
#endif
}

void fuzz_report(const Session *session)
{
	unsigned number = 0;

	for (const Renderer *renderer = renderers; renderer->name; renderer++)
		if (renderer->render && renderer->reports & RENDERS(REPORT_STACKS) &&
		    is_due(number++))
			free(report_of(session, NULL, renderer, false));
	if (session->pairing && is_due(number++))
		free(report_of(session, NULL, renderers, true));
	for (const Dimension *key = dimensions; key->name; key++)
		if ((session->pairing || !key->of_held) && is_due(number++))
			free(report_of(session, key, renderers, false));
}

/* Appends an inlined function and its caller at each place. */
static void append_lines(GString *out, const LinesRequest *request)
{
	for (guint i = 0; i < request->places->len; i++) {
		const LinesPlace *place = &g_array_index(request->places, LinesPlace, i);
		const LineFrame frames[] = {
			{ "inlined\033[1m", "/src\xc2\x9b", "a b\t.c", (uint32_t)place->offset,
			  NULL },
			{ place->offset % 2 ? "outer" : NULL, "", "/src/outer.c", 0, NULL },
		};

		for (gsize frame = 0; frame < G_N_ELEMENTS(frames); frame++)
			line_table_append_line(out, request->key, place->offset, &frames[frame]);
	}
}

/* A LineReader. */
static char *odd_text(const LineFrame *frame, void *user_data)
{
	(void)user_data;
	return frame->line % 3 ? g_strdup_printf("\tsource\033[1m = %u;\n", frame->line) : NULL;
}

void fuzz_add_lines(Session *session)
{
	g_autoptr(LinePlaces) places = line_places_new();
	g_autoptr(GString) lines = g_string_new(NULL);

	line_places_update(places, session);
	for (guint i = 0; i < line_places_count(places); i++) {
		const GArray *requests = line_places_object(places, i)->requests;

		for (guint j = 0; j < requests->len; j++)
			append_lines(lines, &g_array_index(requests, LinesRequest, j));
	}
	line_table_parse(session->lines, (TextPart){ lines->str, lines->len });
	if (line_table_invalid(session->lines))
		abort();
	line_table_read_sources(session->lines, odd_text, NULL);
	/* All were asked for. */
	line_places_update(places, session);
	for (guint i = 0; i < line_places_count(places); i++)
		if (line_places_object(places, i)->requests->len)
			abort();
}

void fuzz_expect_visible(const char *text)
{
	g_autoptr(GString) shown = g_string_new(NULL);

	escape_hidden_append_len(shown, text, strlen(text));
	if (strcmp(shown->str, text))
		abort();
}

void fuzz_expect_same(const Session *whole, const Session *pieces)
{
	ProfileTotals a = profile_totals(whole->profile);
	ProfileTotals b = profile_totals(pieces->profile);

	if (a.events != b.events || a.outside_window != b.outside_window ||
	    loss_ledger_totals(whole->loss).damaged.high !=
		    loss_ledger_totals(pieces->loss).damaged.high ||
	    profile_cell_count(whole->profile) != profile_cell_count(pieces->profile) ||
	    profile_origin_count(whole->profile) != profile_origin_count(pieces->profile) ||
	    profile_task_count(whole->profile) != profile_task_count(pieces->profile))
		abort();
}
