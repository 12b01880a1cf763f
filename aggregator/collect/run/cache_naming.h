/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* How slab caches are found that a tracepoint does not record (--cache-names). */
typedef enum {
	CACHE_NAMES_AUTO,    /* the cheapest possible way */
	CACHE_NAMES_PROBES,  /* by probes at the allocator's entries */
	CACHE_NAMES_COMPARE, /* both ways, and compare the results */
	CACHE_NAMINGS,
} CacheNaming;

/* Returns the argument of --cache-names. */
const char *cache_naming_name(CacheNaming naming);

/* Returns false if the name is unknown. */
bool cache_naming_parse(const char *name, CacheNaming *naming);
