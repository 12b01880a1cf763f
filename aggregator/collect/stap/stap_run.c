/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of SystemTap from start to end: staprun's pipes feed the session and stap_messages.c;
 * afterwards the module is unloaded and its counters are read. Owns the StapRun (stap_state.h);
 * stap_phases.c decides when it ends.
 */
#include "collect/stap/stap_run.h"

#include "record/format.h"
#include "base/clock.h"
#include "collect/run/cpu_watch.h"
#include "collect/run/progress.h"
#include "collect/stap/stap_child.h"
#include "collect/stap/stap_start.h"
#include "collect/stap/stap_state.h"
#include "process/watchdog.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	READ_BYTES = 1 << 20,
	LAST_ITERATIONS = 100, /* another process may still write to the pipes */
	READS_PER_WAKE = 8,    /* then signals and timers are handled */
};

/* A BatchVisitor. */
static void take_batch(const Batch *batch, void *user_data)
{
	StapRun *run = user_data;

	session_take_batch(run->live.parts.session, batch);
}

/* Reads once. Returns the length, 0 if no data is available now, -1 at the end. */
static ssize_t read_some(StapRun *run, int fd)
{
	ssize_t length = read(fd, run->buffer, READ_BYTES);

	if (length > 0)
		return length;
	return length < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static gboolean close_pipe(StapRun *run)
{
	run->open_pipes--;
	stap_phases_quit_when_done(run);
	return G_SOURCE_REMOVE;
}

static gboolean read_stream(int fd, GIOCondition condition, gpointer user_data)
{
	StapRun *run = user_data;
	ssize_t length = 0;

	(void)condition;
	for (int reads = 0; reads < READS_PER_WAKE; reads++) {
		length = read_some(run, fd);
		if (length <= 0)
			break;
		/* What was mapped before these hits. */
		if (run->maps)
			perf_maps_read(run->maps);
		batch_reader_feed(run->reader, run->buffer, (size_t)length);
		stap_phases_advance(run);
	}
	if (length >= 0)
		return G_SOURCE_CONTINUE;
	/* During the start, its messages will show why. */
	if (run->live.phase != PHASE_STARTING)
		stap_phases_end_early(run);
	return close_pipe(run);
}

static gboolean read_messages(int fd, GIOCondition condition, gpointer user_data)
{
	StapRun *run = user_data;
	ssize_t length = read_some(run, fd);

	(void)condition;
	if (length > 0)
		stap_messages_feed(run->messages, (const char *)run->buffer, (size_t)length);
	return length < 0 ? close_pipe(run) : G_SOURCE_CONTINUE;
}

static void pass_on(const char *line, void *user_data)
{
	const StapRun *run = user_data;

	progress_clear(&run->live.progress);
	g_printerr("%s: staprun: %s\n", g_get_prgname(), line);
}

static void child_ended(GPid pid, gint status, gpointer user_data)
{
	StapRun *run = user_data;

	(void)pid;
	run->child_ended = true;
	run->child_status = status;
	stap_phases_end_rest(run);
	stap_phases_end_early(run);
	stap_phases_quit_when_done(run);
}

/* GLib's callbacks of these sources have other arguments than a GSourceFunc. */
static void add_child(StapRun *run)
{
	const GIOCondition ready = G_IO_IN | G_IO_HUP | G_IO_ERR;
	const StapChild *child = &run->child;

	run->open_pipes = 2;
	live_run_add_source(&run->live, g_unix_fd_source_new(child->stdout_fd, ready),
			    (GSourceFunc)(void (*)(void))read_stream);
	live_run_add_source(&run->live, g_unix_fd_source_new(child->stderr_fd, ready),
			    (GSourceFunc)(void (*)(void))read_messages);
	live_run_add_source(&run->live, g_child_watch_source_new(child->pid),
			    (GSourceFunc)(void (*)(void))child_ended);
}

/* Leftovers were removed, so a module of that name belongs to another run, or will in a moment;
   then ours gets a new name. Not the default, because a signed module must not be renamed. */
static bool name_is_taken(const StapRun *run, const char *module_name)
{
	return !run->start.alone || stap_module_is_loaded(run->plan->sys_folder, module_name);
}

/* The module must be removed even if we are killed. The process has registered itself. */
static void register_module(StapRun *run)
{
	run->module_folder = stap_module_folder(run->plan->sys_folder, run->module_name);
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_MODULE,
				      .path = run->plan->tool->staprun,
				      .sys_folder = run->module_folder });
}

