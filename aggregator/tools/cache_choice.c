/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolves the requested caches against a host or a stream, through a small session, and adds the
 * cell filters.
 */
#include "tools/cache_choice.h"

#include "record/format.h"
#include "base/unconst.h"
#include "collect/facts/slab_facts.h"
#include "base/keyed_hash.h"
#include "names/cache_list.h"
#include "table/cell_filter.h"

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
		options->live.request.caches = cache_query_kernel_names(options->choice.caches);
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
