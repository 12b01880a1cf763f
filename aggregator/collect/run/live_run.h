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
 * A live run of any collector: when it begins to count and when it ends. It holds the command and
 * releases it, watches signals and the clock, keeps the run's bounds, and describes the run in the
 * stream. The engine brings the records: a collector's own structure whose first member is a
 * LiveRun.
 */
typedef struct LiveRun LiveRun;

/* A run goes through these, in this order; it may skip some. */
typedef enum {
	PHASE_STARTING, /* the probes are not live yet */
	PHASE_LIVE,
	PHASE_DRAINING, /* the end was noted; what happened before it is still on its way */
	PHASE_ENDING,   /* nothing is waited for any more but the engine's own end */
} LivePhase;

/* The operations of an engine, which the run calls. */
typedef struct {
	/* The end was noted, in end_ns: brings in what happened before it, and then ends. */
	void (*drain)(LiveRun *live);
	/* Ends, whatever is on its way. The engine quits the loop when it has. */
	void (*end)(LiveRun *live);
	/* A second signal came: ends without any patience. */
	void (*hurry)(LiveRun *live);
	/* Called after each check of online CPUs; live->looked_ns is the time of the check before.
	   Reports to live->cpus those whose tracing has ended since then, and traces new ones where
	   it can. NULL: nothing. */
	void (*trace_cpus)(LiveRun *live);
	/* Returns what holds too much memory, in a line that the caller frees, or NULL. */
	char *(*memory_problem)(const LiveRun *live);
} LiveEngine;

struct LiveRun {
	const LiveEngine *engine;
	CollectRun parts;      /* what it is given; borrowed */
	char *root;            /* below which /proc and /sys lie */
	CpuWatch *cpus;        /* the engine says which it traces */
	CgroupPaths *cgroups;  /* of the tasks that were seen */
	uint64_t looked_ns;    /* when it was last looked which are online */
	GMainContext *context; /* has every source of this run, and takes them along */
	GMainLoop *loop;
	GByteArray *batches; /* reused for what the program adds to the stream */
	Command *command;    /* NULL: none */
	LivePhase phase;
	uint64_t start_ns; /* of the run, for the timings of -v */
	uint64_t end_ns;   /* what happens after it does not count */
	bool was_live;
	bool throttle_reported;
	unsigned signals; /* how many signals asked it to stop */
	Progress progress;
	char *bound;   /* why the run ended early, NULL: it did not */
	GError *error; /* why it cannot be a run at all */
};

/* From here on signals and the clock are listened to. /proc and /sys lie below root ("": this
   host's). */
void live_run_init(LiveRun *live, const LiveEngine *engine, const CollectRun *parts,
		   const char *root);
void live_run_clear(LiveRun *live);

/* Holds the command, and says in the stream what the host and the run are. collector is the text of
   KMT_FIELD_COLLECTOR, buffer_bytes what the transport takes. Returns false with error set. */
bool live_run_describe(LiveRun *live, const char *collector, uint64_t buffer_bytes, GError **error);

/* Every probe is armed: releases the command. When it cannot be executed the run is ended. */
void live_run_go_live(LiveRun *live);

/* Notes the end of the run, unless it was before. */
void live_run_stop_at(LiveRun *live, uint64_t end_ns);

/* Why the run ends early: the first reason is kept. Does not end it. */
void live_run_set_bound(LiveRun *live, const char *bound);

/* Ends the run when a bound of the recording was met. */
void live_run_check_recording(LiveRun *live);

/* Runs until the engine quits the loop. From then on no signal ends the program. */
void live_run_loop(LiveRun *live);

/* Learns how the command ended: at once, before anything else is started. */
void live_run_end_command(LiveRun *live);

/* Whether this was a run. Else error is set when the reason is known here: its command could not be
   executed, or a signal came before the probes were live. */
bool live_run_has_result(LiveRun *live, GError **error);

/* Says in the stream how the run ended, and ends it. */
void live_run_write_end(LiveRun *live, const RunLosses *losses);

/* Attaches a source to the run, which its callback gets as user data. */
void live_run_add_source(LiveRun *live, GSource *source, GSourceFunc callback);
void live_run_add_timeout(LiveRun *live, guint milliseconds, GSourceFunc callback);

/* With -v: prints what happened, and how long after the start. */
void live_run_log(const LiveRun *live, const char *what);

/* Feeds what was written to live->batches into the session. */
void live_run_feed(LiveRun *live);
