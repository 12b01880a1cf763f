/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/user/user_objects.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(user_objects);

enum { PLENTY = 1 << 20 };

#define ID_A "00112233445566778899aabbccddeeff00112233"
#define ID_B "ff112233445566778899aabbccddeeff00112233"

/* Returns the number of the object that this is the end of a line of. */
static uint32_t intern(UserObjects *objects, const char *file)
{
	g_autofree char *text = g_strconcat("m 1 10 1000 1000 0 ", file, NULL);
	UserMapLine line;

	cr_assert(user_map_line_parse((TextPart){ text, strlen(text) }, &line), "%s", file);
	return user_objects_intern(objects, &line);
}

Test(user_objects, one_build_id_is_one_object)
{
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	uint32_t a = intern(objects, "8:1 a 0 " ID_A " /a");

	cr_expect(eq(u32, a, 1));
	cr_expect(eq(u32, intern(objects, "0:0 0 0 " ID_A " /elsewhere/a"), a));
	cr_expect(ne(u32, intern(objects, "0:0 0 0 " ID_B " /a"), a));
	cr_expect(eq(str, (char *)user_objects_get(objects, a)->path, "/a"));
	cr_expect(eq(str, (char *)user_objects_get(objects, a)->key, "b:" ID_A));
}

Test(user_objects, without_build_ids_one_inode_is_one_object)
{
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	uint32_t a = intern(objects, "8:1 a 0 - /a");

	cr_expect(eq(u32, intern(objects, "8:1 a 0 - /b"), a));
	cr_expect(ne(u32, intern(objects, "8:2 a 0 - /a"), a));
	cr_expect(ne(u32, intern(objects, "8:1 b 0 - /a"), a));
	cr_expect(eq(u32, user_objects_count(objects), 3));
}

Test(user_objects, a_generation_matters_where_both_lines_have_it)
{
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	uint32_t a = intern(objects, "8:1 a 0 - /a");

	cr_expect(eq(u32, intern(objects, "8:1 a 77 - /a"), a));
	cr_expect(ne(u32, intern(objects, "8:1 a 78 - /a"), a));
	cr_expect(eq(u32, intern(objects, "8:1 a 77 - /a"), a));
}

Test(user_objects, lines_with_and_without_build_id_are_one_object)
{
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	uint32_t a = intern(objects, "8:1 a 0 - /a");
	uint32_t b = intern(objects, "8:1 b 0 " ID_B " /b");

	cr_expect(eq(u32, intern(objects, "8:1 a 0 " ID_A " /a"), a));
	cr_expect(eq(u32, intern(objects, "0:0 0 0 " ID_A " /a"), a));
	cr_expect(eq(u32, intern(objects, "8:1 b 0 - /b"), b));
	cr_expect(eq(u32, user_objects_get(objects, a)->file.build_id_bytes, 20));
	cr_expect(eq(u32, user_objects_count(objects), 2));
}

Test(user_objects, a_file_written_again_is_another_object)
{
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	uint32_t a = intern(objects, "8:1 a 0 " ID_A " /a");

	cr_expect(ne(u32, intern(objects, "8:1 a 0 " ID_B " /a"), a));
	cr_expect(eq(u32, intern(objects, "8:1 a 0 " ID_A " /a"), a));
}

Test(user_objects, an_object_is_found_by_its_key)
{
	static const char *const files[] = { "8:1 a 0 " ID_A " /a", "8:1 b 0 - /b",
					     "8:1 c 5 - /c",        "0:0 0 0 - [vdso]",
					     "0:0 0 0 - //anon",    "0:1 3 0 - /memfd:jit" };
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		uint32_t number = intern(objects, files[i]);
		const char *key = user_objects_get(objects, number)->key;

		cr_expect(eq(u32, user_objects_find(objects, (TextPart){ key, strlen(key) }),
			     number));
		cr_expect(eq(ptr, strpbrk(key, " \t\n"), NULL), "%s", key);
	}
	cr_expect(eq(u32, user_objects_find(objects, (TextPart){ "b:00", 4 }), 0));
	cr_expect(eq(u32, user_objects_find(objects, (TextPart){ "", 0 }), 0));
}

Test(user_objects, a_key_stays_the_object_s_when_another_file_takes_the_inode)
{
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);
	uint32_t a = intern(objects, "8:1 a 0 - /a");
	const char *key = user_objects_get(objects, a)->key;

	intern(objects, "8:1 a 0 " ID_A " /a");
	intern(objects, "8:1 a 0 " ID_B " /a");
	cr_expect(eq(u32, user_objects_find(objects, (TextPart){ key, strlen(key) }), a));
}

Test(user_objects, a_program_in_a_memfd_is_a_file)
{
	UserMapLine line = { .file = { .inode = 3 }, .path = { "/memfd:runc", 11 } };

	cr_expect(eq(u32, user_object_type(&line), USER_OBJECT_GENERATED));
	line.file.build_id_bytes = 20;
	cr_expect(eq(u32, user_object_type(&line), USER_OBJECT_FILE));
}

Test(user_objects, a_full_table_keeps_what_it_has)
{
	g_autoptr(UserObjects) objects = user_objects_new(4096);
	uint32_t number, last = 0;

	for (unsigned i = 1; i <= 1000; i++) {
		g_autofree char *file = g_strdup_printf("8:1 %x 0 - /a", i);

		number = intern(objects, file);
		if (number)
			last = number;
	}
	cr_expect(lt(u32, last, 1000));
	cr_expect(eq(u32, intern(objects, "8:1 1 0 - /a"), 1));
	cr_expect(eq(u32, user_objects_count(objects), last));
	cr_expect(le(sz, last * sizeof(UserObject), 4096));
}

Test(user_objects, a_number_of_no_object_has_none)
{
	g_autoptr(UserObjects) objects = user_objects_new(PLENTY);

	cr_expect(eq(ptr, (void *)user_objects_get(objects, 0), NULL));
	cr_expect(eq(ptr, (void *)user_objects_get(objects, 1), NULL));
}
