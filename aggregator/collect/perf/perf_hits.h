/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_state.h"

/*
 * The hits of probe points: what their perf events need, and the hot path from a sample to the
 * batch. The tracepoints of the allocators are read in perf_read.c.
 */

/* Prepares for hits, before anything is opened. Returns false with error set. */
bool perf_hits_init(PerfRun *run, GError **error);

/* Fills in what the points of run->plan->hits need. perf_hits_clear() frees it. */
void perf_hits_request(PerfRun *run);
void perf_hits_clear(PerfRun *run);

/* Holds the events in programs (point_events_hold()), before they are opened. */
bool perf_hits_hold(const PerfRun *run, Child *holder, GError **error);

/* Once the events are open: prepares for their samples. */
void perf_hits_begin(PerfRun *run);

/* Writes the points, and what their hits are worth, to run->live.batches. */
void perf_hits_describe(PerfRun *run);

/* Measures what hits of the points cost. Sets run->cost and run->hit_costs. */
void perf_hits_measure(PerfRun *run);

/* Takes a sample of a point. */
void perf_hits_take(PerfRun *run, const struct perf_event_header *record);

/* Writes the hits that wait for their user stacks. Call it when a part of a CPU's ring was read. */
void perf_hits_flush(PerfRun *run);

/* Takes a record of the rings of tasks: a new mapping, or a process that has others from now on. */
void perf_hits_take_mapping(PerfRun *run, const struct perf_event_header *record);
void perf_hits_take_task(PerfRun *run, const struct PerfTaskRecord *record);

/* Writes the mappings of all processes that run. Call it when new mappings are recorded. */
void perf_hits_scan(PerfRun *run);

/* Forgets processes that ended. Promises that no hit of an earlier time follows. */
void perf_hits_settle(PerfRun *run, uint64_t until_ns);

/* Writes how many user stacks were not unwound. */
void perf_hits_write_unwound(PerfRun *run);

/* Writes the functions at all places of user stacks so far. */
void perf_hits_name(PerfRun *run);

/* Writes the mappings taken since the last call to the stream. Call it before samples are read. */
void perf_hits_write_maps(PerfRun *run);
