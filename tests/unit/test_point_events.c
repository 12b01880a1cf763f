/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/point_events.h"

#include "collect/tracefs/tracefs.h"
#include "collect/points/point_set.h"
#include "fake_host.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(point_events);

/* A made-up host. */

#define FORMAT(id)                                                                                 \
	"name: x\nID: " #id "\nformat:\n"                                                          \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int order;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"

#define PMUS "sys/bus/event_source/devices/"

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81000100 T do_sys_open\n"
			      "ffffffff81000200 t cleanup\n"
			      "ffffffff81000300 t cleanup\t[ext4]\n"
			      "ffffffff81000400 D jiffies\n"
			      "ffffffff81000500 T int3_handler\n";

static const char blacklist[] = "0xffffffff81000500-0xffffffff81000510\tint3_handler\n"
				"0xffffffff81000600-0xffffffff81000610\tdo_sys\n";

static FakeHost *host_new(void)
{
	FakeHost *host = fake_host_new();

	fake_host_add_folder(host, FAKE_HOST_TRACEFS "/events/kmem");
	fake_host_write(host, FAKE_HOST_TRACEFS "/events/kmem/enable", "0\n");
	fake_host_add_tracepoint(host, "vmscan/mm_vmscan_kswapd_wake", FORMAT(7));
	fake_host_add_tracepoint(host, "vmscan/mm_vmscan_kswapd_sleep", FORMAT(8));
	fake_host_add_tracepoint(host, "syscalls/sys_enter_brk", FORMAT(9));
	fake_host_add_tracepoint(host, "irq/irq_handler_entry", FORMAT(10));
	fake_host_add_tracepoint(host, "odd/damaged", "name: damaged\n");
	fake_host_add_tracepoint(host, "ftrace/function", FORMAT(1));
	fake_host_write(host, "proc/kallsyms", symbols);
	fake_host_write(host, PMUS "kprobe/type", "6\n");
	fake_host_write(host, PMUS "kprobe/format/retprobe", "config:0\n");
	fake_host_write(host, "sys/kernel/debug/kprobes/blacklist", blacklist);
	return host;
}

/* Returns the events, or NULL with the message. */
static GPtrArray *find_below(const FakeHost *root, const char *text, char **message)
{
	g_autoptr(ProbeSpec) spec = probe_spec_parse(text, NULL);
	PointHost host = { .root = root,
			   .kmem_folder_fd = fake_host_open_tracepoints(root, "kmem") };
	g_autoptr(GError) error = NULL;
	GPtrArray *events;

	cr_assert_not_null(spec, "%s", text);
	events = point_events_find(&host, spec, &error);
	close(host.kmem_folder_fd);
	cr_assert_eq(events == NULL, error != NULL, "%s", text);
	if (error)
		*message = g_strdup(error->message);
	return events;
}

static GPtrArray *find(const char *text, char **message)
{
	g_autoptr(FakeHost) host = host_new();

	return find_below(host, text, message);
}

static void expect_names(const char *text, const char *names)
{
	g_autofree char *message = NULL;
	g_autoptr(GPtrArray) events = find(text, &message);
	g_autoptr(GString) found = g_string_new(NULL);

	for (guint i = 0; events && i < events->len; i++)
		g_string_append_printf(found, "%s%s", i ? " " : "",
				       ((const PointEvent *)events->pdata[i])->name);
	cr_expect_str_eq(found->str, names, "%s: %s %s", text, found->str, message);
}

static void expect_error(const char *text, const char *expected)
{
	g_autofree char *message = NULL;
	g_autoptr(GPtrArray) events = find(text, &message);

	cr_assert_null(events, "%s", text);
	cr_expect_str_eq(message, expected, "%s", message);
}

static const PointEvent *only(const GPtrArray *events)
{
	cr_assert_not_null(events);
	cr_assert_eq(events->len, 1);
	return events->pdata[0];
}

Test(point_events, globs_in_both_parts_give_several_tracepoints_but_none_of_ftrace)
{
	expect_names("t:vmscan:mm_vmscan_kswapd_wake", "vmscan:mm_vmscan_kswapd_wake");
	expect_names("t:vmscan:*_kswapd_[sw]*",
		     "vmscan:mm_vmscan_kswapd_sleep vmscan:mm_vmscan_kswapd_wake");
	expect_names("t:[!o]*:*e*", "irq:irq_handler_entry syscalls:sys_enter_brk "
				    "vmscan:mm_vmscan_kswapd_sleep vmscan:mm_vmscan_kswapd_wake");
}

