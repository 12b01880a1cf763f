/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/elf/elf_functions.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(elf_functions);

static void add(ElfFunctions *functions, uint64_t offset, uint64_t bytes, const char *name,
		unsigned rank)
{
	cr_assert(elf_functions_add(functions, offset, bytes, (TextPart){ name, strlen(name) },
				    rank));
}

/* Expects this function at an offset; NULL: none. */
static void expect_name(const ElfFunctions *functions, uint64_t offset, const char *wanted,
			uint64_t in_function)
{
	UserName name;
	bool found = elf_functions_find(functions, offset, &name);

	cr_assert(eq(int, found, wanted != NULL), "%lx", offset);
	if (!found)
		return;
	cr_expect(eq(str, (char *)name.name, (char *)wanted));
	cr_expect(eq(u64, name.offset, in_function));
}

Test(elf_functions, a_function_reaches_over_its_size)
{
	g_autoptr(ElfFunctions) functions = elf_functions_new();

	add(functions, 0x200, 0x10, "b", ELF_NAME_LOCAL);
	add(functions, 0x100, 0x10, "a", ELF_NAME_GLOBAL);
	elf_functions_sort(functions, 0x1000);
	expect_name(functions, 0xff, NULL, 0);
	expect_name(functions, 0x100, "a", 0);
	expect_name(functions, 0x10f, "a", 0xf);
	expect_name(functions, 0x110, NULL, 0);
	expect_name(functions, 0x20f, "b", 0xf);
	expect_name(functions, UINT64_MAX, NULL, 0);
}

Test(elf_functions, a_function_without_size_reaches_to_the_next_one)
{
	g_autoptr(ElfFunctions) functions = elf_functions_new();
	UserName name;

	add(functions, 0x100, 0, "_start", ELF_NAME_GLOBAL);
	add(functions, 0x180, 0x10, "main", ELF_NAME_GLOBAL);
	add(functions, 0x200, 0, "_fini", ELF_NAME_GLOBAL);
	elf_functions_sort(functions, 0x220);
	expect_name(functions, 0x17f, "_start", 0x7f);
	expect_name(functions, 0x190, NULL, 0);
	expect_name(functions, 0x21f, "_fini", 0x1f);
	expect_name(functions, 0x220, NULL, 0);
	cr_assert(elf_functions_find(functions, 0x100, &name));
	cr_expect(eq(u64, name.bytes, 0));
}

Test(elf_functions, of_several_names_the_one_that_users_know_is_kept)
{
	static const struct {
		const char *best, *other;
		unsigned best_rank, other_rank;
		uint64_t best_bytes, other_bytes;
	} cases[] = {
		{ "malloc", "__libc_malloc", ELF_NAME_GLOBAL, ELF_NAME_GLOBAL, 8, 16 },
		{ "read", "__read", ELF_NAME_GLOBAL, ELF_NAME_GLOBAL, 8, 16 },
		{ "__fork", "fork", ELF_NAME_GLOBAL, ELF_NAME_LOCAL, 8, 16 },
		{ "__sized", "label", ELF_NAME_LOCAL, ELF_NAME_GLOBAL, 8, 0 },
		{ "ab", "abc", ELF_NAME_GLOBAL, ELF_NAME_GLOBAL, 8, 8 },
		{ "abc", "abd", ELF_NAME_GLOBAL, ELF_NAME_GLOBAL, 8, 8 },
		{ "local", "label", ELF_NAME_LOCAL, ELF_NAME_LABEL, 0, 0 },
	};

	for (unsigned i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		g_autoptr(ElfFunctions) functions = elf_functions_new();

		if (i % 2)
			add(functions, 64, cases[i / 2].best_bytes, cases[i / 2].best,
			    cases[i / 2].best_rank);
		add(functions, 64, cases[i / 2].other_bytes, cases[i / 2].other,
		    cases[i / 2].other_rank);
		if (i % 2 == 0)
			add(functions, 64, cases[i / 2].best_bytes, cases[i / 2].best,
			    cases[i / 2].best_rank);
		elf_functions_sort(functions, 128);
		expect_name(functions, 64, cases[i / 2].best, 0);
		/* The other one is not there, behind the end of the best either. */
		if (cases[i / 2].best_bytes)
			expect_name(functions, 64 + cases[i / 2].best_bytes, NULL, 0);
		else
			expect_name(functions, 127, cases[i / 2].best, 63);
	}
}

Test(elf_functions, the_innermost_function_counts)
{
	g_autoptr(ElfFunctions) functions = elf_functions_new();

	add(functions, 0x100, 0x100, "outer", ELF_NAME_GLOBAL);
	add(functions, 0x120, 0x20, "inner", ELF_NAME_LOCAL);
	add(functions, 0x130, 0x8, "innermost", ELF_NAME_LOCAL);
	add(functions, 0x150, 0, "label", ELF_NAME_LABEL);
	add(functions, 0x1f0, 0x20, "overlaps", ELF_NAME_LOCAL);
	elf_functions_sort(functions, 0x1000);
	expect_name(functions, 0x11f, "outer", 0x1f);
	expect_name(functions, 0x12f, "inner", 0xf);
	expect_name(functions, 0x137, "innermost", 7);
	expect_name(functions, 0x138, "inner", 0x18);
	expect_name(functions, 0x140, "outer", 0x40);
	expect_name(functions, 0x158, "outer", 0x58);
	expect_name(functions, 0x205, "overlaps", 0x15);
	expect_name(functions, 0x210, NULL, 0);
}

Test(elf_functions, an_empty_table_has_no_function)
{
	g_autoptr(ElfFunctions) functions = elf_functions_new();

	elf_functions_sort(functions, 0);
	expect_name(functions, 0, NULL, 0);
}

Test(elf_functions, a_size_beyond_all_offsets_is_no_function)
{
	g_autoptr(ElfFunctions) functions = elf_functions_new();

	add(functions, 0x100, UINT64_MAX, "a", ELF_NAME_GLOBAL);
	elf_functions_sort(functions, 0x1000);
	expect_name(functions, 0x100, NULL, 0);
}
