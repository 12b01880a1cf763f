/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/cache_names.h"

#include "base/escape.h"
#include "names/cache_list.h"
#include "names/derived_cache.h"

#include <string.h>

enum { TEXT_CHUNK_BYTES = 1024 };

struct CacheNames {
	const Profile *profile;
	CacheList *list;
	DerivedCache *derived;
	GStringChunk *texts;
	GArray *recorded; /* (element-type CacheLabel) by CacheId; label NULL: not yet made */
};

CacheNames *cache_names_new(const Profile *profile, const RunInfo *info, const RunText *text)
{
	CacheNames *names = g_new0(CacheNames, 1);

	names->profile = profile;
	names->list = cache_list_new(run_text_of(text, KMT_BATCH_CACHE_NAMES, 0),
				     run_text_of(text, KMT_BATCH_SLABINFO, KMT_READING_START));
	names->derived = derived_cache_new(names->list, info);
	names->texts = g_string_chunk_new(TEXT_CHUNK_BYTES);
	names->recorded = g_array_new(FALSE, TRUE, sizeof(CacheLabel));
	return names;
}

void cache_names_free(CacheNames *names)
{
	if (!names)
		return;
	g_array_unref(names->recorded);
	g_string_chunk_free(names->texts);
	derived_cache_free(names->derived);
	cache_list_free(names->list);
	g_free(names);
}

static const char *keep(CacheNames *names, const GString *text)
{
	return g_string_chunk_insert_const(names->texts, text->str);
}

static CacheLabel make_recorded(CacheNames *names, CacheId id)
{
	const char *recorded = profile_cache(names->profile, id)->name;
	g_autofree char *folded = g_strndup(recorded, cache_name_folded_bytes(recorded));
	g_autoptr(GString) text = g_string_new(NULL);
	CacheLabel label = { .origin = CACHE_RECORDED };

	escape_append(text, folded);
	label.name = keep(names, text);
	g_string_truncate(text, 0);
	cache_label_append(text, folded, cache_list_find(names->list, folded), NULL);
	label.label = keep(names, text);
	return label;
}

/* Each is made once: counters have few caches, but many origins. */
static CacheLabel recorded_label(CacheNames *names, CacheId id)
{
	CacheLabel *label;

	if (id >= names->recorded->len)
		g_array_set_size(names->recorded, profile_cache_count(names->profile));
	label = &g_array_index(names->recorded, CacheLabel, id);
	if (!label->label)
		*label = make_recorded(names, id);
	return *label;
}

static CacheLabel derived_label(CacheNames *names, const ProfileOrigin *origin)
{
	g_autoptr(GString) folded = g_string_new(NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	CacheLabel label = { .label = "(unknown cache)", .origin = CACHE_UNKNOWN };

	if (!derived_cache_append(names->derived, origin, folded))
		return label;
	escape_append(text, folded->str);
	label.name = keep(names, text);
	g_string_append(text, " (by size)");
	label.label = keep(names, text);
	label.origin = CACHE_BY_SIZE;
	return label;
}

CacheLabel cache_names_of(CacheNames *names, const ProfileOrigin *origin)
{
	if (origin->source == KMT_SOURCE_PAGE)
		return (CacheLabel){ .label = "(pages)", .origin = CACHE_PAGES };
	if (origin->cache == CACHE_ID_UNKNOWN || origin->cache == CACHE_ID_OVERFLOW)
		return derived_label(names, origin);
	return recorded_label(names, origin->cache);
}
