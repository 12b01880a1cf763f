/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command reads: a session for what the options show, an input that is read into it, whether
 * it can show that, and which of its cells count. Requested caches are resolved against a host or a
 * stream, through a small session. tool.c, older_run.c, many_inputs.c and rate_run.c call it.
 */
#include "tools/tool_input.h"

#include "base/keyed_hash.h"
#include "base/unconst.h"
#include "collect/facts/memory_facts.h"
#include "collect/run/collect_live.h"
#include "import/input.h"
#include "names/cache_list.h"
#include "record/batch.h"
#include "record/format.h"
#include "session/losses.h"
#include "table/cell_filter.h"

#include <gio/gio.h>

Session *tool_session_new(const Options *options)
{
	Session *session = session_new(options->memory_bytes_max);

	session->text_page_bytes = options->input.page_bytes;
	/* They need memory. */
	if (dimensions_have(options->view.by, "thread"))
		profile_keep_threads(session->profile);
	if ((options->output.diff || options->is_older) && !options->live.request.what.held)
		profile_keep_blocks(session->profile);
	/* The reader of a stream pairs. */
	if (options->live.request.what.held && !collect_request_streams(&options->live.request))
		session_pair(session, options->choice.held.by_freer);
	return session;
}

bool tool_has_times(const InputOptions *input, const Session *session, GError **error)
{
	if (!session->imported || run_info_start_ns(session->info))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s: its events have no times: use a recording, or the output of "
		    "perf script",
		    input->path);
	return false;
}

typedef struct {
	Options *options;
	Session *session;
} Reading;

/* Before the events: threads are counted from the first one on, if they are keys. */
static void take_live_view(const Reading *reading)
{
	Options *options = reading->options;

	if (!options->tool->take_live_view)
		return;
	options->tool->take_live_view(options, reading->session);
	if (dimensions_have(options->view.by, "thread"))
		profile_keep_threads(reading->session->profile);
}

/* A BatchVisitor. */
static void take_info(const Batch *batch, void *user_data)
{
	if (batch->header.kind == KMT_BATCH_INFO)
		take_live_view(user_data);
}

/* Reads -i. What its facts say about the report is taken as soon as it is known. */
static bool read_file(Options *options, Session *session, GError **error)
{
	Reading reading = { options, session };
	bool is_read;

	session_add_tap(session, take_info, &reading);
	is_read = options->input.is_found ? input_read_found(options->input.path, session, error)
					  : input_read(options->input.path, session, error);
	session_remove_tap(session, take_info);
	if (is_read)
		take_live_view(&reading);
	return is_read;
}

bool tool_read_input(Options *options, Session *session, GError **error)
{
	double from_s = (double)options->input.slice.from_ns / 1e9;
	uint64_t length_ns;

	if (options->input.kernel.record)
		return kernel_record_read(&options->input.kernel, session, error);
	if (options->input.is_sliced)
		session_set_slice(session, options->input.slice);
	if (!read_file(options, session, error) ||
	    (options->input.is_sliced && !tool_has_times(&options->input, session, error)))
		return false;
	length_ns = session_length_ns(session);
	if (!options->input.slice.from_ns || options->input.slice.from_ns < length_ns)
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--from %g: %s is %.3f s long",
		    from_s, options->input.path, (double)length_ns / 1e9);
	return false;
}

/* A few addresses are allocated again and again, so a sample of addresses says little about the
   number of allocations. */
static bool can_rank_allocations(const Options *options, const Session *session, GError **error)
{
	const char *sampled_by = run_info_text(session->info, KMT_FIELD_SAMPLED_BY);

	if (!sampled_by || loss_ledger_totals(session->loss).sampling_period_max <= 1)
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s: it is a sample of addresses, which only shows what is held: %s",
		    options->input.path,
		    options->live.request.what.held ? "use -s held, held-bytes, age or peak"
						    : "add --held");
	return false;
}

/* Allocations and hits of probe points have different reports. */
static bool has_its_events(const Options *options, const Session *session, GError **error)
{
	bool has_hits = run_info_text(session->info, KMT_FIELD_POINTS_NOUN);

	if (has_hits == (options->tool->bit == TOOL_STACK_TOP))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s: it has %s: use %s -i",
		    options->input.path,
		    has_hits ? "hits of probe points, no allocations"
			     : "allocations, no hits of probe points",
		    has_hits ? "stack-top" : "kmalloc-top");
	return false;
}

bool tool_shows_caches(const Options *options, const Session *session)
{
	return options->overview || (session && session->watch && options->tool->read_overview &&
				     !options->choice.caches);
}

/* A watch has no events. */
static bool can_show_watch(const Options *options, const Session *session, GError **error)
{
	const Renderer *renderer = options->output.renderer;

	if (!session->watch)
		return true;
	if (!options->tool->read_overview) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "%s: it is the recording of a watch: use slabstack -i",
			    options->input.path);
		return false;
	}
	if (!tool_shows_caches(options, session) || renderer->reports & RENDERS(REPORT_SLAB_CACHES))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s: it is the recording of a watch, which --format=%s cannot show",
		    options->input.path, renderer->name);
	return false;
}

