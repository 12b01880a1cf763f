/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/user/user_names.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(user_names);

enum { PLENTY = 1 << 20 };

static UserObjects *objects_of_two(void)
{
	UserObjects *objects = user_objects_new(PLENTY);
	UserMapLine line = { .file = { .inode = 0xa }, .path = { "/a", 2 } };

	user_objects_intern(objects, &line);
	line.file.inode = 0xb;
	user_objects_intern(objects, &line);
	return objects;
}

static void feed(UserNames *names, const char *lines)
{
	user_names_parse(names, (TextPart){ lines, strlen(lines) });
}

Test(user_names, a_function_is_found_by_its_place)
{
	g_autoptr(UserObjects) objects = objects_of_two();
	g_autoptr(UserNames) names = user_names_new(objects, PLENTY);
	UserName name;

	feed(names, "s I:0:0:a 1010 10 2f main\n"
		    "s I:0:0:b 1010 0 0 operator new(unsigned long)\n");
	cr_assert(user_names_find(names, (UserPlace){ 1, 0x1010 }, &name));
	cr_expect(eq(str, (char *)name.name, "main"));
	cr_expect(eq(u64, name.offset, 0x10));
	cr_expect(eq(u64, name.bytes, 0x2f));
	cr_assert(user_names_find(names, (UserPlace){ 2, 0x1010 }, &name));
	cr_expect(eq(str, (char *)name.name, "operator new(unsigned long)"));
	cr_expect(not(user_names_find(names, (UserPlace){ 1, 0x1011 }, &name)));
	cr_expect(not(user_names_find(names, (UserPlace){ 0, 0x1010 }, &name)));
}

Test(user_names, many_places_are_found_again)
{
	g_autoptr(UserObjects) objects = objects_of_two();
	g_autoptr(UserNames) names = user_names_new(objects, PLENTY);
	UserName name;

	for (unsigned i = 0; i < 5000; i++) {
		g_autofree char *line = g_strdup_printf("s I:0:0:a %x %x 0 f%u\n", i, i, i % 10);

		feed(names, line);
	}
	for (unsigned i = 0; i < 5000; i++) {
		cr_assert(user_names_find(names, (UserPlace){ 1, i }, &name));
		cr_assert(eq(u64, name.offset, i));
		cr_assert(eq(chr, name.name[1], (char)('0' + i % 10)));
	}
	cr_expect(eq(u64, user_names_dropped(names), 0));
}

Test(user_names, a_line_is_read_as_it_was_written)
{
	g_autoptr(UserObjects) objects = objects_of_two();
	g_autoptr(UserNames) names = user_names_new(objects, PLENTY);
	g_autoptr(GString) line = g_string_new(NULL);
	UserName name = { .name = "a\nb c", .offset = UINT64_MAX, .bytes = 7 };

	user_name_line_append(line, user_objects_get(objects, 1)->key, UINT64_MAX, &name);
	feed(names, line->str);
	cr_assert(user_names_find(names, (UserPlace){ 1, UINT64_MAX }, &name));
	cr_expect(eq(str, (char *)name.name, "a?b c"));
	cr_expect(eq(u64, name.offset, UINT64_MAX));
	cr_expect(eq(u64, name.bytes, 7));
}

Test(user_names, a_long_name_is_cut)
{
	g_autoptr(UserObjects) objects = objects_of_two();
	g_autoptr(UserNames) names = user_names_new(objects, PLENTY);
	g_autoptr(GString) line = g_string_new(NULL);
	g_autofree char *text = g_strnfill(10000, 'x');
	UserName name = { .name = text };

	user_name_line_append(line, "I:0:0:a", 5, &name);
	feed(names, line->str);
	cr_assert(user_names_find(names, (UserPlace){ 1, 5 }, &name));
	cr_expect(eq(sz, strlen(name.name), USER_NAME_BYTES_MAX));
}

Test(user_names, invalid_lines_are_counted)
{
	static const char *const lines[] = { "t I:0:0:a 0 0 0 f",
					     "s I:0:0:f 0 0 0 f",
					     "s I:0:0:a x 0 0 f",
					     "s I:0:0:a 0 x 0 f",
					     "s I:0:0:a 0 0 x f",
					     "s I:0:0:a 0 0 0 ",
					     "s I:0:0:a 0 0 0",
					     "s",
					     "s  " };
	g_autoptr(UserObjects) objects = objects_of_two();
	g_autoptr(UserNames) names = user_names_new(objects, PLENTY);

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		feed(names, lines[i]);
		cr_expect(eq(u64, user_names_invalid(names), i + 1), "%s", lines[i]);
	}
}

Test(user_names, what_finds_no_room_is_counted)
{
	g_autoptr(UserObjects) objects = objects_of_two();
	g_autoptr(UserNames) names = user_names_new(objects, 10000);

	for (unsigned i = 0; i < 1000; i++) {
		g_autofree char *line = g_strdup_printf("s I:0:0:a %x 0 0 f%u\n", i, i);

		feed(names, line);
	}
	cr_expect(lt(u64, 900, user_names_dropped(names)));
	cr_expect(lt(u64, user_names_dropped(names), 1000));
	cr_expect(le(sz, user_names_memory(names), 10000));
}
