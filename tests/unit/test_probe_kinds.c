/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/probe_kinds.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(probe_kinds);

/* The folder of SystemTap's scripts in the source tree. */
#define SCRIPTS TEST_DATA "/../../stap"

static char *read_script(const char *name)
{
	g_autofree char *path = g_build_filename(SCRIPTS, name, NULL);

	return file_read(path, NULL);
}

/* The emitter finds the bit of an event by its source, and by whether it is a free. */
Test(probe_kinds, every_point_has_the_bit_that_the_emitter_gives_it)
{
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		for (const ProbePoint *point = kind->points; point->name; point++) {
			unsigned bit =
				point->is_free ? KMT_EVENTS_FREE : KMT_EVENTS_OF(point->source);

			cr_expect(eq(u32, kind->bit, bit), "%s", point->name);
			cr_expect(ne(u32, KMT_EVENTS_OF(point->source), KMT_EVENTS_FREE), "%s",
				  point->name);
		}
}

Test(probe_kinds, each_kind_has_a_bit_of_its_own)
{
	unsigned seen = 0;

	for (const ProbeKind *kind = probe_kinds; kind->name; kind++) {
		cr_expect(eq(u32, seen & kind->bit, 0), "%s", kind->name);
		seen |= kind->bit;
	}
}

/* Returns the names of the observed points, each followed by a space. */
static char *observed_points(unsigned events, bool held)
{
	GString *names = g_string_new(NULL);

	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		for (const ProbePoint *point = kind->points; point->name; point++)
			if (!point->is_optional &&
			    probe_point_is_observed(kind, point, events, held))
				g_string_append_printf(names, "%s ", point->name);
	return g_string_free(names, FALSE);
}

static void expect_observed(unsigned events, bool held, const char *expected)
{
	g_autofree char *names = observed_points(events, held);

	cr_expect_str_eq(names, expected);
}

Test(probe_kinds, paired_allocations_have_the_frees_of_their_sources)
{
	expect_observed(PROBE_KMALLOC, false, "kmalloc ");
	expect_observed(PROBE_KMALLOC, true, "kmalloc kfree kmem_cache_free ");
	expect_observed(PROBE_CACHE, true, "kmem_cache_alloc kfree kmem_cache_free ");
	expect_observed(PROBE_PAGE, true, "mm_page_alloc mm_page_free ");
	expect_observed(PROBE_PAGE | PROBE_FREE, false,
			"mm_page_alloc kfree kmem_cache_free mm_page_free ");
	expect_observed(PROBE_PERCPU | PROBE_VMALLOC, false,
			"percpu_alloc_percpu alloc_vmap_area ");
	expect_observed(PROBE_PERCPU, true, "percpu_free_percpu percpu_alloc_percpu ");
	expect_observed(PROBE_KMALLOC | PROBE_FREE | PROBE_VMALLOC, false,
			"kmalloc kfree kmem_cache_free mm_page_free free_vmap_area_noflush "
			"alloc_vmap_area ");
}

Test(probe_kinds, systemtap_has_a_probe_at_each_point)
{
	g_autofree char *aliases = read_script("tapset/kmt_points.stp");

	for (const ProbeKind *kind = probe_kinds; kind->name; kind++) {
		g_autofree char *script = read_script(kind->script);

		cr_expect_not_null(strstr(script, "\nprobe "), "%s", kind->script);
		for (const ProbePoint *point = kind->points; point->name; point++) {
			g_autofree char *probe = g_strdup_printf("kernel.trace(\"%s:%s\")",
								 point->group, point->name);

			cr_expect(strstr(aliases, probe) || strstr(script, probe), "%s", probe);
		}
	}
}

Test(probe_kinds, help_names_the_default_and_what_else_there_is)
{
	g_autofree char *one = probe_kinds_help(PROBE_KMALLOC, G_MAXUINT);
	g_autofree char *two = probe_kinds_help(PROBE_KMALLOC | PROBE_CACHE, PROBE_FREE);

	cr_expect_str_eq(one, "kmalloc (default), cache, page, free, percpu, vmalloc");
	cr_expect_str_eq(two, "kmalloc,cache (default), free");
}

static unsigned parsed(const char *list)
{
	unsigned bits = 0;

	cr_assert(probe_kinds_parse(list, PROBE_KMALLOC, &bits, NULL), "%s", list);
	return bits;
}

Test(probe_kinds, a_list_replaces_or_extends_the_default)
{
	GError *error = NULL;
	unsigned bits;

	cr_expect(eq(u32, parsed("cache,page"), PROBE_CACHE | PROBE_PAGE));
	cr_expect(
		eq(u32, parsed("+percpu,+vmalloc"), PROBE_KMALLOC | PROBE_PERCPU | PROBE_VMALLOC));
	cr_expect(eq(u32, parsed("cache,+percpu"), PROBE_KMALLOC | PROBE_CACHE | PROBE_PERCPU));
	cr_expect_not(probe_kinds_parse("+", PROBE_KMALLOC, &bits, &error));
	cr_expect_str_eq(error->message, "unknown event '+'; valid: kmalloc,cache,page,free,percpu,"
					 "vmalloc");
	g_error_free(error);
}