bool tool_can_show(const Options *options, const Session *session, GError **error)
{
	bool ranks_held = options->live.request.what.held &&
			  !(options->view.sort && options->view.sort->of_run);

	if (!options->input.path || options->info)
		return true;
	if (!can_show_watch(options, session, error) || !has_its_events(options, session, error))
		return false;
	if (options->live.request.what.held && !run_info_number(session->info, KMT_FIELD_HELD, 0)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "--held: %s: %s",
			    options->input.path,
			    session->cannot_pair
				    ? session->cannot_pair
				    : "it does not have all frees: record it with --held");
		return false;
	}
	return ranks_held || can_rank_allocations(options, session, error);
}

/* Which cells count. */

void tool_leave_out_unpaired(Options *options)
{
	const CellFilter unpaired = { .type = &cell_filter_unpaired };
	const CellFilter slab_pages = { .type = &cell_filter_slab_pages };

	if (!options->live.request.what.held)
		return;
	g_array_append_val(options->choice.cells, unpaired);
	if (!options->tool->caches_only)
		g_array_append_val(options->choice.cells, slab_pages);
}

enum {
	SESSION_BYTES_MAX = 1 << 20, /* the session counts nothing */
	NAMES_SHOWN_MAX = 20,
};

static bool choose_by(ChoiceOptions *choice, CacheQuery *query, const CellFilterType *type,
		      const CacheList *list, const char *advice, GError **error)
{
	const CellFilter filter = { type, query, NULL };

	if (!query)
		return true;
	if (!cache_query_resolve(query, list, advice, error))
		return false;
	g_array_append_val(choice->cells, filter);
	return true;
}

static bool take_choice(Options *options, const GString *names, const GString *slabinfo,
			const char *advice, GError **error)
{
	g_autoptr(CacheList) list = cache_list_new(names, slabinfo);

	return choose_by(&options->choice, options->choice.caches, &cell_filter_cache, list, advice,
			 error) &&
	       choose_by(&options->choice, options->choice.caches_excluded,
			 &cell_filter_cache_excluded, list, advice, error);
}

static bool has_choice(const ChoiceOptions *choice)
{
	return choice->caches || choice->caches_excluded;
}

bool cache_choice_of_host(Options *options, GError **error)
{
	g_autoptr(GByteArray) facts = g_byte_array_new();
	g_autoptr(Session) host = session_new(SESSION_BYTES_MAX);

	if (!has_choice(&options->choice))
		return true;
	slab_facts_append(facts, "", KMT_READING_START);
	session_feed(host, facts->data, facts->len);
	if (!take_choice(options, run_text_of(host->text, KMT_BATCH_CACHE_NAMES, 0),
			 run_text_of(host->text, KMT_BATCH_SLABINFO, KMT_READING_START),
			 "'slabstack --all' lists those of this host", error))
		return false;
	if (options->choice.caches)
		options->live.request.what.caches =
			cache_query_kernel_names(options->choice.caches);
	return true;
}

/* Returns the cache names in a stream's events, as a text that lists caches; NULL: none. The caller
   frees it. */
static GString *names_of_events(const Session *session)
{
	g_autoptr(CacheNames) names =
		cache_names_new(session->profile, session->info, session->text);
	g_autoptr(GHashTable) seen = g_hash_table_new(keyed_hash_text, g_str_equal);
	GString *text = NULL;

	for (OriginId id = 0; id < profile_origin_count(session->profile); id++) {
		const char *name = cache_names_of(names, profile_origin(session->profile, id)).name;

		if (!name || !g_hash_table_add(seen, unconst(name)))
			continue;
		text = text ? text : g_string_new(NULL);
		g_string_append_printf(text, "%s\n", name);
	}
	return text;
}

/* Returns which caches a stream offers, "the input has allocations from dentry, filp, 3 more". The
   caller frees it. */
static char *advice_of(const GString *names_of_events)
{
	g_autoptr(CacheList) list = cache_list_new(names_of_events, NULL);
	guint count = cache_list_count(list), shown = MIN(count, NAMES_SHOWN_MAX);
	GString *advice = g_string_new("the input has allocations from");

	for (guint i = 0; i < shown; i++)
		g_string_append_printf(advice, "%s %s", i ? "," : "",
				       listed_cache_name(cache_list_at(list, i)));
	if (count > shown)
		g_string_append_printf(advice, ", %u more", count - shown);
	if (!count)
		g_string_append(advice, " no cache that is known");
	return g_string_free(advice, FALSE);
}

bool cache_choice_of_stream(Options *options, const Session *session, CacheChoicePart part,
			    GError **error)
{
	const GString *names = run_text_of(session->text, KMT_BATCH_CACHE_NAMES, 0);
	const GString *slabinfo = run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);
	g_autofree char *advice = NULL;
	GString *of_events = NULL;
	bool chosen;

	if (!has_choice(&options->choice))
		return true;
	if (part == CACHES_OF_ALL)
		of_events = names_of_events(session);
	advice = advice_of(of_events);
	chosen = take_choice(options, names || slabinfo ? names : of_events, slabinfo, advice,
			     error);
	if (of_events)
		g_string_free(of_events, TRUE);
	return chosen;
}
