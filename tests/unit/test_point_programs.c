/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/point_set.h"
#include "collect/points/point_events.h"

#include "collect/tracefs/tracefs.h"
#include "fake_host.h"
#include "fuse_server.h"
#include "leaks.h"
#include "probed_sites.h"
#include "process.h"
#include "refused_call.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(point_programs);

/* Probes in this program and in tests/unit/probed. */

#define PROBED_FIXED PROBED "_fixed"
#define UPROBE_PMU "sys/bus/event_source/devices/uprobe/"

/* Counted up by the kernel while the probe is open. */
extern volatile unsigned short own_semaphore;
__attribute__((section(".probes"), used)) volatile unsigned short own_semaphore;

unsigned long probed_here(unsigned long number, unsigned long other);
__attribute__((noinline, noclone)) unsigned long probed_here(unsigned long number,
							     unsigned long other)
{
	USDT_SITE("unit", "own", number + other, "own_semaphore");
	return number * 2;
}

static const PointHost this_host = { .root = "", .kmem_folder_fd = -1 };

static GPtrArray *find_on(const PointHost *host, const char *text, char **message)
{
	g_autoptr(ProbeSpec) spec = probe_spec_parse(text, NULL);
	g_autoptr(GError) error = NULL;
	GPtrArray *events;

	cr_assert_not_null(spec, "%s", text);
	events = point_events_find(host, spec, &error);
	cr_assert_eq(events == NULL, error != NULL, "%s", text);
	if (error)
		*message = g_strdup(error->message);
	return events;
}

/* A host whose kernel has the PMU as since 4.20, for lookups that open nothing. */
static FakeHost *host_new(void)
{
	FakeHost *host = fake_host_new();

	fake_host_write(host, UPROBE_PMU "type", "7\n");
	fake_host_write(host, UPROBE_PMU "format/retprobe", "config:0\n");
	fake_host_write(host, UPROBE_PMU "format/ref_ctr_offset", "config:32-63\n");
	return host;
}

static GPtrArray *find(const char *text, char **message)
{
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };

	return find_on(&host, text, message);
}

static GPtrArray *find_some(const char *text, guint count)
{
	g_autofree char *message = NULL;
	GPtrArray *events = find(text, &message);

	cr_assert_not_null(events, "%s", message);
	cr_assert_eq(events->len, count, "%s: %u", text, events->len);
	return events;
}

static void expect_error(const char *text, const char *expected)
{
	g_autofree char *message = NULL;
	g_autoptr(GPtrArray) events = find(text, &message);

	cr_assert_null(events, "%s", text);
	cr_expect_str_eq(message, expected, "%s", message);
}

static uint64_t offset_of(const char *text)
{
	g_autoptr(GPtrArray) events = find_some(text, 1);

	return ((const PointEvent *)events->pdata[0])->config2;
}

static bool is_entry(const char *text)
{
	g_autoptr(GPtrArray) events = find_some(text, 1);

	return ((const PointEvent *)events->pdata[0])->is_entry;
}

static void expect_file(const PointEvent *event, const char *path)
{
	struct stat named, expected;

	cr_assert_eq(stat(event->config1, &named), 0, "%s", event->config1);
	cr_assert_eq(stat(path, &expected), 0, "%s", path);
	cr_expect(named.st_dev == expected.st_dev && named.st_ino == expected.st_ino, "%s", path);
}

