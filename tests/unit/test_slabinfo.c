/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/slabinfo.h"

#include "cache_hosts.h"
#include "leaks.h"

TEST_SUITE_WITHOUT_LEAKS(slabinfo);

typedef struct {
	const char *name;
	uint64_t objects_in_use, objects, object_bytes, objects_of_a_slab, slab_bytes;
} SlabCase;

static const SlabCase cases[] = {
	{ "kmalloc-192", 44160, 46242, 192, 21, 2202 * 4096 },
	{ "task_struct", 122, 140, 4160, 7, 20 * 8 * 4096 },
	/* The copy for a cgroup is added. */
	{ "dentry", 111, 231, 192, 21, 11 * 4096 },
	{ "size-128(DMA)", 3, 30, 128, 30, 4096 },
	{ "a name of words", 7, 8, 64, 64, 4096 },
	/* What SLAB adds when it keeps statistics stands between. */
	{ "stats", 1, 2, 32, 16, 5 * 4096 },
};

static void expect_cases(const Slabinfo *slabinfo)
{
	cr_expect_eq(slabinfo_count(slabinfo), G_N_ELEMENTS(cases), "%u", slabinfo_count(slabinfo));
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const SlabinfoCache *cache = slabinfo_find(slabinfo, cases[i].name);

		cr_assert_not_null(cache, "%s", cases[i].name);
		cr_expect_eq(cache->objects_in_use, cases[i].objects_in_use, "%s", cache->name);
		cr_expect_eq(cache->objects, cases[i].objects, "%s", cache->name);
		cr_expect_eq(cache->object_bytes, cases[i].object_bytes, "%s", cache->name);
		cr_expect_eq(cache->objects_of_a_slab, cases[i].objects_of_a_slab, "%s",
			     cache->name);
		cr_expect_eq(cache->slab_bytes, cases[i].slab_bytes, "%s", cache->name);
	}
}

Test(slabinfo, each_cache_is_read_and_copies_are_summed_up)
{
	GString *lines = cache_hosts_text("odd", ".slabinfo");
	g_autoptr(Slabinfo) slabinfo = slabinfo_new(lines, 4096);

	expect_cases(slabinfo);
	g_string_free(lines, TRUE);
}

Test(slabinfo, a_reading_that_is_written_is_read_again)
{
	GString *lines = cache_hosts_text("odd", ".slabinfo");
	g_autoptr(Slabinfo) slabinfo = NULL, again = NULL;

	g_string_append(lines, "# sheaves: 60 dentry\n");
	slabinfo = slabinfo_new(lines, 4096);
	g_string_truncate(lines, 0);
	slabinfo_append(lines, slabinfo, 4096);
	again = slabinfo_new(lines, 4096);
	expect_cases(again);
	cr_expect_eq(slabinfo_find(again, "dentry")->sheaf_objects, 60);
	g_string_free(lines, TRUE);
}

Test(slabinfo, nothing_is_an_empty_reading)
{
	g_autoptr(Slabinfo) slabinfo = slabinfo_new(NULL, 4096);

	cr_expect_eq(slabinfo_count(slabinfo), 0);
	cr_expect_null(slabinfo_find(slabinfo, "dentry"));
}

Test(slabinfo, every_line_of_a_real_host_is_understood)
{
	GString *lines = cache_hosts_text("6.18", ".slabinfo");
	g_autoptr(Slabinfo) slabinfo = slabinfo_new(lines, 4096);
	guint line_ends = 0;

	for (gsize i = 0; i < lines->len; i++)
		line_ends += lines->str[i] == '\n';
	cr_expect_eq(slabinfo_count(slabinfo), line_ends - 2);
	g_string_free(lines, TRUE);
}
