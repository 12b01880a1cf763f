/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/cache_names.h"

#include "escape.h"

#include <string.h>

struct CacheNames {
	const Profile *profile;
	GStringChunk *texts;
};

CacheNames *cache_names_new(const Profile *profile, const RunInfo *info, const RunText *text)
{
	CacheNames *names = g_new0(CacheNames, 1);

	(void)info;
	(void)text;
	names->profile = profile;
	names->texts = g_string_chunk_new(1024);
	return names;
}

void cache_names_free(CacheNames *names)
{
	if (!names)
		return;
	g_string_chunk_free(names->texts);
	g_free(names);
}

/* "dentry(12:user.slice)" is the copy of dentry for a cgroup. */
static const char *fold(CacheNames *names, const char *name)
{
	g_autoptr(GString) folded = g_string_new(NULL);

	escape_append_len(folded, name, strcspn(name, "("));
	return g_string_chunk_insert_const(names->texts, folded->str);
}

CacheLabel cache_names_of(CacheNames *names, const ProfileOrigin *origin)
{
	CacheLabel label = { .label = "(unknown cache)", .origin = CACHE_UNKNOWN };

	if (origin->source == KMT_SOURCE_PAGE)
		return (CacheLabel){ .label = "(pages)", .origin = CACHE_PAGES };
	if (origin->cache == CACHE_ID_UNKNOWN)
		return label;
	label.name = fold(names, profile_cache(names->profile, origin->cache)->name);
	label.label = label.name;
	label.origin = CACHE_TOLD;
	return label;
}