Test(point_programs, a_function_becomes_an_event_of_the_uprobe_pmu)
{
	g_autoptr(GPtrArray) entries = find_some("u:" PROBED ":probed_global", 1);
	g_autoptr(GPtrArray) returns = find_some("ur:" PROBED ":probed_global", 1);
	const PointEvent *entry = entries->pdata[0], *at_return = returns->pdata[0];
	struct perf_event_attr attr = { 0 };

	point_event_attr(at_return, &attr);
	cr_expect_eq(attr.type, 7);
	cr_expect_eq(attr.config, 1);
	expect_file(entry, PROBED);
	cr_expect_eq(attr.uprobe_path, (uintptr_t)at_return->config1);
	cr_expect_eq(attr.probe_offset, entry->config2);
	cr_expect_eq(entry->config, 0);
	cr_expect(entry->runs_in_user && !entry->has_kernel_stack && entry->needs_registers);
	cr_expect_str_eq(entry->name, "u:" PROBED ":probed_global");
	cr_expect(entry->is_entry && !at_return->is_entry);
}

Test(point_programs, offsets_count_from_the_function_and_end_with_it)
{
	uint64_t start = offset_of("u:" PROBED ":probed_global");

	cr_expect_eq(offset_of("u:" PROBED ":probed_global+0x3"), start + 3);
	cr_expect_neq(offset_of("u:" PROBED ":probed_static"), start);
	cr_expect_not(is_entry("u:" PROBED ":probed_global+0x3"));
}

/* Programs at a fixed address begin at 0x400000 (x86-64, aarch64). */
/* Where linkers put programs without -pie. */
#if defined(__powerpc64__)
#define FIXED_BASE 0x10000000
#elif defined(__s390x__)
#define FIXED_BASE 0x1000000
#else
#define FIXED_BASE 0x400000
#endif

Test(point_programs, an_address_is_one_of_the_file_as_linked)
{
	uint64_t start = offset_of("u:" PROBED_FIXED ":main");
	g_autofree char *probe =
		g_strdup_printf("u:" PROBED_FIXED ":0x%" G_GINT64_MODIFIER "x", start + FIXED_BASE);

	cr_expect_eq(offset_of(probe), start);
	expect_error("u:" PROBED_FIXED ":0x10", "u:" PROBED_FIXED ":0x10: the file has no code at "
						"address 0x10: name one of `objdump -d`");
}

Test(point_programs, an_unknown_function_gets_the_nearest_ones)
{
	expect_error("u:" PROBED ":probed_globl",
		     "u:" PROBED ":probed_globl: this file has no such function, or inlined it; "
		     "nearest: probed_global, probed_chosen");
	expect_error("u:" PROBED ":zzzzzzzz",
		     "u:" PROBED
		     ":zzzzzzzz: this file has no such function, or inlined it; install "
		     "its debuginfo, or probe a function that calls it");
}

Test(point_programs, an_indirect_function_is_refused)
{
	g_autofree char *message = NULL;

	cr_expect_null(find("u:" PROBED ":probed_chosen", &message));
	cr_expect(strstr(message, "the loader chooses one of several implementations"), "%s",
		  message);
}

Test(point_programs, a_probe_has_all_its_sites_with_their_semaphore)
{
	g_autoptr(GPtrArray) steps = find_some("usdt:" PROBED ":probed:step", 2);
	g_autoptr(GPtrArray) plain = find_some("usdt:" PROBED ":probed:plain", 1);
	const PointEvent *a = steps->pdata[0], *b = steps->pdata[1], *without = plain->pdata[0];

	cr_expect_neq(a->config2, b->config2);
	cr_expect_eq(a->config, b->config);
	cr_expect_gt(a->config >> 32, 0);
	cr_expect_eq(a->config & UINT32_MAX, 0);
	cr_expect_eq(without->config, 0);
	cr_expect(g_str_has_suffix(a->arguments, " -4@$-7") ||
			  g_str_has_suffix(a->arguments, " -4@-7"),
		  "%s", a->arguments);
}

/* Lowers the addresses of all notes, as if a linker had moved the code since. */
static void lower_notes(char *bytes, gsize length)
{
	char *at = bytes, *end = bytes + length;

	while ((at = memmem(at, (size_t)(end - at), "stapsdt", sizeof("stapsdt")))) {
		at += sizeof("stapsdt");
		for (int i = 0; i < 3; i++) {
			uint64_t address;

			memcpy(&address, at + 8 * i, sizeof(address));
			address -= address ? 0x100000 : 0;
			memcpy(at + 8 * i, &address, sizeof(address));
		}
	}
}

