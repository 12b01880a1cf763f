/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap/stap_build.h"

#include "collect/run/collector.h"
#include "collect/stap/kernel_headers.h"
#include "collect/stap/module_cache.h"
#include "collect/stap/module_check.h"
#include "process/watchdog.h"
#include "leaks.h"
#include "module_image.h"
#include "process.h"
#include "fake_host.h"

#include <criterion/criterion.h>
#include <gio/gio.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(stap_build);

#define KERNEL "1.2.3-test"
#define VERSION "#1 SMP test"

/* A host of its own: a stand-in for stap, scripts, kernel headers, a cache. */
typedef struct {
	char *top;
	char *cache;
	char *scripts;
	char *modules;
	StapTool tool;
	StapBuildRequest request;
} Host;

static char *read_text(const char *top, const char *name)
{
	char *text = fake_host_read(top, name);

	return text ? text : g_strdup("");
}

/* The stand-in notes its arguments, then does what the test asks. */
static void write_stap(Host *host, const char *behaviour)
{
	g_autofree char *script = g_strdup_printf("#!/bin/sh\n"
						  "echo \"$@\" >> %s/calls\n"
						  "env | sort > %s/environment\n"
						  "name=$3\n"
						  "%s\n",
						  host->top, host->top, behaviour);

	fake_host_write(host->top, "bin/stap", script);
	g_chmod(host->tool.stap, 0755);
}

#define COMPILES "cp kmalloc-top.stp $name.ko"

static Host host_new(void)
{
	Host host = { .top = fake_host_new() };

	host.cache = g_build_filename(host.top, "cache", NULL);
	host.scripts = g_build_filename(host.top, "stap", NULL);
	host.modules = g_build_filename(host.top, "modules", NULL);
	host.tool = (StapTool){ .stap = g_build_filename(host.top, "bin", "stap", NULL),
				.major = 4,
				.minor = 8,
				.version = (char *)"4.8" };
	host.request = (StapBuildRequest){ .events = PROBE_KMALLOC,
					   .kernel_release = KERNEL,
					   .cpus_max = 4,
					   .script_folder = host.scripts,
					   .cache_folder = host.cache,
					   .modules_folder = host.modules };
	fake_host_write(host.scripts, "base.stp", "# base\n");
	fake_host_write(host.scripts, "kmalloc.stp", "# kmalloc\n");
	fake_host_write(host.scripts, "free.stp", "# free\n");
	fake_host_write(host.scripts, "tapset/points.stp", "# points\n");
	fake_host_write(host.modules, KERNEL "/build/.config", "CONFIG_MODULES=y\n");
	fake_host_write(host.modules, KERNEL "/build/include/generated/utsrelease.h",
			"#define UTS_RELEASE \"" KERNEL "\"\n");
	fake_host_write(host.modules, KERNEL "/build/include/generated/utsversion.h",
			"#define UTS_VERSION \"" VERSION "\"\n");
	write_stap(&host, COMPILES);
	return host;
}

static void host_clear(Host *host)
{
	fake_host_free(host->top);
	g_free(host->cache);
	g_free(host->scripts);
	g_free(host->modules);
	g_free(host->tool.stap);
}

static guint count_calls(const Host *host)
{
	g_autofree char *calls = read_text(host->top, "calls");
	g_auto(GStrv) lines = g_strsplit(calls, "\n", -1);

	return g_strv_length(lines) - (*calls ? 1 : 0);
}

/* Builds; the path must be freed. */
static char *build(Host *host)
{
	g_autoptr(GError) error = NULL;
	char *path = stap_build_module(&host->tool, &host->request, &error);

	cr_assert_not_null(path, "%s", error ? error->message : "");
	return path;
}

/* Builds in vain; returns what was said. */
static char *build_in_vain(Host *host)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = stap_build_module(&host->tool, &host->request, &error);

	cr_assert_null(path);
	cr_assert_not_null(error);
	return g_strdup(error->message);
}