static bool start_child(StapRun *run, StapArguments *arguments, GError **error)
{
	const LiveRun *live = &run->live;
	g_autofree char *name = stap_module_name(arguments->module_path);
	g_auto(GStrv) argv = NULL;

	/* After the fork of the command, which must not hold the lock. */
	run->start = stap_start_begin(arguments->tool->staprun, run->plan->sys_folder,
				      run->plan->proc_root ? run->plan->proc_root : "");
	arguments->rename = name_is_taken(run, name);
	arguments->target = live->command ? command_pid(live->command) : 0;
	argv = stap_arguments_new(arguments, live->parts.request);
	if (live->parts.request->terminal.verbose) {
		g_autofree char *line = command_quote(argv);

		g_printerr("%s: running %s\n", g_get_prgname(), line);
	}
	/* SystemTap skips every probe on a CPU that first comes online after the module was loaded.
	   A CPU that was online at that time, goes offline and returns is traced. */
	cpu_watch_set_online_traced(live->cpus, clock_monotonic_ns());
	if (!stap_child_start(&run->child, argv, error))
		return false;
	run->module_name = arguments->rename ? stap_module_renamed(name, run->child.pid)
					     : g_steal_pointer(&name);
	register_module(run);
	host_snapshot_ignore_module(live->parts.host, run->module_name);
	return true;
}

/* Written by the program, because the module does not know who decided. */
static void write_walk(StapRun *run)
{
	const CollectRequest *request = run->live.parts.request;

	if (!request->what.stack_depth || request->stap.walk != STACK_WALK_KERNEL)
		return;
	run_facts_write_text(run->live.batches, KMT_FIELD_KERNEL_WALKS, "--stack-walk=kernel");
	live_run_feed(&run->live);
}

/* Writes the points, and what their hits are worth. */
static void write_points(StapRun *run)
{
	const StapPoints *points = run->plan->points;
	g_autoptr(GString) lines = g_string_new(NULL);

	if (!points)
		return;
	for (unsigned i = 0; i < points->points->len; i++) {
		const StapPoint *point = stap_points_at(points, i);

		point_list_append_line(lines, (uint16_t)i, point->role, point->pair, point->name);
	}
	run_facts_write_points(run->live.batches, lines, points->value_name, points->missing);
	live_run_feed(&run->live);
}

/* The kernel side sends addresses only. */
static bool follow_maps(StapRun *run, GError **error)
{
	const CollectRequest *request = run->live.parts.request;
	g_autoptr(GError) problem = NULL;

	if (!run->plan->points || !request->what.user_depth)
		return true;
	run->maps = perf_maps_new(&run->live, &problem);
	if (!run->maps)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "user stacks need perf events, to know what processes map (%s): use "
			    "-K for kernel stacks only",
			    problem->message);
	return run->maps;
}

static bool stap_run_start(StapRun *run, GError **error)
{
	const StapTool *tool = run->plan->tool;
	Session *session = run->live.parts.session;
	g_autofree char *collector =
		tool->major ? g_strdup_printf("SystemTap %u.%u", tool->major, tool->minor)
			    : g_strdup("SystemTap");
	StapArguments arguments = {
		.tool = tool,
		.buffers = run->plan->buffers,
		.module_path = run->plan->module_path,
		.inner = &session->inner,
		.points = run->plan->points,
	};

	if (!live_run_describe(&run->live, collector, buffer_plan_bytes(run->plan->buffers), error))
		return false;
	write_walk(run);
	write_points(run);
	if (!follow_maps(run, error))
		return false;
	/* The host's symbols were just fed. */
	session_find_inner_kmallocs(session, session->symbols);
	if (!start_child(run, &arguments, error))
		return false;
	add_child(run);
	return true;
}

/* The result. */

