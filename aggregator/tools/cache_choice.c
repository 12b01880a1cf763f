/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/cache_choice.h"

#include "collect/slab_facts.h"
#include "names/cache_list.h"
#include "rank/cell_filter_cache.h"

enum { SESSION_BYTES_MAX = 1 << 20 }; /* it counts nothing */

static bool choose(Options *options, const GString *names, const GString *slabinfo, GError **error)
{
	const CellFilter filter = { &cell_filter_cache, options->caches, NULL };
	g_autoptr(CacheList) list = cache_list_new(names, slabinfo);

	if (!cache_query_resolve(options->caches, list, error))
		return false;
	g_array_append_val(options->cells, filter);
	return true;
}

bool cache_choice_of_host(Options *options, GError **error)
{
	g_autoptr(GByteArray) facts = g_byte_array_new();
	g_autoptr(Session) host = session_new(SESSION_BYTES_MAX);

	if (!options->caches)
		return true;
	slab_facts_append(facts, "", KMT_READING_START);
	session_feed(host, facts->data, facts->len);
	if (!choose(options, run_text_of(host->text, KMT_BATCH_CACHE_NAMES, 0),
		    run_text_of(host->text, KMT_BATCH_SLABINFO, KMT_READING_START), error))
		return false;
	options->request.caches = cache_query_kernel_names(options->caches);
	return true;
}

/* Returns the names that the events of a stream came with, in the form of a text that lists caches:
   NULL where it has none. The caller frees it. */
static GString *names_of_events(const Session *session)
{
	g_autoptr(CacheNames) names =
		cache_names_new(session->profile, session->info, session->text);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	GString *text = NULL;

	for (OriginId id = 0; id < profile_origin_count(session->profile); id++) {
		const char *name = cache_names_of(names, profile_origin(session->profile, id)).name;

		if (!name || !g_hash_table_add(seen, (gpointer)name))
			continue;
		text = text ? text : g_string_new(NULL);
		g_string_append_printf(text, "%s\n", name);
	}
	return text;
}

bool cache_choice_of_stream(Options *options, const Session *session, GError **error)
{
	const GString *names = run_text_of(session->text, KMT_BATCH_CACHE_NAMES, 0);
	const GString *slabinfo = run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);
	GString *of_events;
	bool chosen;

	if (!options->caches)
		return true;
	if (names || slabinfo)
		return choose(options, names, slabinfo, error);
	of_events = names_of_events(session);
	chosen = choose(options, of_events, NULL, error);
	if (of_events)
		g_string_free(of_events, TRUE);
	return chosen;
}
