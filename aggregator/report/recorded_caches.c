/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/recorded_caches.h"

#include "escape.h"

char **recorded_caches(const Session *session)
{
	const char *names = run_info_text(session->info, KMT_FIELD_CACHE_FILTER);

	return names ? g_strsplit(names, "\t", -1) : NULL;
}

static bool has_all(char *const *recorded, const CacheQuery *query)
{
	const GPtrArray *matched = query ? cache_query_matched(query) : NULL;

	for (guint i = 0; matched && i < matched->len; i++)
		if (!g_strv_contains((const char *const *)recorded, matched->pdata[i]))
			return false;
	return matched != NULL;
}

void append_recorded_caches(GString *out, const Report *report)
{
	g_auto(GStrv) recorded = recorded_caches(report->session);
	g_autofree char *names = NULL;

	if (!recorded || has_all(recorded, report->caches))
		return;
	names = g_strjoinv(", ", recorded);
	g_string_append(out, "Recorded: every allocation from ");
	escape_append(out, names);
	g_string_append(out, "; of those from other slab caches not all, or none\n");
}
