/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/slabinfo.h"

#include "cache_hosts.h"
#include "leaks.h"

TEST_SUITE_WITHOUT_LEAKS(slabinfo);

/* Columns of the counters and sizes, then what follows them. */
#define LINE(name, counters, slabs)                                                                \
	name " " counters " : tunables    0    0    0 : slabdata   1   " slabs "      0\n"

/* clang-format off */
static const char text[] =
	"slabinfo - version: 2.1\n"
	"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>\n"
	LINE("kmalloc-192", "44160  46242    192   21    1", "2202")
	LINE("task_struct", "122    140   4160    7    8", "20")
	LINE("dentry", "100    210    192   21    1", "10")
	LINE("dentry(12:user.slice)", "11     21    192   21    1", "1")
	LINE("size-128(DMA)", "3     30    128   30    1", "1")
	LINE("a name of words", "7      8     64   64    1", "1")
	"cut                   7      8     64\n"
	"junk x y z a b : tunables    0    0    0 : slabdata   1   1      0\n"
	LINE("1", "2 3 4 5", "1")
	LINE("(12:own)", "7      8     64   64    1", "1")
	"stats                 1      2     32   16    1 : tunables 1 2 3 : globalstat 9 9 9"
	" : slabdata   1   5      0\n";
/* clang-format on */
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

Test(slabinfo, each_cache_is_read_and_copies_are_summed_up)
{
	GString *lines = g_string_new(text);
	g_autoptr(Slabinfo) slabinfo = slabinfo_new(lines, 4096);

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