/* How many folders in the cache are left from compiling. */
static guint count_work_folders(const Host *host)
{
	g_autoptr(GDir) dir = g_dir_open(host->cache, 0, NULL);
	const char *name;
	guint count = 0;

	while (dir && (name = g_dir_read_name(dir)))
		count += g_str_has_prefix(name, "work-");
	return count;
}

Test(stap_build, a_module_is_compiled_once)
{
	Host host = host_new();
	g_autofree char *first = build(&host);
	g_autofree char *second = build(&host);
	g_autofree char *content = NULL;

	cr_expect_str_eq(first, second);
	cr_expect_eq(count_calls(&host), 1);
	content = file_read(first, NULL);
	cr_expect_str_eq(content, "# base\n# kmalloc\n");
	cr_expect_eq(count_work_folders(&host), 0);
	host_clear(&host);
}

Test(stap_build, everything_that_matters_makes_another_module)
{
	Host host = host_new();
	g_autoptr(StapOptions) options = stap_options_parse("-DX=1", NULL);
	g_autofree char *path = build(&host);

	for (guint i = 1; i <= 6; i++) {
		g_autofree char *other = NULL;

		if (i == 1)
			host.request.events |= PROBE_FREE;
		else if (i == 2)
			host.request.options = options;
		else if (i == 3)
			host.request.cpus_max = 5;
		else if (i == 4)
			host.tool.version = (char *)"4.9";
		else if (i == 5)
			fake_host_write(host.scripts, "tapset/points.stp", "# other points\n");
		else
			fake_host_write(host.modules,
					KERNEL "/build/include/generated/utsversion.h",
					"#define UTS_VERSION \"#2 SMP test\"\n");
		other = build(&host);
		cr_expect_str_neq(other, path, "change %u", i);
		cr_expect_eq(count_calls(&host), i + 1, "change %u", i);
	}
	host_clear(&host);
}

Test(stap_build, stap_gets_our_words_before_the_users)
{
	Host host = host_new();
	g_autoptr(StapOptions) options = stap_options_parse("-DX=1 -s 5", NULL);
	g_autofree char *calls = NULL;
	g_autofree char *path = NULL;

	host.request.options = options;
	path = build(&host);
	calls = read_text(host.top, "calls");
	cr_expect(g_str_has_prefix(calls, "-p4 -m kmt_"), "%s", calls);
	cr_expect(strstr(calls, "-r " KERNEL " -I "), "%s", calls);
	cr_expect(strstr(calls, "-DINTERRUPTIBLE=0 -DSTP_NO_OVERLOAD"), "%s", calls);
	cr_expect(strstr(calls, "-DKMT_CPUS=4"), "%s", calls);
	cr_expect(g_str_has_suffix(calls, " -DX=1 kmalloc-top.stp\n"), "%s", calls);
	host_clear(&host);
}

Test(stap_build, nothing_of_the_callers_environment_reaches_stap)
{
	Host host = host_new();
	g_autofree char *environment = NULL;
	g_autofree char *path = NULL;

	g_setenv("SYSTEMTAP_RUNTIME", "/tmp/evil", TRUE);
	g_setenv("DEBUGINFOD_URLS", "x", TRUE);
	path = build(&host);
	environment = read_text(host.top, "environment");
	cr_expect_null(strstr(environment, "SYSTEMTAP_RUNTIME"), "%s", environment);
	cr_expect_null(strstr(environment, "DEBUGINFOD"), "%s", environment);
	cr_expect_not_null(strstr(environment, "LC_ALL=C\n"), "%s", environment);
	cr_expect_not_null(strstr(environment, "/cache/stap\n"), "%s", environment);
	cr_expect_not_null(strstr(environment, "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n"), "%s",
			   environment);
	host_clear(&host);
}

Test(stap_build, a_poisoned_cache_is_tried_again)
{
	Host host = host_new();
	g_autofree char *calls = NULL;
	g_autofree char *path = NULL;

	write_stap(&host, "case \"$*\" in\n"
			  "*--poison-cache*) " COMPILES ";;\n"
			  "*) echo 'semantic error: no match' >&2; exit 1;;\n"
			  "esac");
	path = build(&host);
	cr_expect_eq(count_calls(&host), 2);
	host_clear(&host);
}

