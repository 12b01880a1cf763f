/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/stack_rows.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(stack_chain);

static char *chain_of(const Frame *frames, guint count)
{
	g_autoptr(FrameList) stack = frame_list_new(frames, count);
	GString *out = g_string_new(NULL);

	stack_chain_append(out, stack);
	return g_string_free(out, FALSE);
}

Test(stack_chain, it_begins_outside_of_the_allocators_and_names_modules)
{
	static const Frame frames[] = {
		{ .function = "kmem_cache_alloc_noprof", .module = "kernel" },
		{ .function = "alloc_empty_file", .module = "kernel" },
		{ .function = "ovl_open_realfile", .module = "overlay" },
		{ .function = "do_dentry_open", .module = "kernel" },
	};
	g_autofree char *chain = chain_of(frames, G_N_ELEMENTS(frames));

	cr_expect(
		eq(str, chain, "alloc_empty_file < ovl_open_realfile [overlay] < do_dentry_open"));
}

Test(stack_chain, an_allocator_alone_and_what_nobody_named_are_reported)
{
	static const Frame allocator = { .function = "__kmalloc", .module = "kernel" };
	static const Frame unknown[] = {
		{ .address = 0xffffffff81000010, .address_digits = 16 },
		{ .address = 0xffffffff81000020, .address_digits = 16 },
	};
	g_autofree char *alone = chain_of(&allocator, 1);
	g_autofree char *addresses = chain_of(unknown, G_N_ELEMENTS(unknown));

	cr_expect(eq(str, alone, "__kmalloc"));
	cr_expect(eq(str, addresses, "0xffffffff81000010 < 0xffffffff81000020"));
}

Test(stack_chain, a_deep_stack_has_its_first_functions)
{
	static const char *const names[] = { "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8" };
	Frame frames[G_N_ELEMENTS(names)] = { { .address = 0 } };
	g_autofree char *chain = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		frames[i].function = names[i];
	chain = chain_of(frames, G_N_ELEMENTS(frames));
	cr_expect(eq(str, chain, "f0 < f1 < f2 < f3 < f4 < f5 < f6 < f7"));
}

Test(stack_chain, nothing_is_of_nothing)
{
	g_autofree char *chain = chain_of(NULL, 0);

	cr_expect(eq(str, chain, ""));
}
