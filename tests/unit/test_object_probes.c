/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/slabs/slab_probes.h"

#include "perf_fixtures.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(object_probes);

/* What real kernels make of them tests/vm/cases/95-perf-held.sh shows. */

#define KPROBE_EVENTS FAKE_HOST_TRACEFS "/kprobe_events"
#define KPROBE_PROFILE FAKE_HOST_TRACEFS "/kprobe_profile"

static const char symbols[] = "ffffffff81000000 T kvfree_call_rcu\n"
			      "ffffffff81000100 T kmem_cache_free_bulk\n"
			      "ffffffff81000200 T kmem_cache_alloc_bulk_noprof\n"
			      "ffffffff81000300 T kmem_cache_free_bulk.cold\n"
			      "ffffffffc0000300 t kmem_cache_alloc_bulk_of_others\t[others]\n";

#define HEAD(id)                                                                                   \
	"name: x\nID: " #id "\nformat:\n"                                                          \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
#define PROBE_IP "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"

/* As Linux 6.12 describes them. */
static const char rcu_format[] = HEAD(2001) PROBE_IP
	"\tfield:u64 head;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 ptr;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 call_site;\toffset:32;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";
static const char free_bulk_format[] = HEAD(2002) PROBE_IP
	"\tfield:u64 cache;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 count;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 pointers[64];\toffset:32;\tsize:512;\tsigned:0;\n"
	"\tfield:u64 call_site;\toffset:544;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";
static const char alloc_bulk_format[] =
	HEAD(2003) "\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
		   "\tfield:u64 count;\toffset:24;\tsize:8;\tsigned:0;\n"
		   "\tfield:u8 done;\toffset:32;\tsize:1;\tsigned:0;\n"
		   "\tfield:u64 pointers[64];\toffset:33;\tsize:512;\tsigned:0;\n"
		   "\tfield:__data_loc char[] name;\toffset:545;\tsize:4;\tsigned:1;\n"
		   "\tfield:u32 bytes_req;\toffset:549;\tsize:4;\tsigned:0;\n"
		   "\tfield:u32 bytes_alloc;\toffset:553;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";

enum { RECORD_BYTES = 568 };

typedef struct {
	FakeHost *host;
	GPtrArray *points;
	KprobeGroup *group;
	char *not_seen;
	int kmem;
} Fixture;

static void describe(const FakeHost *host, const char *function, const char *format)
{
	g_autofree char *point =
		g_strdup_printf("kmalloc_top_%d/%s_%d", (int)getpid(), function, (int)getpid());

	fake_host_add_tracepoint(host, point, format);
}

static void fixture_init(Fixture *fixture)
{
	struct utsname names;

	if (uname(&names) || !kprobe_registers(names.machine))
		cr_skip_test("no probes on this architecture");
	fixture->host = fake_host_new();
	fake_host_write(fixture->host, KPROBE_EVENTS, "");
	fake_host_write(fixture->host, "proc/kallsyms", symbols);
	fake_host_add_tracepoint(fixture->host, "kmem/kmalloc", "");
	describe(fixture->host, "kvfree_call_rcu", rcu_format);
	describe(fixture->host, "kmem_cache_free_bulk", free_bulk_format);
	describe(fixture->host, "kmem_cache_alloc_bulk_noprof", alloc_bulk_format);
	fixture->kmem = fake_host_open_tracepoints(fixture->host, "kmem");
	fixture->group = kprobe_group_new(fixture->kmem);
	fixture->points = g_ptr_array_new_with_free_func(kmem_point_free);
}

static void fixture_clear(Fixture *fixture)
{
	g_ptr_array_unref(fixture->points);
	kprobe_group_free(fixture->group);
	close(fixture->kmem);
	g_free(fixture->not_seen);
	fake_host_free(fixture->host);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_clear)

/* Adds the probes. */
static void fixture_start(Fixture *fixture)
{
	fixture_init(fixture);
	fixture->not_seen = object_probes_add(fixture->host, fixture->points, fixture->group);
	cr_assert_null(fixture->not_seen, "%s", fixture->not_seen);
	cr_assert_eq(fixture->points->len, 3);
}

