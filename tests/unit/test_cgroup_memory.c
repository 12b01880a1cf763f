/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel memory of cgroups: trees that the kernel could show, and which of them a report names. On
 * file systems whose folders do not count the folders below as links, the walk only lists more.
 */
#include "collect/tasks/cgroup_paths.h"
#include "record/format.h"
#include "render/text/render_text.h"
#include "report/slab_readings.h"

#include "fake_host.h"
#include "leaks.h"
#include "made_session.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(cgroup_memory);

enum { PLENTY = 64 << 20, MIB = 1 << 20, MANY = 10000, CPUS = 2 };
#define SECOND_NS 1000000000ULL
#define FOREVER_NS (600 * SECOND_NS)

static const char v1[] = "31 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
			 "32 24 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
static const char v2[] = "31 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

#define V1 "sys/fs/cgroup/memory"
#define V2 "sys/fs/cgroup"

static FakeHost *host_of(const char *mountinfo)
{
	FakeHost *host = fake_host_new();

	fake_host_write(host, "proc/self/mountinfo", mountinfo);
	return host;
}

static void set_file(const FakeHost *host, const char *folder, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	fake_host_write(host, path, text);
}

/* Sets memory.stat of a cgroup of v2, as of Linux 6.12 but for some lines. */
static void set_v2(const FakeHost *host, const char *folder, unsigned kernel_mib)
{
	g_autofree char *text = g_strdup_printf(
		"anon 4096\nfile 8192\nkernel %u\nkernel_stack 16384\npagetables 40960\n"
		"percpu 1024\nsock 4096\nvmalloc 512\nshmem 0\nslab_reclaimable 2000\n"
		"slab_unreclaimable 3000\nslab 5000\n",
		kernel_mib * MIB);

	set_file(host, folder, "memory.stat", text);
}

static void set_v1(const FakeHost *host, const char *folder, const char *bytes, const char *tcp)
{
	set_file(host, folder, "memory.kmem.usage_in_bytes", bytes);
	set_file(host, folder, "memory.kmem.tcp.usage_in_bytes", tcp);
}

/* Returns a reading of a host; NULL: it appends nothing. */
static CgroupReading *read_within(const FakeHost *host, uint64_t time_max_ns)
{
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(GByteArray) out = g_byte_array_new();
	const GString *text;

	cgroup_memory_append_reading(out, host, KMT_READING_START, time_max_ns);
	made_session_feed(session, out);
	text = run_text_of(session->text, KMT_BATCH_CGROUP_MEMORY, KMT_READING_START);
	return text ? cgroup_reading_new(text) : NULL;
}

static CgroupReading *read_host(const FakeHost *host)
{
	CgroupReading *reading = read_within(host, FOREVER_NS);

	cr_assert_not_null(reading);
	return reading;
}

static void expect_number(const CgroupReading *reading, const char *path, CgroupFigure figure,
			  uint64_t number)
{
	const CgroupMemory *cgroup = cgroup_reading_find(reading, path);

	cr_assert_not_null(cgroup, "%s", path);
	cr_expect(cgroup->known[figure], "%s: %s", path, cgroup_figures[figure].key);
	cr_expect(eq(u64, cgroup->numbers[figure], number), "%s: %s", path,
		  cgroup_figures[figure].key);
}

Test(cgroup_memory, v2_shows_figures_by_kind)
{
	g_autoptr(FakeHost) host = host_of(v2);
	g_autoptr(CgroupReading) reading = NULL;

	set_v2(host, V2, 5);
	set_file(host, V2, "cgroup.stat",
		 "nr_descendants 2\nnr_subsys_memory 3\nnr_dying_descendants 40\n");
	set_v2(host, V2 "/system.slice", 4);
	set_file(host, V2 "/system.slice", "cgroup.stat", "nr_dying_descendants 38\n");
	set_v2(host, V2 "/system.slice/a b.service", 3);
	set_file(host, V2 "/system.slice/a b.service", "cgroup.stat", "nr_dying_descendants 0\n");
	reading = read_host(host);
	cr_expect(eq(u32, reading->cgroups->len, 3));
	expect_number(reading, "/", CGROUP_KERNEL, 5 * MIB);
	expect_number(reading, "/system.slice/a b.service", CGROUP_KERNEL, 3 * MIB);
	expect_number(reading, "/system.slice", CGROUP_SOCKETS, 4096);
	expect_number(reading, "/system.slice", CGROUP_SLAB_UNRECLAIMABLE, 3000);
	expect_number(reading, "/system.slice", CGROUP_SLAB_RECLAIMABLE, 2000);
	expect_number(reading, "/system.slice", CGROUP_PER_CPU, 1024);
	expect_number(reading, "/system.slice", CGROUP_KERNEL_STACKS, 16384);
	expect_number(reading, "/system.slice", CGROUP_PAGE_TABLES, 40960);
	expect_number(reading, "/system.slice", CGROUP_VMALLOC, 512);
	expect_number(reading, "/system.slice", CGROUP_DYING, 38);
	cr_expect(reading->totals.is_visible_known);
	cr_expect(eq(u64, reading->totals.visible, 2));
	cr_expect(reading->totals.is_dying_known);
	cr_expect(eq(u64, reading->totals.dying, 40));
	cr_expect(eq(u64, reading->totals.unread, 0));
	cr_expect_str_eq(cgroup_of_most_dying(reading), "/system.slice");
}

