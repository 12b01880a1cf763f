/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text/render_text.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(slab_report);

enum { PAGE_BYTES = 4096, CACHES_MAX = 8 };
#define SECOND_NS 1000000000ULL

/* One cache of both readings; slabs of one page. */
typedef struct {
	const char *name;
	unsigned before, after, object_bytes, of_a_slab, slabs;
} Use;

static GString *text_of(const Use *uses, bool after)
{
	GString *text = g_string_new("slabinfo - version: 2.1\n# name ...\n");

	for (const Use *use = uses; use->name; use++)
		g_string_append_printf(
			text, "%-17s %u %u %u %u 1 : tunables 0 0 0 : slabdata %u %u 0\n",
			use->name, after ? use->after : use->before, use->slabs * use->of_a_slab,
			use->object_bytes, use->of_a_slab, use->slabs, use->slabs);
	return text;
}

static Slabinfo *reading(const Use *uses, bool after)
{
	GString *text = text_of(uses, after);
	Slabinfo *slabinfo = slabinfo_new(text, PAGE_BYTES);

	g_string_free(text, TRUE);
	return slabinfo;
}

/* Returns the memory of a host that uses so much more of it. */
static HostState memory_of(uint64_t taken_kib)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text,
			"total_bytes 16384000000\n"
			"free_bytes %" G_GUINT64_FORMAT "\n"
			"available_bytes %" G_GUINT64_FORMAT "\n"
			"slab_bytes 512000000\n"
			"slab_reclaimable_bytes 409600000\n"
			"slab_unreclaimable_bytes 102400000\n"
			"page_tables_bytes 9216000\n"
			"vmalloc_bytes 40960000\n"
			"per_cpu_bytes 2048000\n",
			15000000000 - taken_kib * 1024, 15360000000 - taken_kib * 1024);
	return host_state_parse(text);
}

static char *table(const Use *uses, uint64_t span_ns, guint rows_max, uint64_t taken_kib)
{
	g_autoptr(Slabinfo) start = reading(uses, false);
	g_autoptr(Slabinfo) end = reading(uses, true);
	g_autoptr(Reclaimable) reclaimable = reclaimable_new(NULL);
	g_autoptr(GString) names = g_string_new("a\t\033b\tfilp\tz\n");
	g_autoptr(CacheList) list = cache_list_new(names, NULL);
	const SlabTable wanted = {
		.list = list,
		.span = { start, end, span_ns },
		.memory = { memory_of(0), memory_of(taken_kib), span_ns },
		.reclaimable = reclaimable,
		.rows_max = rows_max,
		.cpus = 2,
		.human = true,
	};
	g_autoptr(Verdict) verdict = verdict_of_slabs(&wanted);
	GString *out = g_string_new(NULL);

	append_slab_table(out, &wanted, verdict);
	return g_string_free(out, FALSE);
}

static const Use uses[] = {
	{ "kmalloc-192", 100, 1100, 192, 21, 2202 },
	{ "dentry", 2000000, 2000000, 192, 21, 100000 },
	{ "filp", 500, 400, 256, 16, 40 },
	{ "never_used", 0, 0, 64, 64, 0 },
	{ "task_struct", 10, 20, 4096, 1, 20 },
	{ "\033[31mred", 5, 5, 64, 64, 1 },
	{ NULL, 0, 0, 0, 0, 0 },
};

Test(slab_report, what_grows_most_comes_first_and_is_what_comes_next)
{
	g_autofree char *text = table(uses, 2 * SECOND_NS, SLAB_TABLE_ROWS, 0);

	cr_expect_str_eq(
		text,
		"Verdict: kmalloc-192 grew most of what the kernel cannot shrink: +188 KiB in\n"
		"         2.000 s, 82 % of the growth of these caches. The next command shows\n"
		"         whether it is kept, and by whom.\n"
		"Next:    slabstack --held kmalloc-192 -d 10\n"
		"\n"
		"Memory 15.3 GiB, available 14.3 GiB\n"
		"\n"
		"MEMORY                       SIZE  SHARE%  CHANGE/s\n"
		"free                     14.0 GiB      92       0 B\n"
		"in no counter             782 MiB       5       0 B\n"
		"slab, reclaimable         391 MiB     2.5       0 B\n"
		"slab, unreclaimable      97.7 MiB    0.63       0 B\n"
		"3 smaller parts (--all)  49.8 MiB    0.32       0 B\n"
		"\n"
		"CACHE        IN-USE  USE%   OBJECT      SIZE   CHANGE/s  ALSO\n"
		"kmalloc-192   1,100   2.4    192 B   8.6 MiB  +93.8 KiB\n"
		"task_struct      20   100  4.0 KiB  80.0 KiB  +20.0 KiB\n"
		"filp            400    63    256 B   160 KiB  -12.5 KiB  \\x1bb, a, 1 more\n"
		"\\x1b[31mred       5   7.8     64 B   4.0 KiB        0 B\n"
		"\n"
		"RECLAIMABLE CACHE     IN-USE  USE%  OBJECT     SIZE  CHANGE/s  ALSO\n"
		"dentry             2,000,000    95   192 B  391 MiB       0 B\n"
		"\n",
		"\n%s", text);
}

