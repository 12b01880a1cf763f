/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_counts FILE: prints the slab caches of a recording or stream, a line of words between tabs
 * for each counter:
 *
 *	alloc|free kmalloc|cache|page COMM CACHE OBJECT-BYTES SLOT-BYTES COUNT task|softirq|hardirq
 *
 * and "unknown TEXT", "filter TEXT" where the stream says so.
 */
#include "record/format.h"
#include "import/input.h"

#include <inttypes.h>
#include <stdio.h>

enum { MEMORY_BYTES = 64 << 20 };

static void print_text(const char *word, const char *text)
{
	if (text)
		printf("%s\t%s\n", word, text);
}

static void print_cell(const Profile *profile, const ProfileCell *cell)
{
	static const char *const sources[] = { "?", "kmalloc", "cache", "page" };
	static const char *const contexts[] = { "task", "softirq", "hardirq", "?" };
	const ProfileOrigin *origin = profile_origin(profile, cell->origin);
	const ProfileCache *cache = profile_cache(profile, origin->cache);

	printf("%s\t%s\t%s\t%s\t%u\t%u\t%" PRIu64 "\t%s\n", origin->free ? "free" : "alloc",
	       sources[origin->source & 3], profile_task(profile, cell->task)->comm,
	       origin->cache == CACHE_ID_UNKNOWN ? "-" : cache->name, cache->object_bytes,
	       cache->slot_bytes, cell->events, contexts[cell->context]);
}

int main(int argc, char **argv)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) error = NULL;

	if (argc != 2 || !input_read(argv[1], session, &error)) {
		fprintf(stderr, "cache_counts: %s\n", error ? error->message : "name one file");
		return 1;
	}
	print_text("unknown", run_info_text(session->info, KMT_FIELD_CACHES_UNKNOWN));
	print_text("filter", run_info_text(session->info, KMT_FIELD_CACHE_FILTER));
	for (uint32_t i = 0; i < profile_cell_count(session->profile); i++) {
		const ProfileCell *cell = profile_cell(session->profile, i);

		if (cell->events)
			print_cell(session->profile, cell);
	}
	return 0;
}