Test(object_probes, the_functions_of_the_kernel_are_probed_and_the_end_removes_them)
{
	g_auto(Fixture) fixture = { NULL };
	g_autofree char *defined = NULL;
	g_autofree char *left = NULL;
	g_autofree char *removal = NULL;
	g_autofree char *there = NULL;

	fixture_start(&fixture);
	there = object_probes_there(fixture.host);
	cr_expect_str_eq(there,
			 "kvfree_call_rcu, kmem_cache_free_bulk, kmem_cache_alloc_bulk_noprof");
	defined = fake_host_read(fixture.host, KPROBE_EVENTS);
	cr_expect_not_null(strstr(defined, " kvfree_call_rcu head="), "%s", defined);
	cr_expect_not_null(strstr(defined,
				  " kmem_cache_alloc_bulk_noprof "
				  "count=$arg3:u64 done=$retval:u8 pointers=+0($arg4):x64[64]"),
			   "%s", defined);
	kprobe_group_free(g_steal_pointer(&fixture.group));
	left = fake_host_read(fixture.host, KPROBE_EVENTS);
	for (guint i = 0; i < fixture.points->len; i++) {
		const KmemPoint *point = fixture.points->pdata[i];

		removal = g_strdup_printf("-:kmalloc_top_%d/%s_%d\n", (int)getpid(),
					  point->type->name, (int)getpid());
		cr_expect_not_null(strstr(left, removal), "%s", left);
		g_free(g_steal_pointer(&removal));
	}
}

Test(object_probes, what_cannot_be_probed_is_reported)
{
	g_auto(Fixture) fixture = { NULL };
	g_autofree char *path = NULL;

	fixture_init(&fixture);
	path = g_build_filename(fixture.host, KPROBE_EVENTS, NULL);
	unlink(path);
	fixture.not_seen = object_probes_add(fixture.host, fixture.points, fixture.group);
	cr_expect_str_eq(fixture.not_seen, "kvfree_call_rcu, kmem_cache_free_bulk: this kernel has "
					   "no kprobes (CONFIG_KPROBE_EVENTS)");
	cr_expect_eq(fixture.points->len, 0);
}

static void put_32(uint8_t *record, unsigned offset, uint32_t number)
{
	memcpy(record + offset, &number, sizeof(number));
}

static uint64_t passed_to_rcu(const KmemPoint *point, uint64_t head, uint64_t second)
{
	uint8_t record[RECORD_BYTES] = { [2] = 0x58 }; /* in a softirq, by a breakpoint */
	EventFacts facts;

	perf_fixture_put(record, 16, head);
	perf_fixture_put(record, 24, second);
	perf_fixture_put(record, 32, 0xffffffff81234567);
	cr_assert(kmem_point_read(point, record, 40, &facts, NULL));
	cr_expect(facts.free && facts.kind == KMT_KIND_RCU && facts.source == KMT_SOURCE_KMALLOC);
	cr_expect_eq(facts.context, KMT_CONTEXT_SOFTIRQ);
	cr_expect_eq(facts.call_site, 0xffffffff81234567);
	return facts.pointer;
}

Test(object_probes, what_is_passed_to_rcu_is_found_on_every_kernel)
{
	const uint64_t object = 0xffff888003bac200;
	g_auto(Fixture) fixture = { NULL };

	fixture_start(&fixture);
	/* Since 6.2 the second argument is the object. */
	cr_expect_eq(passed_to_rcu(fixture.points->pdata[0], object + 16, object), object);
	/* Before, it is the offset of the rcu_head, or the object if there is none. */
	cr_expect_eq(passed_to_rcu(fixture.points->pdata[0], object + 16, 16), object);
	cr_expect_eq(passed_to_rcu(fixture.points->pdata[0], object, 0), object);
	cr_expect_eq(passed_to_rcu(fixture.points->pdata[0], 0, object), object);
}

static uint64_t read_pointers(const KmemPoint *point, unsigned count_at, uint64_t count,
			      uint64_t pointers[KMEM_POINTERS_MAX])
{
	uint8_t record[RECORD_BYTES] = { 0 };

	perf_fixture_put(record, count_at, count);
	for (unsigned i = 0; i < KMEM_POINTERS_MAX; i++)
		perf_fixture_put(record, point->pointers->offset + 8 * i, 0x1000 + i);
	cr_expect_eq(kmem_point_read_pointers(point, record, 539, pointers), 0,
		     "a record that is too short");
	return kmem_point_read_pointers(point, record, sizeof(record), pointers);
}