Test(point_programs, notes_of_moved_code_are_moved_by_their_base)
{
	g_autoptr(FakeHost) folder = fake_host_new();
	g_autofree char *moved = g_build_filename(folder, "moved", NULL);
	g_autofree char *probe = g_strdup_printf("usdt:%s:probed:step", moved);
	g_autoptr(GPtrArray) before = find_some("usdt:" PROBED ":probed:step", 2), after = NULL;
	gsize length;
	g_autofree char *bytes = file_read(PROBED, &length);

	lower_notes(bytes, length);
	fake_host_write_bytes(folder, "moved", bytes, length);
	after = find_some(probe, 2);
	for (guint i = 0; i < 2; i++) {
		const PointEvent *a = before->pdata[i], *b = after->pdata[i];

		cr_expect_eq(a->config2, b->config2);
		cr_expect_eq(a->config, b->config);
	}
}

Test(point_programs, an_unknown_usdt_probe_gets_the_nearest_ones)
{
	expect_error("usdt:" PROBED ":probed:stop", "usdt:" PROBED ":probed:stop: this file has no "
						    "such USDT probe; nearest: probed:step, "
						    "probed:plain");
	expect_error("usdt:/bin/sh:probed:step",
		     "usdt:/bin/sh:probed:step: this file was built without USDT probes: probe a "
		     "function (u:)");
}

Test(point_programs, a_kernel_that_does_not_know_semaphores_says_so)
{
	g_autoptr(FakeHost) root = fake_host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };
	g_autofree char *message = NULL, *other = NULL;
	g_autoptr(GPtrArray) plain = NULL;

	fake_host_write(root, UPROBE_PMU "type", "7\n");
	fake_host_write(root, UPROBE_PMU "format/retprobe", "config:0\n");
	cr_expect_null(find_on(&host, "usdt:" PROBED ":probed:step", &message));
	cr_expect(strstr(message, "boot Linux 4.20 or later"), "%s", message);
	plain = find_on(&host, "usdt:" PROBED ":probed:plain", &other);
	cr_expect_not_null(plain);
}

Test(point_programs, a_kernel_without_the_pmu_cannot_probe_programs)
{
	g_autoptr(FakeHost) root = fake_host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };
	g_autofree char *message = NULL;

	cr_expect_null(find_on(&host, "u:/bin/sh:main", &message));
	cr_expect_str_eq(message,
			 "u:/bin/sh:main: this kernel has no program probes for perf "
			 "(CONFIG_UPROBE_EVENTS, from Linux 4.17 on): boot one that has them",
			 "%s", message);
}

Test(point_programs, files_that_cannot_be_probed_are_explained)
{
	g_autoptr(FakeHost) folder = fake_host_new();
	g_autofree char *script = fake_host_add_program(folder, "script", "#!/bin/sh\n");
	g_autofree char *of_script = g_strdup_printf("u:%s:main", script);
	g_autofree char *of_folder = g_strdup_printf("u:%s:main", folder);
	g_autofree char *no_elf = g_strdup_printf(
		"%s: %s: it is not an ELF program or library: name the program itself", of_script,
		script);
	g_autofree char *no_file =
		g_strdup_printf("%s: %s: it is not a regular file", of_folder, folder);

	expect_error(of_script, no_elf);
	expect_error(of_folder, no_file);
	expect_error("u:/nowhere/program:main",
		     "u:/nowhere/program:main: /nowhere/program: No such file or directory");
	expect_error("u:no-such-program-anywhere:main",
		     "u:no-such-program-anywhere:main: no program of this name is in PATH: name "
		     "the path of the file");
}