/* Returns the memory of a host whose balloon has so much, in MemTotal or not. */
static HostState memory_with_balloon(uint64_t mib, bool in_total)
{
	g_autoptr(GString) text = g_string_new(NULL);
	uint64_t bytes = mib << 20;

	g_string_printf(text,
			"total_bytes %" G_GUINT64_FORMAT "\nfree_bytes %" G_GUINT64_FORMAT "\n"
			"balloon_bytes %" G_GUINT64_FORMAT "\nram_bytes 1100000000\n",
			1048576000 - (in_total ? 0 : bytes), 983718400 - bytes, bytes);
	if (in_total)
		g_string_append_printf(text, "balloon_in_total_bytes %" G_GUINT64_FORMAT "\n",
				       bytes);
	return host_state_parse(text);
}

/* A cache grew at the same time, by much less. */
static char *balloon_report(uint64_t mib, bool in_total)
{
	g_autoptr(Slabinfo) start = reading(uses, false);
	g_autoptr(Slabinfo) end = reading(uses, true);
	g_autoptr(Reclaimable) reclaimable = reclaimable_new(NULL);
	const SlabTable wanted = { .span = { start, end, SECOND_NS },
				   .memory = { memory_with_balloon(0, in_total),
					       memory_with_balloon(mib, in_total), SECOND_NS },
				   .reclaimable = reclaimable,
				   .cpus = 2,
				   .human = true };
	g_autoptr(Verdict) verdict = verdict_of_slabs(&wanted);
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "%s: %s\n", verdict->rule, verdict->sentence);
	append_slab_table(out, &wanted, NULL);
	return g_string_free(out, FALSE);
}

Test(slab_report, what_a_balloon_took_is_shown_and_no_leak)
{
	g_autofree char *outside = balloon_report(300, false);
	g_autofree char *inside = balloon_report(300, true);
	g_autofree char *little = balloon_report(1, false);

	cr_expect(g_str_has_prefix(outside, "balloon: no suspect in the kernel. The hypervisor "
					    "took memory back, by a balloon: +300 MiB in "
					    "1.000 s.\n"
					    "Memory 700 MiB, in a balloon 300 MiB (+300 MiB/s), "
					    "reserved at boot 49.0 MiB\n"),
		  "%s", outside);
	cr_expect_null(strstr(outside, "\nballoon "), "%s", outside);
	cr_expect(g_str_has_prefix(inside, "balloon: "), "%s", inside);
	cr_expect_not_null(strstr(inside, "\nballoon "), "%s", inside);
	cr_expect_not_null(strstr(inside, "Memory 1,000 MiB, reserved at boot 49.0 MiB\n"), "%s",
			   inside);
	cr_expect(g_str_has_prefix(little, "cache_grew: "), "%s", little);
}

/* Returns the next command of a report by that order, with so many rows. */
static char *next_by(const char *key, guint rows_max)
{
	g_autoptr(Slabinfo) start = reading(uses, false);
	g_autoptr(Slabinfo) end = reading(uses, true);
	g_autoptr(Reclaimable) reclaimable = reclaimable_new(NULL);
	g_autoptr(Verdict) verdict = NULL;
	SlabTable wanted = { .span = { start, end, SECOND_NS },
			     .reclaimable = reclaimable,
			     .rows_max = rows_max };

	for (const SlabOrder *order = slab_orders; order->name; order++)
		if (g_str_equal(order->name, key))
			wanted.order = order;
	verdict = verdict_of_slabs(&wanted);
	return g_strdup(verdict->next);
}

