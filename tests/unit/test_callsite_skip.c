/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "callsite_skip.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(callsite_skip);

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

Test(callsite_skip, the_lists_can_be_found)
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

Test(callsite_skip, a_list_has_a_name)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(callsite_skip_new(",", &error));
	cr_expect_str_eq(error->message,
			 "',' names no function: give names with commas, or default");
}

/* What the running kernel has: since Linux 6.10 functions that allocate for their callers end with
   "_noprof". */
Test(callsite_skip, allocators_of_this_kernel_are_known)
{
	g_autoptr(GRegex) family = g_regex_new(
		"^_*(vma_alloc_|folio_alloc|filemap_alloc|alloc_pages|alloc_frozen|alloc_contig|"
		"get_zeroed|get_free|kmalloc|kvmalloc|krealloc|kvrealloc|vmalloc|vzalloc|"
		"vrealloc|vcalloc|kmem_cache_alloc|pcpu_alloc).*_noprof$",
		0, 0, NULL);
	FILE *symbols = fopen("/proc/kallsyms", "re");
	g_autofree char *line = NULL;
	guint known = 0;

	cr_assert_not_null(symbols);
	for (size_t room = 0; getline(&line, &room, symbols) > 0;) {
		const char *name = strrchr(g_strchomp(line), ' ');

		if (!g_str_has_suffix(line, "_noprof") || g_str_has_prefix(name, " __pfx_") ||
		    !g_regex_match(family, name + 1, 0, NULL))
			continue;
		cr_expect(callsite_skip_has(NULL, name + 1), "%s", name + 1);
		known++;
	}
	fclose(symbols);
	if (!known)
		cr_skip_test("this kernel has no functions with _noprof");
	cr_expect_gt(known, 10);
}

/* Names before Linux 6.10 and after: page faults, the page cache, kvmalloc() on a probe point. */
Test(callsite_skip, wrappers_of_the_page_allocator_are_no_call_sites)
{
	static const char *const names[] = {
		"vma_alloc_folio_noprof", "folio_alloc_mpol_noprof",     "__kvmalloc_node_noprof",
		"alloc_pages_vma",        "__page_cache_alloc",          "vma_alloc_folio",
		"__alloc_pages_bulk",     "alloc_pages_bulk_noprof",     "alloc_pages_exact",
		"filemap_alloc_folio",    "__vmalloc_node_range.isra.0",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		cr_expect(callsite_skip_has(NULL, names[i]), "%s", names[i]);
}
