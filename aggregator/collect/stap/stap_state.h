/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/live_run.h"
#include "collect/stap/stap_child.h"
#include "collect/stap/stap_messages.h"
#include "collect/stap/stap_run.h"
#include "collect/stap/stap_start.h"

/*
 * A run of the SystemTap collector while it lasts: what stap_run.c (what is started, read and
 * reported) and stap_phases.c (how it begins to count, and how staprun is ended) share.
 */
typedef struct StapRun StapRun;

struct StapRun {
	LiveRun live; /* first: it is what callbacks get */
	const StapRunPlan *plan;
	StapStart start; /* until the probes are live */
	StapChild child;
	char *module_name;
	char *module_folder; /* below /sys while it is loaded */
	bool child_ended;
	int child_status;
	unsigned open_pipes;
	BatchReader *reader; /* finds the whole batches: ours may only go between them */
	StapMessages *messages;
	uint8_t *buffer;
	bool died;        /* staprun ended before it was asked to */
	bool drained;     /* every CPU has said that all of its events until the end were sent */
	GArray *counters; /* (element-type CpuCounters) at the end; NULL: not known */
	uint64_t heartbeats_wanted;
	size_t end_step;    /* how far staprun has been urged to end */
	GSource *end_timer; /* to the next step; borrowed from the context */
};

extern const LiveEngine stap_engine;

/* The stream has gone on: what follows from it. */
void stap_phases_advance(StapRun *run);

/* Called when staprun or its output has ended: ends the run unless it is ending already. */
void stap_phases_end_early(StapRun *run);

/* staprun is gone: so must be what it started, and the pipes end with that. */
void stap_phases_end_rest(StapRun *run);

/* Ends the loop when nothing more can come from staprun. */
void stap_phases_quit_when_done(StapRun *run);