Test(stap_build, no_match_is_tried_again_only_once)
{
	Host host = host_new();
	g_autofree char *message = NULL;

	write_stap(&host, "echo 'semantic error: no match' >&2; exit 1");
	message = build_in_vain(&host);
	cr_expect(strstr(message, "no tracepoints in kernel " KERNEL), "%s", message);
	cr_expect_eq(count_calls(&host), 2);
	host_clear(&host);
}

Test(stap_build, a_failure_reports_its_reason)
{
	Host host = host_new();
	g_autofree char *message = NULL;

	write_stap(&host, "echo 'x.c:1: error: odd thing' >&2; exit 1");
	message = build_in_vain(&host);
	cr_expect(strstr(message, "odd thing"), "%s", message);
	cr_expect_eq(count_calls(&host), 1);
	cr_expect_eq(count_work_folders(&host), 0);
	host_clear(&host);
}

Test(stap_build, missing_headers_are_reported_before_compiling)
{
	Host host = host_new();
	g_autofree char *message = NULL;

	host.request.kernel_release = "9.9.9";
	message = build_in_vain(&host);
	cr_expect(
		strstr(message, "headers of kernel 9.9.9 are not installed, only those of " KERNEL),
		"%s", message);
	cr_expect_eq(count_calls(&host), 0);
	host_clear(&host);
}

Test(stap_build, headers_of_another_kernel_are_reported)
{
	Host host = host_new();
	g_autoptr(GError) other_release = NULL;
	g_autoptr(GError) other_build = NULL;

	cr_expect_null(
		kernel_headers_find_for(host.modules, KERNEL, KERNEL, "#2 SMP", &other_build));
	cr_expect(strstr(other_build->message, VERSION) && strstr(other_build->message, "#2 SMP"),
		  "%s", other_build->message);
	fake_host_write(host.modules, KERNEL "/build/include/generated/utsrelease.h",
			"#define UTS_RELEASE \"1.2.4\"\n");
	cr_expect_null(
		kernel_headers_find_for(host.modules, KERNEL, KERNEL, VERSION, &other_release));
	cr_expect(strstr(other_release->message, "1.2.4"), "%s", other_release->message);
	host_clear(&host);
}

static KernelHeaders *find_headers(const Host *host)
{
	KernelHeaders *headers =
		kernel_headers_find_for(host->modules, KERNEL, KERNEL, VERSION, NULL);

	cr_assert_not_null(headers);
	return headers;
}

/* .config is a file of the host: the value becomes an argument of the program that signs. */
Test(stap_build, the_hash_of_signatures_is_the_name_of_one)
{
	static const struct {
		const char *config, *hash;
	} cases[] = {
		{ "CONFIG_MODULE_SIG_HASH=\"sha512\"\n", "sha512" },
		{ "CONFIG_MODULES=y\nCONFIG_MODULE_SIG_HASH=\"sha3-256\"\n", "sha3-256" },
		{ "CONFIG_MODULES=y\n", "sha256" },
		{ "CONFIG_MODULE_SIG_HASH=\"\"\n", "sha256" },
		{ "CONFIG_MODULE_SIG_HASH=\"-x\"\n", "sha256" },
		{ "CONFIG_MODULE_SIG_HASH=\"sha512 \"\n", "sha256" },
		{ "CONFIG_MODULE_SIG_HASH=sha512\n", "sha256" },
	};
	Host host = host_new();

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(KernelHeaders) headers = NULL;

		fake_host_write(host.modules, KERNEL "/build/.config", cases[i].config);
		headers = find_headers(&host);
		cr_expect_str_eq(headers->sign_hash, cases[i].hash, "%s", cases[i].config);
	}
	host_clear(&host);
}

