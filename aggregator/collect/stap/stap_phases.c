/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The phases of a run of SystemTap, as its LiveEngine: live with the first heartbeat, drained when
 * each CPU has sent another one, then staprun is ended by a table of signals with growing force.
 */
#include "collect/stap/stap_state.h"

#include "base/clock.h"
#include "collect/run/run_memory.h"
#include "process/watchdog.h"
#include "collect/stap/stap_start.h"

#include <signal.h>

enum {
	DRAIN_MS = 2000, /* time for the last heartbeats of every CPU */
	HEARTBEATS_AFTER_END = 2,
	REST_MS = 500, /* time to read the pipes to their end after the writers have ended */
};

/* The steps of ending staprun, and the time for each step. */
static const struct {
	int signal;
	guint patience_ms;
	bool whole_group; /* including stapio's helpers */
} end_steps[] = {
	{ SIGINT, 10000, false },
	{ SIGTERM, 5000, false },
	{ SIGKILL, 2000, true },
};

static StapRun *run_of(LiveRun *live)
{
	return (StapRun *)live;
}

static gboolean end_patience_over(gpointer user_data);

/* Ends staprun, with stronger means at each step. */
static void end_child(LiveRun *live)
{
	StapRun *run = run_of(live);
	size_t step = run->end_step++;

	live->phase = PHASE_ENDING;
	/* staprun has ended, and stap_phases_end_rest() has done everything possible. */
	if (run->child_ended)
		return;
	if (step == G_N_ELEMENTS(end_steps)) {
		g_main_loop_quit(live->loop);
		return;
	}
	kill(end_steps[step].whole_group ? -run->child.pid : run->child.pid,
	     end_steps[step].signal);
	if (run->end_timer)
		g_source_destroy(run->end_timer);
	run->end_timer = g_timeout_source_new(end_steps[step].patience_ms);
	live_run_add_source(live, run->end_timer, end_patience_over);
}

static gboolean rest_patience_over(gpointer user_data)
{
	LiveRun *live = user_data;

	g_main_loop_quit(live->loop);
	return G_SOURCE_REMOVE;
}

void stap_phases_end_rest(StapRun *run)
{
	kill(-run->child.pid, SIGKILL);
	watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_GROUP, .group = run->child.pid });
	/* A process that left the group may hold the pipes; no signal reaches it. */
	live_run_add_timeout(&run->live, REST_MS, rest_patience_over);
}

static gboolean end_patience_over(gpointer user_data)
{
	run_of(user_data)->end_timer = NULL;
	end_child(user_data);
	return G_SOURCE_REMOVE;
}

static gboolean end_drained(gpointer user_data)
{
	LiveRun *live = user_data;

	if (live->phase == PHASE_DRAINING)
		end_child(live);
	return G_SOURCE_REMOVE;
}

static const LossLedger *loss_of(const StapRun *run)
{
	return run->live.parts.session->loss;
}

static void stap_phases_drain(LiveRun *live)
{
	StapRun *run = run_of(live);

	run->counters = stap_counters_read(run->plan->sys_folder, run->module_name);
	run->heartbeats_wanted = loss_ledger_heartbeats(loss_of(run), NULL) + HEARTBEATS_AFTER_END;
	live_run_add_timeout(live, DRAIN_MS, end_drained);
}

/* After SIGINT, staprun would finish in order; now it must end at once. */
static void stap_phases_hurry(LiveRun *live)
{
	StapRun *run = run_of(live);

	run->end_step = MAX(run->end_step, 1);
	if (run->end_step == 1)
		end_child(live);
}

void stap_phases_end_early(StapRun *run)
{
	run->died |= run->live.phase == PHASE_LIVE;
	live_run_stop_at(&run->live, clock_monotonic_ns());
	end_drained(run);
}

void stap_phases_quit_when_done(StapRun *run)
{
	if (run->child_ended && !run->open_pipes)
		g_main_loop_quit(run->live.loop);
}

void stap_phases_advance(StapRun *run)
{
	LiveRun *live = &run->live;

	/* The first heartbeat: every probe is armed. */
	if (live->phase == PHASE_STARTING && loss_ledger_heartbeats(loss_of(run), NULL)) {
		/* From now on other runs see that the module is in use. */
		stap_start_end(&run->start);
		live_run_go_live(live);
	}
	live_run_check_recording(live);
	if (live->phase == PHASE_DRAINING &&
	    loss_ledger_heartbeats(loss_of(run), NULL) >= run->heartbeats_wanted &&
	    loss_ledger_complete_until(loss_of(run)) >= live->end_ns) {
		run->drained = true;
		end_child(live);
	}
}

/* After stapio is asked to end, the module's counters show how much will not arrive. */
static char *memory_problem(const LiveRun *live)
{
	const StapRun *run = (const StapRun *)live;
	const MemoryWatch watch = {
		.root = run->plan->proc_root ? run->plan->proc_root : "",
		.bytes_max = live->parts.request->bounds.memory_bytes_max,
		.cpus = host_snapshot_cpus_online(live->parts.host),
		.stapio = run->child.pid,
	};

	return memory_watch_problem(&watch);
}

static void stap_phases_look(LiveRun *live)
{
	const StapRun *run = run_of(live);

	if (run->maps)
		perf_maps_look(run->maps);
}

static void before_report(LiveRun *live)
{
	const StapRun *run = run_of(live);

	if (run->maps)
		perf_maps_name(run->maps);
}

const LiveEngine stap_engine = {
	.drain = stap_phases_drain,
	.end = end_child,
	.hurry = stap_phases_hurry,
	.trace_cpus = stap_phases_look,
	.before_report = before_report,
	.memory_problem = memory_problem,
};
