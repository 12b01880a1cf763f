/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_maps.h"
#include "collect/run/live_run.h"
#include "collect/stap/stap_child.h"
#include "collect/stap/stap_messages.h"
#include "collect/stap/stap_run.h"
#include "collect/stap/stap_start.h"

/*
 * The state of a running SystemTap collector, shared by stap_run.c (what is started, read and
 * reported) and stap_phases.c (how counting begins, and how staprun is ended).
 */
typedef struct StapRun StapRun;

struct StapRun {
	LiveRun live; /* first: callbacks get this pointer */
	const StapRunPlan *plan;
	StapStart start; /* until the probes are live */
	StapChild child;
	char *module_name;
	char *module_folder; /* in /sys while it is loaded */
	bool child_ended;
	int child_status;
	unsigned open_pipes;
	BatchReader *reader; /* finds complete batches: our own may only go between them */
	PerfMaps *maps;      /* owned; NULL: no user stacks */
	StapMessages *messages;
	uint8_t *buffer;
	bool died;              /* staprun ended without being asked to */
	bool drained;           /* every CPU has reported that all events until the end were sent */
	StapCounters *counters; /* owned; of the module at the end; NULL: unknown */
	uint64_t heartbeats_wanted;
	size_t end_step;    /* the current step of ending staprun */
	GSource *end_timer; /* for the next step; borrowed from the context */
};

extern const LiveEngine stap_engine;

/* Continues after new data in the stream. */
void stap_phases_advance(StapRun *run);

/* Called when staprun or its output has ended: ends the run unless it is ending already. */
void stap_phases_end_early(StapRun *run);

/* staprun has ended: ends its children, which also ends the pipes. */
void stap_phases_end_rest(StapRun *run);

/* Ends the loop if no more data can come from staprun. */
void stap_phases_quit_when_done(StapRun *run);
