/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include "report/report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

size_t fuzz_chunk_bytes(size_t size)
{
	return 1 + size % 61;
}

/* Text from outside never reaches a terminal with control characters, those of UTF-8 included. */
static void expect_no_control(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		bool c1 = i + 1 < length && text[i] == '\xc2' && (text[i + 1] & 0xe0) == 0x80;

		if (c1 || text[i] == 0x7f || (g_ascii_iscntrl(text[i]) && text[i] != '\n'))
			abort();
	}
}

void fuzz_report(const Session *session)
{
	g_autoptr(GPtrArray) filters = g_ptr_array_new();
	const ViewOptions options = {
		.filters = filters,
		.sort = sort_key_lookup("count"),
		.top = UINT64_MAX,
	};
	g_autoptr(View) view =
		view_new(&(ViewSource){ .profile = session->profile, .symbols = session->symbols },
			 &options);
	const Report report = {
		.session = session,
		.view = view,
		.options = &options,
		.details = true,
		.show_host = true,
	};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	report_print_text(&report, out);
	fclose(out);
	expect_no_control(text, length);
	free(text);
}

void fuzz_expect_same(const Session *whole, const Session *pieces)
{
	ProfileTotals a = profile_totals(whole->profile);
	ProfileTotals b = profile_totals(pieces->profile);

	if (a.events != b.events || a.damaged != b.damaged ||
	    a.unknown_records != b.unknown_records || a.outside_window != b.outside_window ||
	    profile_cell_count(whole->profile) != profile_cell_count(pieces->profile) ||
	    profile_origin_count(whole->profile) != profile_origin_count(pieces->profile) ||
	    profile_task_count(whole->profile) != profile_task_count(pieces->profile))
		abort();
}
