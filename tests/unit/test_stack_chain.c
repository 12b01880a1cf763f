/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/stack_chain.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(stack_chain);

static char *chain_of(const char *frames)
{
	GString *out = g_string_new(NULL);

	stack_chain_append(out, frames);
	return g_string_free(out, FALSE);
}

Test(stack_chain, it_begins_outside_of_the_allocators_and_names_modules)
{
	g_autofree char *chain =
		chain_of(" 0xffffffff81000010 : kmem_cache_alloc_noprof+0x10/0x20 [kernel]\n"
			 " 0xffffffff81000020 : alloc_empty_file+0x3c/0x110 [kernel]\n"
			 " 0xffffffffc0000030 : ovl_open_realfile+0x30/0x40 [overlay]\n"
			 " 0xffffffff81000040 : do_dentry_open+0x40/0x50 [kernel]\n");

	cr_expect(
		eq(str, chain, "alloc_empty_file < ovl_open_realfile [overlay] < do_dentry_open"));
}

Test(stack_chain, an_allocator_alone_and_what_nobody_named_are_reported)
{
	g_autofree char *alone = chain_of(" 0xffffffff81000010 : __kmalloc+0x10/0x20 [kernel]\n");
	g_autofree char *address = chain_of(" 0xffffffff81000010\n 0xffffffff81000020\n");

	cr_expect(eq(str, alone, "__kmalloc"));
	cr_expect(eq(str, address, "0xffffffff81000010 < 0xffffffff81000020"));
}

Test(stack_chain, a_deep_stack_has_its_first_functions)
{
	g_autoptr(GString) frames = g_string_new(NULL);
	g_autofree char *chain = NULL;

	for (int i = 0; i < 20; i++)
		g_string_append_printf(frames, " 0xffffffff8100%04d : f%d+0x1/0x2 [kernel]\n", i,
				       i);
	chain = chain_of(frames->str);
	cr_expect(eq(str, chain, "f0 < f1 < f2 < f3 < f4 < f5 < f6 < f7"));
}

Test(stack_chain, nothing_is_of_nothing)
{
	g_autofree char *chain = chain_of("");

	cr_expect(eq(str, chain, ""));
}