Test(stap_build, the_makefile_shows_the_folder_of_the_shared_headers)
{
	static const struct {
		const char *makefile, *source; /* NULL: the folder of the Makefile */
	} cases[] = {
		{ "include /usr/src/linux-headers-1.2.3-common/Makefile\n",
		  "/usr/src/linux-headers-1.2.3-common" },
		{ "include scripts/Makefile\ninclude /usr/src/shared/Makefile\n",
		  "/usr/src/shared" },
		{ "include scripts/Makefile\n", NULL },
		{ "\tinclude /usr/src/shared/Makefile\n", NULL },
		{ "", NULL },
	};
	Host host = host_new();

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(KernelHeaders) headers = NULL;

		fake_host_write(host.modules, KERNEL "/build/Makefile", cases[i].makefile);
		headers = find_headers(&host);
		cr_expect_str_eq(headers->source,
				 cases[i].source ? cases[i].source : headers->build, "%s",
				 cases[i].makefile);
	}
	host_clear(&host);
}

Test(stap_build, a_release_is_no_path)
{
	static const char *const names[] = { "../x", "a/b", "", ".", "-x", "a b" };

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_null(kernel_headers_find_for("/nonexistent", names[i], "a", "b", &error));
		cr_expect(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT));
	}
}

/* Sends the signal to the test itself once the stand-in runs, from another process. */
static pid_t interrupt_when_running(const Host *host, int number)
{
	g_autofree char *path = g_build_filename(host->top, "running", NULL);
	pid_t parent = getpid();
	pid_t child = fork();

	if (child != 0)
		return child;
	while (access(path, F_OK) < 0)
		g_usleep(10000);
	kill(parent, number);
	_exit(0);
}

Test(stap_build, a_signal_ends_the_compile_and_all_it_started)
{
	Host host = host_new();
	g_autofree char *message = NULL;
	g_autofree char *grandchild = NULL;
	pid_t helper;

	write_stap(&host, "sleep 600 & echo $! > ../../grandchild; touch ../../running; wait");
	/* In the background of a script it is ignored, and then it ends no compile. */
	signal(SIGINT, SIG_DFL);
	helper = interrupt_when_running(&host, SIGINT);
	message = build_in_vain(&host);
	waitpid(helper, NULL, 0);
	cr_expect_str_eq(message, "interrupted while compiling");
	cr_expect_eq(count_work_folders(&host), 0);
	grandchild = read_text(host.top, "grandchild");
	cr_assert_gt(g_ascii_strtoll(grandchild, NULL, 10), 1);
	/* A zombie that init has not reaped yet is ended as well. */
	for (int i = 0; i < 500 && kill((pid_t)g_ascii_strtoll(grandchild, NULL, 10), 0) == 0; i++)
		g_usleep(10000);
	cr_expect_neq(kill((pid_t)g_ascii_strtoll(grandchild, NULL, 10), 0), 0);
	host_clear(&host);
}

/* A compiler that does not listen, has stap's output, and writes on. */
#define COMPILES_ON                                                                                \
	"(trap '' TERM; while :; do date >later.o; sleep 0.01; done) 2>/dev/null & echo $! "       \
	">../../compiler\n"

Test(stap_build, nothing_is_left_of_a_killed_program, .timeout = 60)
{
	Host host = host_new();
	pid_t program;

	write_stap(&host, COMPILES_ON "touch ../../running; wait");
	program = fork();
	if (!program) {
		if (watchdog_start(NULL, NULL))
			stap_build_module(&host.tool, &host.request, NULL);
		_exit(0);
	}
	cr_assert(process_wait_for_file(host.top, "running"));
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	cr_expect(process_wait_until_gone(process_read_pid(host.top, "compiler")));
	for (int i = 0; i < PROCESS_TRIES && count_work_folders(&host); i++)
		g_usleep(PROCESS_TRY_US);
	cr_expect_eq(count_work_folders(&host), 0);
	host_clear(&host);
}

Test(stap_build, what_a_killed_stap_started_goes_with_it, .timeout = 60)
{
	Host host = host_new();
	g_autofree char *message = NULL;

	write_stap(&host, COMPILES_ON "kill -9 $$");
	message = build_in_vain(&host);
	cr_expect(strstr(message, "signal 9"), "%s", message);
	cr_expect(process_wait_until_gone(process_read_pid(host.top, "compiler")));
	cr_expect_eq(count_work_folders(&host), 0);
	host_clear(&host);
}