Test(slab_report, what_comes_next_depends_on_neither_order_nor_rows)
{
	for (const SlabOrder *order = slab_orders; order->name; order++)
		for (guint rows_max = 0; rows_max < 2; rows_max++) {
			g_autofree char *next = next_by(order->name, rows_max);

			cr_expect_str_eq(next, "slabstack --held kmalloc-192 -d 10", "%s, %u",
					 order->name, rows_max);
		}
}

/* 20 caches, of which each grew more than the next, in a terminal of 60 columns and 18 lines. */
Test(slab_report, on_a_terminal_the_table_fits_and_what_can_be_shrunk_is_one_line)
{
	Use many[22] = { { "dentry", 5, 2005, 192, 21, 100 } };
	char names[20][16];
	g_autoptr(Slabinfo) start = NULL, end = NULL;
	g_autoptr(Reclaimable) reclaimable = reclaimable_new(NULL);
	g_autoptr(GString) other_names = g_string_new("name-0\ta_long_name\tanother_long_name\n");
	g_autoptr(CacheList) list = cache_list_new(other_names, NULL);
	g_autoptr(GString) out = g_string_new(NULL);
	SlabTable wanted = { .reclaimable = reclaimable,
			     .list = list,
			     .rows_max = SLAB_TABLE_ROWS,
			     .terminal = { 60, 18 },
			     .human = true };
	g_auto(GStrv) lines = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_snprintf(names[i], sizeof(names[i]), "name-%u", i);
		many[i + 1] = (Use){ names[i], 1, 2000 - i, 64, 64, 40 };
	}
	start = reading(many, false);
	end = reading(many, true);
	wanted.span = (SlabSpan){ start, end, SECOND_NS };
	append_slab_table(out, &wanted, NULL);
	lines = g_strsplit(out->str, "\n", -1);
	cr_expect_str_eq(lines[0], "CACHE   IN-USE  USE%  OBJECT     SIZE  CHANGE/s  ALSO");
	cr_expect_str_eq(lines[1], "name-0   2,000    78    64 B  160 KiB  +125 KiB  a_long_n...");
	cr_expect_str_eq(lines[10], "name-9   1,991    78    64 B  160 KiB  +124 KiB");
	cr_expect_str_eq(lines[11], "10 more (--all)");
	cr_expect_str_eq(lines[13],
			 "Reclaimable caches: 0 B; most growth: dentry +375 KiB/s (--all)");
	cr_expect_eq(g_strv_length(lines), 15);
}

/* Returns the first cache of the table that is kept, by that order. */
static char *first_by(const char *key)
{
	g_autoptr(Slabinfo) start = reading(uses, false);
	g_autoptr(Slabinfo) end = reading(uses, true);
	g_autoptr(Reclaimable) reclaimable = reclaimable_new(NULL);
	g_autoptr(Table) table = table_new(NULL, NULL);
	SlabTable wanted = { .span = { start, end, SECOND_NS },
			     .reclaimable = reclaimable,
			     .rows_max = SLAB_TABLE_ROWS };

	for (const SlabOrder *order = slab_orders; order->name; order++)
		if (g_str_equal(order->name, key))
			wanted.order = order;
	cr_assert_not_null(wanted.order, "%s", key);
	slab_table_add(table, &wanted, SLABS_KEPT, TABLE_JSON);
	return g_strdup(g_array_index(table->rows, SlabTableRow, 0).name);
}

