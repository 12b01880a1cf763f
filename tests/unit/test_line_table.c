/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/line_table.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(line_table);

enum { PLENTY = 1 << 20 };

static void feed(LineTable *table, const char *lines)
{
	line_table_parse(table, (TextPart){ lines, strlen(lines) });
}

static const char pipe_lines[] = "l k:06f8 da 600 kmalloc\t/src/linux\tinclude/linux/slab.h\n"
				 "l k:06f8 da 733 kzalloc\t/src/linux\tinclude/linux/slab.h\n"
				 "l k:06f8 da 798 alloc_pipe_info\t/src/linux\tfs/pipe.c\n"
				 "l m:aabb:.text da 12 open_it\t\t/home/me/a b.c\n"
				 "l m:aabb:.text db 0 \t\t\n";

Test(line_table, a_place_has_its_inlined_functions_in_order)
{
	g_autoptr(LineTable) table = line_table_new(PLENTY);
	const LineFrame *frames;
	size_t count;

	feed(table, pipe_lines);
	cr_expect_eq(line_table_invalid(table), 0);
	frames = line_table_find(table, "k:06f8", 0xda, &count);
	cr_assert_not_null(frames);
	cr_assert_eq(count, 3);
	cr_expect_str_eq(frames[0].function, "kmalloc");
	cr_expect_eq(frames[0].line, 600);
	cr_expect_str_eq(frames[2].function, "alloc_pipe_info");
	cr_expect_str_eq(frames[2].root, "/src/linux");
	cr_expect_str_eq(frames[2].file, "fs/pipe.c");
	cr_expect_eq(frames[2].line, 798);
}

Test(line_table, what_is_unknown_is_null)
{
	g_autoptr(LineTable) table = line_table_new(PLENTY);
	const LineFrame *frames;
	size_t count;

	feed(table, pipe_lines);
	frames = line_table_find(table, "m:aabb:.text", 0xda, &count);
	cr_assert_not_null(frames);
	cr_expect_str_eq(frames[0].root, "");
	cr_expect_str_eq(frames[0].file, "/home/me/a b.c");
	frames = line_table_find(table, "m:aabb:.text", 0xdb, &count);
	cr_assert_not_null(frames);
	cr_expect_null(frames[0].function);
	cr_expect_null(frames[0].file);
	cr_expect_eq(frames[0].line, 0);
	cr_expect_null(line_table_find(table, "m:aabb:.text", 0xdc, &count));
	cr_expect_null(line_table_find(table, "m:aabb", 0xda, &count));
}

Test(line_table, the_first_lines_of_a_place_count)
{
	g_autoptr(LineTable) table = line_table_new(PLENTY);
	const LineFrame *frames;
	size_t count;

	feed(table, "l k:1 a 1 one\t\tf\nl k:1 b 2 two\t\tf\nl k:1 a 3 three\t\tf\n");
	/* ... also if a batch ends between them. */
	feed(table, "l k:1 c 4 four\t\tf\n");
	feed(table, "l k:1 c 5 five\t\tf\n");
	frames = line_table_find(table, "k:1", 0xa, &count);
	cr_assert_not_null(frames);
	cr_expect_eq(count, 1);
	cr_expect_str_eq(frames[0].function, "one");
	frames = line_table_find(table, "k:1", 0xc, &count);
	cr_assert_not_null(frames);
	cr_expect_eq(count, 2);
}

Test(line_table, texts_are_escaped_and_read_back)
{
	g_autoptr(LineTable) table = line_table_new(PLENTY);
	g_autoptr(GString) text = g_string_new(NULL);
	const LineFrame *frames;
	size_t count;

	line_table_append_line(text, "k:1", 0xa,
			       &(LineFrame){ "a\tb\n", "/r\033", "f\x7f.c", UINT32_MAX, NULL });
	feed(table, text->str);
	frames = line_table_find(table, "k:1", 0xa, &count);
	cr_assert_not_null(frames);
	cr_expect_eq(count, 1);
	cr_expect_str_eq(frames[0].function, "a?b?");
	cr_expect_str_eq(frames[0].root, "/r\\x1b");
	cr_expect_str_eq(frames[0].file, "f\\x7f.c");
}

Test(line_table, lines_that_make_no_sense_are_counted)
{
	static const char *const lines[] = {
		"x k:1 a 1 f\t\tf", "l k:1 a 1", "l k:1 xyz 1 f\t\tf",
		"l k:1 a b f\t\tf", "l",         "l k:1 a 1 f\t\tf\tg"
	};
	g_autoptr(LineTable) table = line_table_new(PLENTY);
	size_t count;

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *line = g_strconcat(lines[i], "\n", NULL);

		feed(table, line);
		cr_expect_eq(line_table_invalid(table), i + 1, "%s", lines[i]);
	}
	cr_expect_null(line_table_find(table, "k:1", 0xa, &count));
}

Test(line_table, depth_and_memory_are_bounded)
{
	g_autoptr(LineTable) table = line_table_new(1 << 16);
	unsigned places = 0;
	size_t count;

	for (int i = 0; i < 2 * LINE_DEPTH_MAX; i++)
		feed(table, "l k:1 a 1 deep\t\tf\n");
	cr_assert_not_null(line_table_find(table, "k:1", 0xa, &count));
	cr_expect_eq(count, LINE_DEPTH_MAX);
	for (unsigned i = 0; i < 10000; i++) {
		g_autofree char *line = g_strdup_printf("l k:1 %x 1 f%u\t/r\tf%u.c\n", i, i, i);

		feed(table, line);
		places += line_table_find(table, "k:1", i, &count) != NULL;
	}
	cr_expect_gt(line_table_dropped(table), 0);
	cr_expect_lt(places, 1000);
}
