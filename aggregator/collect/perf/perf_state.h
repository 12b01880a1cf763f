/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_child.h"
#include "code/user/user_map_line.h"
#include "code/user/user_objects.h"
#include "collect/perf/bpf_beside.h"
#include "collect/perf/perf_cost.h"
#include "collect/perf/perf_events.h"
#include "collect/perf/perf_pay.h"
#include "collect/perf/perf_period.h"
#include "collect/perf/perf_run.h"
#include "collect/perf/perf_scatter.h"
#include "collect/perf/perf_turn.h"
#include "collect/perf/user_watch.h"
#include "collect/run/live_run.h"
#include "collect/slabs/cache_probes.h"
#include "collect/slabs/slab_pages.h"
#include "collect/slabs/slab_probes.h"
#include "collect/tasks/task_table.h"
#include "record/event_writer.h"

#include <stdbool.h>
#include <stdint.h>

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
 * The state of a running perf-events collector, shared by perf_run.c (start and end), perf_read.c
 * (from the rings to batches) and perf_cpus.c (which CPUs are traced, and at what cost).
 */

/* State of one CPU during the run. */
typedef struct {
	EventCpu event_cpu; /* first: the writer borrows it */
	PerfCpu *perf;
	GSource *samples_source; /* wakes the program; borrowed from the run's context */
	GSource *tasks_source;
	GSource *slab_frees_source; /* NULL: none */
	uint64_t head;              /* of the current round */
	uint64_t position;          /* in the ring, of the current record */
	uint64_t read;              /* samples read */
	uint64_t lost;              /* of the nominal period; see EventCpu.events_lost */
	uint64_t lost_rest;         /* lost events that do not yet fill a whole period */
	uint64_t lost_samples;      /* samples that the kernel took but did not deliver */
	bool has_unreadable;        /* events in unreadable samples are lost, too */
	uint64_t lost_tasks;        /* lost task records, if events depend on them */
	uint64_t enabled_at_ns;     /* when its events began to count */
	uint64_t complete_until_ns; /* of the newest heartbeat */
	PerfEnabled enabled;        /* at the last check */
	PerfWeight *weights;        /* by point, owned */
	PerfTurn *turns;            /* by point, owned */
	HitsPaid *paid;             /* by point, owned */
	CpuCost cost;               /* so far; event_cpu.probe_ns is its sum */
	uint64_t judged_ns;         /* when it was last looked at */
	PerfThrottle hits;          /* of cost.hits_ns alone */
	PerfScatter *scatters;      /* by point, owned */
	PerfThrottle throttle;
	CacheCalls *calls; /* owned; NULL: no probes for the caches */
} PerfRunCpu;

/* The kernel takes all events; the reader drops those of other objects or, of time spans, those of
   other threads. */
typedef struct {
	uint64_t seed;
	unsigned level; /* one of 2^level objects or threads is taken */
} AddressSample;

/* With --cache-names=compare. */
typedef struct {
	uint64_t calls;     /* whose cache a probe recorded */
	uint64_t different; /* ... whose page has another one */
	uint64_t unknown;   /* ... whose page has none */
	uint64_t written;   /* calls, as written to the stream */
} NamesCompared;

