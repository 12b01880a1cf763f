/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/format.h"
#include "collect/stap/stap_run.h"

#include "base/clock.h"
#include "import/input.h"
#include "collect/slabs/cache_layout.h"
#include "collect/stap/stap_child.h"
#include "collect/stap/stap_start.h"
#include "process/watchdog.h"
#include "event_batch.h"
#include "fake_host.h"
#include "leaks.h"
#include "process.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A script stands in for staprun: this host need not load modules. It writes what a test prepared,
   in the time that the test's script takes for it. */
TEST_SUITE_WITHOUT_LEAKS(stap_run);

enum { CPUS = 2, MEMORY_BYTES = 64 << 20, LONG_AGO_NS = 1000 };

typedef struct {
	FakeHost *folder;
	char *sys;
	StapTool tool;
	BufferPlan buffers;
	char *module;
	HostSnapshot *host;
	CollectRequest request;
	CollectOutcome outcome;
	Session *session;
} Stage;

/* Heartbeats of all CPUs, and an event of each CPU at the given time unless that is 0. */
static void write_beats(const char *folder, const char *name, uint32_t number, uint64_t until_ns,
			uint64_t event_ns)
{
	static const uint32_t frames[] = { 0x81000010, 0x81000020 };
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		EventBatch batch = event_batch_begin(bytes, cpu, number, event_ns);

		event_batch_task(&batch, 7, "worker");
		if (event_ns)
			event_batch_event(&batch, KMT_RECORD_ALLOC,
					  event_batch_origin(&batch, frames, 2, 100, 128), 0,
					  KMT_CONTEXT_TASK, 0x1000);
		event_batch_heartbeat(&batch, until_ns, 0, 0);
		event_batch_end(&batch, event_ns ? 1 : 0);
	}
	fake_host_write_bytes(folder, name, bytes->data, bytes->len);
}

/* script runs with the stage's folder as $here; there are the files "early" (heartbeats, and
   events of long ago) and "late" (heartbeats that say that everything was sent). What is
   to appear in /sys when the module is loaded is in the folder "file". */
static Stage stage_new(const char *script)
{
	Stage stage = { .folder = fake_host_new() };
	g_autofree char *text = g_strdup_printf(
		"#!/bin/sh\nhere=%s\n"
		"[ \"$1\" = -d ] && { echo $2 >>$here/removed; rm -r $here/sys/module/$2; exit; }\n"
		"echo \"$0 $*\" >$here/args\n"
		"[ -d $here/file ] && mv $here/file $here/sys/module/kmt_test_module\n%s",
		stage.folder, script);

	stage.sys = g_build_filename(stage.folder, "sys", NULL);
	fake_host_write(stage.folder, "proc/kallsyms", "ffffffff81000000 T _stext\n");
	fake_host_load_module(stage.folder, "other", "0\n", false);
	write_beats(stage.folder, "early", 0, LONG_AGO_NS, LONG_AGO_NS);
	write_beats(stage.folder, "late", 1, UINT64_MAX, 0);
	stage.tool.staprun = fake_host_add_program(stage.folder, "staprun", text);
	stage.tool.major = 5;
	stage.tool.minor = 6;
	stage.buffers = (BufferPlan){ .megabytes_per_buffer = 3, .buffers = CPUS };
	stage.module = g_build_filename(stage.folder, "kmt_test_module.ko", NULL);
	stage.host = host_snapshot_new(stage.folder);
	stage.request.what.events = PROBE_KMALLOC;
	stage.request.what.stack_depth = 64;
	stage.request.labels.command_line = "kmalloc-top";
	stage.session = session_new(MEMORY_BYTES);
	return stage;
}

static void stage_clear(Stage *stage)
{
	session_free(stage->session);
	host_snapshot_free(stage->host);
	fake_host_free(stage->folder);
	g_free(stage->sys);
	g_free(stage->module);
	g_free(stage->tool.staprun);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Stage, stage_clear)

static bool run(Stage *stage, Recorder *recorder, GError **error)
{
	const StapRunPlan plan = {
		.tool = &stage->tool,
		.buffers = &stage->buffers,
		.module_path = stage->module,
		.sys_folder = stage->sys,
		.proc_root = stage->folder,
	};

	const CollectRun parts = {
		.request = &stage->request,
		.session = stage->session,
		.outcome = &stage->outcome,
		.host = stage->host,
		.recorder = recorder,
	};

	return stap_run(&plan, &parts, error);
}

static char *read_file(const Stage *stage, const char *name)
{
	return fake_host_read(stage->folder, name);
}

static uint64_t number_of(const Stage *stage, enum KmtFieldId id)
{
	return run_info_number(stage->session->info, id, 0);
}

/* What an orderly staprun does: it is live at once, and when asked to end it sends its last
 * batches. */
#define GOES_LIVE "trap 'cat $here/late $here/late; exit 0' INT\ncat $here/early\n"
#define BEATS "for i in $(seq 600); do cat $here/late; sleep 0.1; done\n"
#define ORDERLY GOES_LIVE BEATS

Test(stap_run, a_command_is_run_and_its_window_reported, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	char *command[] = { "sh", "-c", "exit 3", NULL };
	uint64_t before_ns = clock_monotonic_ns();

	stage.request.command.words = command;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(stage.outcome.command_ended);
	cr_expect(eq(int, WEXITSTATUS(stage.outcome.command_status), 3));
	cr_expect(not(stage.outcome.command_running));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_COMMAND_STATUS), 3 << 8));
	cr_expect(lt(u64, before_ns, number_of(&stage, KMT_FIELD_RUN_START_NS)));
	cr_expect(ge(u64, number_of(&stage, KMT_FIELD_WINDOW_START_NS),
		     number_of(&stage, KMT_FIELD_RUN_START_NS)));
	cr_expect(lt(u64, number_of(&stage, KMT_FIELD_WINDOW_START_NS),
		     number_of(&stage, KMT_FIELD_WINDOW_END_NS)));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_COMPLETE), 1));
	cr_expect(eq(str, (char *)run_info_text(stage.session->info, KMT_FIELD_SCOPE), "window"));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_BUFFER_BYTES), (3 * CPUS) << 20));
}

