/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The phases of a live run of any engine, in one main loop: starting, live, draining. It owns the
 * command, the watch of CPUs and cgroups, timers and signals; each tick checks memory, recording
 * and bounds. It writes facts and edges of the window into the session. The engine delivers the
 * batches, and is called when the run begins to drain or has to end.
 */
#include "collect/run/live_run.h"

#include "record/format.h"
#include "base/clock.h"
#include "collect/facts/memory_facts.h"
#include "process/watchdog.h"
#include "process/stop_signal.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/wait.h>

enum {
	REQUEST_TICK_MS = 100,
	TICK_MS = 500, /* a recording's frame ends after half a second, or at the next tick */
	REPORT_LOOK_MS = 10,
	LAST_ITERATIONS = 100, /* another process may still write to what the engine reads */
};

/* CPUs send what they have every 100 ms. A report does not wait longer for one that does not. */
#define LAST_EVENTS_NS_MAX 2000000000ULL

/* The collection is over and the report follows: another Ctrl-C ends the search for names. However
   many follow, the report and the recording are not lost. */
static void signals_finish(void)
{
	stop_signal_finish();
	signal(SIGUSR1, SIG_IGN);
}

/* When the last source of a signal is removed, GLib restores the default action, which would end
   the program. */
static void free_context(LiveRun *live)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	g_main_loop_unref(live->loop);
	g_main_context_unref(live->context);
	signals_finish();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void live_run_clear(LiveRun *live)
{
	free_context(live);
	command_free(live->command);
	cpu_watch_free(live->cpus);
	session_remove_sink(live->parts.session, cgroup_paths_take);
	cgroup_paths_free(live->cgroups);
	g_byte_array_unref(live->batches);
	g_free(live->root);
	g_free(live->bound);
	g_clear_error(&live->error);
}

void live_run_add_source(LiveRun *live, GSource *source, GSourceFunc callback)
{
	g_source_set_callback(source, callback, live, NULL);
	g_source_attach(source, live->context);
	g_source_unref(source);
}

void live_run_add_timeout(LiveRun *live, guint milliseconds, GSourceFunc callback)
{
	live_run_add_source(live, g_timeout_source_new(milliseconds), callback);
}

void live_run_log(const LiveRun *live, const char *what)
{
	double seconds = (double)(clock_monotonic_ns() - live->start_ns) / 1e9;

	if (live->parts.request->terminal.verbose)
		g_printerr("%s: %.3f s: %s\n", g_get_prgname(), seconds, what);
}

void live_run_feed(LiveRun *live)
{
	session_feed(live->parts.session, live->batches->data, live->batches->len);
	g_byte_array_set_size(live->batches, 0);
}

static void feed_number(LiveRun *live, enum KmtFieldId id, uint64_t number)
{
	run_facts_write_number(live->batches, id, number);
	live_run_feed(live);
}

/* Facts, symbols and modules come first, so that a truncated stream can still be read. */
bool live_run_describe(LiveRun *live, const char *collector, uint64_t buffer_bytes, GError **error)
{
	const CollectRequest *request = live->parts.request;
	HostSnapshot *host = live->parts.host;
	const char *hidden;

	if (request->command.words) {
		live->command = command_hold(request->command.words, request->command.user, error);
		if (!live->command)
			return false;
	}
	run_facts_write_start(live->batches, request, collector, buffer_bytes);
	host_snapshot_write(host, live->batches);
	live_run_feed(live);
	hidden = host_snapshot_hidden(host);
	if (hidden)
		g_printerr("%s: %s\n", g_get_prgname(), hidden);
	return true;
}

/* Writes a span in which a CPU was not traced as soon as it is known. */
static void look_at_cpus(LiveRun *live, uint64_t now_ns)
{
	cpu_watch_look(live->cpus, now_ns);
	if (live->engine->trace_cpus)
		live->engine->trace_cpus(live);
	live->looked_ns = now_ns;
	if (cpu_watch_write(live->cpus, live->batches, now_ns))
		live_run_feed(live);
}