/* A removed cgroup that another controller keeps has no memory. */
Test(cgroup_memory, dying_ones_are_those_of_memory_where_the_kernel_knows)
{
	g_autoptr(FakeHost) host = host_of(v2);
	g_autoptr(CgroupReading) reading = NULL;

	set_v2(host, V2, 5);
	set_file(host, V2, "cgroup.stat",
		 "nr_descendants 2\nnr_dying_descendants 40\nnr_dying_subsys_memory 38\n");
	reading = read_host(host);
	cr_expect(eq(u64, reading->totals.dying, 38));
}

/* As of Linux 5.10. */
Test(cgroup_memory, without_a_sum_of_kernel_memory_its_parts_are_added_up)
{
	g_autoptr(FakeHost) host = host_of(v2);
	g_autoptr(CgroupReading) reading = NULL;

	set_file(host, V2, "memory.stat",
		 "anon 1\nfile 2\nkernel_stack 4\npercpu 8\nsock 16\nslab_reclaimable 32\n"
		 "slab_unreclaimable 64\nslab 96\n");
	reading = read_host(host);
	expect_number(reading, "/", CGROUP_KERNEL, 4 + 8 + 32 + 64);
	expect_number(reading, "/", CGROUP_SOCKETS, 16);
	cr_expect(not(cgroup_reading_find(reading, "/")->known[CGROUP_VMALLOC]));
	cr_expect(not(reading->totals.is_dying_known));
}

/* The topmost may lack it, on old kernels. */
Test(cgroup_memory, below_a_cgroup_without_the_controller_none_is_read)
{
	g_autoptr(FakeHost) host = host_of(v2);
	g_autoptr(CgroupReading) reading = NULL;

	set_v2(host, V2 "/with", 1);
	set_v2(host, V2 "/with/below", 1);
	set_v2(host, V2 "/without/below", 1);
	reading = read_host(host);
	cr_expect(eq(u32, reading->cgroups->len, 2));
	cr_expect_not_null(cgroup_reading_find(reading, "/with/below"));
}

Test(cgroup_memory, v1_shows_sums_and_all_cgroups_of_the_hierarchy)
{
	g_autoptr(FakeHost) host = host_of(v1);
	g_autoptr(CgroupReading) reading = NULL;

	fake_host_write(host, "proc/cgroups",
			"#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
			"cpuset\t3\t1\t1\nmemory\t4\t89\t1\npids\t8\t1\t1\n");
	set_file(host, V1, "release_agent", "\n");
	set_file(host, V1, "memory.use_hierarchy", "1\n");
	set_v1(host, V1, "5000\n", "700\n");
	set_v1(host, V1 "/user", "3000\n", "0\n");
	set_v1(host, V1 "/user/1", "1000\n", "9\n");
	reading = read_host(host);
	expect_number(reading, "/", CGROUP_KERNEL, 5000);
	expect_number(reading, "/", CGROUP_SOCKETS, 700);
	/* Not read: the cgroup above has none. */
	expect_number(reading, "/user/1", CGROUP_SOCKETS, 0);
	expect_number(reading, "/user/1", CGROUP_KERNEL, 1000);
	cr_expect(not(cgroup_reading_find(reading, "/user/1")->known[CGROUP_PER_CPU]));
	cr_expect(eq(u64, reading->totals.visible, 2));
	cr_expect(eq(u64, reading->totals.dying, 86));
	cr_expect(not(reading->totals.is_flat));
}