Test(stap_run, what_happened_before_the_probes_were_live_does_not_count, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);

	stage.request.bounds.duration_seconds = 0.2;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(eq(u64, profile_totals(stage.session->profile).events, 0));
	cr_expect(eq(u64, profile_totals(stage.session->profile).outside_window, CPUS));
	cr_expect(eq(u64, loss_ledger_totals(stage.session->loss).transport.high, 0));
}

/* What the slab caches had in use at both ends is in the stream, and so in a recording. */
Test(stap_run, the_slab_caches_are_read_at_both_ends, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	char *command[] = { "sh", "-c", "echo 'dentry 2' >$0", NULL, NULL };
	g_autofree char *slabinfo = g_build_filename(stage.folder, "proc/slabinfo", NULL);
	const RunText *text = stage.session->text;

	fake_host_write(stage.folder, "proc/slabinfo", "dentry 1\n");
	fake_host_write(stage.folder, "sys/kernel/slab/dentry/align", "8\n");
	command[3] = slabinfo;
	stage.request.command.words = command;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect_str_eq(run_text_of(text, KMT_BATCH_CACHE_NAMES, 0)->str, "dentry\n");
	cr_expect_str_eq(run_text_of(text, KMT_BATCH_SLABINFO, KMT_READING_START)->str,
			 "dentry 1\n");
	cr_expect_str_eq(run_text_of(text, KMT_BATCH_SLABINFO, KMT_READING_END)->str, "dentry 2\n");
	cr_expect(le(u64, run_text_time_ns(text, KMT_BATCH_SLABINFO, KMT_READING_START),
		     number_of(&stage, KMT_FIELD_WINDOW_START_NS)));
	cr_expect(ge(u64, run_text_time_ns(text, KMT_BATCH_SLABINFO, KMT_READING_END),
		     number_of(&stage, KMT_FIELD_WINDOW_END_NS)));
}

Test(stap_run, the_state_of_memory_is_read_at_both_ends, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	char *command[] = { "sh", "-c", "echo 'MemFree: 2 kB' >$0", NULL, NULL };
	g_autofree char *meminfo = g_build_filename(stage.folder, "proc/meminfo", NULL);
	const RunText *text = stage.session->text;

	fake_host_write(stage.folder, "proc/meminfo", "MemFree: 1 kB\n");
	command[3] = meminfo;
	stage.request.command.words = command;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect_str_eq(run_text_of(text, KMT_BATCH_MEMORY, KMT_READING_START)->str,
			 "free_bytes 1024\n");
	cr_expect_str_eq(run_text_of(text, KMT_BATCH_MEMORY, KMT_READING_END)->str,
			 "free_bytes 2048\n");
}

Test(stap_run, a_duration_counts_from_when_the_probes_are_live, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("trap 'exit 0' INT\nsleep 0.5\n" ORDERLY);

	stage.request.bounds.duration_seconds = 0.3;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(ge(u64, number_of(&stage, KMT_FIELD_RUN_END_NS),
		     number_of(&stage, KMT_FIELD_RUN_START_NS) + NS_PER_SECOND * 3ULL / 10));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_WINDOW_START_NS),
		     number_of(&stage, KMT_FIELD_RUN_START_NS)));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_WINDOW_END_NS),
		     number_of(&stage, KMT_FIELD_RUN_END_NS)));
}

/* Long enough that a tick sees what was there before, and short enough that a slow machine gets
   here before the run ends. */
#define CPUS_CHANGE(list) "sleep 0.7; echo " list " >$here/sys/devices/system/cpu/online\n"

/* The CPUs 0 and 2 are online when the module is loaded. */
static void run_with_cpus(Stage *stage)
{
	fake_host_set_cpus_online(stage->folder, "0,2\n");
	stage->request.bounds.duration_seconds = 4;
	cr_assert(run(stage, NULL, NULL));
}

Test(stap_run, a_cpu_that_comes_online_is_reported_as_not_traced, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(GOES_LIVE CPUS_CHANGE("0-3") BEATS);
	uint64_t run_ns;

	run_with_cpus(&stage);
	run_ns =
		number_of(&stage, KMT_FIELD_RUN_END_NS) - number_of(&stage, KMT_FIELD_RUN_START_NS);
	cr_expect(lt(u64, 0, number_of(&stage, KMT_FIELD_UNTRACED_NS)));
	cr_expect(le(u64, number_of(&stage, KMT_FIELD_UNTRACED_NS), 2 * run_ns));
	cr_expect(eq(str, (char *)run_info_text(stage.session->info, KMT_FIELD_UNTRACED_CPUS),
		     "1,3"));
}

Test(stap_run, a_cpu_that_goes_and_comes_back_is_traced, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(GOES_LIVE CPUS_CHANGE("0") CPUS_CHANGE("0,2") BEATS);

	run_with_cpus(&stage);
	cr_expect(not(stage.session->info->known[KMT_FIELD_UNTRACED_NS]));
}