Test(point_events, a_tracepoint_knows_its_number_fields_and_stacks)
{
	static const struct {
		const char *text;
		uint64_t id;
		bool runs_in_user, has_kernel_stack;
	} points[] = {
		{ "t:vmscan:mm_vmscan_kswapd_wake", 7, true, true },
		{ "t:syscalls:sys_enter_brk", 9, true, false },
		{ "t:irq:irq_handler_entry", 10, false, true },
	};

	for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
		g_autoptr(GPtrArray) events = find(points[i].text, NULL);
		const PointEvent *event = only(events);

		cr_expect_eq(event->type, PERF_TYPE_TRACEPOINT);
		cr_expect_eq(event->config, points[i].id);
		cr_expect_eq(event->runs_in_user, points[i].runs_in_user, "%s", event->name);
		cr_expect_eq(event->has_kernel_stack, points[i].has_kernel_stack, "%s",
			     event->name);
		cr_expect_not_null(tracepoint_format_lookup(event->format, "order"));
	}
}

Test(point_events, a_missing_tracepoint_gets_the_nearest_ones)
{
	expect_error("t:vmscan:mm_vmscan_kswapd_wakes",
		     "t:vmscan:mm_vmscan_kswapd_wakes: this kernel has no such tracepoint; "
		     "nearest: vmscan:mm_vmscan_kswapd_wake, vmscan:mm_vmscan_kswapd_sleep");
	expect_error("t:vmscn:mm_vmscan_kswapd_wake",
		     "t:vmscn:mm_vmscan_kswapd_wake: this kernel has no such group of tracepoints; "
		     "nearest: vmscan");
	expect_error("t:sunrpc:*", "t:sunrpc:*: this kernel has no such group of tracepoints; "
				   "/sys/kernel/tracing/available_events has all");
	expect_error("t:vmscan:*nothing*", "t:vmscan:*nothing*: this kernel has no such "
					   "tracepoint; vmscan has mm_vmscan_kswapd_sleep, "
					   "mm_vmscan_kswapd_wake");
	expect_error("t:odd:damaged", "odd:damaged: the description of a tracepoint's fields "
				      "cannot be read, it has no ID (line 1)");
}

Test(point_events, a_kernel_function_becomes_an_event_of_the_kprobe_pmu)
{
	g_autoptr(GPtrArray) entries = find("k:do_sys_open+0x4", NULL);
	g_autoptr(GPtrArray) returns = find("kr:do_sys_open", NULL);
	const PointEvent *entry = only(entries), *at_return = only(returns);
	struct perf_event_attr attr = { 0 };

	point_event_attr(entry, &attr);
	cr_expect_eq(attr.size, sizeof(attr));
	cr_expect_eq(attr.type, 6);
	cr_expect_eq(attr.config, 0);
	cr_expect_str_eq((const char *)(uintptr_t)attr.kprobe_func, "do_sys_open");
	cr_expect_eq(attr.probe_offset, 4);
	cr_expect(entry->needs_registers && entry->has_kernel_stack && !entry->is_return);
	cr_expect_str_eq(entry->name, "k:do_sys_open+0x4");
	cr_expect_eq(at_return->config, 1);
	cr_expect(at_return->is_return);
}

Test(point_events, functions_of_one_name_are_probed_by_address)
{
	g_autoptr(GPtrArray) events = find("k:cleanup+2", NULL);

	cr_assert_eq(events->len, 2);
	for (guint i = 0; i < events->len; i++) {
		const PointEvent *event = events->pdata[i];

		cr_expect_null(event->config1);
		cr_expect_eq(event->config2, 0xffffffff81000202ULL + i * 0x100);
	}
}

Test(point_events, a_function_that_cannot_be_probed_is_refused_with_the_remedy)
{
	expect_error("k:do_sys_opne", "k:do_sys_opne: this kernel has no such function, or inlined "
				      "it; nearest: do_sys_open");
	expect_error("k:jiffies", "k:jiffies: this kernel has no such function, or inlined it; "
				  "probe one that calls it");
	expect_error("kr:int3_handler", "kr:int3_handler: the kernel forbids probes in this "
					"function (kprobe blacklist): probe one that calls it");
}

Test(point_events, a_kernel_without_the_pmu_cannot_probe_functions)
{
	g_autoptr(FakeHost) host = fake_host_new();
	g_autofree char *message = NULL;

	fake_host_add_folder(host, FAKE_HOST_TRACEFS "/events/kmem");
	cr_expect_null(find_below(host, "k:do_sys_open", &message));
	cr_expect_str_eq(message,
			 "k:do_sys_open: this kernel has no function probes for perf "
			 "(CONFIG_KPROBE_EVENTS, from Linux 4.17 on): probe a tracepoint, or boot "
			 "one that has them",
			 "%s", message);
}

