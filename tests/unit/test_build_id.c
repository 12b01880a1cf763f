/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/build_id.h"

#include "build_id_notes.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(build_id);

Test(build_id, a_build_id_is_found_among_notes_and_never_outside_of_them)
{
	g_autofree char *first = build_id_of_notes(build_id_note, sizeof(build_id_note) - 1);
	g_autofree char *second = build_id_of_notes(two_notes, sizeof(two_notes) - 1);

	cr_expect(eq(str, first, (char *)"deadbeef"));
	cr_expect(eq(str, second, (char *)"01020304"));
	for (size_t length = 0; length < sizeof(two_notes) - 1; length++) {
		g_autofree void *cut = length ? g_memdup(two_notes, length) : NULL;

		cr_expect(eq(ptr, build_id_of_notes(cut, length), NULL));
	}
}

static bool is_text(const char *text)
{
	return build_id_is_text((TextPart){ text, strlen(text) });
}

Test(build_id, a_text_is_one_if_it_has_lower_case_digits_only)
{
	g_autofree char *longest = g_strnfill(2 * BUILD_ID_BYTES_MAX, 'a');
	g_autofree char *longer = g_strnfill(2 * BUILD_ID_BYTES_MAX + 1, 'a');

	cr_expect(is_text("0123456789abcdef"));
	cr_expect(is_text(longest));
	cr_expect(not(is_text(longer)));
	cr_expect(not(is_text("")));
	cr_expect(not(is_text("-")));
	cr_expect(not(is_text("AB")));
	cr_expect(not(is_text("ab/../cd")));
	cr_expect(not(is_text("abcdefg")));
	/* No terminator ends a part. */
	cr_expect(not(build_id_is_text((TextPart){ "ab\0cd", 5 })));
}

Test(build_id, bytes_have_two_digits_each)
{
	g_autofree char *text = build_id_text("\0\x0f\xf0\xa5", 4);

	cr_expect(eq(str, text, (char *)"000ff0a5"));
	cr_expect(is_text(text));
	cr_expect(eq(ptr, build_id_text("", 0), NULL));
}

Test(build_id, its_debug_file_stays_below_the_folder)
{
	g_autofree char *path = build_id_debug_path("/usr/lib/debug", "06f8bde3");

	cr_expect(eq(str, path, (char *)"/usr/lib/debug/.build-id/06/f8bde3.debug"));
	cr_expect(eq(ptr, build_id_debug_path("/x", "06"), NULL));
	cr_expect(eq(ptr, build_id_debug_path("/x", "06/../../../etc/passwd"), NULL));
	cr_expect(eq(ptr, build_id_debug_path("/x", ""), NULL));
}