/* As make is started by stap without -v. */
Test(stap_build, what_has_not_even_staps_output_goes_with_it, .timeout = 60)
{
	Host host = host_new();
	g_autofree char *message = NULL;

	write_stap(&host, "exec 3>&2 >/dev/null 2>&1\n" COMPILES_ON "exec 2>&3; kill -9 $$");
	message = build_in_vain(&host);
	cr_expect(strstr(message, "signal 9"), "%s", message);
	cr_expect(process_wait_until_gone(process_read_pid(host.top, "compiler")));
	cr_expect_eq(count_work_folders(&host), 0);
	host_clear(&host);
}

Test(stap_build, a_module_file_is_compiled_under_its_own_name)
{
	Host host = host_new();
	g_autofree char *output = g_build_filename(host.top, "my_probes.ko", NULL);
	g_autofree char *calls = NULL;
	g_autoptr(GError) error = NULL;

	cr_assert(stap_build_module_file(&host.tool, &host.request, output, &error), "%s",
		  error ? error->message : "");
	calls = read_text(host.top, "calls");
	cr_expect(strstr(calls, "-m my_probes "), "%s", calls);
	cr_expect(g_file_test(output, G_FILE_TEST_EXISTS));
	host_clear(&host);
}

Test(stap_build, a_module_file_has_a_modules_name)
{
	static const char *const names[] = { "my-probes.ko", "probes", "1.ko", ".ko", "a b.ko" };
	Host host = host_new();

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_not(stap_build_module_file(&host.tool, &host.request, names[i], &error));
		cr_expect(strstr(error->message, "NAME.ko"), "%s", error->message);
	}
	cr_expect_eq(count_calls(&host), 0);
	host_clear(&host);
}

/* What the kernel has is found in its headers, what SystemTap has in its runtime. */
static void expect_workarounds(Host *host, const char *const *words)
{
	g_autofree char *runtime = g_build_filename(host->top, "share/systemtap/runtime", NULL);
	g_autofree char *home = g_build_filename(host->top, "home", NULL);
	g_autoptr(KernelHeaders) headers =
		kernel_headers_find_for(host->modules, KERNEL, "other", "other", NULL);
	StapSite site = { headers, host->tool.stap, runtime, "4.8" };
	g_autoptr(GPtrArray) found = stap_workarounds_find(&site);
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GError) error = NULL;

	cr_assert(stap_workarounds_apply(found, &site, home, host->top, argv, &error), "%s",
		  error ? error->message : "");
	for (guint i = 0; words[i]; i++) {
		cr_assert_lt(i, argv->len);
		cr_expect(g_pattern_match_simple(words[i], g_ptr_array_index(argv, i)), "%s: %s",
			  words[i], (const char *)g_ptr_array_index(argv, i));
	}
	cr_expect_eq(argv->len, g_strv_length((char **)words));
}

#define HEADERS KERNEL "/build/include/linux/"
#define RUNTIME "share/systemtap/runtime/"

static const char task_work[] = "typedef typeof(&task_work_cancel) task_work_cancel_fn;\n"
				"kallsyms_lookup_name(\"task_work_cancel\");\n";

Test(stap_build, a_matching_pair_needs_no_workaround)
{
	static const char *const none[] = { NULL };
	Host host = host_new();

	fake_host_write(host.modules, HEADERS "task_work.h",
			"task_work_cancel(struct task_struct *, f);");
	fake_host_write(host.top, RUNTIME "stp_task_work.c", task_work);
	expect_workarounds(&host, none);
	host_clear(&host);
}