/* In a container, /proc/cgroups counts those of the host. */
Test(cgroup_memory, in_a_part_of_a_v1_hierarchy_dying_ones_are_unknown)
{
	g_autoptr(FakeHost) host = host_of(v1);
	g_autoptr(CgroupReading) reading = NULL;

	fake_host_write(host, "proc/cgroups", "#\nmemory\t4\t89\t1\n");
	set_v1(host, V1, "5000\n", "0\n");
	reading = read_host(host);
	cr_expect(not(reading->totals.is_dying_known));
	cr_expect(reading->totals.is_visible_known);
}

Test(cgroup_memory, a_host_without_cgroups_adds_nothing)
{
	g_autoptr(FakeHost) host = host_of("");

	cr_expect_null(read_within(host, FOREVER_NS));
}

static void add_many(const FakeHost *host, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		g_autofree char *folder = g_strdup_printf(V1 "/pods/pod%u", i);

		set_file(host, folder, "memory.kmem.usage_in_bytes", "12288\n");
	}
}

Test(cgroup_memory, ten_thousand_are_read)
{
	g_autoptr(FakeHost) host = host_of(v1);
	g_autoptr(CgroupReading) reading = NULL;

	set_v1(host, V1, "900000000\n", "0\n");
	set_v1(host, V1 "/pods", "800000000\n", "0\n");
	add_many(host, MANY);
	reading = read_host(host);
	cr_expect(eq(u32, reading->cgroups->len, MANY + 2));
	cr_expect(eq(u64, reading->totals.unread, 0));
	expect_number(reading, "/pods/pod9999", CGROUP_KERNEL, 12288);
}

/* The topmost is always read. Without time, those below are counted, but not read. */
Test(cgroup_memory, a_bound_is_reported)
{
	g_autoptr(FakeHost) host = host_of(v1);
	g_autoptr(CgroupReading) reading = NULL;

	fake_host_write(host, "proc/cgroups", "#\nmemory\t4\t89\t1\n");
	set_file(host, V1, "release_agent", "\n");
	set_v1(host, V1, "5000\n", "0\n");
	set_v1(host, V1 "/a", "3000\n", "0\n");
	set_v1(host, V1 "/b", "3000\n", "0\n");
	reading = read_within(host, 0);
	cr_expect(eq(u32, reading->cgroups->len, 1));
	cr_expect(eq(u64, reading->totals.unread, 2));
	cr_expect(not(reading->totals.is_visible_known));
	cr_expect(not(reading->totals.is_dying_known));
}

/* A tab or a line end would be one of the format. */
Test(cgroup_memory, names_may_have_any_bytes)
{
	g_autoptr(FakeHost) host = host_of(v1);
	g_autoptr(CgroupReading) reading = NULL;

	set_v1(host, V1, "5000\n", "0\n");
	set_v1(host, V1 "/\033[31m red \\x2d\xff", "3000\n", "0\n");
	set_v1(host, V1 "/a\tb", "3000\n", "0\n");
	set_v1(host, V1 "/a\nunread 5", "3000\n", "0\n");
	reading = read_host(host);
	cr_expect(eq(u32, reading->cgroups->len, 2));
	expect_number(reading, "/\033[31m red \\x2d\xff", CGROUP_KERNEL, 3000);
	cr_expect(eq(u64, reading->totals.unread, 2));
}

/* Removes every other cgroup while they are read. */
static gpointer remove_half(gpointer user_data)
{
	const FakeHost *host = user_data;

	for (unsigned i = 0; i < MANY / 10; i += 2) {
		g_autofree char *folder = g_strdup_printf("%s/" V1 "/pods/pod%u", host, i);
		g_autofree char *file =
			g_build_filename(folder, "memory.kmem.usage_in_bytes", NULL);

		unlink(file);
		rmdir(folder);
	}
	return NULL;
}

Test(cgroup_memory, cgroups_may_vanish_while_they_are_read)
{
	g_autoptr(FakeHost) host = host_of(v1);
	GThread *other;

	set_v1(host, V1, "5000\n", "0\n");
	set_v1(host, V1 "/pods", "4000\n", "0\n");
	add_many(host, MANY / 10);
	other = g_thread_new("remove", remove_half, host);
	for (bool is_over = false; !is_over;) {
		g_autoptr(CgroupReading) reading = read_host(host);

		/* Those that stay are read, and nothing has made-up numbers. */
		expect_number(reading, "/pods/pod1", CGROUP_KERNEL, 12288);
		cr_assert(ge(u32, reading->cgroups->len, MANY / 20 + 2));
		is_over = reading->cgroups->len == MANY / 20 + 2;
	}
	g_thread_join(other);
}

/* What a report makes of two readings. */

typedef struct {
	CgroupReading *start;
	CgroupReading *end;
	SlabTable slabs;
	Table *table;
} Report;

