/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap_state.h"

#include "collect/clock.h"
#include "collect/memory_watch.h"
#include "collect/stap_counters.h"
#include "collect/stap_facts.h"
#include "collect/watchdog.h"

#include <glib-unix.h>
#include <signal.h>

enum {
	TICK_MS = 500, /* a recording's frame ends when it is half a second old, or at the next tick
			*/
	DRAIN_MS = 2000, /* for the last heartbeats of every CPU */
	HEARTBEATS_AFTER_END = 2,
	REST_MS = 500, /* to read the pipes to their end when nobody is left to write to them */
};

/* How staprun is made to end, step by step, and how long each step is given. */
static const struct {
	int signal;
	guint patience_ms;
	bool whole_group; /* stapio's helpers, too */
} end_steps[] = {
	{ SIGINT, 10000, false },
	{ SIGTERM, 5000, false },
	{ SIGKILL, 2000, true },
};

static void add_timeout(StapRun *run, guint milliseconds, GSourceFunc callback)
{
	stap_run_add_source(run, g_timeout_source_new(milliseconds), callback);
}

static void feed_number(StapRun *run, enum KmtFieldId id, uint64_t number)
{
	stap_facts_write_number(run->batches, id, number);
	stap_run_feed(run);
}

static void set_bound(StapRun *run, const char *bound)
{
	if (!run->bound)
		run->bound = g_strdup(bound);
}

static gboolean end_patience_over(gpointer user_data);

/* Urges staprun to end, and the more the longer it takes. */
static void end_child(StapRun *run)
{
	size_t step = run->end_step++;

	run->phase = PHASE_ENDING;
	/* When staprun is gone, stap_phases_end_rest() has done what can be done. */
	if (run->child_ended)
		return;
	if (step == G_N_ELEMENTS(end_steps)) {
		g_main_loop_quit(run->loop);
		return;
	}
	kill(end_steps[step].whole_group ? -run->child.pid : run->child.pid,
	     end_steps[step].signal);
	if (run->end_timer)
		g_source_destroy(run->end_timer);
	run->end_timer = g_timeout_source_new(end_steps[step].patience_ms);
	stap_run_add_source(run, run->end_timer, end_patience_over);
}

static gboolean rest_patience_over(gpointer user_data)
{
	StapRun *run = user_data;

	g_main_loop_quit(run->loop);
	return G_SOURCE_REMOVE;
}

void stap_phases_end_rest(StapRun *run)
{
	kill(-run->child.pid, SIGKILL);
	watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_GROUP, .group = run->child.pid });
	/* Somebody who left the group may hold the pipes: no signal helps then. */
	add_timeout(run, REST_MS, rest_patience_over);
}

static gboolean end_patience_over(gpointer user_data)
{
	StapRun *run = user_data;

	run->end_timer = NULL;
	end_child(run);
	return G_SOURCE_REMOVE;
}

static gboolean end_drained(gpointer user_data)
{
	StapRun *run = user_data;

	if (run->phase == PHASE_DRAINING)
		end_child(run);
	return G_SOURCE_REMOVE;
}

static bool is_drained(const StapRun *run)
{
	return loss_ledger_heartbeats(run->session->loss, NULL) >= run->heartbeats_wanted &&
	       loss_ledger_complete_until(run->session->loss) >= run->end_ns;
}

/* Ends the run: what happens after end_ns does not count. */
static void stop_at(StapRun *run, uint64_t end_ns)
{
	if (run->phase == PHASE_STARTING)
		end_child(run);
	if (run->phase != PHASE_LIVE)
		return;
	run->phase = PHASE_DRAINING;
	stap_run_tell(run, "the end was reached, waiting for what is on its way");
	run->end_ns = end_ns;
	run->counters = stap_counters_read(run->plan->sys_folder, run->module_name);
	run->heartbeats_wanted =
		loss_ledger_heartbeats(run->session->loss, NULL) + HEARTBEATS_AFTER_END;
	feed_number(run, KMT_FIELD_RUN_END_NS, end_ns);
	feed_number(run, KMT_FIELD_WINDOW_END_NS, end_ns);
	add_timeout(run, DRAIN_MS, end_drained);
}

void stap_phases_end_early(StapRun *run)
{
	run->died |= run->phase == PHASE_LIVE;
	stop_at(run, clock_monotonic_ns());
	end_drained(run);
}

void stap_phases_quit_when_done(StapRun *run)
{
	if (run->child_ended && !run->open_pipes)
		g_main_loop_quit(run->loop);
}

static void command_ended(GPid pid, gint status, gpointer user_data)
{
	uint64_t now_ns = clock_monotonic_ns();
	StapRun *run = user_data;

	if (pid != command_pid(run->command))
		return;
	run->outcome->command_ended = true;
	run->outcome->command_status = status;
	stop_at(run, now_ns);
}

static gboolean duration_over(gpointer user_data)
{
	stop_at(user_data, clock_monotonic_ns());
	return G_SOURCE_REMOVE;
}