Test(stap_build, task_work_cancel_func_gets_a_patched_runtime)
{
	static const char *const words[] = { "-R", "*/home/runtime-*", NULL };
	Host host = host_new();
	g_autofree char *home = g_build_filename(host.top, "home", NULL);
	g_autoptr(GDir) dir = NULL;
	g_autofree char *copy = NULL;
	g_autofree char *patched = NULL;

	fake_host_write(host.modules, HEADERS "task_work.h",
			"task_work_cancel_func(struct task_struct *, f);");
	fake_host_write(host.top, RUNTIME "stp_task_work.c", task_work);
	fake_host_write(host.top, RUNTIME "linux/other.h", "other");
	expect_workarounds(&host, words);
	dir = g_dir_open(home, 0, NULL);
	copy = g_build_filename(home, g_dir_read_name(dir), NULL);
	patched = read_text(copy, "stp_task_work.c");
	cr_expect_str_eq(patched, "typedef typeof(&task_work_cancel_func) task_work_cancel_fn;\n"
				  "kallsyms_lookup_name(\"task_work_cancel_func\");\n");
	host_clear(&host);
}

Test(stap_build, a_runtime_that_cannot_be_patched_is_an_error)
{
	Host host = host_new();
	g_autofree char *message = NULL;

	fake_host_write(host.modules, HEADERS "task_work.h",
			"task_work_cancel_func(struct task_struct *, f);");
	fake_host_write(host.top, RUNTIME "stp_task_work.c", "typeof(&task_work_cancel)");
	message = build_in_vain(&host);
	cr_expect(strstr(message, "newer SystemTap"), "%s", message);
	host_clear(&host);
}

Test(stap_build, a_module_gets_unwind_tables_where_the_kernel_has_them)
{
	static const char *const words[] = { "-B", "CONFIG_STACK_VALIDATION=y", NULL };
	Host host = host_new();

	fake_host_write(host.modules, KERNEL "/build/.config",
			"CONFIG_HAVE_STACK_VALIDATION=y\nCONFIG_STACK_VALIDATION=y\n");
	expect_workarounds(&host, words);
	host_clear(&host);
}

Test(stap_build, a_kernel_that_has_none_is_not_asked_for_unwind_tables)
{
	static const char *const none[] = { NULL };
	Host host = host_new();

	fake_host_write(host.modules, KERNEL "/build/.config",
			"CONFIG_HAVE_STACK_VALIDATION=y\n# CONFIG_STACK_VALIDATION is not set\n");
	expect_workarounds(&host, none);
	host_clear(&host);
}

Test(stap_build, longer_count_args_switch_warnings_off)
{
	static const char *const words[] = { "-B", "KCFLAGS=-w", NULL };
	Host host = host_new();

	write_stap(&host, "#define COUNT_ARGS(X...) __COUNT_ARGS(, ##X, 12, 11, 10");
	fake_host_write(host.modules, HEADERS "args.h",
			"#define COUNT_ARGS(X...) __COUNT_ARGS(, ##X, 15, 14, 13)\n");
	expect_workarounds(&host, words);
	host_clear(&host);
}

Test(stap_build, the_same_count_args_do_not)
{
	static const char *const none[] = { NULL };
	Host host = host_new();

	write_stap(&host, "#define COUNT_ARGS(X...) __COUNT_ARGS(, ##X, 12, 11, 10");
	fake_host_write(host.modules, HEADERS "kernel.h",
			"#define COUNT_ARGS(X...) __COUNT_ARGS(, ##X, 12, 11, 10)\n");
	expect_workarounds(&host, none);
	host_clear(&host);
}

Test(stap_build, a_module_looks_up_the_name_that_uprobe_unregister_has)
{
	static const char *const words[] = { "-R", "*/home/runtime-*", NULL };
	Host host = host_new();

	fake_host_write(host.modules, HEADERS "uprobes.h", "extern void uprobe_unregister_nosync(");
	fake_host_write(host.top, RUNTIME "transport/transport.c",
			"kallsyms_lookup_name (\"unregister_uprobe\");");
	expect_workarounds(&host, words);
	host_clear(&host);
}

Test(stap_build, a_runtime_that_knows_the_newer_uprobe_unregister_is_taken_as_it_is)
{
	static const char *const none[] = { NULL };
	Host host = host_new();

	fake_host_write(host.modules, HEADERS "uprobes.h", "extern void uprobe_unregister_nosync(");
	fake_host_write(host.top, RUNTIME "transport/transport.c",
			"kallsyms_lookup_name (\"unregister_uprobe\");\n"
			"kallsyms_lookup_name (\"uprobe_unregister_nosync\");");
	expect_workarounds(&host, none);
	host_clear(&host);
}