/* Writes the state of memory and the number of objects of the slab caches, as close as possible to
   the window's start and end. Reads the names of caches before their objects, because that
   allocates objects itself. */
static void feed_readings(LiveRun *live, uint32_t reading)
{
	memory_facts_append(live->batches, live->root, reading);
	slab_facts_append(live->batches, live->root, reading);
	live_run_feed(live);
}

/* The window's edges: no event with a count may span one. */

static uint64_t window_start_ns(const LiveRun *live, uint64_t now_ns)
{
	uint64_t start_ns = live->command ? command_start_ns(live->command) : now_ns;
	uint32_t repeat_ns = live->parts.request->what.repeat_ns;

	return repeat_ns ? start_ns - start_ns % repeat_ns : start_ns;
}

static uint64_t window_end_ns(const LiveRun *live, uint64_t end_ns)
{
	uint32_t repeat_ns = live->parts.request->what.repeat_ns;

	return repeat_ns ? end_ns - end_ns % repeat_ns + repeat_ns - 1 : end_ns;
}

/* How a run ends. */

void live_run_set_bound(LiveRun *live, const char *bound)
{
	if (live->bound)
		return;
	live->bound = g_strdup(bound);
	progress_clear(&live->progress);
	g_printerr("%s: the run ends early: %s\n", g_get_prgname(), bound);
}

void live_run_stop_at(LiveRun *live, uint64_t end_ns)
{
	if (live->phase == PHASE_STARTING)
		live->engine->end(live);
	if (live->phase != PHASE_LIVE)
		return;
	live->phase = PHASE_DRAINING;
	live_run_log(live, "end of the run reached, waiting for the last events");
	live->end_ns = window_end_ns(live, end_ns);
	feed_readings(live, KMT_READING_END);
	look_at_cpus(live, end_ns);
	feed_number(live, KMT_FIELD_RUN_END_NS, end_ns);
	feed_number(live, KMT_FIELD_WINDOW_END_NS, live->end_ns);
	live->engine->drain(live);
}

static void command_ended(GPid pid, gint status, gpointer user_data)
{
	uint64_t now_ns = clock_monotonic_ns();
	LiveRun *live = user_data;

	if (pid != command_child(live->command))
		return;
	live->parts.outcome->command_ended = true;
	live->parts.outcome->command_status = status;
	live_run_stop_at(live, now_ns);
}

static gboolean duration_over(gpointer user_data)
{
	live_run_stop_at(user_data, clock_monotonic_ns());
	return G_SOURCE_REMOVE;
}

static gboolean stop_signals(gint fd, GIOCondition condition, gpointer user_data)
{
	LiveRun *live = user_data;
	bool is_first = !live->signals;

	(void)fd, (void)condition;
	live->signals += stop_signal_take();
	if (is_first && live->signals)
		live_run_stop_at(live, clock_monotonic_ns());
	if (live->signals > 1) {
		live_run_set_bound(live, "a second signal ended it at once");
		live->engine->hurry(live);
	}
	return G_SOURCE_CONTINUE;
}

static void await_report(LiveRun *live, uint64_t spent_ns);

/* Prints the report that is awaited. */
static void live_run_report(LiveRun *live)
{
	const CollectRequest *request = live->parts.request;
	uint64_t start_ns = clock_monotonic_ns();
	bool goes_on;

	g_assert(request->reports.now && live->report_ns);
	progress_clear(&live->progress);
	if (live->engine->before_report)
		live->engine->before_report(live);
	goes_on = request->reports.now(live->parts.session, request->reports.data);
	session_end_cut(live->parts.session);
	live->report_ns = 0;
	if (!goes_on)
		live_run_stop_at(live, clock_monotonic_ns());
	if (live->report_is_due)
		await_report(live, clock_monotonic_ns() - start_ns);
}