/* Returns the path of a copy of the program without its table of sections. */
static char *strip_program(const FakeHost *folder)
{
	gsize length;
	g_autofree char *bytes = file_read(PROBED, &length);

	memset(bytes + 0x28, 0, 8); /* e_shoff */
	memset(bytes + 0x3c, 0, 4); /* e_shnum, e_shstrndx */
	fake_host_write_bytes(folder, "stripped", bytes, length);
	return g_build_filename(folder, "stripped", NULL);
}

Test(point_programs, a_file_without_symbols_needs_debuginfo_or_an_address)
{
	g_autoptr(FakeHost) folder = fake_host_new();
	g_autofree char *stripped = strip_program(folder);
	g_autofree char *probe = g_strdup_printf("u:%s:probed_global", stripped);
	g_autofree char *expected = g_strdup_printf(
		"%s: this file has no symbols: install its debuginfo, or name an address, like "
		"0x1234",
		probe);

	expect_error(probe, expected);
}

/* Returns the path of a debug file of PROBED below /usr/lib/debug, without a slash in front. */
static char *debug_path(void)
{
	static const char note[] = "\4\0\0\0\x14\0\0\0\3\0\0\0GNU";
	GString *path = g_string_new("usr/lib/debug/.build-id/");
	gsize length;
	g_autofree char *bytes = file_read(PROBED, &length);
	const uint8_t *build_id;

	build_id = memmem(bytes, length, note, sizeof(note));
	if (!build_id)
		cr_skip_test("this compiler adds no build id");
	build_id += sizeof(note);
	for (unsigned i = 0; i < 20; i++)
		g_string_append_printf(path, i ? "%02x" : "%02x/", build_id[i]);
	g_string_append(path, ".debug");
	return g_string_free(path, FALSE);
}

Test(point_programs, installed_debuginfo_gives_a_file_its_symbols)
{
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };
	g_autofree char *stripped = strip_program(root);
	g_autofree char *probe = g_strdup_printf("u:%s:probed_static", stripped);
	g_autofree char *path = debug_path(), *message = NULL;
	g_autoptr(GPtrArray) events = NULL;

	temporary_copy(root, path, PROBED);
	events = find_on(&host, probe, &message);
	cr_assert_not_null(events, "%s", message);
	cr_expect_eq(((const PointEvent *)events->pdata[0])->config2,
		     offset_of("u:" PROBED ":probed_static"));
}

Test(point_programs, debuginfo_of_another_build_is_not_used)
{
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };
	g_autofree char *stripped = strip_program(root);
	g_autofree char *probe = g_strdup_printf("u:%s:probed_static", stripped);
	g_autofree char *path = debug_path(), *message = NULL;

	temporary_copy(root, path, PROBED_FIXED);
	cr_expect_null(find_on(&host, probe, &message));
	cr_expect(strstr(message, "this file has no symbols"), "%s", message);
}

Test(point_programs, a_program_is_searched_in_path_and_libc_in_the_process)
{
	g_autofree char *none = NULL;
	g_autoptr(GPtrArray) in_path = find("u:sh:main", &none);
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };
	const PointHost of_process = { .root = root, .kmem_folder_fd = -1, .pid = 77 };
	g_autofree char *maps = NULL, *message = NULL;
	g_autoptr(GPtrArray) own = NULL, missing = NULL;

	/* A stripped sh has no main; the message shows which file it was. */
	cr_expect(in_path || !strstr(none, "PATH"), "%s", none);
	maps = file_read("/proc/self/maps", NULL);
	fake_host_write(root, "proc/self/maps", maps);
	fake_host_add_link(root, "proc/self/root", "/");
	own = find_on(&host, "u:libc:malloc", &message);
	cr_assert_not_null(own, "%s", message);
	missing = find_on(&of_process, "u:libc:malloc", &message);
	cr_assert_null(missing);
	cr_expect_str_eq(message,
			 "u:libc:malloc: process 77 has ended, or has no C library: name its file, "
			 "like /proc/77/exe",
			 "%s", message);
}