/* State of the run. */
typedef struct {
	LiveRun live; /* first: callbacks get this pointer */
	const PerfRunPlan *plan;
	PerfRequest request;
	PerfEvents *events;
	PerfCost cost;
	HitCost *hit_costs; /* owned: by point */
	ReaderTime reader;
	PerfBound bound;
	uint64_t sample_type;
	uint32_t stack_depth;
	int64_t clock_offset_ns; /* add to the samples' times to get the stream's */
	GArray *online;          /* (element-type guint32), owned: the CPUs at the start */
	GPtrArray *cpus;         /* (element-type PerfRunCpu), owned */
	TaskTable *tasks;
	EventWriter *writer;
	BpfBeside *beside;
	char *blind, *attached;    /* owned: its findings, as written to the stream */
	CacheSites *sites;         /* NULL: no probes for the caches */
	SlabPages *pages;          /* NULL: caches are not found by page */
	PerfRunCpu *reading;       /* the CPU whose records are being read */
	PerfRunCpu *turning;       /* the CPU whose twins take turns */
	PerfRunCpu *reading_frees; /* the CPU whose ends of slabs are being read */
	SlabHits slab_hits;        /* of the probe where slabs end */
	NamesCompared compared;
	uint32_t self;
	uint64_t random;          /* state of perf_period_random() */
	uint64_t scatter_percent; /* as written to the stream */
	bool is_scattered;        /* ... of rows: was written */
	bool is_drawing;          /* the twins of some points take turns */
	AddressSample addresses;  /* if events are paired: whose events are taken */
	bool in_container;        /* pids belong to another pid namespace than the first */
	uint64_t not_delivered;   /* events, at the end: see KMT_FIELD_NOT_DELIVERED */
	uint64_t unread_objects;  /* of records with more objects than pointers */
	uint64_t missed;          /* as written to the stream: see KMT_FIELD_PROBES_MISSED */
	uint64_t tasks_lost;      /* records of tasks that the kernel lost */
	uint64_t tasks_written;   /* ... of these: known in the stream */
	bool is_throttled;        /* the kernel has stopped an event for a moment */
	bool scan_is_due;         /* task records were lost */
	uint64_t scanned_ns;
	struct perf_event_attr *hit_attrs;         /* owned: of the points of plan->hits */
	uint64_t user_frames[KMT_STACK_DEPTH_MAX]; /* of the current hit */
	PerfHitForm hit_form;                      /* of their samples */
	UserWatch *user_watch;                     /* owned; NULL: not of probe points */
	uint32_t files_given;   /* to unwind: files of objects up to this number */
	PerfUnwind *unwind;     /* owned; NULL: user stacks are walked by frame pointers */
	GString *columns;       /* owned: of the hit of a list */
	ThreadScatter *threads; /* owned; NULL: spans are not taken */
	bool has_frames;        /* the sample of an allocation had frames */
	bool lacks_frames;      /* the sample of an allocation had none */
} PerfRun;

/* Whether events are paired, so that none may be left out by a period. */
static inline bool perf_run_pairs(const PerfRun *run)
{
	return run->live.parts.request->held || (run->plan->hits && run->plan->hits->has_pairs);
}

/* A record's time is taken before it is in the ring; a hypervisor may stop the CPU in between. */
#define PERF_READ_SETTLED_NS 20000000ULL

/* Adds up what a CPU's events have cost, in event_cpu.probe_ns. */
void perf_read_sum_cost(const PerfRun *run, PerfRunCpu *cpu);

/* Reads the rings of all CPUs. complete_until_ns: no earlier event will follow; 0: unknown. */
void perf_read_round(PerfRun *run, uint64_t complete_until_ns);

/* Reads one CPU's ring up to cpu->head. */
void perf_read_cpu(PerfRun *run, PerfRunCpu *cpu);

/* For one sample of an event: returns how many events it stands for; 0: it does not count. */
uint32_t perf_read_weigh(PerfRun *run, PerfEventId event, const PerfSample *sample);

/* Ends the series of an event that was disabled with that count, when its ring has been read. */
void perf_read_end_series(PerfRunCpu *cpu, PerfEventId event, uint64_t count);

/* Whether a sample is of the program itself. Samples of interrupts belong to no process. */
bool perf_read_is_own(const PerfRun *run, const PerfSample *sample, uint8_t context);

/* Finds the task of a sample. Returns whether its events are requested. */
bool perf_read_find_task(PerfRun *run, const PerfSample *sample, EventTask *task);

/* Whether an event is requested; is_counted: its process is. */
bool perf_read_is_wanted(PerfRun *run, bool is_counted, uint8_t context, uint32_t weight);

/* Reports this CPU's known loss. */
void perf_read_report_lost(PerfRunCpu *cpu);

/* Opens the events of the CPUs that were online at the start. Returns false with error set. */
bool perf_cpus_open(PerfRun *run, GError **error);

/* Polls their rings. */
void perf_cpus_watch(PerfRun *run);

/* As LiveEngine.trace_cpus. */
void perf_cpus_trace(LiveRun *live);

/* A GDestroyNotify of a PerfRunCpu. */
void perf_run_cpu_free(gpointer cpu);

/* Counts the CPU's events that have not arrived as lost. */
void perf_read_end_weights(PerfRun *run, PerfRunCpu *cpu);

/* Starts to count a CPU's events. */
void perf_cpus_enable(PerfRun *run, PerfRunCpu *cpu);

/* Adds what a CPU's hits have cost that are not paid for yet. */
void perf_cpus_pay(PerfRun *run, PerfRunCpu *cpu);

/* Checks what the events cost each CPU, and bounds the cost. */
void perf_cpus_judge(PerfRun *run, uint64_t now_ns);