/* Waits until all CPUs have sent their events before the report's time. */
static gboolean look_for_report(gpointer user_data)
{
	LiveRun *live = user_data;

	if (!live->report_ns)
		return G_SOURCE_REMOVE;
	if (!session_cut_is_complete(live->parts.session) &&
	    clock_monotonic_ns() - live->report_ns < LAST_EVENTS_NS_MAX)
		return G_SOURCE_CONTINUE;
	live_run_report(live);
	return G_SOURCE_REMOVE;
}

static void ask_for_report(LiveRun *live, bool is_due)
{
	if (!live->parts.request->reports.now || live->phase != PHASE_LIVE || live->report_ns)
		return;
	live->report_ns = clock_monotonic_ns();
	live->report_is_due = is_due;
	session_cut(live->parts.session, live->report_ns);
	live_run_add_timeout(live, REPORT_LOOK_MS, look_for_report);
}

static gboolean report_signal(gpointer user_data)
{
	ask_for_report(user_data, false);
	return G_SOURCE_CONTINUE;
}

/* If a report is awaited already, this one is due with the next. */
static gboolean report_due(gpointer user_data)
{
	LiveRun *live = user_data;

	if (live->phase != PHASE_LIVE)
		return G_SOURCE_REMOVE;
	ask_for_report(live, true);
	live->report_is_due = true;
	return G_SOURCE_REMOVE;
}

uint64_t live_run_next_report_ns(uint64_t every_ns, uint64_t passed_ns, uint64_t spent_ns)
{
	return ((passed_ns + spent_ns) / every_ns + 1) * every_ns;
}

/* The last report comes at the end of the run. */
static void await_report(LiveRun *live, uint64_t spent_ns)
{
	const CollectRequest *request = live->parts.request;
	uint64_t passed_ns = clock_monotonic_ns() - live->progress.start_ns;
	uint64_t due_ns;

	if (!request->reports.every_ns || live->phase != PHASE_LIVE)
		return;
	due_ns = live_run_next_report_ns(request->reports.every_ns, passed_ns, spent_ns);
	if (!(request->bounds.duration_seconds > 0) ||
	    (double)due_ns < request->bounds.duration_seconds * 1e9)
		live_run_add_timeout(live, (guint)((due_ns - passed_ns) / NS_PER_MS + 1),
				     report_due);
}

/* How counting begins. */

static gboolean terminal_changed(gint fd, GIOCondition condition, gpointer user_data)
{
	const LiveRun *live = user_data;

	(void)fd, (void)condition;
	return command_take_change(live->command);
}

static bool release_command(LiveRun *live)
{
	if (!command_release(live->command, live->parts.request->terminal.reads_keys,
			     &live->error)) {
		live->engine->end(live);
		return false;
	}
	live_run_add_source(live, g_child_watch_source_new(command_child(live->command)),
			    (GSourceFunc)(void (*)(void))command_ended);
	if (command_relay_fd(live->command) >= 0)
		live_run_add_source(live,
				    g_unix_fd_source_new(command_relay_fd(live->command), G_IO_IN),
				    (GSourceFunc)(void (*)(void))terminal_changed);
	return true;
}

void live_run_go_live(LiveRun *live)
{
	const CollectRequest *request = live->parts.request;
	double duration_ms = request->bounds.duration_seconds * 1000;
	uint64_t now_ns;

	g_assert(live->phase == PHASE_STARTING && !live->was_live);
	feed_readings(live, KMT_READING_START);
	now_ns = clock_monotonic_ns();
	live->phase = PHASE_LIVE;
	live->was_live = true;
	live->progress.start_ns = now_ns;
	/* From now on the recording is kept. */
	if (live->parts.recorder)
		watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_FILE,
						   .path = recorder_part(live->parts.recorder) });
	feed_number(live, KMT_FIELD_RUN_START_NS, now_ns);
	live_run_log(live, "the probes are live");
	look_at_cpus(live, now_ns);
	if (request->terminal.prompt)
		g_printerr("Press Ctrl-C to stop.\n");
	if (live->command && !release_command(live))
		return;
	feed_number(live, KMT_FIELD_WINDOW_START_NS, window_start_ns(live, now_ns));
	if (duration_ms > 0)
		live_run_add_timeout(live, (guint)MIN(MAX(duration_ms, 1), G_MAXINT),
				     duration_over);
	await_report(live, 0);
}