Test(stap_run, staprun_gets_one_interrupt_and_is_read_to_its_end, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("n=0\n"
					"trap 'n=$((n + 1)); echo $n >$here/interrupts' INT\n"
					"cat $here/early; sleep 0.3; cat $here/late\n"
					"cat $here/late; cat $here/late\n"
					"while [ $n = 0 ]; do sleep 0.1; done\n"
					"sleep 0.5; cat $here/late; printf x >$here/done\n");
	g_autofree char *interrupts = NULL;
	g_autofree char *done = NULL;

	stage.request.bounds.duration_seconds = 0.1;
	cr_assert(run(&stage, NULL, NULL));
	interrupts = read_file(&stage, "interrupts");
	done = read_file(&stage, "done");
	cr_expect(eq(str, interrupts, (char *)"1\n"));
	cr_expect(eq(str, done, (char *)"x"));
	cr_expect(eq(u64, loss_ledger_heartbeats(stage.session->loss, NULL), 5));
}

Test(stap_run, the_command_runs_only_after_the_first_heartbeat, .timeout = 60)
{
	g_auto(Stage) stage =
		stage_new("sleep 0.5\n"
			  "[ -e $here/ran ] && echo too early >$here/early\n" ORDERLY);
	g_autofree char *ran = g_build_filename(stage.folder, "ran", NULL);
	char *command[] = { "touch", ran, NULL };

	stage.request.command.words = command;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(g_file_test(ran, G_FILE_TEST_EXISTS));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_DAMAGED_BYTES), 0));
}

Test(stap_run, a_staprun_that_fails_is_an_error_and_the_command_never_runs, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("echo \"ERROR: Couldn't insert module 'x.ko': "
					"Operation not permitted\" >&2; exit 1\n");
	g_autofree char *ran = g_build_filename(stage.folder, "ran", NULL);
	char *command[] = { "touch", ran, NULL };
	g_autoptr(GError) error = NULL;

	stage.request.command.words = command;
	cr_assert(not(run(&stage, NULL, &error)));
	/* Its own words, with a remedy; not ours. */
	cr_expect(ne(ptr, strstr(error->message, "load"), NULL), "%s", error->message);
	cr_expect(eq(ptr, strstr(error->message, "status"), NULL), "%s", error->message);
	cr_expect(not(g_file_test(ran, G_FILE_TEST_EXISTS)));
	cr_expect(not(stage.outcome.command_running));
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
}

Test(stap_run, a_staprun_that_says_nothing_is_an_error_with_its_status, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("exit 5\n");
	g_autoptr(GError) error = NULL;

	cr_assert(not(run(&stage, NULL, &error)));
	cr_expect(ne(ptr, strstr(error->message, "status 5"), NULL), "%s", error->message);
}

Test(stap_run, a_staprun_that_cannot_be_executed_is_an_error, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("");
	g_autoptr(GError) error = NULL;

	unlink(stage.tool.staprun);
	cr_assert(not(run(&stage, NULL, &error)));
}

Test(stap_run, a_program_that_cannot_be_executed_ends_the_run, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	g_autofree char *program =
		fake_host_add_program(stage.folder, "program", "#!/no/such/interpreter\n");
	char *command[] = { program, NULL };
	g_autoptr(GError) error = NULL;

	stage.request.command.words = command;
	cr_assert(not(run(&stage, NULL, &error)));
	cr_expect(ne(ptr, strstr(error->message, "cannot be run"), NULL), "%s", error->message);
}

Test(stap_run, a_staprun_that_dies_in_mid_run_ends_it_early, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("cat $here/early; sleep 0.3; kill -9 $$\n");

	cr_assert(run(&stage, NULL, NULL));
	cr_assert(ne(ptr, (void *)run_info_text(stage.session->info, KMT_FIELD_BOUND), NULL));
	cr_expect(ne(u64, number_of(&stage, KMT_FIELD_WINDOW_END_NS), 0));
}

/* The counters that the probe module of the stage has; the text begins with 0, which is also what a
   reader writes to it to ask for the first CPU. */
static void write_counters(const Stage *stage, const char *text)
{
	fake_host_write(stage->folder, "file/parameters/kmt_counters", text);
}

Test(stap_run, what_a_killed_staprun_has_not_read_is_reported_exactly, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("cat $here/early; sleep 0.3; kill -9 $$\n");
	LossTotals totals;

	write_counters(&stage, "0 101 0 7 0\n1 21 2 0 5\n3 1000 0 0 0\nend\n");
	cr_assert(run(&stage, NULL, NULL));
	totals = loss_ledger_totals(stage.session->loss);
	/* One event of each of the two CPUs was read. */
	cr_expect(eq(u64, totals.unread.high, 100 + 20 + 1000));
	cr_expect(eq(u64, totals.transport.high, 100 + 20 + 1000));
	cr_expect(eq(u64, totals.reentrant.high, 2));
	cr_expect(eq(u64, totals.left_out_self, 7));
	cr_expect(eq(u64, totals.left_out_interrupt, 5));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_COUNTED_TO_END), 1));
}

Test(stap_run, counters_of_drained_cpus_are_not_read, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);

	/* As of a reading that came late: there was more after the end. */
	write_counters(&stage, "0 500 0 0 0\n1 500 0 0 0\nend\n");
	stage.request.bounds.duration_seconds = 0.2;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(zero(u64, loss_ledger_totals(stage.session->loss).transport.high));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_COUNTED_TO_END), 1));
}

Test(stap_run, a_difference_of_walks_that_no_batch_reported_is_in_the_counters, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);

	write_counters(&stage, "0 101 0 0 0\nwalks 5000000000 1\nend\n");
	stage.request.bounds.duration_seconds = 0.2;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_WALKS_COMPARED), 5000000000));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_WALKS_DIFFERENT), 1));
}

