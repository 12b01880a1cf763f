/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/command.h"
#include "collect/progress.h"
#include "collect/stap_child.h"
#include "collect/stap_messages.h"
#include "collect/stap_run.h"
#include "collect/stap_start.h"

/*
 * A run of the SystemTap collector while it lasts: what stap_run.c (what is started, read and
 * reported) and stap_phases.c (when it begins to count, and when it ends) share.
 */
typedef struct StapRun StapRun;

/* A run goes through these, in this order; it may skip some. */
typedef enum {
	PHASE_STARTING, /* the module is being loaded */
	PHASE_LIVE,     /* its probes have sent a heartbeat */
	PHASE_DRAINING, /* the end was noted; what happened before it is still on its way */
	PHASE_ENDING,   /* staprun was told to end; reading to the end of its pipes */
} Phase;

struct StapRun {
	const StapRunPlan *plan;
	const CollectRequest *request;
	Session *session;
	CollectOutcome *outcome;
	GMainContext *context; /* has every source of this run, and takes them along */
	GMainLoop *loop;
	StapStart start; /* until the probes are live */
	StapChild child;
	char *module_name;
	char *module_folder; /* below /sys while it is loaded */
	Command *command;    /* NULL: none */
	bool child_ended;
	int child_status;
	unsigned open_pipes;
	BatchReader *reader; /* finds the whole batches: ours may only go between them */
	StapMessages *messages;
	uint8_t *buffer;
	GByteArray *batches; /* reused for what the program adds to the stream */
	Phase phase;
	uint64_t start_ns; /* of the run, for the timings of -v */
	bool was_live;
	bool died;        /* staprun ended before it was told to */
	bool drained;     /* every CPU has said that all of its events until the end were sent */
	GArray *counters; /* (element-type CpuCounters) at the end; NULL: not known */
	uint64_t heartbeats_wanted;
	uint64_t end_ns;
	bool throttle_told;
	unsigned signals;
	size_t end_step;    /* how far staprun has been urged to end */
	GSource *end_timer; /* to the next step; borrowed from the context */
	Progress progress;
	char *bound;
	GError *error;
};

/* Attaches a source to the run, which its callback gets as user data. */
void stap_run_add_source(StapRun *run, GSource *source, GSourceFunc callback);

/* With -v: says what happened so long after the start. */
void stap_run_tell(const StapRun *run, const char *what);

/* Feeds what was written to run->batches into the session. */
void stap_run_feed(StapRun *run);

/* Has signals and the clock drive the run. */
void stap_phases_add_sources(StapRun *run);

/* The stream has gone on: what follows from it. */
void stap_phases_advance(StapRun *run);

/* staprun is gone, or its output is: ends the run if nobody has asked for that. */
void stap_phases_end_early(StapRun *run);

/* staprun is gone: so must be what it started, and the pipes end with that. */
void stap_phases_end_rest(StapRun *run);

/* Ends the loop when nothing more can come from staprun. */
void stap_phases_quit_when_done(StapRun *run);
