/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/run/check.h"

#include "collect/slabs/cache_layout.h"
#include "collect/slabs/cache_probes.h"
#include "collect/run/collector_types.h"
#include "collect/stap/stap_build.h"
#include "collect/stap/stap_walk_check.h"
#include "fake_host.h"
#include "leaks.h"
#include "module_image.h"
#include "perf_fixtures.h"

#include <criterion/criterion.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(check);

#define KERNEL "6.1.2-test"
#define KERNEL_VERSION "#1 SMP test"
#define KMEM "sys/kernel/tracing/events/kmem/"
#define SECURE_BOOT "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define LOCKDOWN "sys/kernel/security/lockdown"

/* A host of its own, below a folder, on which a run would start. */
typedef struct {
	FakeHost *root;
	char *cache;
	char *scripts;
	StapTool stap;
	CollectRequest request;
	CheckHost host;
} Fixture;

/* What every disk of the host has free. */
static uint64_t free_megabytes;

static bool disk_space(const char *folder, DiskSpace *space)
{
	cr_expect(g_file_test(folder, G_FILE_TEST_IS_DIR), "%s", folder);
	*space = (DiskSpace){ free_megabytes << 20, 64 << 20 };
	return true;
}

static const struct {
	const char *name;
	const char *text;
} host_files[] = {
	{ "proc/modules", "ext4 16384 0 - Live 0xffffffffc0000000\n" },
	{ "proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n" },
	{ "proc/kallsyms", "0000000000000000 A fixed\nffffffff81000000 T _stext\n" },
	{ "proc/mounts", "proc /proc proc rw 0 0\ntracefs /sys/kernel/tracing tracefs rw 0 0\n" },
	{ "proc/sys/kernel/modules_disabled", "0\n" },
	{ "proc/sys/crypto/fips_enabled", "0\n" },
	{ LOCKDOWN, "[none] integrity confidentiality\n" },
	{ "sys/module/module/parameters/sig_enforce", "N\n" },
	{ "sys/devices/system/cpu/possible", "0-3\n" },
	{ KMEM "kmalloc/id", "1\n" },
	{ KMEM "kmem_cache_alloc/id", "2\n" },
	{ "lib/modules/" KERNEL "/build/.config",
	  "CONFIG_MODULES=y\n"
	  "CONFIG_CC_VERSION_TEXT=\"x86_64-linux-gnu-gcc-12 (Debian 12.2.0) 12.2.0\"\n" },
	{ "lib/modules/" KERNEL "/build/include/generated/utsrelease.h",
	  "#define UTS_RELEASE \"" KERNEL "\"\n" },
	{ "lib/modules/" KERNEL "/build/include/generated/utsversion.h",
	  "#define UTS_VERSION \"" KERNEL_VERSION "\"\n" },
	{ "usr/bin/make", "" },
	{ "usr/bin/gcc-12", "" },
	{ "usr/bin/stap", "#!/bin/sh\ncp kmalloc-top.stp $3.ko\n" },
	{ "scripts/base.stp", "# base\n" },
	{ "scripts/kmalloc.stp", "# kmalloc\n" },
	{ "scripts/page.stp", "# page\n" },
	{ "scripts/tapset/points.stp", "# points\n" },
};

static void write_host(const char *root)
{
	for (guint i = 0; i < G_N_ELEMENTS(host_files); i++) {
		if (g_str_has_prefix(host_files[i].name, "usr/bin/"))
			g_free(fake_host_add_program(root, host_files[i].name, host_files[i].text));
		else
			fake_host_write(root, host_files[i].name, host_files[i].text);
	}
}

static void fixture_init(Fixture *fixture)
{
	free_megabytes = 50 << 10;
	fixture->root = fake_host_new();
	write_host(fixture->root);
	fixture->cache = g_build_filename(fixture->root, "var/cache/kmalloc-top", NULL);
	fixture->scripts = g_build_filename(fixture->root, "scripts", NULL);
	fixture->stap = (StapTool){ .stap = g_build_filename(fixture->root, "usr/bin/stap", NULL),
				    .major = 4,
				    .minor = 8,
				    .version = (char *)"4.8",
				    .kernels_tested = (char *)"2.6.32 ... 6.1.0-rc3" };
	fixture->request =
		(CollectRequest){ .what.events = PROBE_KMALLOC, .record.bytes_max = 1 << 30 };
	fixture->host = (CheckHost){ .root = fixture->root,
				     .release = KERNEL,
				     .version = KERNEL_VERSION,
				     .machine = "x86_64",
				     .collector = &stap_collector,
				     .request = &fixture->request,
				     .stap = &fixture->stap,
				     .script_folder = fixture->scripts,
				     .cache_folder = fixture->cache,
				     .disk_space = disk_space };
}

static void fixture_clear(Fixture *fixture)
{
	fake_host_free(fixture->root);
	g_free(fixture->cache);
	g_free(fixture->scripts);
	g_free(fixture->stap.stap);
}

/* Has the module compiled by the stand-in for stap, as a run would. */
static void compile(const Fixture *fixture)
{
	g_autofree char *modules = g_build_filename(fixture->root, "lib/modules", NULL);
	const StapBuildRequest request = { .events = PROBE_KMALLOC,
					   .kernel_release = KERNEL,
					   .cpus_max = 4,
					   .script_folder = fixture->scripts,
					   .cache_folder = fixture->cache,
					   .modules_folder = modules };
	g_autofree char *path = stap_build_module(&fixture->stap, &request, NULL);

	cr_assert_not_null(path);
}

/* Returns what is printed. */
static char *check(const Fixture *fixture, bool *would_start)
{
	g_autofree char *text = NULL;
	char *memory = NULL;
	size_t length;
	FILE *out = open_memstream(&memory, &length);

	*would_start = check_print(&fixture->host, out);
	fclose(out);
	text = g_strdup(memory);
	free(memory);
	return g_steal_pointer(&text);
}

