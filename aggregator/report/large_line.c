/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/large_line.h"

#include "number_text.h"

enum {
	PAGE_BYTES_DEFAULT = 4096,
	FIRST_MAJOR = 6, /* Linux 6.11 is the first release that traces them twice */
	FIRST_MINOR = 11,
};

static bool traces_twice(const char *release)
{
	char *end;
	uint64_t major, minor;

	if (!release)
		return true;
	major = g_ascii_strtoull(release, &end, 10);
	minor = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;
	return major > FIRST_MAJOR || (major == FIRST_MAJOR && minor >= FIRST_MINOR);
}

static bool has_kmalloc_above(const Profile *profile, uint64_t bytes)
{
	for (uint32_t i = 0; i < profile_origin_count(profile); i++) {
		const ProfileOrigin *origin = profile_origin(profile, i);

		if (origin->source == KMT_SOURCE_KMALLOC && !origin->free &&
		    origin->bytes_requested > bytes)
			return true;
	}
	return false;
}

void append_large_line(GString *out, const Session *session)
{
	uint64_t small_max =
		2 * run_info_number(session->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_DEFAULT);

	if (session->inner_is_known || session->imported ||
	    !traces_twice(run_info_text(session->info, KMT_FIELD_RELEASE)) ||
	    !has_kmalloc_above(session->profile, small_max))
		return;
	g_string_append(out, "Large kmallocs: those above ");
	append_count(out, small_max);
	g_string_append(out, " bytes may be counted twice, as this kernel traces them twice and "
			     "its symbols are not known\n");
}