/* Periodic checks. */

/* Appends readings of the host for the end of a piece, or the start of the next one. */
static void read_edge(const LiveRun *live, GByteArray *out, uint32_t reading)
{
	memory_facts_append(out, live->root, reading);
	slab_facts_append(out, live->root, reading);
}

/* A piece has the names of everything in it. */
static void live_run_rotate(LiveRun *live)
{
	g_autoptr(GByteArray) ends = g_byte_array_new();
	g_autoptr(GByteArray) begins = g_byte_array_new();
	RecorderEdge edge = { .ends = ends, .begins = begins };

	if (cgroup_paths_update(live->cgroups, live->batches))
		live_run_feed(live);
	if (live->engine->before_report)
		live->engine->before_report(live);
	read_edge(live, ends, KMT_READING_END);
	read_edge(live, begins, KMT_READING_START);
	edge.now_ns = clock_monotonic_ns();
	recorder_rotate(live->parts.recorder, &edge);
}

void live_run_check_recording(LiveRun *live)
{
	Recorder *recorder = live->parts.recorder;
	const char *problem;

	if (!recorder || live->phase != PHASE_LIVE)
		return;
	if (recorder_is_due(recorder, clock_monotonic_ns()))
		live_run_rotate(live);
	problem = recorder_problem(recorder);
	if (!problem)
		return;
	live_run_set_bound(live, problem);
	live_run_stop_at(live, clock_monotonic_ns());
}

/* Queued data is still read, and most of it arrives within a tick. If memory keeps growing in that
   time, the engine ends at once, which stops the events. */
static void check_memory(LiveRun *live)
{
	g_autofree char *problem = live->engine->memory_problem(live);

	if (!problem)
		return;
	if (live->phase == PHASE_DRAINING) {
		live->engine->end(live);
		return;
	}
	live_run_set_bound(live, problem);
	live_run_stop_at(live, clock_monotonic_ns());
}

/* Returns the largest period before the probes take too much. Addresses are sampled by a power of
   two. */
static uint64_t requested_period(const LiveRun *live)
{
	uint64_t period = run_info_number(live->parts.session->info, KMT_FIELD_SAMPLING_PERIOD, 1);

	return live->parts.request->what.held && period > 1 ? 1ULL << g_bit_storage(period - 1)
							    : period;
}

void live_run_say_thinned(LiveRun *live, uint32_t cpu, uint32_t period)
{
	const CollectRequest *request = live->parts.request;

	live->throttle_reported = true;
	progress_clear(&live->progress);
	g_printerr(request->what.held
			   ? "%s: probes took more than %u %% of CPU %u: all CPUs take 1 of %u "
			     "addresses from now on (--max-overhead)\n"
			   : "%s: probes took more than %u %% of CPU %u: it takes 1 of %u "
			     "events for now (--max-overhead)\n",
		   g_get_prgname(), request->bounds.overhead_percent_max, cpu, period);
}

/* Prints once; the report will show by how much. */
static void report_throttled(LiveRun *live)
{
	LossTotals totals = loss_ledger_totals(live->parts.session->loss);

	if (!live->throttle_reported && totals.sampling_period_max > requested_period(live))
		live_run_say_thinned(live, totals.sampling_cpu, totals.sampling_period_max);
}