/* Expects a line "VERDICT  TOPIC: ...TEXT...", and that it decides. */
static void expect_line(const Fixture *fixture, const char *verdict, const char *topic,
			const char *text)
{
	bool must_start = !g_str_equal(verdict, "FAIL");
	g_autofree char *start = g_strdup_printf("%-4s  %s:", verdict, topic);
	g_autofree char *wanted = g_strescape(text, NULL);
	g_autofree char *printed = NULL;
	g_auto(GStrv) lines = NULL;
	bool would_start, found = false;

	printed = check(fixture, &would_start);
	lines = g_strsplit(printed, "\n", -1);
	for (char **line = lines; *line; line++)
		found |= g_str_has_prefix(*line, start) && strstr(*line, text);
	cr_expect(found, "no '%s' with '%s' in:\n%s", start, wanted, printed);
	cr_expect_eq(would_start, must_start, "%s", printed);
	cr_expect_eq(!strstr(printed, "\nA run would start.\n"), !must_start, "%s", printed);
	if (!must_start)
		cr_expect(strstr(printed, "\nA run would not start: 1 of the above is in its "
					  "way.\n"),
			  "%s", printed);
}

Test(check, a_host_on_which_a_run_would_start)
{
	Fixture fixture;
	g_autofree char *printed = NULL;
	bool would_start;

	fixture_init(&fixture);
	compile(&fixture);
	printed = check(&fixture, &would_start);
	cr_expect(would_start);
	cr_expect_null(strstr(printed, "FAIL"), "%s", printed);
	/* Cache names: this host has no BTF. */
	cr_expect_eq(strstr(printed, "\nnote"), g_strrstr(printed, "\nnote"), "%s", printed);
	cr_expect_not_null(strstr(printed, "\nok    Probe module: was compiled before\n"), "%s",
			   printed);
	cr_expect_not_null(strstr(printed, "with --events also cache\n"), "%s", printed);
	fixture_clear(&fixture);
}

/* What a file of the host says, and what is said of it. */
typedef struct {
	const char *file;
	const char *text; /* NULL: the file is not there */
	gssize bytes;     /* -1: as far as the text goes */
	const char *verdict;
	const char *topic;
	const char *said;
} HostCase;

static const HostCase host_cases[] = {
	{ "proc/self/status", "Name:\tx\nCapEff:\t000001fffffeffff\n", -1, "FAIL", "Rights",
	  "CAP_SYS_MODULE" },
	{ "proc/modules", NULL, -1, "FAIL", "Modules", "-i FILE" },
	{ "proc/sys/kernel/modules_disabled", "1\n", -1, "FAIL", "Modules", "boot without" },
	{ SECURE_BOOT, "\6\0\0\0\0", 5, "ok", "Secure Boot", "off" },
	{ SECURE_BOOT, "\6\0\0\0\1", 5, "ok", "Secure Boot", "on" },
	{ SECURE_BOOT, "\6\0\0\0", 4, "note", "Secure Boot", "not known" },
	{ LOCKDOWN, "none [integrity] confidentiality\n", -1, "FAIL", "Lockdown", "--sign-key" },
	{ LOCKDOWN, "none integrity [confidentiality]\n", -1, "FAIL", "Lockdown", "--sign-key" },
	{ LOCKDOWN, NULL, -1, "ok", "Lockdown", "none" },
	{ "proc/sys/crypto/fips_enabled", "1\n", -1, "FAIL", "FIPS", "fips=1" },
	{ "proc/sys/crypto/fips_enabled", NULL, -1, "ok", "FIPS", "off" },
	{ "sys/module/module/parameters/sig_enforce", "Y\n", -1, "FAIL", "Signatures",
	  "--sign-key" },
	{ "lib/modules/" KERNEL "/build/.config", NULL, -1, "FAIL", "Headers", KERNEL },
	/* A folder's name is no compiler. */
	{ "lib/modules/" KERNEL "/build/.config",
	  "CONFIG_CC_VERSION_TEXT=\"/opt/clang/bin/x86_64-linux-gnu-gcc-12 (test) 12.2.0\"\n", -1,
	  "note", "Probe module", "a minute or two" },
	{ "lib/modules/" KERNEL "/build/include/generated/utsversion.h",
	  "#define UTS_VERSION \"#2 SMP\"\n", -1, "FAIL", "Headers", "#2 SMP" },
	{ "usr/bin/make", NULL, -1, "FAIL", "Probe module", "make is missing" },
	{ "usr/bin/gcc-12", NULL, -1, "FAIL", "Probe module", "compiler of this kernel" },
	{ "scripts/kmalloc.stp", NULL, -1, "FAIL", "Probe module", "kmalloc.stp" },
	{ KMEM "kmalloc/id", "1\n", -1, "note", "Probe module", "a minute or two" },
	{ "proc/mounts", "", -1, "note", "Events", "tracefs" },
	{ "proc/kallsyms", "0000000000000000 T _stext\n", -1, "note", "Addresses", "run as root" },
	{ "proc/sys/kernel/kptr_restrict", "2\n", -1, "ok", "Addresses", "visible" },
	{ "sys/kernel/realtime", "1\n", -1, "note", "Kernel", "latencies" },
	{ "sys/module/kmt_1/parameters/kmt_counters", "", -1, "ok", "Leftovers",
	  "of live runs: kmt_1" },
};

static void apply(const Fixture *fixture, const HostCase *host_case)
{
	g_autofree char *path = g_build_filename(fixture->root, host_case->file, NULL);

	if (host_case->text)
		fake_host_write_bytes(fixture->root, host_case->file, host_case->text,
				      host_case->bytes < 0 ? strlen(host_case->text)
							   : (size_t)host_case->bytes);
	else
		cr_assert_eq(g_unlink(path), 0);
}