Test(point_programs, a_library_of_another_mount_namespace_or_deleted_is_found_by_its_process)
{
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1, .pid = 77 };
	g_autofree char *message = NULL, *there = NULL, *deleted = NULL;
	g_autoptr(GPtrArray) inside = NULL, gone = NULL;

	temporary_copy(root, "proc/77/root/inside/libc-2.31.so", PROBED);
	temporary_copy(root, "proc/77/map_files/2000-3000", PROBED);
	fake_host_write_of_process(root, 77, "maps",
				   "1000-2000 r--p 0 08:01 5        /inside/libc-2.31.so\n"
				   "2000-3000 r-xp 0 08:01 5        /inside/libc-2.31.so\n");
	inside = find_on(&host, "u:libc:probed_global", &message);
	cr_assert_not_null(inside, "%s", message);
	there = g_build_filename(root, "proc/77/root/inside/libc-2.31.so", NULL);
	expect_file(inside->pdata[0], there);
	fake_host_write_of_process(root, 77, "maps",
				   "2000-3000 r-xp 0 08:01 5        /gone/libc.so.6 (deleted)\n");
	gone = find_on(&host, "u:libc:probed_global", &message);
	cr_assert_not_null(gone, "%s", message);
	deleted = g_build_filename(root, "proc/77/map_files/2000-3000", NULL);
	expect_file(gone->pdata[0], deleted);
}

/* The kernel lets a reader of mappings wait as long as their process wants. */
Test(point_programs, mappings_that_cannot_be_read_are_given_up, .timeout = 60)
{
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1, .pid = 77 };
	g_autofree char *maps = g_build_filename(root, "proc/77/maps", NULL);
	g_autofree char *message = NULL;

	fake_host_write_of_process(root, 77, "maps", "");
	cr_assert_eq(unlink(maps), 0);
	cr_assert_eq(mkfifo(maps, 0600), 0);
	cr_expect_null(find_on(&host, "u:libc:malloc", &message));
	cr_expect(strstr(message, "process 77"), "%s", message);
}

/* A process that has ended has no C library; a sandbox that fails is something else. */
Test(point_programs, a_sandbox_that_fails_is_told_as_such)
{
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };
	g_autofree char *of_libc = NULL, *of_file = NULL, *maps = NULL;
	static const char why[] = "the process that reads files of others cannot give up its "
				  "rights: capset(): Operation not permitted";

	maps = file_read("/proc/self/maps", NULL);
	fake_host_write(root, "proc/self/maps", maps);
	if (!refused_call_from_now(SYS_capset))
		cr_skip_test("no filter of system calls");
	cr_expect_null(find_on(&host, "u:libc:malloc", &of_libc));
	cr_expect(strstr(of_libc, why), "%s", of_libc);
	cr_expect_null(find_on(&host, "u:" PROBED ":main", &of_file));
	cr_expect(strstr(of_file, why), "%s", of_file);
}

/* The running kernel. */

static void skip_unless_probing(void)
{
	if (geteuid() || access("/sys/bus/event_source/devices/uprobe/type", R_OK))
		cr_skip_test("this user may not probe programs, or the kernel cannot");
}

static GPtrArray *find_here(const char *text)
{
	g_autofree char *message = NULL;
	GPtrArray *events = find_on(&this_host, text, &message);

	cr_assert_not_null(events, "%s", message);
	return events;
}

