/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/cache_naming.h"

#include <string.h>

static const char *const names[CACHE_NAMINGS] = {
	[CACHE_NAMES_AUTO] = "auto",
	[CACHE_NAMES_PROBES] = "probes",
	[CACHE_NAMES_COMPARE] = "compare",
};

const char *cache_naming_name(CacheNaming naming)
{
	return names[naming];
}

bool cache_naming_parse(const char *name, CacheNaming *naming)
{
	for (CacheNaming each = 0; each < CACHE_NAMINGS; each++) {
		if (strcmp(name, names[each]) != 0)
			continue;
		*naming = each;
		return true;
	}
	return false;
}