Test(check, each_file_of_the_host_is_looked_at)
{
	for (guint i = 0; i < G_N_ELEMENTS(host_cases); i++) {
		Fixture fixture;

		fixture_init(&fixture);
		apply(&fixture, &host_cases[i]);
		expect_line(&fixture, host_cases[i].verdict, host_cases[i].topic,
			    host_cases[i].said);
		fixture_clear(&fixture);
	}
}

Test(check, a_user_is_asked_to_be_root)
{
	Fixture fixture;

	fixture_init(&fixture);
	fixture.host.user = 1000;
	expect_line(&fixture, "FAIL", "Rights", "sudo");
	fixture_clear(&fixture);
}

Test(check, secure_boot_without_lockdown_is_reported)
{
	Fixture fixture;
	g_autofree char *path = NULL;

	fixture_init(&fixture);
	path = g_build_filename(fixture.root, LOCKDOWN, NULL);
	g_unlink(path);
	fake_host_write_bytes(fixture.root, SECURE_BOOT, "\6\0\0\0\1", 5);
	expect_line(&fixture, "note", "Secure Boot", "unsigned modules");
	fixture_clear(&fixture);
}

Test(check, a_real_time_kernel_says_so_in_its_version)
{
	Fixture fixture;

	fixture_init(&fixture);
	fixture.host.version = "#1 SMP PREEMPT_RT test";
	fixture.request.stap.module_path = "/nonexistent.ko";
	expect_line(&fixture, "FAIL", "Probe module", "/nonexistent.ko");
	fixture.request.stap.module_path = NULL;
	fake_host_write(fixture.root, "lib/modules/" KERNEL "/build/include/generated/utsversion.h",
			"#define UTS_VERSION \"#1 SMP PREEMPT_RT test\"\n");
	expect_line(&fixture, "note", "Kernel", "real-time");
	fixture_clear(&fixture);
}

Test(check, systemtap_is_looked_at)
{
	Fixture fixture;

	fixture_init(&fixture);
	fixture.host.release = "6.2.0";
	fixture.stap.kernels_tested = (char *)"2.6.32 ... 6.1.0-rc3";
	fake_host_write(fixture.root, "lib/modules/6.2.0/build/.config", "");
	expect_line(&fixture, "FAIL", "Probe module", "compiler of this kernel");
	fake_host_write(fixture.root, "usr/bin/gcc", "");
	{
		g_autofree char *path = g_build_filename(fixture.root, "usr/bin/gcc", NULL);

		g_chmod(path, 0755);
	}
	expect_line(&fixture, "note", "SystemTap", "this kernel is newer");
	fixture.host.release = KERNEL;
	expect_line(&fixture, "ok", "SystemTap", "2.6.32 ... 6.1.0-rc3");
	fixture.stap.major = 3;
	expect_line(&fixture, "FAIL", "SystemTap", "4.0 or later");
	fixture.host.stap = NULL;
	fixture.host.stap_problem = "staprun was not found: apt install systemtap-runtime";
	expect_line(&fixture, "FAIL", "SystemTap", "apt install");
	fixture_clear(&fixture);
}

Test(check, a_kernel_without_a_tracepoint_is_reported)
{
	Fixture fixture;

	fixture_init(&fixture);
	fixture.request.what.events |= PROBE_PAGE;
	expect_line(&fixture, "FAIL", "Events", "leave page out of --events");
	fake_host_write(fixture.root, KMEM "mm_page_alloc/id", "3\n");
	expect_line(&fixture, "ok", "Events", "page allocator");
	fixture_clear(&fixture);
}

Test(check, a_cache_that_others_can_write_is_reported)
{
	Fixture fixture;

	fixture_init(&fixture);
	compile(&fixture);
	g_chmod(fixture.cache, 0777);
	expect_line(&fixture, "FAIL", "Probe module", "0700");
	fixture_clear(&fixture);
}

Test(check, a_disk_without_room_to_compile_is_reported)
{
	Fixture fixture;

	fixture_init(&fixture);
	free_megabytes = 100;
	expect_line(&fixture, "FAIL", "Probe module", "only 100 MB are free");
	compile(&fixture);
	expect_line(&fixture, "ok", "Probe module", "compiled before");
	fixture_clear(&fixture);
}

#define MODINFO                                                                                    \
	"kmt_events=kmalloc\0kmt_stap=4.8\0kmt_kernel=" KERNEL_VERSION                             \
	"\0name=probes\0vermagic=" KERNEL " SMP"

Test(check, a_module_is_checked_instead_of_what_compiling_needs)
{
	static const char mark[] = "~Module signature appended~\n";
	Fixture fixture;
	g_autofree char *path = NULL;
	FILE *file;

	fixture_init(&fixture);
	path = g_build_filename(fixture.root, "probes.ko", NULL);
	module_image_write(path, MODINFO, sizeof(MODINFO));
	fixture.request.stap.module_path = path;
	apply(&fixture, &(HostCase){ .file = "usr/bin/make" });
	apply(&fixture, &(HostCase){ .file = "lib/modules/" KERNEL "/build/.config" });
	expect_line(&fixture, "ok", "Probe module", "fits this kernel");
	fake_host_write(fixture.root, LOCKDOWN, "none [integrity] confidentiality\n");
	expect_line(&fixture, "FAIL", "Lockdown", "--sign-key");
	file = fopen(path, "a");
	fputs(mark, file);
	fclose(file);
	expect_line(&fixture, "note", "Lockdown", "key must be enrolled");
	fixture.request.what.events = PROBE_PAGE;
	fake_host_write(fixture.root, KMEM "mm_page_alloc/id", "3\n");
	expect_line(&fixture, "FAIL", "Probe module", "--events=page");
	fixture_clear(&fixture);
}