Test(object_probes, objects_freed_in_bulk_are_read_one_by_one)
{
	uint64_t pointers[KMEM_POINTERS_MAX] = { 0 };
	g_auto(Fixture) fixture = { NULL };
	const KmemPoint *point;

	fixture_start(&fixture);
	point = fixture.points->pdata[1];
	cr_expect(point->type->is_free && point->type->kind == KMT_KIND_BULK);
	cr_expect_eq(read_pointers(point, 24, 3, pointers), 3);
	cr_expect(pointers[0] == 0x1000 && pointers[2] == 0x1002 && !pointers[3]);
	/* Only the first ones are in the record. */
	cr_expect_eq(read_pointers(point, 24, 70, pointers), 70);
	cr_expect_eq(pointers[63], 0x103f);
	cr_expect_eq(read_pointers(point, 24, UINT64_MAX, pointers), 0);
}

Test(object_probes, objects_allocated_in_bulk_have_their_cache)
{
	uint64_t pointers[KMEM_POINTERS_MAX] = { 0 };
	uint8_t record[RECORD_BYTES] = { 0 };
	g_auto(Fixture) fixture = { NULL };
	const KmemPoint *point;
	EventFacts facts;
	EventCache cache;

	fixture_start(&fixture);
	point = fixture.points->pdata[2];
	perf_fixture_put(record, 16, 0xffffffff81234567);
	put_32(record, 545, 6 << 16 | 560);
	put_32(record, 549, 232);
	put_32(record, 553, 256);
	memcpy(record + 560, "filp", 5);
	cr_assert(kmem_point_read(point, record, sizeof(record), &facts, &cache));
	cr_expect(!facts.free && facts.kind == KMT_KIND_NONE && facts.source == KMT_SOURCE_CACHE);
	cr_expect_eq(facts.call_site, 0xffffffff81234567);
	cr_expect(facts.bytes_requested == 232 && facts.bytes_allocated == 256);
	cr_assert_eq(facts.cache, &cache);
	cr_expect(cache.name_bytes == 4 && !memcmp(cache.name, "filp", 4));
	perf_fixture_put(record, 24, 2);
	perf_fixture_put(record, 33, 0x1000);
	cr_expect_eq(kmem_point_read_pointers(point, record, sizeof(record), pointers), 0,
		     "the allocation failed");
	record[32] = 1;
	cr_expect_eq(kmem_point_read_pointers(point, record, sizeof(record), pointers), 2);
	cr_expect_eq(pointers[0], 0x1000);
}

Test(object_probes, objects_that_rcu_frees_in_bulk_are_not_recorded_twice)
{
	g_auto(Fixture) fixture = { NULL };
	g_autoptr(GPtrArray) alone = g_ptr_array_new();
	g_autofree char *filter = NULL;

	fixture_start(&fixture);
	filter = object_probes_filter(fixture.points, fixture.points->pdata[1]);
	cr_expect_str_eq(filter, "cache != 0");
	cr_expect_null(object_probes_filter(fixture.points, fixture.points->pdata[0]));
	g_ptr_array_add(alone, fixture.points->pdata[1]);
	cr_expect_null(object_probes_filter(alone, fixture.points->pdata[1]));
}

Test(object_probes, hits_are_those_of_our_probes)
{
	g_auto(Fixture) fixture = { NULL };
	g_autoptr(GString) profile = g_string_new(NULL);
	int self = (int)getpid();
	KprobeCounts counts;

	fixture_start(&fixture);
	cr_expect_not(kprobe_group_count(fixture.group, UINT_MAX, &counts));
	cr_expect(counts.hits == 0 && counts.missed == 0);
	/* More than is read at once. */
	for (unsigned i = 0; i < 200; i++)
		g_string_append_printf(profile, "  of_others_%u    %u      1\n", i, i);
	g_string_append_printf(profile,
			       "  kvfree_call_rcu_%d            1234               3\n"
			       "  kvfree_call_rcu_%d               5               6\n"
			       "  vfs_read_%d                      9               7\n"
			       "  kmem_cache_free_bulk_%d         20               4\n",
			       self, self + 1, self, self);
	fake_host_write(fixture.host, KPROBE_PROFILE, profile->str);
	cr_expect(kprobe_group_count(fixture.group, UINT_MAX, &counts));
	cr_expect(counts.hits == 1254 && counts.missed == 7);
	cr_expect(kprobe_group_count(fixture.group, 1U << KPROBE_CACHE_FREE_BULK, &counts));
	cr_expect(counts.hits == 20 && counts.missed == 4);
	cr_expect_not(kprobe_group_count(fixture.group, 1U << KPROBE_FREE_SLAB, &counts));
}
