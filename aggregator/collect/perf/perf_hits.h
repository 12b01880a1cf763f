/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_child.h"
#include "code/user/user_map_line.h"
#include "code/user/user_objects.h"
#include "collect/perf/perf_read.h"
#include "collect/perf/user_watch.h"

/*
 * The user stacks of hits whose samples have copies of the stack: they are unwound in another
 * process (unwind_child.h), while the ring is read on. Hits wait until the stacks of their ring's
 * part are known, so they stay in order.
 */
typedef struct PerfUnwind PerfUnwind;

/* Starts the process, which takes about this much memory. The objects are those of the session, and
   borrowed: set them before the first mapping. Returns NULL with error set. */
PerfUnwind *perf_unwind_new(uint64_t memory_bytes_max, GError **error);
void perf_unwind_free(PerfUnwind *unwind);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PerfUnwind, perf_unwind_free)

/* Sets the objects of the session, borrowed; see perf_unwind_new(). */
void perf_unwind_set_objects(PerfUnwind *unwind, UserObjects *objects);

/* Sets what opens files, borrowed, before the first one is given. */
void perf_unwind_set_opener(PerfUnwind *unwind, FileOpener *opener);

/* Takes a change of the mappings of a process, in the order of the rings of tasks. */
void perf_unwind_see(PerfUnwind *unwind, const UserMapLine *line);

/* Promises that no hit of an earlier time follows: forgets the processes that had ended. */
void perf_unwind_settle(PerfUnwind *unwind, uint64_t until_ns);

/* Gives the file of an object, or its place; the descriptor is duplicated. */
void perf_unwind_add_file(PerfUnwind *unwind, uint32_t object, int fd);

/* The parts of a sample that its user stack is unwound from. */
typedef struct {
	uint64_t abi;
	const uint64_t *registers; /* those of unwind_registers_mask(); NULL: there is no stack */
	const uint8_t *stack;
	uint64_t stack_bytes;
} PerfUserStack;

/* Adds a hit; copies it. */
void perf_unwind_add(PerfUnwind *unwind, const EventTask *task, const PointHit *hit,
		     const PerfUserStack *stack);

/* Waits for the stacks of all hits added, and writes the hits. depth_max: of their user frames. */
void perf_unwind_flush(PerfUnwind *unwind, EventWriter *writer, uint32_t depth_max);

/* Returns the number of hits so far with a copy of their stack, but without user frames: as many as
   they stand for. */
uint64_t perf_unwind_missing(const PerfUnwind *unwind);

/*
 * The hits of probe points: what their perf events need, and the hot path from a sample to the
 * batch. The tracepoints of the allocators are read in perf_read.c. The part of a run that
 * perf_hits.c owns.
 */
typedef struct {
	LiveRun *live; /* borrowed, as the next two */
	const PerfRunPlan *plan;
	PerfReader *reader;
	const HitCost *costs;          /* borrowed: by point */
	struct perf_event_attr *attrs; /* owned: of the points of plan->hits */
	PerfHitForm form;              /* of their samples */
	UserWatch *user_watch;         /* owned; NULL: not of probe points */
	uint32_t files_given;          /* to unwind: files of objects up to this number */
	PerfUnwind *unwind;            /* owned; NULL: user stacks are walked by frame pointers */
	GString *columns;              /* owned: of the hit of a list */
	ThreadScatter *threads;        /* owned; NULL: spans are not taken */
	uint64_t user_frames[KMT_STACK_DEPTH_MAX]; /* of the current hit */
} PerfHits;

/* Prepares for hits, before anything is opened; without hits, does nothing. The members that are
   borrowed, but for the costs, are set before. Returns false with error set. */
bool perf_hits_init(PerfHits *hits, GError **error);
void perf_hits_clear(PerfHits *hits);

/* Fills in what the points of plan->hits need. */
void perf_hits_request(PerfHits *hits, PerfRequest *events);

/* Holds the events in programs (point_events_hold()), before they are opened. */
bool perf_hits_hold(const PointSet *set, Child *holder, GError **error);

/* Once the events are open: prepares for their samples, and writes the points, and what their hits
   are worth, to live->batches. costs: by point, borrowed. */
void perf_hits_begin(PerfHits *hits, const HitCost *costs);

/* Measures what hits of the points cost. Sets the cost; returns that of hits by point, which the
   caller frees. */
HitCost *perf_hits_measure(const PerfRunPlan *plan, bool is_sampled, PerfCost *cost);

/* A PerfRecordVisitor of samples of points; its user data is the PerfHits. */
void perf_hits_take(const struct perf_event_header *record, void *user_data);

/* Writes the hits that wait for their user stacks. Call it when a part of a CPU's ring was read. */
void perf_hits_flush(PerfHits *hits);

/* Takes a record of the rings of tasks: a new mapping, or a process that has others from now on. */
void perf_hits_take_mapping(PerfHits *hits, const struct perf_event_header *record);
void perf_hits_take_task(PerfHits *hits, const struct PerfTaskRecord *record);

/* Writes the mappings of all processes that run. Call it when new mappings are recorded. */
void perf_hits_scan(PerfHits *hits);

/* Forgets processes that ended. Promises that no hit of an earlier time follows. */
void perf_hits_settle(PerfHits *hits, uint64_t until_ns);

/* Writes how many user stacks were not unwound. */
void perf_hits_write_unwound(PerfHits *hits);

/* Writes the functions at all places of user stacks so far. */
void perf_hits_name(PerfHits *hits);

/* Writes the mappings taken since the last call to the stream. Call it before samples are read. */
void perf_hits_write_maps(PerfHits *hits);
