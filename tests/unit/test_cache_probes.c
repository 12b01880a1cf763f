/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/slabs/cache_probes.h"

#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(cache_probes);

/* What real kernels make of them tests/vm/cases/91-perf-caches.sh shows. */

Test(cache_probes, a_probe_reads_the_name_and_where_the_call_returns_to)
{
	g_autofree char *x86 = cache_probe_arguments(kprobe_registers("x86_64"), 96);
	g_autofree char *arm = cache_probe_arguments(kprobe_registers("aarch64"), 88);
	g_autofree char *power = cache_probe_arguments(kprobe_registers("ppc64le"), 88);
	g_autofree char *s390 = cache_probe_arguments(kprobe_registers("s390x"), 88);

	cr_expect_str_eq(x86, "name=+0(+96(%di)):string call_site=$stack0:u64");
	cr_expect_str_eq(arm, "name=+0(+88(%x0)):string call_site=%x30:u64");
	cr_expect_str_eq(power, "name=+0(+88(%gpr3)):string call_site=%link:u64");
	cr_expect_str_eq(s390, "name=+0(+88(%r2)):string call_site=%r14:u64");
	cr_expect_null(kprobe_registers("pdp11"));
}

#define KPROBE_EVENTS FAKE_HOST_TRACEFS "/kprobe_events"

/* A host whose tracefs has these groups of probes. */
static FakeHost *host_new(const char *const groups[])
{
	FakeHost *host = fake_host_new();

	fake_host_write(host, KPROBE_EVENTS, "before\n");
	fake_host_add_tracepoint(host, "kmem/kmalloc", "");
	for (; *groups; groups++)
		fake_host_add_tracepoint(host, *groups, "");
	return host;
}

static char *definitions(const FakeHost *host)
{
	char *text = fake_host_read(host, KPROBE_EVENTS);

	cr_assert_not_null(text);
	return text;
}

static int open_kmem(const FakeHost *host)
{
	return fake_host_open_tracepoints(host, "kmem");
}

Test(cache_probes, those_of_processes_that_are_no_more_are_removed)
{
	static const char *const groups[] = {
		"kmalloc_top_41/kmem_cache_alloc_41",      /* of one that is no more */
		"kmalloc_top_42/kmem_cache_alloc_node_42", /* of one that lives */
		"kmalloc_top_41/vfs_read_41",              /* not by us */
		"kmalloc_top_x/kmem_cache_alloc_x",
		"kmalloc_top_/kmem_cache_alloc_",
		"kmalloc_top_43x/kmem_cache_alloc_43x",
		"others_41/kmem_cache_alloc_41",
		NULL,
	};
	g_autoptr(FakeHost) host = host_new(groups);
	int kmem = open_kmem(host);
	g_autofree char *left = NULL;

	fake_host_write_of_process(host, 42, "comm", "");
	kprobe_groups_clean(kmem, host);
	left = definitions(host);
	cr_expect_str_eq(left, "before\n-:kmalloc_top_41/kmem_cache_alloc_41\n");
	close(kmem);
}

Test(cache_probes, those_that_had_our_pid_are_of_another_process)
{
	g_autofree char *group = g_strdup_printf("kmalloc_top_%d/kmem_cache_alloc_lru_%d",
						 (int)getpid(), (int)getpid());
	const char *const groups[] = { group, NULL };
	g_autoptr(FakeHost) host = host_new(groups);
	g_autofree char *expected = g_strdup_printf("before\n-:%s\n", group);
	g_autofree char *left = NULL;
	int kmem = open_kmem(host);

	kprobe_groups_clean(kmem, "");
	left = definitions(host);
	cr_expect_str_eq(left, expected);
	close(kmem);
}

/* As the kernel describes a probe of ours. */
static const char probe_format[] =
	"name: x\nID: %u\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 call_site;\toffset:20;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";

/* Puts it where the kernel would when the probe is defined. */
static void describe_probe(const FakeHost *host, const char *function, unsigned id)
{
	g_autofree char *point =
		g_strdup_printf("kmalloc_top_%d/%s_%d", (int)getpid(), function, (int)getpid());
	g_autofree char *text = g_strdup_printf(probe_format, id);

	fake_host_add_tracepoint(host, point, text);
}