Test(slab_report, caches_are_ranked_by_any_figure)
{
	static const char *const orders[][2] = {
		{ "growth", "kmalloc-192" }, { "size", "kmalloc-192" },
		{ "in-use", "kmalloc-192" }, { "use", "task_struct" },
		{ "object", "task_struct" }, { "name", "\033[31mred" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
		g_autofree char *first = first_by(orders[i][0]);

		cr_expect_str_eq(first, orders[i][1], "%s: %s", orders[i][0], first);
	}
}

Test(slab_report, rows_beyond_the_bound_are_counted)
{
	g_autofree char *text = table(uses, SECOND_NS, 2, 0);

	cr_expect_not_null(strstr(text, "task_struct"));
	cr_expect_null(strstr(text, "filp"));
	cr_expect_not_null(strstr(text, "\n2 more (--all)\n"), "%s", text);
}

/* 40 MB went to pages, which no cache counts. */
Test(slab_report, memory_outside_of_slab_caches_is_what_comes_next_where_it_grew_more)
{
	g_autofree char *text = table(uses, 2 * SECOND_NS, SLAB_TABLE_ROWS, 40000);

	cr_expect_not_null(strstr(text, "\nMemory 15.3 GiB, available 14.3 GiB (-19.5 MiB/s)\n"),
			   "%s", text);
	cr_expect_not_null(strstr(text, "\nin no counter             821 MiB     5.3  +19.5 MiB\n"),
			   "%s", text);
	cr_expect_not_null(strstr(text, "outside of slab caches: +39.1 MiB in"), "%s", text);
	cr_expect_not_null(strstr(text, "\nNext:    kmalloc-top --held --events=page -d 10\n"),
			   "%s", text);
	g_free(text);
	/* So little may be what CPUs put aside. */
	text = table(uses, 2 * SECOND_NS, SLAB_TABLE_ROWS, 1200);
	cr_expect_not_null(strstr(text, "\nNext:    slabstack --held kmalloc-192 -d 10\n"), "%s",
			   text);
}

Test(slab_report, what_the_kernel_can_drop_is_the_next_step_only_if_it_grows_far_faster)
{
	static const Use files[] = { { "ext4_inode_cache", 5, 5000, 1100, 29, 200 },
				     { "filp", 5, 3005, 256, 16, 200 },
				     { NULL, 0, 0, 0, 0, 0 } };
	static const Use names[] = { { "dentry", 5, 50005, 192, 21, 3000 },
				     { "filp", 5, 505, 256, 16, 40 },
				     { NULL, 0, 0, 0, 0, 0 } };
	g_autofree char *text = table(files, SECOND_NS, SLAB_TABLE_ROWS, 0);

	cr_expect(strstr(text, "\nfilp") < strstr(text, "\next4_inode_cache"), "%s", text);
	cr_expect_not_null(strstr(text, "\nNext:    slabstack --held filp -d 10\n"), "%s", text);
	g_free(text);
	text = table(names, SECOND_NS, SLAB_TABLE_ROWS, 0);
	cr_expect_not_null(strstr(text, "no suspect. dentry grew most (+9.2 MiB in"), "%s", text);
	cr_expect_not_null(strstr(text, "\nNext:    slabstack --held dentry -d 10\n"), "%s", text);
}

/* Of caches, CPUs hold some objects ready. */
Test(slab_report, growth_of_some_objects_is_no_reason_for_a_next_step)
{
	static const Use some[] = { { "filp", 500, 550, 256, 16, 40 }, { NULL, 0, 0, 0, 0, 0 } };
	g_autofree char *text = table(some, SECOND_NS, SLAB_TABLE_ROWS, 0);

	cr_expect_not_null(strstr(text, "no suspect. Nothing grew"), "%s", text);
	cr_expect_not_null(strstr(text, "\nNext:    slabstack -d 60\n"), "%s", text);
}

Test(slab_report, where_nothing_grew_no_cache_is_named)
{
	static const Use quiet[] = { { "dentry", 5, 4, 192, 21, 1 }, { NULL, 0, 0, 0, 0, 0 } };
	g_autofree char *text = table(quiet, SECOND_NS, SLAB_TABLE_ROWS, 0);

	cr_expect_not_null(strstr(text, "no suspect. Nothing grew"), "%s", text);
	cr_expect_not_null(strstr(text, "\nNext:    slabstack -d 60\n"), "%s", text);
}

Test(slab_report, what_comes_next_can_be_pasted_into_a_shell)
{
	static const Use odd[] = { { "a $(b)", 5, 5006, 192, 21, 300 }, { NULL, 0, 0, 0, 0, 0 } };
	g_autofree char *text = table(odd, SECOND_NS, SLAB_TABLE_ROWS, 0);

	cr_expect_not_null(strstr(text, "\nNext:    slabstack --held 'a $(b)' -d 10\n"), "%s",
			   text);
}

/* What the lines of growth are made from. */
typedef struct {
	const char *argument;
	uint64_t traced[CACHES_MAX]; /* by index of what matched */
	bool some_filtered;
	bool some_by_size;
	bool not_recorded;
	uint64_t cpus;
	const char *of_whom;
	bool sampled;
	bool human;
	uint64_t held_of; /* what is traced are held objects, of so many; 0: allocations */
} Traced;

static char *growth_lines(const Use *of, const Traced *traced, uint64_t span_ns)
{
	g_autoptr(Slabinfo) start = reading(of, false);
	g_autoptr(Slabinfo) end = reading(of, true);
	GString *text = text_of(uses, false), *out = g_string_new(NULL);
	g_autoptr(CacheList) list = cache_list_new(NULL, text);
	g_autoptr(CacheQuery) query = cache_query_new(traced->argument, NULL);
	g_autoptr(GArray) counts = g_array_new(FALSE, TRUE, sizeof(RowSums));
	char *others[] = { (char *)"vm_area_struct", NULL };
	SlabGrowth growth = {
		.span = { start, end, span_ns },
		.query = query,
		.traced = counts,
		.recorded = traced->not_recorded ? others : NULL,
		.all_traced = !traced->some_filtered,
		.some_by_size = traced->some_by_size,
		.cpus = traced->cpus,
		.of_whom = traced->of_whom,
		.sampled = traced->sampled,
		.human = traced->human,
		.is_held = traced->held_of > 0,
	};

	cr_assert(cache_query_resolve(query, list, "", NULL));
	g_array_set_size(counts, cache_query_matched(query)->len);
	for (guint i = 0; i < counts->len; i++) {
		g_array_index(counts, RowSums, i).summary.allocations = traced->traced[i];
		g_array_index(counts, RowSums, i).held.allocated = traced->held_of;
	}
	append_growth_lines(out, &growth);
	g_string_free(text, TRUE);
	return g_string_free(out, FALSE);
}

static const struct {
	const char *name;
	Use use[2];
	Traced traced;
	const char *line;
} growths[] = {
	{ "the issue's",
	  { { "kmalloc-192", 11112331, 11119902, 192, 21, 1 } },
	  { "kmalloc-192", { 1284220 }, false, false, false, 2, NULL, false, false, 0 },
	  "kmalloc-192: in use 11,112,331 -> 11,119,902 (+7,571, +1,453,632 bytes, /proc/slabinfo) "
	  "in "
	  "60.000 s; 1,284,220 allocations traced; net growth is 0.59 % of them\n" },
	{ "shrinks",
	  { { "kmalloc-192", 1000, 900, 192, 21, 1 } },
	  { "kmalloc-192", { 50 }, false, false, false, 2, NULL, false, false, 0 },
	  "kmalloc-192: in use 1,000 -> 900 (-100, -19,200 bytes, /proc/slabinfo) in 60.000 s; 50 "
	  "allocations traced; no net growth\n" },
	{ "quiet",
	  { { "kmalloc-192", 1000, 1000, 192, 21, 1 } },
	  { "kmalloc-192", { 0 }, false, false, false, 2, NULL, false, false, 0 },
	  "kmalloc-192: in use 1,000 -> 1,000 (unchanged, /proc/slabinfo) in 60.000 s; 0 "
	  "allocations traced\n" },
	{ "bulk",
	  { { "kmalloc-192", 1000, 101001, 192, 21, 1 } },
	  { "kmalloc-192", { 1 }, false, false, false, 2, NULL, false, false, 0 },
	  "kmalloc-192: in use 1,000 -> 101,001 (+100,001, +19,200,192 bytes, /proc/slabinfo) in "
	  "60.000 s; "
	  "1 allocation traced; 100,000 objects came from paths that no probe sees (bulk "
	  "allocation)\n" },
	{ "bulk, as far as a filter shows it",
	  { { "kmalloc-192", 1000, 101001, 192, 21, 1 } },
	  { "kmalloc-192", { 10 }, true, false, false, 2, NULL, false, false, 0 },
	  "kmalloc-192: in use 1,000 -> 101,001 (+100,001, +19,200,192 bytes, /proc/slabinfo) in "
	  "60.000 s; "
	  "10 allocations traced; it grew by 99,991 more\n" },
	{ "bulk, or of a class that was taken for another",
	  { { "kmalloc-192", 1000, 101001, 192, 21, 1 } },
	  { "kmalloc-192", { 10 }, false, true, false, 2, NULL, false, false, 0 },
	  "kmalloc-192: in use 1,000 -> 101,001 (+100,001, +19,200,192 bytes, /proc/slabinfo) in "
	  "60.000 s; "
	  "10 allocations traced; it grew by 99,991 more\n" },
	{ "bulk, where only classes were named by size",
	  { { "filp", 1000, 101001, 256, 16, 1 } },
	  { "filp", { 1 }, false, true, false, 2, NULL, false, false, 0 },
	  "filp: in use 1,000 -> 101,001 (+100,001, +25,600,256 bytes, /proc/slabinfo) in 60.000 "
	  "s; 1 "
	  "allocation traced; 100,000 objects came from paths that no probe sees (bulk "
	  "allocation)\n" },
	{ "recorded in part",
	  { { "kmalloc-192", 1000, 101001, 192, 21, 1 } },
	  { "kmalloc-192", { 0 }, false, false, true, 2, NULL, false, false, 0 },
	  "kmalloc-192: in use 1,000 -> 101,001 (+100,001, +19,200,192 bytes, /proc/slabinfo) in "
	  "60.000 s; "
	  "0 allocations traced, as not all were recorded\n" },
	{ "a new slab of a CPU",
	  { { "kmalloc-192", 0, 21, 192, 21, 1 } },
	  { "kmalloc-192", { 1 }, false, false, false, 1, NULL, false, false, 0 },
	  "kmalloc-192: in use 0 -> 21 (+21, +4,032 bytes, /proc/slabinfo) in 60.000 s; 1 "
	  "allocation "
	  "traced; 20 more may be free objects that CPUs hold ready\n" },
	{ "some processes",
	  { { "filp", 1000, 2000, 256, 16, 1 } },
	  { "filp", { 1100 }, true, false, false, 2, "of the chosen processes", false, false, 0 },
	  "filp: in use 1,000 -> 2,000 (+1,000, +256,000 bytes, /proc/slabinfo, whole host) in "
	  "60.000 s; 1,100 allocations traced, of the chosen processes alone, freed or not\n" },
	{ "sampled, for people",
	  { { "filp", 1000, 2000, 256, 16, 1 } },
	  { "filp", { 100000 }, true, false, false, 2, NULL, true, true, 0 },
	  "filp: in use 1,000 -> 2,000 (+1,000, +250 KiB, /proc/slabinfo) in 60.000 s; about "
	  "100,000 allocations traced; net growth is 1 % of them\n" },
	{ "no slabinfo",
	  { { NULL, 0, 0, 0, 0, 0 } },
	  { "kmalloc-192", { 12 }, false, false, false, 1, NULL, false, false, 0 },
	  "kmalloc-192: in use: not known, /proc/slabinfo does not say; 12 "
	  "allocations "
	  "traced\n" },
};

Test(slab_report, churn_and_growth_are_separate)
{
	for (size_t i = 0; i < G_N_ELEMENTS(growths); i++) {
		g_autofree char *text =
			growth_lines(growths[i].use, &growths[i].traced, 60 * SECOND_NS);

		cr_expect_str_eq(text, growths[i].line, "%s:\n%s", growths[i].name, text);
	}
}

/* Of a cache that had 1,000 objects, and has so many now. */
static char *held_line(unsigned held, unsigned now)
{
	const Use of_filp[] = { { "filp", 1000, now, 256, 16, 100 }, { NULL, 0, 0, 0, 0, 0 } };

	return growth_lines(of_filp,
			    &(Traced){ .argument = "filp", .traced = { held }, .held_of = 5000 },
			    60 * SECOND_NS);
}

Test(slab_report, no_share_of_the_growth_is_above_all_of_it)
{
	g_autofree char *part = held_line(900, 2000);
	g_autofree char *more = held_line(1060, 2000);
	g_autofree char *no_growth = held_line(10, 990);

	cr_expect_not_null(strstr(part, "900 held of 5,000 allocated: 90 % of the growth, which "
					"includes objects that CPUs hold ready\n"),
			   "%s", part);
	cr_expect_not_null(strstr(more, "1,060 held of 5,000 allocated: more than the growth, as "
					"older objects were freed, or objects that CPUs held ready "
					"were used\n"),
			   "%s", more);
	cr_expect_not_null(strstr(no_growth, "10 held of 5,000 allocated: without net growth, as "),
			   "%s", no_growth);
}

/* As Linux 6.18 has it on two CPUs. */
Test(slab_report, free_objects_in_sheaves_count_as_in_use)
{
#define MAPLE(in_use) "maple_node " in_use " 1792 256 16 1 : tunables 0 0 0 : slabdata 112 112 0\n"
	const GString before = {
		.str = (char *)MAPLE("1000") "# sheaves: 512 maple_node\n# sheaves: 7 other\n"
	};
	const GString after = { .str = (char *)MAPLE("1500") };
	g_autoptr(Slabinfo) start = slabinfo_new(&before, PAGE_BYTES);
	g_autoptr(Slabinfo) end = slabinfo_new(&after, PAGE_BYTES);
	g_autoptr(CacheList) list = cache_list_new(NULL, &before);
	g_autoptr(CacheQuery) query = cache_query_new("maple_node", NULL);
	g_autoptr(GArray) traced = g_array_new(FALSE, TRUE, sizeof(RowSums));
	g_autoptr(GString) out = g_string_new(NULL);
	const SlabGrowth growth = { .span = { start, end, SECOND_NS },
				    .query = query,
				    .traced = traced,
				    .all_traced = true,
				    .cpus = 2 };

	cr_assert(cache_query_resolve(query, list, "", NULL));
	g_array_set_size(traced, 1);
	append_growth_lines(out, &growth);
	cr_expect_str_eq(out->str,
			 "maple_node: in use 1,000 -> 1,500 (+500, +128,000 bytes, /proc/slabinfo, "
			 "up to 512 of them free in sheaves) in 1.000 s; 0 allocations traced; 500 "
			 "more may be free objects that CPUs hold ready\n",
			 "%s", out->str);
}

Test(slab_report, of_many_caches_those_that_changed_most_are_shown_and_the_sum)
{
	const Traced traced = { .argument = "*", .traced = { 1, 2, 3, 4, 5, 6 }, .cpus = 1 };
	g_autofree char *text = growth_lines(uses, &traced, SECOND_NS);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	cr_assert_eq(g_strv_length(lines), 8, "%s", text);
	cr_expect(g_str_has_prefix(lines[0], "kmalloc-192: in use 100 -> 1,100 ("));
	cr_expect(g_str_has_prefix(lines[1], "task_struct: in use 10 -> 20 ("));
	cr_expect(g_str_has_prefix(lines[2], "filp: in use 500 -> 400 (-100, -25,600 bytes, "));
	cr_expect_str_eq(lines[5], "2 more caches");
	cr_expect_str_eq(
		lines[6],
		"all of these caches: in use 2,000,615 -> 2,001,525 (+910, +207,360 bytes, "
		"/proc/slabinfo) in 1.000 s; 21 allocations traced; 996 objects came from "
		"paths that no probe sees (bulk allocation)",
		"%s", lines[6]);
}

/* The recording is made up; sums saturate. */
Test(slab_report, numbers_that_no_host_has_are_shown_as_very_many)
{
#define MOST "18446744073709551615"
#define LINE(in_use) "x " in_use " 1 " MOST " 1 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	const GString before = { .str = (char *)LINE("0") }, after = { .str = (char *)LINE(MOST) };
	g_autoptr(Slabinfo) start = slabinfo_new(&before, PAGE_BYTES);
	g_autoptr(Slabinfo) end = slabinfo_new(&after, PAGE_BYTES);
	g_autoptr(CacheList) list = cache_list_new(NULL, &after);
	g_autoptr(CacheQuery) query = cache_query_new("x", NULL);
	g_autoptr(GArray) traced = g_array_new(FALSE, TRUE, sizeof(RowSums));
	g_autoptr(GString) out = g_string_new(NULL);
	const SlabSpan span = { start, end, 1 };
	g_autoptr(Reclaimable) none = reclaimable_new(NULL);
	const SlabTable wanted = {
		.span = span,
		.memory = { host_state_parse(NULL), host_state_parse(NULL), 1 },
		.reclaimable = none,
		.rows_max = 1,
		.human = true,
	};
	const SlabGrowth growth = { .span = span, .query = query, .traced = traced, .human = true };

	cr_assert(cache_query_resolve(query, list, "", NULL));
	g_array_set_size(traced, 1);
	append_growth_lines(out, &growth);
	append_slab_table(out, &wanted, NULL);
	cr_expect_not_null(strstr(out->str, ", +16,777,216 TiB, /proc/slabinfo)"), "%s", out->str);
	cr_expect_not_null(strstr(out->str, "  +16,777,216 TiB\n"), "%s", out->str);
}