Test(check, the_recording_and_its_disk_are_looked_at)
{
	Fixture fixture;
	g_autofree char *path = NULL;
	g_autofree char *nowhere = NULL;

	fixture_init(&fixture);
	compile(&fixture);
	path = g_build_filename(fixture.root, "r.kmr", NULL);
	nowhere = g_build_filename(fixture.root, "none", "r.kmr", NULL);
	expect_line(&fixture, "ok", "Recording", "50 GB free");
	fixture.request.record.path = path;
	free_megabytes = 1087;
	expect_line(&fixture, "note", "Recording", "only 1087 MB free");
	free_megabytes = 1088;
	expect_line(&fixture, "ok", "Recording", "1 GB (--record-max)");
	free_megabytes = 64;
	expect_line(&fixture, "FAIL", "Recording", "another disk");
	fixture.request.record.path = NULL;
	expect_line(&fixture, "note", "Recording", "only 64 MB free");
	fixture.request.record.path = nowhere;
	expect_line(&fixture, "FAIL", "Recording", "No such file");
	fixture_clear(&fixture);
}

Test(check, the_command_and_the_files_of_the_report_are_looked_at)
{
	g_autofree char *symbols = NULL;
	static const char *const find[] = { "find", "/usr", NULL };
	static const char *const unknown[] = { "kmt-no-such-program", NULL };
	Fixture fixture;

	fixture_init(&fixture);
	fixture.request.command.words = (char **)find;
	expect_line(&fixture, "ok", "Command", "find /usr");
	fixture.request.command.words = (char **)unknown;
	expect_line(&fixture, "FAIL", "Command", "kmt-no-such-program");
	fixture.request.command.words = NULL;
	fixture.host.files.report = fixture.root;
	expect_line(&fixture, "FAIL", "Report file", "not a regular file");
	fixture.host.files.report = NULL;
	symbols = g_build_filename(fixture.root, "proc/kallsyms", NULL);
	fixture.host.files.symbols = symbols;
	expect_line(&fixture, "ok", "Symbols", "proc/kallsyms");
	fixture.host.files.symbols = fixture.root;
	expect_line(&fixture, "FAIL", "Symbols", "Is a directory");
	fixture_clear(&fixture);
}

Test(check, processes_are_named_outside_of_containers_only)
{
	Fixture fixture;
	g_autofree char *folder = NULL;
	g_autofree char *link = NULL;

	fixture_init(&fixture);
	folder = g_build_filename(fixture.root, "proc/self/ns", NULL);
	link = g_build_filename(folder, "pid", NULL);
	cr_assert_eq(g_mkdir(folder, 0700), 0);
	cr_assert_eq(symlink("pid:[4026532000]", link), 0);
	expect_line(&fixture, "ok", "Rights", "root");
	fixture.request.whose.scope = COLLECT_SCOPE_PIDS;
	expect_line(&fixture, "FAIL", "Processes", "run it on the host");
	g_unlink(link);
	cr_assert_eq(symlink("pid:[4026531836]", link), 0);
	expect_line(&fixture, "ok", "Processes", "the kernel's own");
	fixture_clear(&fixture);
}

Test(check, buffers_are_reported_with_the_memory_there_is)
{
	Fixture fixture;

	fixture_init(&fixture);
	compile(&fixture);
	fake_host_write(fixture.root, "proc/meminfo", "MemAvailable: 1048576 kB\n");
	expect_line(&fixture, "ok", "Buffers", "MemAvailable 1024 MB");
	fixture.request.bounds.buffer_megabytes = 600;
	expect_line(&fixture, "FAIL", "Buffers", "use --buffer 512 or less");
	fixture_clear(&fixture);
}

Test(check, who_would_walk_stacks_is_reported_with_the_memory_for_it)
{
	static const char with_orc[] = "CONFIG_MODULES=y\nCONFIG_UNWINDER_ORC=y\n";
	Fixture fixture;
	g_autofree char *without = NULL;
	bool would_start;

	fixture_init(&fixture);
	without = check(&fixture, &would_start);
	cr_expect_null(strstr(without, "Stack walks:"));
	fixture.request.what.stack_depth = 64;
	fixture.request.stap.walk = STACK_WALK_AUTO;
	/* The configuration beside the headers. */
	expect_line(&fixture, "note", "Stack walks",
		    "by the kernel, which costs more: it has no ORC unwinder");
	fake_host_write(fixture.root, "boot/config-" KERNEL, with_orc);
	fake_host_set_cpus_online(fixture.root, "0-2\n");
	expect_line(&fixture, "ok", "Stack walks",
		    "by the module; its tables take at most 496 KB (128 KB x 3 CPUs + 112 KB)");
	fixture.request.stap.walk = STACK_WALK_COMPARE;
	expect_line(&fixture, "ok", "Stack walks",
		    "by the module and by the kernel, to compare them; its tables");
	fixture.request.stap.walk = STACK_WALK_KERNEL;
	expect_line(&fixture, "ok", "Stack walks", "by the kernel (--stack-walk=kernel)");
	fixture.request.stap.walk = STACK_WALK_AUTO;
	fixture.host.machine = "aarch64";
	expect_line(&fixture, "note", "Stack walks", "on x86_64 only");
	fixture_clear(&fixture);
}

/* Returns the text of the line about stack walks. */
static char *walks_text(const Fixture *fixture)
{
	GString *text = g_string_new(NULL);

	stap_look_at_walks(&fixture->host, text);
	return g_string_free(text, FALSE);
}

static void expect_walks(const Fixture *fixture, const char *expected)
{
	g_autofree char *text = walks_text(fixture);

	cr_expect(g_str_has_prefix(text, expected), "%s", text);
}