/* Opens an event of a process, enabled. The caller closes it. */
static int open_event(const PointEvent *event, pid_t pid, uint64_t registers)
{
	struct perf_event_attr attr = {
		.sample_period = 1,
		.sample_type = registers ? PERF_SAMPLE_REGS_INTR : PERF_SAMPLE_TID,
		.sample_regs_intr = registers,
	};
	int fd;

	point_event_attr(event, &attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	cr_assert_geq(fd, 0, "%s: %s", event->name, g_strerror(errno));
	return fd;
}

static uint64_t count_of(int fd)
{
	uint64_t count = 0;

	cr_assert_eq(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

/* Starts a program that waits until a byte is written, then passes its places that often. */
static pid_t start_probed(const char *program, const char *times, int *go_fd)
{
	int pipe_fds[2];
	pid_t pid;
	char byte;

	cr_assert_eq(pipe(pipe_fds), 0);
	pid = fork();
	if (!pid) {
		close(pipe_fds[1]);
		if (read(pipe_fds[0], &byte, 1) == 1)
			execl(program, program, times, (char *)NULL);
		_exit(127);
	}
	close(pipe_fds[0]);
	*go_fd = pipe_fds[1];
	return pid;
}

/* Returns how often a run of the program hits all events of the probe. */
static uint64_t hits_of(const char *program, const char *kind, const char *place)
{
	g_autofree char *probe = g_strdup_printf("%s:%s:%s", kind, program, place);
	g_autoptr(GPtrArray) events = find_here(probe);
	uint64_t hits = 0;
	int go_fd, status, fds[4];
	pid_t pid = start_probed(program, "1000", &go_fd);

	cr_assert_leq(events->len, G_N_ELEMENTS(fds));
	for (guint i = 0; i < events->len; i++)
		fds[i] = open_event(events->pdata[i], pid, 0);
	cr_assert_eq(write(go_fd, "", 1), 1);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	for (guint i = 0; i < events->len; i++) {
		hits += count_of(fds[i]);
		close(fds[i]);
	}
	close(go_fd);
	return hits;
}

Test(point_programs, every_call_is_counted_in_programs_at_any_address_and_at_a_fixed_one)
{
	static const char *const programs[] = { PROBED, PROBED_FIXED };

	skip_unless_probing();
	for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
		cr_expect_eq(hits_of(programs[i], "u", "probed_global"), 1000);
		cr_expect_eq(hits_of(programs[i], "ur", "probed_global"), 1000);
		cr_expect_eq(hits_of(programs[i], "u", "probed_static"), 1000);
		cr_expect_eq(hits_of(programs[i], "u", "main"), 1);
		cr_expect_eq(hits_of(programs[i], "usdt", "probed:plain"), 1000);
		cr_expect_eq(hits_of(programs[i], "usdt", "probed:step"), 2000);
	}
}

/* Returns the value that the column has in the first sample of the event. */
static int64_t first_value(const PointEvent *event, const char *name)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	PointColumn column;
	PointSample sample = { 0 };
	ExpressionValue value;
	const uint64_t *body;
	uint8_t *ring;
	int fd;

	cr_assert(point_column_bind(&column, event, name, NULL), "%s", name);
	sample.registers_mask = point_registers_mask(&column, 1);
	fd = open_event(event, 0, sample.registers_mask ? sample.registers_mask : 1);
	ring = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(ring, MAP_FAILED);
	probed_here(21, 100);
	body = (const uint64_t *)(const void *)(ring + page + sizeof(struct perf_event_header));
	sample.registers_abi = body[0];
	sample.registers = body + 1;
	cr_assert(point_column_read(&column, &sample, &value), "%s", name);
	munmap(ring, 2 * page);
	close(fd);
	return value.number;
}

static const char *own_probe(char **probe, const char *kind, const char *place)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);

	g_free(*probe);
	return *probe = g_strdup_printf("%s:%s:%s", kind, program, place);
}