Test(stap_build, an_older_ns_common_gets_a_patched_runtime)
{
	static const char *const words[] = { "-R", "*/home/runtime-*", NULL };
	Host host = host_new();

	fake_host_write(host.modules, HEADERS "ns_common.h",
			"struct ns_common { const struct proc_ns_operations *ops; };");
	fake_host_write(host.top, RUNTIME "linux/stap_fs.h", "if (ns->ns_type != CLONE_NEWNS) {");
	expect_workarounds(&host, words);
	host_clear(&host);
}

typedef struct {
	const char *modinfo;
	size_t length;
	const char *said; /* NULL: it fits */
	const char *also;
} CheckCase;

#define MODINFO(text) text, sizeof(text)
#define NOTES                                                                                      \
	"kmt_events=kmalloc,cache\0kmt_stap=4.8\0kmt_kernel=" VERSION "\0license=GPL\0name="       \
	"probes\0"

static const CheckCase checks[] = {
	{ MODINFO(NOTES "vermagic=" KERNEL " SMP preempt mod_unload"), NULL, NULL },
	{ MODINFO(NOTES "vermagic=1.2.4 SMP"), "1.2.4", KERNEL },
	{ MODINFO("kmt_events=kmalloc\0kmt_stap=4.8\0kmt_kernel=#7 "
		  "SMP\0name=probes\0vermagic=" KERNEL " SMP"),
	  "#7 SMP", VERSION },
	{ MODINFO("kmt_stap=5.6\0name=probes\0vermagic=" KERNEL " SMP"), "5.6", "4.8" },
	{ MODINFO("kmt_stap=4.8\0name=others\0vermagic=" KERNEL " SMP"), "others.ko", "probes.ko" },
	{ MODINFO("name=probes\0vermagic=" KERNEL " SMP"), "--build-module", "probes.ko" },
	{ MODINFO("kmt_stap=4.8\0name=probes"), "--build-module", "probes.ko" },
	{ MODINFO("kmt_stap=4.8\0vermagic=\033[2J SMP"), "\\x1b[2J", KERNEL },
	{ MODINFO(""), "--build-module", "probes.ko" },
	{ MODINFO("kmt_events=page,free\0kmt_stap=4.8\0name=probes\0vermagic=" KERNEL " SMP"),
	  "page,free only", "--events=kmalloc" },
	{ MODINFO("kmt_stap=4.8\0name=probes\0vermagic=" KERNEL " SMP"), "--build-module",
	  "probes.ko" },
	{ "no end", 6, "--build-module", "probes.ko" },
};

Test(stap_build, a_module_that_does_not_fit_names_both_sides)
{
	Host host = host_new();
	g_autofree char *path = g_build_filename(host.top, "probes.ko", NULL);

	for (guint i = 0; i < G_N_ELEMENTS(checks); i++) {
		g_autoptr(GError) error = NULL;
		bool fits;

		module_image_write(path, checks[i].modinfo, checks[i].length);
		fits = module_check_for(&host.tool, path, PROBE_KMALLOC, KERNEL, VERSION, &error);
		cr_expect_eq(fits, checks[i].said == NULL, "case %u", i);
		if (!checks[i].said)
			continue;
		cr_assert_not_null(error, "case %u", i);
		cr_expect(strstr(error->message, checks[i].said), "%s", error->message);
		cr_expect(strstr(error->message, checks[i].also), "%s", error->message);
	}
	host_clear(&host);
}

Test(stap_build, a_file_that_is_no_module_is_reported)
{
	Host host = host_new();
	g_autofree char *path = g_build_filename(host.top, "probes.ko", NULL);
	g_autoptr(GError) error = NULL;

	fake_host_write(host.top, "probes.ko", "\177ELF but not really");
	cr_expect_not(module_check_for(&host.tool, path, PROBE_KMALLOC, KERNEL, VERSION, &error));
	cr_expect(strstr(error->message, "not a kernel module"), "%s", error->message);
	host_clear(&host);
}
