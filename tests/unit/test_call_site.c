/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/call_site.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(call_site);

#define KMALLOC " 0xffffffff81000210 : __kmalloc_noprof+0x10/0x100 [kernel]\n"
#define KSTRDUP " 0xffffffff81000310 : kstrdup.part.0+0x10/0x100 [kernel]\n"
#define CONST " 0xffffffff81000330 : kstrdup_const_noprof+0x3/0x10 [kernel]\n"
#define OPEN " 0xffffffff81000410 : do_open+0x9/0x80 [kernel]\n"
#define EXT4 " 0xffffffffc0000410 : ext4_find+0x9/0x80 [ext4]\n"

static const struct {
	const char *skip; /* NULL: none was asked for */
	const char *stack;
	const char *site;
	const char *symbol;
} stacks[] = {
	{ NULL, KMALLOC OPEN EXT4, "do_open+0x9/0x80 [kernel]", "do_open" },
	{ NULL, KMALLOC KSTRDUP OPEN, "kstrdup.part.0+0x10/0x100 [kernel]", "kstrdup.part.0" },
	{ "default", KMALLOC KSTRDUP CONST OPEN, "do_open+0x9/0x80 [kernel]", "do_open" },
	{ "kstrdup_noprof", KMALLOC KSTRDUP CONST OPEN, "kstrdup_const_noprof+0x3/0x10 [kernel]",
	  "kstrdup_const_noprof" },
	{ "do_open", KMALLOC KSTRDUP OPEN EXT4, "kstrdup.part.0+0x10/0x100 [kernel]",
	  "kstrdup.part.0" },
	{ "default,do_open", KMALLOC KSTRDUP OPEN EXT4, "ext4_find+0x9/0x80 [ext4]", "ext4_find" },
	/* Only what leads to the call site is skipped. */
	{ "default", KMALLOC OPEN KSTRDUP, "do_open+0x9/0x80 [kernel]", "do_open" },
	/* Nothing is outside: somebody must be named. */
	{ "default", KMALLOC KSTRDUP CONST, "kstrdup_const_noprof+0x3/0x10 [kernel]",
	  "kstrdup_const_noprof" },
	/* Without stacks the call site is all there is. */
	{ "default", KSTRDUP, "kstrdup.part.0+0x10/0x100 [kernel]", "kstrdup.part.0" },
	/* Without a symbol nothing says that it is a wrapper. */
	{ "default", KMALLOC " 0xffffffff81000999\n" OPEN, "0xffffffff81000999", NULL },
	{ "default", KMALLOC " 0xffffffffc0000999 [ext4+0x999/0x1000]\n" OPEN,
	  "[ext4+0x999/0x1000]", NULL },
	/* What others print. */
	{ NULL,
	  "Returning from:  0x80d9 : __kmalloc+0x0/0x9f [kernel]\nReturning to  :  0x802a : "
	  "foo+0x6d/0x14a [kernel]\n",
	  "foo+0x6d/0x14a [kernel]", "foo" },
	{ NULL, "__kmalloc+0x25\nfoo+0x25 [ext4]\n", "foo+0x25 [ext4]", "foo" },
	{ NULL, "[no stack recorded]\n", "[no stack recorded]", NULL },
	{ NULL, "\n", "", NULL },
	{ NULL, "", "", NULL },
};

Test(call_site, it_is_the_first_frame_outside)
{
	for (size_t i = 0; i < G_N_ELEMENTS(stacks); i++) {
		g_autoptr(CallsiteSkip) skip =
			stacks[i].skip ? callsite_skip_new(stacks[i].skip, NULL) : NULL;
		CallSite site = call_site_of_stack(stacks[i].stack, skip);
		g_autofree char *text = g_strndup(site.text, site.length);
		g_autofree char *symbol = g_strndup(site.symbol, site.symbol_bytes);

		cr_expect_str_eq(text, stacks[i].site, "%zu: %s", i, text);
		cr_expect_eq(g_strcmp0(symbol, stacks[i].symbol), 0, "%zu: %s", i, symbol);
	}
}

static void expect_sorted(const char *const *names)
{
	for (; names[0] && names[1]; names++)
		cr_expect_lt(strcmp(names[0], names[1]), 0, "%s", names[1]);
}

/* Names with what is taken off before they are compared would never be found. */
static void expect_plain(const char *const *names)
{
	for (; *names; names++) {
		cr_expect_null(strchr(*names, '.'), "%s", *names);
		cr_expect(not(g_str_has_suffix(*names, "_noprof")), "%s", *names);
	}
}

Test(call_site, the_lists_can_be_found)
{
	g_autoptr(CallsiteSkip) wrappers = callsite_skip_new("default", NULL);

	expect_sorted(callsite_skip_allocators);
	expect_plain(callsite_skip_allocators);
	expect_plain(callsite_skip_wrappers);
	for (const char *const *name = callsite_skip_allocators; *name; name++)
		cr_expect(callsite_skip_has(NULL, *name), "%s", *name);
	for (const char *const *name = callsite_skip_wrappers; *name; name++) {
		cr_expect(callsite_skip_has(wrappers, *name), "%s", *name);
		cr_expect(not(callsite_skip_has(NULL, *name)), "%s", *name);
	}
}

Test(call_site, a_list_has_a_name)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(callsite_skip_new(",", &error));
	cr_expect_str_eq(error->message,
			 "',' names no function: give names with commas, or default");
}