Test(stap_run, counters_that_are_older_than_the_last_batch_change_nothing, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);

	run_info_set_number(stage.session->info, KMT_FIELD_WALKS_COMPARED, 900);
	write_counters(&stage, "0 101 0 0 0\nwalks 800 0\nend\n");
	stage.request.bounds.duration_seconds = 0.2;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_WALKS_COMPARED), 900));
	cr_expect_not(stage.session->info->known[KMT_FIELD_WALKS_DIFFERENT]);
}

Test(stap_run, counters_of_a_module_that_walks_no_stacks_are_read)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *sys = g_build_filename(root, "sys", NULL);
	g_autoptr(StapCounters) counters = NULL;

	fake_host_write(root, "sys/module/m/parameters/kmt_counters", "0 1 0 0 0\nend\n");
	counters = stap_counters_read(sys, "m");
	cr_assert(ne(ptr, counters, NULL));
	cr_expect(eq(u32, counters->cpus->len, 1));
	cr_expect(zero(u64, counters->walks_compared));
	cr_expect(zero(u64, counters->walks_different));
}

Test(stap_run, damaged_counters_are_none, .timeout = 60)
{
	static const char *const damaged[] = {
		"0 1 0 0 0\n",                         /* cut */
		"0 1 0 0\nend\n",                      /* a number is missing */
		"0 1 0 0 0 0\nend\n",                  /* one too many */
		"0 -1 0 0 0\nend\n",                   /* none */
		"0 1 0 0 0\n0 1 0 0 0\nend\n",         /* a CPU twice */
		"0 1 0 0 0\n65536 1 0 0 0\nend\n",     /* no CPU */
		"0 18446744073709551616 0 0 0\nend\n", /* too large */
		"0 1 0 0 0\nmore\n",                   /* for ever the same page */
		"0 1 0 0 0\nend\nmore\n",
		"0 1 0 0 0\nwalks 7\nend\n", /* a number is missing */
		"0 1 0 0 0\nwalks 7 -1\nend\n",
		"0 1 0 0 0\nwalks 7 1\n",
		"0 1 0 0 0\nwalks 7 1\nwalks 7 1\nend\n",
		"walks 7 1\n0 1 0 0 0\nend\n",
	};
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *sys = g_build_filename(root, "sys", NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(damaged); i++) {
		fake_host_write(root, "sys/module/m/parameters/kmt_counters", damaged[i]);
		cr_expect(eq(ptr, stap_counters_read(sys, "m"), NULL), "%s", damaged[i]);
	}
	cr_expect(eq(ptr, stap_counters_read(sys, "no_such_module"), NULL));
}

/* Sends this process a signal once a file of the stage is there. */
static pid_t signal_after(const Stage *stage, const char *name, int number, gulong later_us)
{
	g_autofree char *path = g_build_filename(stage->folder, name, NULL);
	pid_t target = getpid();
	pid_t sender = fork();

	if (sender)
		return sender;
	while (access(path, F_OK))
		g_usleep(10000);
	g_usleep(later_us);
	_exit(kill(target, number));
}

/* A command that says that it runs, in the file "started", and goes on. */
static char *endless_command(const Stage *stage)
{
	return g_strdup_printf("echo $$ >%s/pid; mv %s/pid %s/started; exec sleep 300",
			       stage->folder, stage->folder, stage->folder);
}

static void expect_alive_and_kill(const Stage *stage)
{
	g_autofree char *text = read_file(stage, "started");
	pid_t pid = (pid_t)g_ascii_strtoll(text, NULL, 10);

	cr_expect(zero(int, waitpid(pid, NULL, WNOHANG)), "the command does not run any more");
	kill(pid, SIGKILL);
	cr_expect(eq(int, waitpid(pid, NULL, 0), pid));
}

Test(stap_run, the_first_signal_ends_the_run_and_leaves_the_command_alone, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	g_autofree char *script = endless_command(&stage);
	char *command[] = { "sh", "-c", script, NULL };
	pid_t sender = signal_after(&stage, "started", SIGINT, 0);

	stage.request.command.words = command;
	cr_assert(run(&stage, NULL, NULL));
	waitpid(sender, NULL, 0);
	cr_expect(stage.outcome.command_running);
	cr_expect(not(stage.outcome.command_ended));
	cr_expect(not(stage.session->info->known[KMT_FIELD_COMMAND_STATUS]));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_COMPLETE), 1));
	expect_alive_and_kill(&stage);
}

Test(stap_run, a_second_signal_does_not_wait, .timeout = 60)
{
	/* Neither heartbeats nor the interrupt come through. */
	g_auto(Stage) stage = stage_new("trap '' INT\ncat $here/early\nexec sleep 300\n");
	g_autofree char *script = endless_command(&stage);
	char *command[] = { "sh", "-c", script, NULL };
	pid_t first = signal_after(&stage, "started", SIGTERM, 0);
	pid_t second = signal_after(&stage, "started", SIGTERM, G_USEC_PER_SEC);

	stage.request.command.words = command;
	cr_assert(run(&stage, NULL, NULL));
	waitpid(first, NULL, 0);
	waitpid(second, NULL, 0);
	cr_expect(ne(ptr, (void *)run_info_text(stage.session->info, KMT_FIELD_BOUND), NULL));
	/* There are no counters either that would show what was lost. */
	cr_expect(stage.session->info->known[KMT_FIELD_COUNTED_TO_END]);
	cr_expect(zero(u64, number_of(&stage, KMT_FIELD_COUNTED_TO_END)));
	expect_alive_and_kill(&stage);
}

Test(stap_run, a_signal_before_the_probes_are_live_is_an_error, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("exec sleep 300\n");
	pid_t sender = signal_after(&stage, "args", SIGINT, 0);
	g_autoptr(GError) error = NULL;

	cr_assert(not(run(&stage, NULL, &error)));
	waitpid(sender, NULL, 0);
	cr_expect(ne(ptr, strstr(error->message, "before the probes"), NULL), "%s", error->message);
}