Test(point_events, without_tracefs_only_tracepoints_are_missing)
{
	const PointHost host = { .root = "", .kmem_folder_fd = -1 };
	g_autoptr(ProbeSpec) tracepoint = probe_spec_parse("t:kmem:kmalloc", NULL);
	g_autoptr(ProbeSpec) fault = probe_spec_parse("sw:page-faults", NULL);
	g_autoptr(GPtrArray) faults = point_events_find(&host, fault, NULL);
	g_autoptr(GError) error = NULL;

	cr_expect_null(point_events_find(&host, tracepoint, &error));
	cr_expect_str_eq(error->message, "t:kmem:kmalloc: the kernel's tracepoints cannot be read: "
					 "run it as root");
	cr_expect_eq(only(faults)->config, PERF_COUNT_SW_PAGE_FAULTS);
}

Test(point_events, software_events_are_those_that_can_be_counted)
{
	expect_error("sw:page-fault", "sw:page-fault: no software event has this name; nearest: "
				      "page-faults");
	expect_error("sw:task-clock",
		     "sw:task-clock: no software event has this name; known: page-faults, "
		     "minor-faults, major-faults, context-switches, cpu-migrations, "
		     "alignment-faults, emulation-faults");
}

Test(point_events, systemtaps_spelling_needs_its_collector)
{
	expect_error("kernel.function(\"vfs_read\")",
		     "kernel.function(\"vfs_read\"): only SystemTap knows this spelling: use "
		     "--collector=stap");
}

/* The running kernel. */

Test(point_events, types_of_functions_are_those_of_the_kernel)
{
	g_autoptr(FunctionTypes) types = function_types_read("", "ksys_read");
	g_autoptr(FunctionTypes) none = function_types_read("", "no_such_function");

	cr_expect_null(none);
	if (!types)
		cr_skip_test("this kernel has no BTF, or this build no libbpf");
	/* ssize_t ksys_read(unsigned int fd, char __user *buf, size_t count) */
	cr_assert_eq(types->count, 3);
	cr_expect_str_eq(types->parameters[0].name, "fd");
	cr_expect(types->parameters[0].bytes == 4 && !types->parameters[0].is_signed);
	cr_expect(types->parameters[1].bytes == 8 && types->parameters[2].bytes == 8);
	cr_expect(types->result.bytes == 8 && types->result.is_signed);
}

static GPtrArray *find_here(const char *text)
{
	g_autoptr(ProbeSpec) spec = probe_spec_parse(text, NULL);
	g_autoptr(GError) error = NULL;
	PointHost host = { .root = "", .kmem_folder_fd = tracefs_open_kmem("", NULL) };
	GPtrArray *events;

	if (host.kmem_folder_fd < 0)
		cr_skip_test("the tracepoints of this kernel cannot be read");
	events = point_events_find(&host, spec, &error);
	close(host.kmem_folder_fd);
	cr_assert_not_null(events, "%s", error ? error->message : text);
	return events;
}

static bool may_trace(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && !geteuid();
}

static void skip_unless_kprobes(void)
{
	if (!may_trace() || access("/sys/bus/event_source/devices/kprobe/type", R_OK))
		cr_skip_test("this user may not probe the kernel, or it has no kprobes");
}