static void fill_record(uint8_t record[40], uint16_t id, uint8_t flags, const char *name)
{
	const uint64_t call_site = 0xffffffff81234567;
	const uint32_t location = (uint32_t)(strlen(name) + 1) << 16 | 28;

	memset(record, 0, 40);
	memcpy(record, &id, sizeof(id));
	record[2] = flags;
	memcpy(record + 16, &location, sizeof(location));
	memcpy(record + 20, &call_site, sizeof(call_site));
	memcpy(record + 28, name, strlen(name) + 1);
}

static void expect_records(const CacheProbes *probes, uint16_t id)
{
	uint8_t record[40];
	CacheProbeCall call;

	fill_record(record, id, 0, "dentry");
	cr_assert(cache_probes_read(probes, record, sizeof(record), &call));
	cr_expect_eq(call.call.call_site, 0xffffffff81234567);
	cr_expect_eq(call.call.context, KMT_CONTEXT_TASK);
	cr_expect_eq(call.cache.name_bytes, strlen("dentry"));
	cr_expect_eq(memcmp(call.cache.name, "dentry", strlen("dentry")), 0);
	/* Its name is not in it as a whole; it is too short for its numbers; it is of another. */
	cr_expect(cache_probes_read(probes, record, 34, &call));
	cr_expect_not(call.has_cache);
	cr_expect_not(cache_probes_read(probes, record, 27, &call));
	fill_record(record, (uint16_t)(id + 100), 0, "dentry");
	cr_expect_not(cache_probes_read(probes, record, sizeof(record), &call));
	/* What the kernel could not read; a softirq, a hard interrupt, a breakpoint in a task. */
	fill_record(record, id, 0x10, "(fault)");
	cr_expect(cache_probes_read(probes, record, sizeof(record), &call));
	cr_expect_not(call.has_cache);
	cr_expect_eq(call.call.context, KMT_CONTEXT_SOFTIRQ);
	fill_record(record, id, 0x18, "x");
	cr_expect(cache_probes_read(probes, record, sizeof(record), &call));
	cr_expect_eq(call.call.context, KMT_CONTEXT_HARDIRQ);
	fill_record(record, id, 0x48, "x");
	cr_expect(cache_probes_read(probes, record, sizeof(record), &call));
	cr_expect_eq(call.call.context, KMT_CONTEXT_TASK);
}

Test(cache_probes, records_have_the_call_and_the_end_removes_the_probes)
{
	static const char *const functions[] = { "kmem_cache_alloc", "kmem_cache_alloc_noprof",
						 "kmem_cache_alloc_node_noprof" };
	static const char *const groups[] = { NULL };
	g_autoptr(FakeHost) host = host_new(groups);
	g_autofree char *removal = NULL;
	g_autofree char *left = NULL;
	g_autoptr(GError) error = NULL;
	int kmem = open_kmem(host);
	KprobeGroup *group = kprobe_group_new(kmem);
	CacheProbes *probes;

	for (unsigned i = 0; i < G_N_ELEMENTS(functions); i++)
		describe_probe(host, functions[i], 2000 + i);
	probes = cache_probes_new(group, &error);
	if (!probes) {
		kprobe_group_free(group);
		close(kmem);
		cr_skip_test("not on this kernel: %s", error->message);
	}
	cr_expect_gt(cache_probes_ids(probes)->len, 0);
	expect_records(probes, g_array_index(cache_probes_ids(probes), guint16, 0));
	cache_probes_free(probes);
	kprobe_group_free(group);
	left = definitions(host);
	removal = g_strdup_printf("\n-:kmalloc_top_%d/kmem_cache_alloc", (int)getpid());
	cr_expect_not_null(strstr(left, removal), "%s", left);
	close(kmem);
}

Test(cache_probes, a_kernel_without_kprobes_is_reported_and_nothing_is_left)
{
	static const char *const groups[] = { NULL };
	g_autoptr(FakeHost) host = host_new(groups);
	g_autofree char *path = g_build_filename(host, KPROBE_EVENTS, NULL);
	g_autoptr(GError) error = NULL;
	int kmem = open_kmem(host);
	KprobeGroup *group = kprobe_group_new(kmem);

	unlink(path);
	cr_expect_null(cache_probes_new(group, &error));
	cr_assert_not_null(error);
	cr_expect_null(strchr(error->message, '\n'));
	kprobe_group_free(group);
	close(kmem);
}