/* The first report has the second signal sent, the second one ends the command. */
static bool note_report(Session *session, void *user_data)
{
	const Stage *stage = user_data;
	g_autofree char *first = g_build_filename(stage->folder, "first", NULL);

	(void)session;
	fake_host_write(stage->folder, access(first, F_OK) ? "first" : "second", "");
	return true;
}

Test(stap_run, a_user_signal_reports_and_goes_on, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	g_autofree char *script = g_strdup_printf("touch %s/started; "
						  "until [ -e %s/second ]; do sleep 0.05; done",
						  stage.folder, stage.folder);
	char *command[] = { "sh", "-c", script, NULL };
	pid_t once = signal_after(&stage, "started", SIGUSR1, 0);
	pid_t twice = signal_after(&stage, "first", SIGUSR1, 0);

	stage.request.command.words = command;
	stage.request.reports.now = note_report;
	stage.request.reports.data = &stage;
	cr_assert(run(&stage, NULL, NULL));
	waitpid(once, NULL, 0);
	waitpid(twice, NULL, 0);
	cr_expect(stage.outcome.command_ended);
}

/* There is no watchdog here: the kernel sends staprun its signal. */
Test(stap_run, staprun_ends_when_this_program_is_killed, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("trap 'touch $here/ended; exit 0' TERM\n"
					"echo $$ >$here/pid; mv $here/pid $here/ready\n"
					"while :; do sleep 0.1; done\n");
	g_autofree char *ended = g_build_filename(stage.folder, "ended", NULL);
	pid_t program = fork();
	int status;

	if (!program)
		_exit(run(&stage, NULL, NULL));
	cr_assert(process_wait_for_file(stage.folder, "ready"));
	cr_expect(not(g_file_test(ended, G_FILE_TEST_EXISTS)));
	kill(program, SIGKILL);
	cr_assert(eq(int, waitpid(program, &status, 0), program));
	cr_expect(eq(int, WTERMSIG(status), SIGKILL));
	cr_expect(process_wait_for_file(stage.folder, "ended"));
	cr_expect(process_wait_until_gone(process_read_pid(stage.folder, "ready")));
}

/* A staprun with its module that does not listen, and a process of its group that neither does, and
   has its pipes. */
#define STUBBORN                                                                                   \
	"mkdir -p $here/sys/module/kmt_test_module; trap '' TERM INT\n"                            \
	"sleep 300 & echo $! >$here/pid; mv $here/pid $here/stapio\n"

/* The program as it runs, in a fork. */
static pid_t run_watched(Stage *stage)
{
	pid_t program = fork();

	if (program)
		return program;
	if (!watchdog_start(NULL, NULL))
		_exit(1);
	_exit(run(stage, NULL, NULL));
}

Test(stap_run, nothing_is_left_of_a_killed_program, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(STUBBORN "cat $here/early; touch $here/ready\n"
						 "while :; do sleep 0.1; done\n");
	pid_t program = run_watched(&stage);
	g_autofree char *removed = NULL;

	cr_assert(process_wait_for_file(stage.folder, "ready"));
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	cr_expect(process_wait_until_gone(process_read_pid(stage.folder, "stapio")));
	cr_expect(process_wait_until_no_file(stage.folder, "sys/module/kmt_test_module"));
	removed = read_file(&stage, "removed");
	cr_expect(eq(str, removed, (char *)"kmt_test_module\n"));
}

Test(stap_run, what_a_killed_staprun_started_goes_with_it, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(STUBBORN "cat $here/early; sleep 0.3; kill -9 $$\n");

	cr_assert(run(&stage, NULL, NULL));
	cr_expect(process_wait_until_gone(process_read_pid(stage.folder, "stapio")));
	cr_expect(process_wait_until_no_file(stage.folder, "sys/module/kmt_test_module"));
	cr_assert(ne(ptr, (void *)run_info_text(stage.session->info, KMT_FIELD_BOUND), NULL));
}

/* The first try alone takes longer than the program waits otherwise, as on a slow host. */
Test(stap_run, a_module_that_is_in_use_for_a_moment_is_removed, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(STUBBORN "cat $here/early; sleep 0.3; kill -9 $$\n");
	g_autofree char *busy =
		g_strdup_printf("#!/bin/sh\n[ \"$1\" = -d ] && [ ! -e %s/tried ] && "
				"{ touch %s/tried; sleep 2; exit 1; }\n",
				stage.folder, stage.folder);
	g_autofree char *script = read_file(&stage, "staprun");
	g_autofree char *both = g_strconcat(busy, script, NULL);

	g_free(fake_host_add_program(stage.folder, "staprun", both));
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(process_wait_until_no_file(stage.folder, "sys/module/kmt_test_module"));
}

Test(stap_run, a_leftover_is_removed_before_the_module_is_loaded, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("[ -e $here/sys/module/kmt_old_* ] && exit 7\n" ORDERLY);
	/* Its own: the same test may run beside this one, and "staprun -d" names the module. */
	g_autofree char *old = g_strdup_printf("kmt_old_%d", (int)getpid());
	g_autofree char *args = NULL;

	fake_host_load_module(stage.folder, old, "0\n", true);
	fake_host_load_module(stage.folder, "kmt_test_module", "1\n", false);
	stage.request.bounds.duration_seconds = 0.1;
	cr_assert(run(&stage, NULL, NULL));
	/* The other one is somebody's. */
	args = read_file(&stage, "args");
	cr_expect(ne(ptr, strstr(args, " -R "), NULL), "%s", args);
	cr_expect(process_wait_for_file(stage.folder, "sys/module/kmt_test_module"));
}