static gboolean live_run_tick(gpointer user_data)
{
	LiveRun *live = user_data;

	if (live->phase != PHASE_LIVE && live->phase != PHASE_DRAINING)
		return G_SOURCE_CONTINUE;
	if (host_snapshot_update(live->parts.host, live->batches))
		live_run_feed(live);
	if (cgroup_paths_update(live->cgroups, live->batches))
		live_run_feed(live);
	run_facts_write_load(live->batches, live->root);
	live_run_feed(live);
	if (live->parts.recorder)
		recorder_tick(live->parts.recorder);
	if (live->phase == PHASE_LIVE)
		look_at_cpus(live, clock_monotonic_ns());
	report_throttled(live);
	live_run_check_recording(live);
	check_memory(live);
	progress_show(&live->progress, live->parts.session, clock_monotonic_ns());
	return G_SOURCE_CONTINUE;
}

/* Calls the tick function of the request. */
static gboolean request_tick(gpointer user_data)
{
	LiveRun *live = user_data;
	const CollectRequest *request = live->parts.request;

	if (live->phase == PHASE_LIVE &&
	    !request->reports.tick(live->parts.session, request->reports.tick_data))
		live_run_stop_at(live, clock_monotonic_ns());
	return G_SOURCE_CONTINUE;
}

static void add_signals(LiveRun *live)
{
	stop_signal_catch();
	/* No signal of an earlier run ends this one. */
	stop_signal_take();
	if (stop_signal_fd() >= 0)
		live_run_add_source(live, g_unix_fd_source_new(stop_signal_fd(), G_IO_IN),
				    (GSourceFunc)(void (*)(void))stop_signals);
	live_run_add_source(live, g_unix_signal_source_new(SIGUSR1), report_signal);
}

void live_run_init(LiveRun *live, const LiveEngine *engine, const CollectRun *parts,
		   const char *root)
{
	*live = (LiveRun){
		.engine = engine,
		.parts = *parts,
		.root = g_strdup(root),
		.cpus = cpu_watch_new(root),
		.cgroups = cgroup_paths_new(root),
		.context = g_main_context_new(),
		.batches = g_byte_array_new(),
		.start_ns = clock_monotonic_ns(),
		.progress.wanted = parts->request->terminal.progress,
	};
	session_add_sink(live->parts.session, cgroup_paths_take, live->cgroups);
	live->loop = g_main_loop_new(live->context, FALSE);
	add_signals(live);
	live_run_add_timeout(live, TICK_MS, live_run_tick);
	if (parts->request->reports.tick)
		live_run_add_timeout(live, REQUEST_TICK_MS, request_tick);
}

void live_run_loop(LiveRun *live)
{
	g_main_loop_run(live->loop);
	/* The run has ended before all its events had arrived. */
	if (live->report_ns)
		live_run_report(live);
	signals_finish();
	progress_clear(&live->progress);
}

void live_run_end_command(LiveRun *live)
{
	CollectOutcome *outcome = live->parts.outcome;
	pid_t ended;

	/* It may have ended since the last check. */
	for (int i = 0; i < LAST_ITERATIONS && g_main_context_iteration(live->context, FALSE); i++)
		continue;
	if (live->command)
		command_leave_terminal(live->command);
	if (!live->command || !live->was_live || outcome->command_ended)
		return;
	ended = waitpid(command_child(live->command), &outcome->command_status, WNOHANG);
	outcome->command_ended = ended == command_child(live->command);
	outcome->command_running = ended <= 0 && !kill(command_pid(live->command), 0);
}

bool live_run_has_result(LiveRun *live, GError **error)
{
	if (live->error) {
		g_propagate_error(error, g_steal_pointer(&live->error));
		return false;
	}
	if (!live->was_live && live->signals)
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
				    "stopped before the probes were live: nothing was collected");
	return live->was_live;
}

void live_run_write_end(LiveRun *live, const RunLosses *losses)
{
	g_assert(live->was_live);
	cgroup_paths_finish(live->cgroups, live->batches);
	run_facts_write_end(live->batches, losses, live->parts.outcome, live->bound);
	live_run_feed(live);
	session_finish(live->parts.session);
}