Test(point_programs, arguments_and_results_are_read_from_registers)
{
	g_autofree char *probe = NULL;
	g_autoptr(GPtrArray) entry = NULL, at_return = NULL, site = NULL;

	skip_unless_probing();
	entry = find_here(own_probe(&probe, "u", "probed_here"));
	at_return = find_here(own_probe(&probe, "ur", "probed_here"));
	site = find_here(own_probe(&probe, "usdt", "unit:own"));
	cr_expect_eq(first_value(entry->pdata[0], "arg1"), 21);
	cr_expect_eq(first_value(entry->pdata[0], "arg2"), 100);
	cr_expect_eq(first_value(at_return->pdata[0], "retval"), 42);
	/* On POWER, a number may be a register or a constant. */
#if !defined(__powerpc64__)
	cr_expect_eq(first_value(site->pdata[0], "arg1"), 121);
	cr_expect_eq(first_value(site->pdata[0], "arg2"), -7);
#endif
}

Test(point_programs, the_semaphore_is_up_while_the_probe_is_open)
{
	g_autofree char *probe = NULL;
	g_autoptr(GPtrArray) events = NULL;
	int fd;

	skip_unless_probing();
	events = find_here(own_probe(&probe, "usdt", "unit:own"));
	cr_assert_eq(own_semaphore, 0);
	fd = open_event(events->pdata[0], 0, 0);
	cr_expect_eq(own_semaphore, 1);
	close(fd);
	cr_expect_eq(own_semaphore, 0);
}

Test(point_programs, this_kernel_accepts_a_probe_in_libc)
{
	g_autoptr(GPtrArray) events = NULL;
	g_autoptr(GError) error = NULL;

	skip_unless_probing();
	events = find_here("u:libc:malloc");
	cr_expect(point_event_try(events->pdata[0], &error), "%s", error ? error->message : "");
}

#if defined(__x86_64__) && defined(__GLIBC__)

/* memcpy() has an old version that is a plain function, and one that the loader chooses. */
Test(point_programs, a_version_of_a_function_can_be_named)
{
	g_autoptr(FakeHost) root = host_new();
	const PointHost host = { .root = root, .kmem_folder_fd = -1 };
	g_autofree char *maps = NULL, *message = NULL;
	g_autoptr(GPtrArray) old = NULL;

	maps = file_read("/proc/self/maps", NULL);
	fake_host_write(root, "proc/self/maps", maps);
	fake_host_add_link(root, "proc/self/root", "/");
	old = find_on(&host, "u:libc:memcpy@GLIBC_2.2.5", &message);
	cr_assert_not_null(old, "%s", message);
	cr_expect_null(find_on(&host, "u:libc:memcpy", &message));
	cr_expect(strstr(message, "the loader chooses"), "%s", message);
}

#endif