Test(stap_run, losses_reported_on_stderr_are_facts_of_the_stream, .timeout = 60)
{
	g_auto(Stage) stage =
		stage_new("trap 'echo \"WARNING: Number of errors: 0, skipped probes: 12\" >&2\n"
			  "echo \"WARNING: There were 3 transport failures.\" >&2; exit 0' INT\n"
			  "cat $here/early; while :; do cat $here/late; sleep 0.1; done\n");

	stage.request.bounds.duration_seconds = 0.1;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_SKIPPED), 12));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_TRANSPORT_LOST), 3));
}

Test(stap_run, batches_of_the_program_never_cut_those_of_the_kernel, .timeout = 60)
{
	/* Written in pieces: the facts of a live run fall into the middle of a batch. */
	g_auto(Stage) stage = stage_new(
		"trap 'exit 0' INT\n"
		"cat $here/early\n"
		"while :; do head -c 100 $here/late; sleep 0.2; tail -c +101 $here/late; done\n");

	stage.request.bounds.duration_seconds = 0.1;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(eq(u64, batch_reader_totals(stage.session->reader).damaged, 0));
	cr_expect(ge(u64, loss_ledger_heartbeats(stage.session->loss, NULL), 3));
}

Test(stap_run, garbage_in_the_stream_is_counted, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("printf 0123456789abcdefghijklmn\n" ORDERLY);

	stage.request.bounds.duration_seconds = 0.1;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_DAMAGED_BYTES), 24));
}

/* While the command runs, lets staprun send an event of each CPU of just then. */
static pid_t send_events_meanwhile(const Stage *stage)
{
	g_autofree char *started = g_build_filename(stage->folder, "started", NULL);
	g_autofree char *written = g_build_filename(stage->folder, "written", NULL);
	g_autofree char *now = g_build_filename(stage->folder, "now", NULL);
	pid_t sender = fork();

	if (sender)
		return sender;
	while (access(started, F_OK))
		g_usleep(10000);
	write_beats(stage->folder, "written", 1, LONG_AGO_NS, clock_monotonic_ns());
	_exit(rename(written, now));
}

Test(stap_run, what_happens_while_the_command_runs_counts_and_is_recorded, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("trap 'cat $here/late $here/late; exit 0' INT\n"
					"cat $here/early\n"
					"until [ -e $here/now ]; do sleep 0.05; done\n"
					"cat $here/now; touch $here/sent\n"
					"while :; do sleep 0.1; done\n");
	g_autofree char *script = g_strdup_printf("touch %s/started; "
						  "until [ -e %s/sent ]; do sleep 0.05; done",
						  stage.folder, stage.folder);
	char *command[] = { "sh", "-c", script, NULL };
	g_autofree char *path = g_build_filename(stage.folder, "r.kmr", NULL);
	const RecorderPlan plan = { .path = path, .bytes_max = UINT64_MAX };
	g_autoptr(Recorder) recorder = recorder_new(&plan, stage.session, NULL);
	g_autoptr(Session) again = session_new(MEMORY_BYTES);
	pid_t sender = send_events_meanwhile(&stage);

	stage.request.command.words = command;
	cr_assert(run(&stage, recorder, NULL));
	waitpid(sender, NULL, 0);
	cr_expect(eq(u64, profile_totals(stage.session->profile).events, CPUS));
	cr_expect(eq(u64, profile_totals(stage.session->profile).outside_window, CPUS));
	cr_assert(recorder_close(recorder, NULL));
	cr_assert(input_read(path, again, NULL));
	cr_expect(not(again->cut_short));
	cr_expect(eq(u64, profile_totals(again->profile).events, CPUS));
	cr_expect(eq(u64, profile_totals(again->profile).outside_window, CPUS));
	cr_expect(symbol_store_has_symbols(again->symbols));
	cr_expect(eq(u64, run_info_number(again->info, KMT_FIELD_COMMAND_STATUS, 9), 0));
}

Test(stap_run, a_recordings_bound_ends_the_run, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	g_autofree char *path = g_build_filename(stage.folder, "r.kmr", NULL);
	const RecorderPlan plan = { .path = path, .bytes_max = 1 };
	g_autoptr(Recorder) recorder = recorder_new(&plan, stage.session, NULL);

	cr_assert(run(&stage, recorder, NULL));
	cr_assert(ne(ptr, (void *)run_info_text(stage.session->info, KMT_FIELD_BOUND), NULL));
	cr_expect(recorder_close(recorder, NULL));
}

Test(stap_run, a_flight_recorder_does_not_end_the_run, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);
	g_autofree char *path = g_build_filename(stage.folder, "r.kmr", NULL);
	const RecorderPlan plan = { .path = path, .bytes_max = 1, .pieces = 2 };
	g_autoptr(Recorder) recorder = recorder_new(&plan, stage.session, NULL);

	stage.request.bounds.duration_seconds = 1.5;
	cr_assert(run(&stage, recorder, NULL));
	cr_expect(eq(ptr, (void *)run_info_text(stage.session->info, KMT_FIELD_BOUND), NULL));
	cr_expect(recorder_close(recorder, NULL));
}

/* Says that the staprun of the stage holds a gigabyte. */
#define LARGE_STAPIO                                                                               \
	"mkdir -p $here/proc/$$\n"                                                                 \
	"printf 'VmRSS:\\t1048576 kB\\n' >$here/proc/$$/status\n"