/* Writes the file from which a kernel without files beside it shows its configuration. */
static void write_packed_config(const Fixture *fixture, const char *config)
{
	g_autofree char *path = g_build_filename(fixture->root, "proc/config.gz", NULL);
	g_autoptr(GFile) file = g_file_new_for_path(path);
	g_autoptr(GFileOutputStream) packed =
		g_file_replace(file, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL);
	g_autoptr(GZlibCompressor) compressor =
		g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
	g_autoptr(GOutputStream) stream =
		g_converter_output_stream_new(G_OUTPUT_STREAM(packed), G_CONVERTER(compressor));

	cr_assert(g_output_stream_write_all(stream, config, strlen(config), NULL, NULL, NULL));
	cr_assert(g_output_stream_close(stream, NULL, NULL));
}

Test(check, a_packed_or_missing_configuration_shows_who_would_walk_stacks)
{
	Fixture fixture;
	g_autofree char *config = NULL;

	fixture_init(&fixture);
	config = g_build_filename(fixture.root, "lib/modules/" KERNEL "/build/.config", NULL);
	cr_assert_eq(g_unlink(config), 0);
	fixture.request.what.stack_depth = 64;
	fixture.request.stap.walk = STACK_WALK_AUTO;
	expect_walks(&fixture, "by the module if the kernel has the ORC unwinder");
	fake_host_write(fixture.root, "proc/config.gz", "damaged");
	expect_walks(&fixture, "by the module if the kernel has the ORC unwinder");
	write_packed_config(&fixture, "CONFIG_A=y\nCONFIG_UNWINDER_ORC=y\n");
	expect_walks(&fixture, "by the module; ");
	write_packed_config(&fixture, "CONFIG_A=y\n# CONFIG_UNWINDER_ORC is not set\n");
	expect_walks(&fixture, "by the kernel, which costs more: it has no ORC unwinder");
	fixture.host.release = "4.16.18";
	expect_walks(&fixture, "by the kernel, which costs more: the module walks stacks from "
			       "Linux 4.17 on");
	fixture.host.release = "4.17.0-rc1";
	expect_walks(&fixture, "by the kernel, which costs more: it has no ORC unwinder");
	fixture_clear(&fixture);
}

Test(check, leftovers_are_reported_with_what_removes_them)
{
	Fixture fixture;

	fixture_init(&fixture);
	compile(&fixture);
	expect_line(&fixture, "ok", "Leftovers", "none");
	fake_host_load_module(fixture.root, "kmt_1", "0\n", true);
	expect_line(&fixture, "note", "Leftovers", "kmt_1, which the next start removes");
	fake_host_write(fixture.root, "var/cache/kmalloc-top/work-2147483646-abcdef/x", "");
	expect_line(&fixture, "note", "Leftovers", "work-2147483646-abcdef, which");
	fixture_clear(&fixture);
}

/* How the caches of allocations get their names. */

#ifdef HAVE_LIBBPF
#include "btf_fixture.h"

static void write_btf(const char *root)
{
	struct btf *btf = btf__new_empty();
	int word = btf__add_int(btf, "unsigned long", 8, 0);

	btf__add_struct(btf, "slab", 64);
	btf__add_field(btf, "slab_cache", word, 8 * 8, 0);
	btf__add_struct(btf, "kmem_cache", 128);
	btf__add_field(btf, "size", word, 24 * 8, 0);
	btf__add_field(btf, "object_size", word, 28 * 8, 0);
	btf__add_field(btf, "name", word, 96 * 8, 0);
	btf_fixture_write(btf, root, "sys/kernel/btf/vmlinux");
}
#else
static void write_btf(const char *root)
{
	(void)root;
	cr_skip_test("built without libbpf");
}
#endif

Test(check, systemtap_shows_where_the_offsets_of_cache_names_are_from)
{
	Fixture fixture;

	fixture_init(&fixture);
	compile(&fixture);
	expect_line(&fixture, "note", "Cache names", "searches for them when it is loaded");
	write_btf(fixture.root);
	expect_line(&fixture, "ok", "Cache names",
		    "offsets from BTF, checked when the module is loaded");
	fixture_clear(&fixture);
}

Test(check, without_btf_the_offsets_are_those_of_debuginfo)
{
	CacheLayout layout = cache_layout_unknown;
	Fixture fixture;
	g_autofree char *path = NULL;

	/* This program has such structures: see test_cache_layout.c. */
	if (!cache_layout_read_dwarf(&layout, "/proc/self/exe"))
		cr_skip_test("built without debuginfo");
	fixture_init(&fixture);
	compile(&fixture);
	fake_host_write(fixture.root, "usr/lib/debug/boot/other", "");
	fake_host_add_link(fixture.root, "usr/lib/debug/boot/vmlinux-" KERNEL, "/proc/self/exe");
	expect_line(&fixture, "ok", "Cache names",
		    "offsets from debuginfo, checked when the module is loaded");
	fixture_clear(&fixture);
}