static void unload_module(StapRun *run)
{
	const char *staprun = run->plan->tool->staprun;
	const char *sys_folder = run->plan->sys_folder;

	if (stap_module_is_loaded(sys_folder, run->module_name) &&
	    !stap_module_unload(staprun, sys_folder, run->module_name))
		g_printerr("%s: the module %s is still loaded: remove it with "
			   "'%s -d %s'\n",
			   g_get_prgname(), run->module_name, staprun, run->module_name);
	watchdog_withdraw(&(WatchdogItem){
		.kind = WATCHDOG_MODULE, .path = staprun, .sys_folder = run->module_folder });
}

static void write_if_larger(StapRun *run, enum KmtFieldId id, uint64_t number)
{
	if (number > run_info_number(run->live.parts.session->info, id, 0))
		run_facts_write_number(run->live.batches, id, number);
}

/* Writes what the module's counters tell beyond what arrived: the events in a CPU's last batches,
   and differences of walks, because the last info batch may be lost, too. */
static void feed_counters(StapRun *run)
{
	const LossLedger *loss = run->live.parts.session->loss;

	if (!run->counters)
		return;
	for (guint i = 0; i < run->counters->cpus->len; i++) {
		const CpuCounters *cpu = &g_array_index(run->counters->cpus, CpuCounters, i);

		if (loss_ledger_cpu_complete_until(loss, cpu->cpu) < run->live.end_ns)
			batch_write_counters(run->live.batches, cpu, run->live.end_ns);
	}
	write_if_larger(run, KMT_FIELD_WALKS_COMPARED, run->counters->walks_compared);
	write_if_larger(run, KMT_FIELD_WALKS_DIFFERENT, run->counters->walks_different);
}

static void write_end(StapRun *run)
{
	StapMessageTotals messages = stap_messages_totals(run->messages);
	const RunLosses losses = {
		.skipped = messages.skipped,
		.transport_lost = messages.transport_failures + messages.lost_messages,
		.damaged_bytes = batch_reader_totals(run->reader).damaged_bytes,
		.counted_to_end = run->counters != NULL,
		.drained = run->drained,
	};

	if (run->died)
		live_run_set_bound(&run->live, messages.failure
						       ? messages.failure
						       : "staprun ended before the run did");
	feed_counters(run);
	if (run->maps)
		perf_maps_name(run->maps);
	live_run_write_end(&run->live, &losses);
}

static void set_start_error(const StapRun *run, GError **error)
{
	const char *failure = stap_messages_totals(run->messages).failure;

	if (failure)
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure);
	else
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "staprun ended with %s %d before its probes were live: "
			    "run it with -v, and see dmesg",
			    WIFSIGNALED(run->child_status) ? "signal" : "status",
			    WIFSIGNALED(run->child_status) ? WTERMSIG(run->child_status)
							   : WEXITSTATUS(run->child_status));
}

static bool stap_run_finish(StapRun *run, GError **error)
{
	GError *problem = NULL;

	stap_messages_finish(run->messages);
	batch_reader_finish(run->reader);
	live_run_log(&run->live, "staprun has ended, its output is read");
	live_run_end_command(&run->live);
	unload_module(run);
	if (live_run_has_result(&run->live, &problem)) {
		write_end(run);
		return true;
	}
	if (problem)
		g_propagate_error(error, problem);
	else
		set_start_error(run, error);
	return false;
}

static void run_clear(StapRun *run)
{
	perf_maps_free(run->maps);
	stap_start_end(&run->start);
	live_run_clear(&run->live);
	if (run->child.pid > 0)
		stap_child_close(&run->child);
	batch_reader_free(run->reader);
	stap_messages_free(run->messages);
	g_free(run->buffer);
	g_free(run->module_name);
	g_free(run->module_folder);
	stap_counters_free(run->counters);
}

bool stap_run(const StapRunPlan *plan, const CollectRun *parts, GError **error)
{
	StapRun run = { .plan = plan };
	bool collected;

	live_run_init(&run.live, &stap_engine, parts, plan->proc_root ? plan->proc_root : "");
	run.start.lock = -1;
	run.reader = batch_reader_new(take_batch, &run);
	run.messages = stap_messages_new(pass_on, &run);
	run.buffer = g_malloc(READ_BYTES);
	collected = stap_run_start(&run, error);
	if (collected) {
		live_run_loop(&run.live);
		collected = stap_run_finish(&run, error);
	}
	run_clear(&run);
	return collected;
}