Test(stap_run, a_stapio_that_grows_ends_the_run_and_what_it_queued_is_read, .timeout = 60)
{
	/* It has a tick, half a second, to be drained: on a busy host, too. */
	g_auto(Stage) stage =
		stage_new(LARGE_STAPIO GOES_LIVE
			  "for i in $(seq 3000); do cat $here/late; sleep 0.02; done\n");
	const char *bound;

	stage.request.bounds.memory_bytes_max = 512 << 20;
	cr_assert(run(&stage, NULL, NULL));
	bound = run_info_text(stage.session->info, KMT_FIELD_BOUND);
	cr_assert(ne(ptr, (void *)bound, NULL));
	cr_expect(ne(ptr, strstr(bound, "--max-memory"), NULL), "%s", bound);
	cr_expect(not(stage.session->info->known[KMT_FIELD_COUNTED_TO_END]), "it was not drained");
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_COMPLETE), 1));
}

Test(stap_run, a_stapio_that_grows_is_not_waited_for_and_what_it_holds_is_reported, .timeout = 60)
{
	/* Its end would still have come in time. */
	g_auto(Stage) stage = stage_new(LARGE_STAPIO "trap 'exit 0' INT\ncat $here/early\n"
						     "sleep 2 & wait\ncat $here/late $here/late\n"
						     "sleep 300 & wait\n");
	LossTotals totals;

	write_counters(&stage, "0 101 0 0 0\n1 21 0 0 0\nend\n");
	stage.request.bounds.memory_bytes_max = 512 << 20;
	cr_assert(run(&stage, NULL, NULL));
	totals = loss_ledger_totals(stage.session->loss);
	cr_expect(eq(u64, totals.unread.high, 100 + 20));
	cr_expect(eq(u64, number_of(&stage, KMT_FIELD_COUNTED_TO_END), 1));
}

Test(stap_run, staprun_has_a_process_group_and_a_clean_environment, .timeout = 60)
{
	g_auto(Stage) stage = stage_new("env >$here/env; ps -o pgid= -p $$ >$here/group\n"
					"echo $$ >>$here/group\n" ORDERLY);
	g_autofree char *environment = NULL;
	g_autofree char *group = NULL;
	g_auto(GStrv) ids = NULL;

	g_setenv("SYSTEMTAP_STAPIO", "/tmp/evil", TRUE);
	stage.request.bounds.duration_seconds = 0.1;
	cr_assert(run(&stage, NULL, NULL));
	environment = read_file(&stage, "env");
	group = read_file(&stage, "group");
	cr_expect(eq(ptr, strstr(environment, "SYSTEMTAP"), NULL));
	cr_expect(ne(ptr, strstr(environment, "LC_ALL=C\n"), NULL));
	ids = g_strsplit(g_strstrip(group), "\n", -1);
	cr_expect(eq(str, g_strstrip(ids[0]), g_strstrip(ids[1])));
}

Test(stap_run, parameters_say_what_was_asked_for)
{
	const guint32 numbers[] = { 12, 34 };
	g_autoptr(GArray) pids = g_array_new(FALSE, FALSE, sizeof(guint32));
	const StapTool tool = { .staprun = (char *)"/usr/bin/staprun" };
	const BufferPlan buffers = { .megabytes_per_buffer = 16, .buffers = 4 };
	const StapArguments arguments = {
		.tool = &tool, .buffers = &buffers, .module_path = "/m/kmt.ko", .target = 99
	};
	CollectRequest request = { .what.events = PROBE_KMALLOC,
				   .what.stack_depth = 32,
				   .whose.scope = COLLECT_SCOPE_PIDS,
				   .whose.pids = pids,
				   .whose.with_interrupts = true,
				   .what.sampling_period = 5,
				   .bounds.overhead_percent_max = 20,
				   .what.repeat_ns = 1000 };
	g_auto(GStrv) argv = NULL;
	g_autofree char *joined = NULL;
	CacheLayout layout;
	g_autofree char *expected = NULL;

	cache_layout_find(&layout);
	expected = g_strdup_printf(
		"/usr/bin/staprun -b16 /m/kmt.ko kmt_depth=32 kmt_scope=2 kmt_target=99 "
		"kmt_pids=12,34 kmt_self=%d kmt_events=1 kmt_layout=%ld,%ld,%ld,%ld "
		"kmt_include_self=0 kmt_with_interrupts=1 kmt_sampling=5 kmt_overhead=20 "
		"kmt_held=0 kmt_repeat_ns=1000",
		getpid(), layout.slab_cache, layout.name, layout.object_size, layout.size);
	g_array_append_vals(pids, numbers, 2);
	argv = stap_arguments_new(&arguments, &request);
	joined = g_strjoinv(" ", argv);
	cr_expect(eq(str, joined, expected));
}

/* Returns the module's argument that begins with that; NULL: none. */
static char *argument_of(const CollectRequest *request, const InnerKmallocs *inner,
			 const char *begin)
{
	const StapTool tool = { .staprun = (char *)"/usr/bin/staprun" };
	const BufferPlan buffers = { .megabytes_per_buffer = 16 };
	const StapArguments arguments = {
		.tool = &tool, .buffers = &buffers, .module_path = "/m/kmt.ko", .inner = inner
	};
	g_auto(GStrv) argv = stap_arguments_new(&arguments, request);

	for (char **word = argv; *word; word++)
		if (g_str_has_prefix(*word, begin))
			return g_strdup(*word);
	return NULL;
}

Test(stap_run, the_module_walks_stacks_unless_the_kernel_is_to)
{
	static const struct {
		StackWalk walk;
		uint32_t depth;
		const char *parameter;
	} cases[] = {
		{ STACK_WALK_AUTO, 64, "kmt_stack_walk=1" },
		{ STACK_WALK_COMPARE, 64, "kmt_stack_walk=2" },
		{ STACK_WALK_KERNEL, 64, NULL },
		{ STACK_WALK_AUTO, 0, NULL }, /* no stacks */
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const CollectRequest request = { .what.events = PROBE_KMALLOC,
						 .what.stack_depth = cases[i].depth,
						 .stap.walk = cases[i].walk };
		g_autofree char *parameter = argument_of(&request, NULL, "kmt_stack_walk=");

		cr_expect(g_strcmp0(parameter, cases[i].parameter) == 0, "%zu: %s", i, parameter);
	}
}