static gboolean stop_signal(gpointer user_data)
{
	StapRun *run = user_data;

	run->signals++;
	if (run->signals == 1) {
		stop_at(run, clock_monotonic_ns());
		return G_SOURCE_CONTINUE;
	}
	set_bound(run, "a second signal ended it at once");
	/* SIGINT lets staprun finish in order; from now on it should not. */
	run->end_step = MAX(run->end_step, 1);
	if (run->end_step == 1)
		end_child(run);
	return G_SOURCE_CONTINUE;
}

static gboolean report_signal(gpointer user_data)
{
	StapRun *run = user_data;

	progress_clear(&run->progress);
	if (run->request->report_now)
		run->request->report_now(run->session, run->request->report_data);
	return G_SOURCE_CONTINUE;
}

static bool release_command(StapRun *run)
{
	if (!command_release(run->command, &run->error)) {
		end_child(run);
		return false;
	}
	stap_run_add_source(run, g_child_watch_source_new(command_pid(run->command)),
			    (GSourceFunc)(void (*)(void))command_ended);
	return true;
}

/* From now on others see that the module is in use, and the recording is worth keeping. */
static void leave_start(StapRun *run)
{
	stap_start_end(&run->start);
	if (run->plan->recording)
		watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_FILE,
						   .path = recording_part(run->plan->recording) });
}

/* The first heartbeat came: every probe is armed. */
static void go_live(StapRun *run)
{
	uint64_t now_ns = clock_monotonic_ns();
	double duration_ms = run->request->duration_seconds * 1000;

	run->phase = PHASE_LIVE;
	run->was_live = true;
	run->progress.start_ns = now_ns;
	leave_start(run);
	feed_number(run, KMT_FIELD_RUN_START_NS, now_ns);
	stap_run_tell(run, "the probes are live");
	if (run->request->prompt)
		g_printerr("Press Ctrl-C to stop.\n");
	if (run->command && !release_command(run))
		return;
	feed_number(run, KMT_FIELD_WINDOW_START_NS,
		    run->command ? command_start_ns(run->command) : now_ns);
	if (duration_ms > 0)
		add_timeout(run, (guint)MIN(MAX(duration_ms, 1), G_MAXINT), duration_over);
}

static void check_bounds(StapRun *run)
{
	const char *problem = run->plan->recording ? recording_problem(run->plan->recording) : NULL;

	if (!problem || run->phase != PHASE_LIVE)
		return;
	set_bound(run, problem);
	stop_at(run, clock_monotonic_ns());
}

/* What is queued is still read, and most of it comes within a tick. Where memory goes on growing
   meanwhile, staprun is told to end at once, which ends the events; the module's counters tell what
   does not come any more. */
static void check_memory(StapRun *run)
{
	const MemoryWatch watch = {
		.root = run->plan->proc_root ? run->plan->proc_root : "",
		.bytes_max = run->request->memory_bytes_max,
		.cpus = host_snapshot_cpus_online(run->plan->host),
		.stapio = run->child.pid,
	};
	g_autofree char *problem = memory_watch_problem(&watch);

	if (!problem)
		return;
	if (run->phase == PHASE_DRAINING) {
		end_child(run);
		return;
	}
	set_bound(run, problem);
	stop_at(run, clock_monotonic_ns());
}

void stap_phases_advance(StapRun *run)
{
	if (run->phase == PHASE_STARTING && loss_ledger_heartbeats(run->session->loss, NULL))
		go_live(run);
	check_bounds(run);
	if (run->phase == PHASE_DRAINING && is_drained(run)) {
		run->drained = true;
		end_child(run);
	}
}

/* Once: the report will tell how far it went. */
static void tell_throttled(StapRun *run)
{
	LossTotals totals = loss_ledger_totals(run->session->loss);

	if (run->throttle_told || totals.sampling_period_max <= run->request->sampling_period)
		return;
	run->throttle_told = true;
	progress_clear(&run->progress);
	g_printerr("kmalloc-top: probes took more than %u %% of CPU %u: it takes 1 of %u events "
		   "for now (--max-overhead)\n",
		   run->request->overhead_percent_max, totals.sampling_cpu,
		   totals.sampling_period_max);
}

static gboolean tick(gpointer user_data)
{
	StapRun *run = user_data;

	if (run->phase != PHASE_LIVE && run->phase != PHASE_DRAINING)
		return G_SOURCE_CONTINUE;
	if (host_snapshot_update(run->plan->host, run->batches))
		stap_run_feed(run);
	if (run->plan->recording)
		recording_tick(run->plan->recording);
	tell_throttled(run);
	check_bounds(run);
	check_memory(run);
	progress_show(&run->progress, run->session, clock_monotonic_ns());
	return G_SOURCE_CONTINUE;
}

static void add_signals(StapRun *run)
{
	struct sigaction action;

	stap_run_add_source(run, g_unix_signal_source_new(SIGINT), stop_signal);
	stap_run_add_source(run, g_unix_signal_source_new(SIGTERM), stop_signal);
	stap_run_add_source(run, g_unix_signal_source_new(SIGUSR1), report_signal);
	/* nohup: then the end of the terminal is not ours. */
	if (!sigaction(SIGHUP, NULL, &action) && action.sa_handler != SIG_IGN)
		stap_run_add_source(run, g_unix_signal_source_new(SIGHUP), stop_signal);
}

void stap_phases_add_sources(StapRun *run)
{
	add_signals(run);
	add_timeout(run, TICK_MS, tick);
}