Test(check, pages_have_no_cache_names)
{
	static const CollectorType *const collectors[] = { &stap_collector, &perf_collector };
	Fixture fixture;

	fixture_init(&fixture);
	fake_host_write(fixture.root, KMEM "mm_page_alloc/id", "3\n");
	fake_host_write(fixture.root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	fixture.request.what.events = PROBE_PAGE;
	for (size_t i = 0; i < G_N_ELEMENTS(collectors); i++) {
		fixture.host.collector = collectors[i];
		expect_line(&fixture, "ok", "Cache names", "none: no allocations from slab caches");
	}
	fixture_clear(&fixture);
}

static void write_format(const Fixture *fixture, const char *kernel)
{
	g_autofree char *text = perf_fixture_format(kernel, "kmem_cache_alloc");

	fake_host_write(fixture->root, KMEM "kmem_cache_alloc/format", text);
}

/* A host that perf events would trace. */
static void perf_fixture_init(Fixture *fixture)
{
	fixture_init(fixture);
	fake_host_write(fixture->root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	fixture->host.collector = &perf_collector;
	fixture->request.what.events = PROBE_KMALLOC | PROBE_CACHE;
}

Test(check, perf_events_show_where_cache_names_come_from)
{
	Fixture fixture;

	perf_fixture_init(&fixture);
	fixture.request.what.events = PROBE_KMALLOC;
	expect_line(&fixture, "ok", "Cache names", "kmalloc by size");
	fixture.request.what.events |= PROBE_CACHE;
	expect_line(&fixture, "note", "Cache names", "its tracepoint cannot be read");
	write_format(&fixture, "6.18");
	expect_line(&fixture, "ok", "Cache names",
		    "kmalloc by size; kmem_cache_alloc reported by the tracepoint");
	fake_host_write(fixture.root, "proc/mounts", "");
	expect_line(&fixture, "note", "Cache names",
		    "cannot be checked, as this user can read no tracefs");
	fixture_clear(&fixture);
}

Test(check, perf_events_need_probes_where_the_tracepoint_has_no_cache)
{
	Fixture fixture;

	perf_fixture_init(&fixture);
	write_format(&fixture, "6.1");
	expect_line(&fixture, "note", "Cache names",
		    "kmem_cache_alloc (unknown cache): this kernel has no kprobes");
	fake_host_write(fixture.root, "sys/kernel/tracing/kprobe_events", "");
	expect_line(&fixture, "note", "Cache names", "the kernel has no BTF");
	write_btf(fixture.root);
	expect_line(&fixture, "ok", "Cache names",
		    "by probes in the allocator (kprobes), not by the pages of objects: this "
		    "kernel has no function __free_slab()");
	fake_host_write(fixture.root, "proc/kallsyms", "ffffffff81000100 t __free_slab\n");
	expect_line(&fixture, "ok", "Cache names",
		    "not by the pages of objects: the layout of its");
	fixture.host.machine = "riscv64";
	expect_line(&fixture, "note", "Cache names", "on this architecture");
	fixture_clear(&fixture);
}

Test(check, paired_frees_have_a_line_with_their_cost_and_probes)
{
	static const char symbols[] = "ffffffff81000000 T kvfree_call_rcu\n"
				      "ffffffff81000100 T kmem_cache_free_bulk\n";
	Fixture fixture;
	g_autofree char *without = NULL;
	bool would_start;

	perf_fixture_init(&fixture);
	write_format(&fixture, "6.18");
	without = check(&fixture, &would_start);
	cr_expect_null(strstr(without, "Held:"));
	fixture.request.what.held = true;
	expect_line(&fixture, "ok", "Held",
		    "frees of the whole host are recorded, whatever the filters: about ");
	fake_host_write(fixture.root, "proc/kallsyms", symbols);
	expect_line(
		&fixture, "note", "Held",
		"; calls of kvfree_call_rcu, kmem_cache_free_bulk are not seen: this kernel has "
		"no kprobes");
	fake_host_write(fixture.root, "sys/kernel/tracing/kprobe_events", "");
	expect_line(&fixture, "ok", "Held",
		    "; also calls of kvfree_call_rcu, kmem_cache_free_bulk, by kprobes");
	fixture.request.what.sampling_period = 16;
	expect_line(&fixture, "ok", "Held", "--sample does not change that");
	fixture.request.what.events = PROBE_PAGE;
	cr_expect_null(strstr(without, "kvfree_call_rcu"));
	fixture_clear(&fixture);
}

Test(check, systemtap_reports_the_cost_of_paired_frees_and_its_own_kprobes)
{
	Fixture fixture;
	g_autofree char *without = NULL;
	bool would_start;

	fixture_init(&fixture);
	without = check(&fixture, &would_start);
	cr_expect_null(strstr(without, "Held:"));
	fixture.request.what.held = true;
	fake_host_write(fixture.root, "scripts/free.stp", "# the probes of frees\n");
	expect_line(&fixture, "ok", "Held",
		    "frees of the whole host are recorded, whatever the filters: about 840 ");
	fake_host_write(fixture.root, "proc/kallsyms", "ffffffff81000000 T kvfree_call_rcu\n");
	expect_line(&fixture, "ok", "Held",
		    "; also calls of kvfree_call_rcu, by the module's own kprobes");
	fixture_clear(&fixture);
}

Test(check, a_kernel_that_is_locked_down_refuses_probes)
{
	Fixture fixture;
	g_autofree char *folder = NULL;
	CacheProbeHost host;

	perf_fixture_init(&fixture);
	folder = g_build_filename(fixture.root, KMEM, NULL);
	host = (CacheProbeHost){ fixture.root, KERNEL, "x86_64", folder };
	fake_host_write(fixture.root, "sys/kernel/tracing/kprobe_events", "");
	write_btf(fixture.root);
	cr_expect_null(cache_probes_problem(&host));
	fake_host_write(fixture.root, LOCKDOWN, "none integrity [confidentiality]\n");
	cr_expect_not_null(strstr(cache_probes_problem(&host), "locked down"));
	fixture_clear(&fixture);
}

Test(check, names_from_outside_are_escaped_and_bounded)
{
	Fixture fixture;
	g_autofree char *printed = NULL;
	g_autofree char *long_name = g_strnfill(4000, 'x');
	bool would_start;

	fixture_init(&fixture);
	fixture.request.stap.module_path = "/tmp/\033[2J\n.ko";
	expect_line(&fixture, "FAIL", "Probe module", "/tmp/\\x1b[2J\\x0a.ko");
	fixture.request.stap.module_path = long_name;
	printed = check(&fixture, &would_start);
	cr_expect_lt(strlen(printed), 4000);
	fixture_clear(&fixture);
}

/* Appends every file below the folder, with all that a change would change. */
static void list_files(const char *folder, GString *list)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_build_filename(folder, name, NULL));
	for (guint i = 0; i < names->len; i++) {
		const char *path = g_ptr_array_index(names, i);
		struct stat status;

		cr_assert_eq(lstat(path, &status), 0);
		g_string_append_printf(list, "%s %lo %ld %ld.%09ld %ld.%09ld\n", path,
				       (unsigned long)status.st_mode, (long)status.st_size,
				       (long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
				       (long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
		if (S_ISDIR(status.st_mode))
			list_files(path, list);
	}
}

static void expect_no_change(const Fixture *fixture)
{
	g_autoptr(GString) before = g_string_new(NULL);
	g_autoptr(GString) after = g_string_new(NULL);
	g_autofree char *printed = NULL;
	bool would_start;

	list_files(fixture->root, before);
	printed = check(fixture, &would_start);
	list_files(fixture->root, after);
	cr_expect(would_start, "%s", printed);
	cr_expect_str_eq(before->str, after->str);
}

Test(check, nothing_is_made_or_changed)
{
	Fixture fixture;
	g_autofree char *path = NULL;

	fixture_init(&fixture);
	path = g_build_filename(fixture.root, "r.kmr", NULL);
	fixture.request.record.path = path;
	expect_no_change(&fixture);
	compile(&fixture);
	fake_host_write(fixture.root, "var/cache/kmalloc-top/work-2147483646-abcdef/x", "");
	expect_no_change(&fixture);
	fixture_clear(&fixture);
}

/* What keeps SystemTap from beginning at once is what a run says that takes perf events. */
static const HostCase obstacle_cases[] = {
	{ "proc/modules", NULL, -1, NULL, NULL, "SystemTap: the kernel loads no modules" },
	{ "proc/self/status", "Name:\tx\nCapEff:\t000001fffffeffff\n", -1, NULL, NULL,
	  "SystemTap: no right to load modules" },
	{ LOCKDOWN, "none [integrity] confidentiality\n", -1, NULL, NULL,
	  "SystemTap: Secure Boot or lockdown on, the module must be signed; see --build-module" },
	{ "proc/sys/crypto/fips_enabled", "1\n", -1, NULL, NULL,
	  "SystemTap: FIPS mode, the module must be signed; see --build-module" },
	{ "sys/module/module/parameters/sig_enforce", "Y\n", -1, NULL, NULL,
	  "SystemTap: the kernel takes signed modules only; see --build-module" },
	{ "lib/modules/" KERNEL "/build/.config", NULL, -1, NULL, NULL,
	  "SystemTap: no headers of this kernel; see --check --collector=stap" },
	{ "usr/bin/make", NULL, -1, NULL, NULL, NULL },
	{ "scripts/kmalloc.stp", NULL, -1, NULL, NULL,
	  "SystemTap: the module cannot be compiled; see --check --collector=stap" },
};

/* Expects that the run would take that collector, and say this; NULL: nothing. */
static void expect_choice(const Fixture *fixture, const CollectorType *wanted, const char *said)
{
	g_autoptr(GString) why = g_string_new(NULL);
	const CollectorType *chosen = collector_choose(&fixture->host, why);

	cr_expect_eq(chosen, wanted, "%s: %s", chosen->name, why->str);
	cr_expect_str_eq(why->str, said ? said : "");
}

Test(check, systemtap_is_chosen_where_its_module_is_compiled)
{
	Fixture fixture;

	fixture_init(&fixture);
	fixture.host.collector = NULL;
	expect_choice(&fixture, &perf_collector,
		      "SystemTap: first use on this kernel compiles for about a minute; "
		      "--collector=stap");
	compile(&fixture);
	expect_choice(&fixture, &stap_collector, NULL);
	expect_line(&fixture, "ok", "Collector", "stap: a SystemTap module");
	fixture_clear(&fixture);
}

Test(check, what_keeps_systemtap_from_beginning_at_once_is_reported)
{
	for (guint i = 0; i < G_N_ELEMENTS(obstacle_cases); i++) {
		Fixture fixture;

		fixture_init(&fixture);
		compile(&fixture);
		apply(&fixture, &obstacle_cases[i]);
		expect_choice(&fixture, obstacle_cases[i].said ? &perf_collector : &stap_collector,
			      obstacle_cases[i].said);
		fixture_clear(&fixture);
	}
}

Test(check, a_kernel_beyond_those_that_systemtap_knows_is_left_to_perf_events)
{
	Fixture fixture;

	fixture_init(&fixture);
	compile(&fixture);
	fixture.stap.kernels_tested = (char *)"2.6.32 ... 6.0";
	expect_choice(&fixture, &perf_collector,
		      "SystemTap: this kernel is newer than those it was tested with; "
		      "--collector=stap");
	fixture.host.stap = NULL;
	fixture.host.stap_problem = "staprun was not found: apt install systemtap-runtime";
	expect_choice(&fixture, &perf_collector,
		      "SystemTap: not installed, or too old; see --check --collector=stap");
	fixture_clear(&fixture);
}

Test(check, who_names_a_module_has_chosen)
{
	Fixture fixture;

	fixture_init(&fixture);
	fixture.request.stap.module_path = "/nonexistent.ko";
	expect_choice(&fixture, &stap_collector, NULL);
	fixture.request.stap.module_path = NULL;
	fixture.request.stap.options = "-v";
	expect_choice(&fixture, &stap_collector, NULL);
	fixture_clear(&fixture);
}

static const HostCase perf_cases[] = {
	{ "proc/sys/kernel/perf_event_paranoid", NULL, -1, "FAIL", "Rights", "CONFIG_PERF_EVENTS" },
	{ "proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n", -1, "FAIL", "Rights",
	  "CAP_PERFMON" },
	{ "proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n", -1, "ok", "Rights", "root" },
	{ "proc/modules", NULL, -1, "ok", "Rights", "root" },
	{ LOCKDOWN, "none [integrity] confidentiality\n", -1, "ok", "Lockdown", "none that" },
	{ LOCKDOWN, "none integrity [confidentiality]\n", -1, "FAIL", "Lockdown", "boot with" },
	{ "proc/mounts", "", -1, "ok", "Tracepoints", "in its own mount namespace" },
	{ "proc/modules", NULL, -1, "ok", "Tracepoints", "/sys/kernel/tracing/events/kmem" },
	{ "proc/meminfo", "MemAvailable: 1048576 kB\n", -1, "ok", "Buffers", "MemAvailable" },
};

Test(check, perf_events_are_looked_at)
{
	for (guint i = 0; i < G_N_ELEMENTS(perf_cases); i++) {
		Fixture fixture;

		fixture_init(&fixture);
		fixture.host.collector = &perf_collector;
		fake_host_write(fixture.root, "proc/sys/kernel/perf_event_paranoid", "2\n");
		apply(&fixture, &perf_cases[i]);
		expect_line(&fixture, perf_cases[i].verdict, perf_cases[i].topic,
			    perf_cases[i].said);
		fixture_clear(&fixture);
	}
}

Test(check, a_tracefs_that_only_others_can_read_is_mounted)
{
	Fixture fixture;
	g_autofree char *mount = NULL;
	bool is_root = !geteuid();

	fixture_init(&fixture);
	fixture.host.collector = &perf_collector;
	fake_host_write(fixture.root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	mount = g_build_filename(fixture.root, "sys/kernel/tracing", NULL);
	cr_assert_eq(chmod(mount, 0), 0);
	/* The check looks at the user who asks, not at the rights that the program has. */
	cr_assert(!is_root || !setreuid(65534, 0));
	expect_line(&fixture, "note", "Tracepoints",
		    "this user cannot read /sys/kernel/tracing/events/kmem");
	expect_line(&fixture, "note", "Events", "no tracefs is mounted that this user can read");
	cr_assert(!is_root || !setreuid(0, 0));
	cr_assert_eq(chmod(mount, 0700), 0);
	fixture_clear(&fixture);
}

Test(check, perf_events_of_a_user_and_in_a_container)
{
	Fixture fixture;
	g_autofree char *folder = NULL;
	g_autofree char *link = NULL;

	fixture_init(&fixture);
	fixture.host.collector = &perf_collector;
	fake_host_write(fixture.root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	expect_line(&fixture, "ok", "Pids", "the kernel's own");
	folder = g_build_filename(fixture.root, "proc/self/ns", NULL);
	link = g_build_filename(folder, "pid", NULL);
	cr_assert_eq(g_mkdir(folder, 0700), 0);
	cr_assert_eq(symlink("pid:[4026532000]", link), 0);
	expect_line(&fixture, "note", "Pids", "pids are those of this container");
	fixture.host.user = 1000;
	expect_line(&fixture, "FAIL", "Rights", "sudo");
	fixture_clear(&fixture);
}

/* BPF. */

static const struct {
	const char *release, *machine, *said;
} bpf_cases[] = {
	{ "6.1.0-50-amd64", "x86_64", "this kernel has what the programs need" },
	{ "6.18.44-fc-v782", "x86_64", "this kernel has what the programs need" },
	{ "6.1.0", "aarch64", "the BPF programs know x86_64 only so far: use --collector=perf" },
	{ "6.0.19", "x86_64", "the BPF programs need Linux 6.1: use --collector=perf" },
	{ "5.10.0-32-amd64", "x86_64", "the BPF programs need Linux 6.1: use --collector=perf" },
	{ "7.0", "x86_64",
	  "the BPF programs do not know Linux 7.0 and later yet: use --collector=perf" },
};

Test(check, what_bpf_programs_do_not_know_is_refused)
{
	for (guint i = 0; i < G_N_ELEMENTS(bpf_cases); i++) {
		Fixture fixture;

		fixture_init(&fixture);
		fake_host_write(fixture.root, "sys/kernel/btf/vmlinux", "BTF");
		fixture.host.collector = &bpf_collector;
		fixture.host.release = bpf_cases[i].release;
		fixture.host.machine = bpf_cases[i].machine;
#ifdef HAVE_BPF
		expect_line(&fixture, strstr(bpf_cases[i].said, ": use") ? "FAIL" : "ok", "BPF",
			    bpf_cases[i].said);
#else
		expect_line(&fixture, "FAIL", "BPF", "this build has no BPF programs");
#endif
		fixture_clear(&fixture);
	}
}

#ifdef HAVE_BPF
Test(check, a_request_that_bpf_programs_do_not_fulfil_is_refused)
{
	Fixture fixture;

	fixture_init(&fixture);
	fixture.host.collector = &bpf_collector;
	expect_line(&fixture, "FAIL", "BPF",
		    "the kernel's types (/sys/kernel/btf/vmlinux) cannot be read");
	fake_host_write(fixture.root, "sys/kernel/btf/vmlinux", "BTF");
	fixture.request.what.sampling_period = 2;
	expect_line(&fixture, "FAIL", "BPF",
		    "the collector does not have sampling yet: use --collector=perf");
	fixture.request.what.sampling_period = 1;
	fake_host_write(fixture.root, "proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
	expect_line(&fixture, "FAIL", "Rights",
		    "CAP_BPF and CAP_PERFMON are missing: run it as root");
	fixture_clear(&fixture);
}
#endif