Test(stap_run, that_the_kernel_was_to_walk_is_in_the_stream, .timeout = 60)
{
	g_auto(Stage) stage = stage_new(ORDERLY);

	stage.request.what.stack_depth = 64;
	stage.request.stap.walk = STACK_WALK_KERNEL;
	stage.request.bounds.duration_seconds = 0.2;
	cr_assert(run(&stage, NULL, NULL));
	cr_expect(eq(str, (char *)run_info_text(stage.session->info, KMT_FIELD_KERNEL_WALKS),
		     (char *)"--stack-walk=kernel"));
}

Test(stap_run, for_pairing_no_equal_allocations_are_merged)
{
	const StapTool tool = { .staprun = (char *)"/usr/bin/staprun" };
	const BufferPlan buffers = { .megabytes_per_buffer = 16 };
	const StapArguments arguments = { .tool = &tool,
					  .buffers = &buffers,
					  .module_path = "/m/kmt.ko" };
	const CollectRequest request = { .what.events = PROBE_CACHE,
					 .what.held = true,
					 .what.repeat_ns = 1000 };
	g_auto(GStrv) argv = stap_arguments_new(&arguments, &request);

	cr_expect(g_strv_contains((const char *const *)argv, "kmt_held=1"));
	cr_expect(g_strv_contains((const char *const *)argv, "kmt_functions=1"));
	cr_expect(g_strv_contains((const char *const *)argv, "kmt_repeat_ns=0"));
}

Test(stap_run, the_module_gets_the_wanted_caches)
{
	char *two[] = { (char *)"dentry", (char *)"two words", NULL };
	const CollectRequest wanted = { .what.events = PROBE_CACHE, .what.caches = two };
	const CollectRequest all = { .what.events = PROBE_CACHE };
	g_autofree char *argument = argument_of(&wanted, NULL, "kmt_caches=");

	cr_expect(eq(str, argument, (char *)"kmt_caches=\"dentry\ttwo words\""));
	cr_expect(eq(ptr, argument_of(&all, NULL, "kmt_caches="), NULL));
}

/* An argument vector can be read by everybody, the kernel's addresses cannot. */
Test(stap_run, the_module_gets_places_but_no_addresses)
{
	const InnerKmallocs inner = {
		.kfree = 0xffffffff81000200,
		.count = 2,
		.ranges = { { 0xffffffff81000100, 0xffffffff81000180 },
			    { 0xffffffff81000300, 0xffffffff81000400 } },
	};
	const InnerKmallocs none = { .kfree = 0xffffffff81000200 };
	const CollectRequest request = { .what.events = PROBE_KMALLOC };
	g_autofree char *argument = argument_of(&request, &inner, "kmt_inner=");

	cr_expect(eq(str, argument, (char *)"kmt_inner=-256,-128,256,512"));
	cr_expect(eq(ptr, argument_of(&request, &none, "kmt_inner="), NULL));
}

Test(stap_run, a_name_that_would_end_the_parameter_is_not_passed)
{
	char *hostile[] = { (char *)"dentry", (char *)"x\" kmt_depth=\"0", NULL };
	const CollectRequest request = { .what.events = PROBE_CACHE, .what.caches = hostile };

	cr_expect(eq(ptr, argument_of(&request, NULL, "kmt_caches="), NULL));
}

Test(stap_run, the_size_asked_for_means_the_same_for_every_release)
{
	StapTool tool = { .major = 4, .minor = 5 };
	StapBuffers asked = { .tool = &tool, .megabytes = 64, .cpus = 4 };
	BufferPlan plan;

	cr_assert(stap_arguments_plan_buffers(&plan, &asked, NULL));
	cr_expect(eq(u32, plan.megabytes_per_buffer, 16));
	cr_expect(eq(u64, buffer_plan_bytes(&plan), 64 << 20));
	/* Before, all CPUs share one. */
	tool.minor = 4;
	cr_assert(stap_arguments_plan_buffers(&plan, &asked, NULL));
	cr_expect(eq(u32, plan.megabytes_per_buffer, 64));
	cr_expect(eq(u64, buffer_plan_bytes(&plan), 64 << 20));
}

Test(stap_run, the_buffer_size_of_stap_options_is_that_of_each_buffer)
{
	g_autoptr(StapOptions) options = stap_options_parse("-s 8", NULL);
	const StapTool tool = { .major = 5, .minor = 6 };
	const StapBuffers asked = { .tool = &tool, .options = options, .megabytes = 64, .cpus = 4 };
	BufferPlan plan;

	cr_assert(stap_arguments_plan_buffers(&plan, &asked, NULL));
	cr_expect(eq(u64, buffer_plan_bytes(&plan), 32 << 20));
}

Test(stap_run, a_renamed_module_keeps_the_length_of_its_name)
{
	g_autofree char *name = stap_module_name("/var/cache/x/kmt_0123456789abcdef.ko");
	g_autofree char *renamed = stap_module_renamed(name, 4321);
	g_autofree char *too_short = stap_module_renamed("kmt", 4321);

	cr_expect(eq(str, name, (char *)"kmt_0123456789abcdef"));
	cr_expect(eq(str, renamed, (char *)"kmt_0123456789a_4321"));
	cr_expect(eq(str, too_short, (char *)"kmt"));
}
