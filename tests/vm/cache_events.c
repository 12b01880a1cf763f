/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_events FILE: the allocations by kmem_cache_alloc of a recording, "EVENTS CACHE" a line; of
 * those whose cache is not known the name is "?". As they were recorded: nothing is folded or
 * derived.
 */
#include "collect/input.h"

#include <stdio.h>

enum { MEMORY_BYTES = 256 << 20 };

static uint64_t events_of(const Profile *profile, CacheId cache)
{
	uint64_t events = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);

		if (origin->source == KMT_SOURCE_CACHE && !origin->free && origin->cache == cache)
			events += cell->events + cell->failed;
	}
	return events;
}

static void print_events(const Profile *profile)
{
	for (CacheId id = 0; id < profile_cache_count(profile); id++) {
		const ProfileCache *cache = profile_cache(profile, id);
		uint64_t events = events_of(profile, id);

		if (events)
			printf("%" G_GUINT64_FORMAT " %s\n", events,
			       *cache->name ? cache->name : "?");
	}
}

int main(int argc, char **argv)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) error = NULL;

	if (argc != 2) {
		fprintf(stderr, "usage: cache_events FILE\n");
		return 2;
	}
	if (!input_read(argv[1], session, &error)) {
		fprintf(stderr, "cache_events: %s\n", error->message);
		return 1;
	}
	print_events(session->profile);
	return 0;
}