static void report_of(Report *report, const char *start, const char *end)
{
	g_autoptr(GString) first = g_string_new(start), last = g_string_new(end);

	*report = (Report){ cgroup_reading_new(start ? first : NULL), cgroup_reading_new(last),
			    .table = NULL };
	report->slabs = (SlabTable){ .cgroups = { report->start, report->end, 2 * SECOND_NS },
				     .rows_max = SLAB_TABLE_ROWS,
				     .cpus = CPUS };
	report->table = cgroup_table_new(&report->slabs, TABLE_JSON);
}

static void report_free(Report *report)
{
	table_free(report->table);
	cgroup_reading_free(report->start);
	cgroup_reading_free(report->end);
}

static const CgroupRow *row_at(const Report *report, guint row)
{
	cr_assert(lt(u32, row, report->table->count));
	return &g_array_index(report->table->rows, CgroupRow, row);
}

static void expect_row(const Report *report, guint row, const char *path, double mib_a_second)
{
	cr_expect_str_eq(row_at(report, row)->cgroup->path, path);
	cr_expect(eq(dbl, row_at(report, row)->change_bytes, mib_a_second * MIB), "%s", path);
}

#define COLUMNS "columns kernel_bytes\n"

/* 40 MiB more in a leaf; each above has them, and a little more. */
Test(cgroup_memory, a_leafs_growth_names_the_leaf_alone)
{
	Report report;

	report_of(&report,
		  COLUMNS "/\t104857600\n/system.slice\t52428800\n"
			  "/system.slice/a.service\t10485760\n/system.slice/b.service\t10485760\n",
		  COLUMNS "/\t146900000\n/system.slice\t94400000\n"
			  "/system.slice/a.service\t52428800\n/system.slice/b.service\t10485760\n");
	expect_row(&report, 0, "/system.slice/a.service", 20);
	cr_expect(row_at(&report, 0)->has_grown);
	cr_expect(not(row_at(&report, 0)->is_rest));
	cr_expect(not(row_at(&report, 1)->has_grown));
	report_free(&report);
}

/* Many small ones, or removed ones whose memory stays: then it is the cgroup above. */
Test(cgroup_memory, growth_that_no_cgroup_below_has_names_the_cgroup_above)
{
	g_autoptr(GString) start = g_string_new(COLUMNS "/\t0\n/pods\t0\n");
	g_autoptr(GString) end = g_string_new(COLUMNS "/\t104857600\n/pods\t104857600\n");
	Report report;

	for (unsigned i = 0; i < 1000; i++)
		g_string_append_printf(end, "/pods/%u\t98304\n", i);
	report_of(&report, start->str, end->str);
	expect_row(&report, 0, "/pods", 50);
	cr_expect(eq(u32, report.table->count, 1));
	report_free(&report);
}

/* Beside a leaf that grew by 20 MiB and one that gave back 10, the rest grew by 30. */
Test(cgroup_memory, what_is_left_for_a_cgroup_above_is_a_row_of_its_own)
{
	Report report;
	double sum = 0;

	report_of(&report, COLUMNS "/a\t104857600\n/a/b\t0\n/a/c\t20971520\n",
		  COLUMNS "/a\t146800640\n/a/b\t20971520\n/a/c\t10485760\n");
	cr_assert(eq(u32, report.table->count, 3));
	expect_row(&report, 0, "/a", 15);
	cr_expect(row_at(&report, 0)->is_rest);
	cr_expect(eq(u64, row_at(&report, 0)->own_bytes, 110 * MIB));
	expect_row(&report, 1, "/a/b", 10);
	expect_row(&report, 2, "/a/c", -5);
	for (guint i = 0; i < report.table->count; i++)
		sum += row_at(&report, i)->change_bytes;
	cr_expect(eq(dbl, sum, 20 * MIB));
	report_free(&report);
}

Test(cgroup_memory, a_new_cgroup_grew_from_nothing_if_the_first_reading_is_whole)
{
	static const char end[] = COLUMNS "/\t20971520\n/new\t20971520\n";
	Report report;

	report_of(&report, COLUMNS "/\t0\n", end);
	expect_row(&report, 0, "/new", 10);
	report_free(&report);
	/* Else only the cgroup above is known to have grown. */
	report_of(&report, "unread 7\n" COLUMNS "/\t0\n", end);
	expect_row(&report, 0, "/", 10);
	cr_expect(not(row_at(&report, 1)->has_change));
	report_free(&report);
}

