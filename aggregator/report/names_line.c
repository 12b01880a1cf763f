/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/names_line.h"

#include "escape.h"
#include "report/numbers.h"

/* What was not named is of no interest where all was; pages have no cache at all. */
static const char *const words[CACHE_ORIGINS] = {
	[CACHE_TOLD] = "told by the kernel",
	[CACHE_BY_SIZE] = "by size",
	[CACHE_UNKNOWN] = "unknown",
};

/* Returns their sum. */
static uint64_t count(const Profile *profile, CacheNames *names, uint64_t events[CACHE_ORIGINS])
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);
		CacheOrigin how = cache_names_of(names, origin).origin;

		if (origin->free || !words[how])
			continue;
		events[how] += cell->events;
		sum += cell->events;
	}
	return sum;
}

void append_names_line(GString *out, const Profile *profile, const RunInfo *info, CacheNames *names)
{
	const char *reason = run_info_text(info, KMT_FIELD_CACHES_UNKNOWN);
	const char *separator = "Names: ";
	uint64_t events[CACHE_ORIGINS] = { 0 };
	uint64_t sum = count(profile, names, events);

	for (int how = 0; how < CACHE_ORIGINS; how++) {
		if (!events[how])
			continue;
		g_string_append(out, separator);
		append_percent(out, events[how], sum);
		g_string_append_printf(out, " %s", words[how]);
		separator = ", ";
	}
	if (!sum)
		return;
	if (reason && events[CACHE_TOLD] < sum) {
		g_string_append(out, "; not told: ");
		escape_append(out, reason);
	}
	g_string_append_c(out, '\n');
}
