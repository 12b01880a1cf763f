/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tasks/cgroup_paths.h"
#include "collect/run/collector.h"
#include "collect/run/command.h"
#include "collect/run/cpu_watch.h"
#include "collect/run/progress.h"
#include "collect/run/run_facts.h"

#include <glib.h>

/*
 * A live run of any collector. It decides when counting begins and ends, holds and releases the
 * command, watches signals and the clock, enforces the run's bounds, and describes the run in the
 * stream. The engine delivers the records. It is a collector's own structure with a LiveRun as
 * first member.
 */
typedef struct LiveRun LiveRun;

/* The phases of a run, in this order. A run may skip some. */
typedef enum {
	PHASE_STARTING, /* the probes are not live yet */
	PHASE_LIVE,
	PHASE_DRAINING, /* the end time is set; earlier events are still arriving */
	PHASE_ENDING,   /* only the engine's own end is awaited */
} LivePhase;

/* The operations of an engine. The run calls them. */
typedef struct {
	/* end_ns is set: reads the events before it, then ends. */
	void (*drain)(LiveRun *live);
	/* Ends at once, even if data is still arriving. Then the engine quits the loop. */
	void (*end)(LiveRun *live);
	/* A second signal came: ends without waiting. */
	void (*hurry)(LiveRun *live);
	/* Called after each check of online CPUs; live->looked_ns is the time of the previous
	   check. Reports to live->cpus the CPUs whose tracing ended since then, and traces new CPUs
	   if possible. NULL: no action. */
	void (*trace_cpus)(LiveRun *live);
	/* Completes the stream for a report of the data so far: names that are otherwise written at
	   the end. NULL: no action. */
	void (*before_report)(LiveRun *live);
	/* Returns a line that names what uses too much memory (the caller frees it), or NULL. */
	char *(*memory_problem)(const LiveRun *live);
} LiveEngine;

struct LiveRun {
	const LiveEngine *engine;
	CollectRun parts;      /* borrowed */
	char *root;            /* folder of /proc and /sys */
	CpuWatch *cpus;        /* the engine sets which CPUs it traces */
	CgroupPaths *cgroups;  /* of the observed tasks */
	uint64_t looked_ns;    /* time of the newest check of online CPUs */
	GMainContext *context; /* owns every source of this run */
	GMainLoop *loop;
	GByteArray *batches; /* reused for the program's own batches */
	Command *command;    /* NULL: none */
	LivePhase phase;
	uint64_t start_ns; /* of the run, for the timings of -v */
	uint64_t end_ns;   /* later events do not count */
	bool was_live;
	bool throttle_reported;
	uint64_t report_ns; /* a report of the run up to then is awaited; 0: none */
	bool report_is_due; /* ... one of request->reports.every_ns */
	unsigned signals;   /* number of signals that asked it to stop */
	Progress progress;
	char *bound;   /* why the run ended early; NULL: it did not */
	GError *error; /* why it does not count as a run */
};

/* Starts to handle signals and the clock. /proc and /sys lie below root ("": this host's). */
void live_run_init(LiveRun *live, const LiveEngine *engine, const CollectRun *parts,
		   const char *root);
void live_run_clear(LiveRun *live);

/* Holds the command, and writes the description of the host and the run to the stream. collector is
   the text of KMT_FIELD_COLLECTOR, buffer_bytes the size of the transport. Returns false with error
   set. */
bool live_run_describe(LiveRun *live, const char *collector, uint64_t buffer_bytes, GError **error);

/* Every probe is armed: releases the command. Ends the run if the command cannot be executed. */
void live_run_go_live(LiveRun *live);

/* Sets the end of the run, unless it is already set. */
void live_run_stop_at(LiveRun *live, uint64_t end_ns);

/* Sets why the run ends early, and says so on stderr; keeps the first reason. Does not end the
   run. */
void live_run_set_bound(LiveRun *live, const char *bound);

/* Says on stderr that this CPU was above the limit, and that one of period events is taken. */
void live_run_say_thinned(LiveRun *live, uint32_t cpu, uint32_t period);

/* Ends the run if a bound of the recording was reached. */
void live_run_check_recording(LiveRun *live);

/* Runs until the engine quits the loop. After that, no signal ends the program. */
void live_run_loop(LiveRun *live);

/* Reads how the command ended. Call it at once, before starting another process. */
void live_run_end_command(LiveRun *live);

/* Whether the run has a result. If not, sets error if the reason is known here: the command could
   not be executed, or a signal came before the probes were live. */
bool live_run_has_result(LiveRun *live, GError **error);

/* Writes to the stream how the run ended, and ends the stream. */
void live_run_write_end(LiveRun *live, const RunLosses *losses);

/* Attaches a source to the run. The callback gets the run as user data. */
void live_run_add_source(LiveRun *live, GSource *source, GSourceFunc callback);
void live_run_add_timeout(LiveRun *live, guint milliseconds, GSourceFunc callback);

/* Returns when the next report is due, a multiple of every_ns after the start of the run. The run
   lasts passed_ns; a report that took spent_ns was just printed: after it, at least as much time is
   left for collecting. */
uint64_t live_run_next_report_ns(uint64_t every_ns, uint64_t passed_ns, uint64_t spent_ns);

/* With -v: prints the event and the time since the start. */
void live_run_log(const LiveRun *live, const char *what);

/* Feeds the content of live->batches into the session. */
void live_run_feed(LiveRun *live);