/* v1 without use_hierarchy: each has its own memory only. */
Test(cgroup_memory, flat_figures_are_those_of_each_cgroup)
{
	Report report;

	report_of(&report, "flat 1\n" COLUMNS "/\t0\n/a\t0\n",
		  "flat 1\n" COLUMNS "/\t41943040\n/a\t20971520\n");
	expect_row(&report, 0, "/", 20);
	expect_row(&report, 1, "/a", 10);
	cr_expect(eq(u64, row_at(&report, 0)->own_bytes, 40 * MIB));
	report_free(&report);
}

/* Returns the overview of a report's cgroups, and no caches, for a terminal; the caller frees it.
 */
static char *text_of(const Report *report, unsigned columns, unsigned lines)
{
	g_autoptr(Slabinfo) none = slabinfo_new(NULL, 4096);
	g_autoptr(Reclaimable) reclaimable = reclaimable_new(NULL);
	SlabTable slabs = report->slabs;
	GString *text = g_string_new(NULL);

	slabs.span = (SlabSpan){ none, none, 2 * SECOND_NS };
	slabs.reclaimable = reclaimable;
	slabs.terminal = (TerminalSize){ columns, lines };
	slabs.human = true;
	append_slab_table(text, &slabs, NULL);
	return g_string_free(text, FALSE);
}

#define LONG_NAME                                                                                  \
	"/system.slice/a-unit-whose-name-is-longer-than-a-terminal-is-wide-which-is-allowed-and-"  \
	"seen-on-hosts.service"

Test(cgroup_memory, a_terminal_shows_what_grew_as_far_as_it_has_room)
{
	g_autofree char *low = NULL, *high = NULL;
	Report report;

	report_of(&report,
		  "visible 9\ndying 20\ncolumns kernel_bytes dying\n/\t0 20\n/system.slice\t0 9\n",
		  "visible 1234\ndying 4812\ncolumns kernel_bytes dying\n/\t52428800 4812\n"
		  "/system.slice\t41943040 4700\n" LONG_NAME "\t20971520 0\n"
		  "/system.slice/\033[1m.service\t20971520 0\n");
	low = text_of(&report, 80, 10);
	cr_expect_str_eq(low, "Reclaimable caches: 0 B (--all)\n"
			      "Cgroups: 1,234, dying 4,812 (+2,396/s), most below system.slice\n");
	high = text_of(&report, 80, 40);
	cr_expect_str_eq(high,
			 "CGROUP                                      KERNEL   CHANGE/s\n"
			 "\\x1b[1m.service                           20.0 MiB  +10.0 MiB\n"
			 "a-unit-whose-name-is-longer-than-a-te...  20.0 MiB  +10.0 MiB\n"
			 "/ (others)                                10.0 MiB   +5.0 MiB\n"
			 "\n"
			 "Reclaimable caches: 0 B (--all)\n"
			 "Cgroups: 1,234, dying 4,812 (+2,396/s), most below system.slice\n",
			 "%s", high);
	report_free(&report);
}

Test(cgroup_memory, a_low_terminal_names_the_cgroup_that_grew_most)
{
	g_autofree char *text = NULL;
	Report report;

	report_of(&report, COLUMNS "/\t0\n", "visible 12\n" COLUMNS LONG_NAME "\t20971520\n");
	text = text_of(&report, 80, 10);
	cr_expect_str_eq(text, "Reclaimable caches: 0 B (--all)\n"
			       "Cgroups: 12; most growth: a-unit-whose-name-is-... +10.0 MiB/s\n");
	report_free(&report);
}

Test(cgroup_memory, lines_of_another_form_are_skipped)
{
	static const char text[] = "/early\t5\ndying x\ndying 7\nvisible 18446744073709551616\n"
				   "columns later_bytes kernel_bytes\n"
				   "/a\t1 2\n/a\t1 3\n/b\t1\n/c\t1 x\n/d\t- -\n\t1 2\n/e 1 2\n"
				   "/\033[1m\t1 4";
	g_autoptr(GString) copy = g_string_new_len(text, sizeof(text) - 1);
	g_autoptr(CgroupReading) reading = cgroup_reading_new(copy);

	cr_expect(eq(u32, reading->cgroups->len, 3));
	expect_number(reading, "/a", CGROUP_KERNEL, 2);
	expect_number(reading, "/\033[1m", CGROUP_KERNEL, 4);
	cr_expect(not(cgroup_reading_find(reading, "/d")->known[CGROUP_KERNEL]));
	cr_expect(eq(u64, reading->totals.dying, 7));
	cr_expect(not(reading->totals.is_visible_known));
}