/* Opens an event of this thread, enabled, with those registers. The caller closes it. */
static int open_own(const PointEvent *event, uint64_t registers)
{
	struct perf_event_attr attr = {
		.sample_period = 1,
		.sample_type = registers ? PERF_SAMPLE_REGS_INTR : PERF_SAMPLE_TID,
		.sample_regs_intr = registers,
	};
	int fd;

	point_event_attr(event, &attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	cr_assert_geq(fd, 0, "%s: %s", event->name, g_strerror(errno));
	return fd;
}

static void read_seven_bytes(void)
{
	char bytes[7];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (int i = 0; i < 100; i++)
		cr_assert_eq(read(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
}

/* Returns the column's value in the first sample of a read() of seven bytes. */
static int64_t value_of_read(const char *probe, const char *name)
{
	g_autoptr(GPtrArray) events = find_here(probe);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	PointSample sample = { 0 };
	PointColumn column;
	ExpressionValue value;
	uint8_t *ring;
	int fd;

	cr_assert(point_column_bind(&column, only(events), name, NULL), "%s", name);
	sample.registers_mask = point_registers_mask(&column, 1);
	fd = open_own(only(events), sample.registers_mask);
	ring = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(ring, MAP_FAILED);
	read_seven_bytes();
	sample.registers =
		(const uint64_t *)(const void *)(ring + page + sizeof(struct perf_event_header));
	sample.registers_abi = *sample.registers++;
	cr_assert(point_column_read(&column, &sample, &value), "%s", name);
	munmap(ring, 2 * page);
	close(fd);
	return value.number;
}

Test(point_events, calls_of_a_kernel_function_are_counted_with_arguments_and_result)
{
	g_autoptr(GPtrArray) events = NULL;
	uint64_t count = 0;
	int fd;

	skip_unless_kprobes();
	events = find_here("k:ksys_read");
	fd = open_own(only(events), 0);
	read_seven_bytes();
	cr_assert_eq(read(fd, &count, sizeof(count)), sizeof(count));
	close(fd);
	/* Reading the count is a read, too. */
	cr_expect_eq(count, 101, "%" G_GUINT64_FORMAT, count);
	cr_expect_eq(value_of_read("k:ksys_read", "arg3"), 7);
	if (only(events)->types)
		cr_expect_eq(value_of_read("k:ksys_read", "count"), 7);
	cr_expect_eq(value_of_read("kr:ksys_read", "retval"), 7);
}

/* Returns names of several functions each. */
static GPtrArray *repeated_names(void)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *repeated = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *text = file_read("/proc/kallsyms", NULL);
	g_auto(GStrv) lines = NULL;

	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line && repeated->len < 20; line++) {
		const char *name = strstr(*line, " t ");

		if (!name || strpbrk(name + 3, "\t.$"))
			continue;
		if (!g_hash_table_add(seen, g_strdup(name + 3)))
			g_ptr_array_add(repeated, g_strdup(name + 3));
	}
	return repeated;
}

Test(point_events, the_kernel_accepts_functions_of_one_name_by_their_addresses)
{
	g_autoptr(GPtrArray) names = NULL;
	unsigned accepted = 0;

	skip_unless_kprobes();
	names = repeated_names();
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *probe = g_strdup_printf("k:%s", (char *)names->pdata[i]);
		g_autoptr(ProbeSpec) spec = probe_spec_parse(probe, NULL);
		const PointHost host = { .root = "", .kmem_folder_fd = -1 };
		g_autoptr(GPtrArray) events = point_events_find(&host, spec, NULL);

		if (!events)
			continue;
		cr_expect_geq(events->len, 2, "%s", probe);
		for (guint j = 0; j < events->len; j++)
			accepted += point_event_try(events->pdata[j], NULL);
	}
	cr_expect_geq(accepted, 2, "%u", accepted);
}

Test(point_events, what_the_kernel_forbids_is_explained)
{
	g_autoptr(GPtrArray) events = NULL;
	g_autoptr(GError) error = NULL;

	skip_unless_kprobes();
	events = find_here("k:ksys_read");
	((PointEvent *)events->pdata[0])->config2 = 1;
	cr_assert_not(point_event_try(events->pdata[0], &error));
	cr_expect(strstr(error->message, "no instruction begins at this offset") ||
			  strstr(error->message, "the kernel forbids probes at this place"),
		  "%s", error->message);
}

Test(point_events, every_tracepoint_of_this_kernel_can_be_described)
{
	static const char *const globs[] = { "t:vmscan:*", "t:syscalls:sys_e*_[a-m]*", "t:s[!y]*:*",
					     "t:[a-r]*:*", "t:[t-z]*:*" };

	for (guint i = 0; i < G_N_ELEMENTS(globs); i++) {
		g_autoptr(GPtrArray) events = find_here(globs[i]);

		cr_expect_gt(events->len, 0, "%s", globs[i]);
	}
}

Test(point_events, this_kernel_accepts_what_was_found)
{
	static const char *const probes[] = { "t:vmscan:mm_vmscan_kswapd_*", "sw:page-faults",
					      "sw:major-faults", "t:raw_syscalls:sys_enter" };

	if (!may_trace())
		cr_skip_test("this user may not open perf events");
	for (guint i = 0; i < G_N_ELEMENTS(probes); i++) {
		g_autoptr(GPtrArray) events = find_here(probes[i]);
		g_autoptr(GError) error = NULL;

		for (guint j = 0; j < events->len; j++)
			cr_expect(point_event_try(events->pdata[j], &error), "%s",
				  error ? error->message : probes[i]);
	}
}

Test(point_events, what_the_kernel_refuses_is_explained)
{
	PointEvent event = { .probe = PROBE_TRACEPOINT,
			     .type = PERF_TYPE_TRACEPOINT,
			     .config = UINT16_MAX,
			     .name = "made:up" };
	g_autoptr(GError) error = NULL;

	if (!may_trace())
		cr_skip_test("this user may not open perf events");
	cr_assert_not(point_event_try(&event, &error));
	cr_expect(strstr(error->message, "made:up: this kernel's perf does not have this event"),
		  "%s", error->message);
}