/* Maps the file of an event as code, and reads nothing of it. */
static pid_t map_in_child(const PointEvent *event)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		int file = open(event->config1, O_RDONLY | O_CLOEXEC);

		byte = mmap(NULL, event->config2 + 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
			    0) != MAP_FAILED;
		(void)!write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_assert_eq(byte, 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* To set the probe, the kernel reads the code in whoever opens the event. */
Test(point_programs, a_file_system_that_stops_is_not_waited_for, .timeout = 60)
{
	g_autoptr(FakeHost) folder = fake_host_new();
	g_autofree char *probe = g_strdup_printf("u:%s/file:probed_global", folder);
	g_autoptr(GPtrArray) events = NULL;
	g_autoptr(GError) refused = NULL, late = NULL;
	FuseServer fuse;
	pid_t pid;

	skip_unless_probing();
	if (!fuse_server_start(&fuse, folder, PROBED))
		cr_skip_test("no file system can be mounted");
	events = find_here(probe);
	pid = map_in_child(events->pdata[0]);
	cr_expect(point_event_try(events->pdata[0], &refused), "%s",
		  refused ? refused->message : "");
	fuse_server_stop(&fuse);
	cr_expect_not(point_event_try(events->pdata[0], &late));
	cr_expect(late && strstr(late->message, ":probed_global: the file's code could not be read "
						"in time: its file system does not answer"),
		  "%s", late ? late->message : "none");
	fuse_server_end(&fuse);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Once a process holds the event, no file system is asked. */
Test(point_programs, what_is_held_is_opened_without_the_file_system, .timeout = 60)
{
	g_autoptr(FakeHost) folder = fake_host_new();
	g_autofree char *probe = g_strdup_printf("u:%s/file:probed_global", folder);
	g_autoptr(GPtrArray) events = NULL;
	g_autoptr(GError) error = NULL;
	Child holder;
	FuseServer fuse;
	pid_t pid;

	skip_unless_probing();
	if (!fuse_server_start(&fuse, folder, PROBED))
		cr_skip_test("no file system can be mounted");
	events = find_here(probe);
	pid = map_in_child(events->pdata[0]);
	cr_assert(point_events_hold(&holder, events, &error), "%s", error ? error->message : "");
	fuse_server_stop(&fuse);
	close(open_event(events->pdata[0], pid, 0));
	child_end(&holder);
	fuse_server_end(&fuse);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(point_programs, a_refused_place_is_explained)
{
	PointEvent event = { 0 };
	g_autoptr(GPtrArray) events = NULL;
	g_autoptr(GError) error = NULL;

	skip_unless_probing();
	events = find_here("u:" PROBED ":main");
	event = *(const PointEvent *)events->pdata[0];
	event.config1 = (char *)"/nowhere";
	cr_assert_not(point_event_try(&event, &error));
	cr_expect_str_eq(error->message, "u:" PROBED ":main: the file does not exist", "%s",
			 error->message);
}

/* Returns the lists of dynamic probes in tracefs. The caller frees it. */
static char *dynamic_probes(void)
{
	static const char *const lists[] = { "../../uprobe_events", "../../kprobe_events" };
	int kmem_fd = tracefs_open_kmem("", NULL);
	GString *all = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(lists); i++) {
		int fd = openat(kmem_fd, lists[i], O_RDONLY | O_CLOEXEC);
		char text[4096];
		ssize_t length;

		while (fd >= 0 && (length = read(fd, text, sizeof(text))) > 0)
			g_string_append_len(all, text, length);
		if (fd >= 0)
			close(fd);
	}
	if (kmem_fd >= 0)
		close(kmem_fd);
	return g_string_free(all, FALSE);
}

/* Opens a probe of each kind that this kernel has. The descriptors stay open. */
static void open_all_kinds(void)
{
	static const char *const probes[] = { "u:" PROBED ":probed_global",
					      "ur:" PROBED ":probed_global",
					      "usdt:" PROBED ":probed:step", "k:do_exit",
					      "kr:do_exit" };
	guint kinds = access("/sys/bus/event_source/devices/kprobe/type", R_OK) ? 3 : 5;

	for (guint i = 0; i < kinds; i++) {
		g_autoptr(GPtrArray) events = find_here(probes[i]);

		for (guint j = 0; j < events->len; j++)
			open_event(events->pdata[j], 0, 0);
	}
}

static void expect_same_probes(const char *before)
{
	g_autofree char *now = dynamic_probes();

	cr_expect_str_eq(now, before, "%s", now);
}

/* Runs it in a child that then waits for its end. */
static pid_t run_in_child(int *ready_fd)
{
	int pipe_fds[2];
	pid_t pid;

	cr_assert_eq(pipe(pipe_fds), 0);
	pid = fork();
	if (!pid) {
		open_all_kinds();
		if (write(pipe_fds[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(pipe_fds[1]);
	*ready_fd = pipe_fds[0];
	return pid;
}

Test(point_programs, a_killed_process_leaves_no_probe_in_tracefs)
{
	g_autofree char *before = NULL;
	int ready_fd;
	char byte;
	pid_t pid;

	skip_unless_probing();
	before = dynamic_probes();
	pid = run_in_child(&ready_fd);
	cr_assert_eq(read(ready_fd, &byte, 1), 1);
	expect_same_probes(before);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	expect_same_probes(before);
	close(ready_fd);
}
