/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/bpf_beside.h"
#include "collect/host/cache_sites.h"
#include "collect/run/live_run.h"
#include "collect/perf/perf_cost.h"
#include "collect/perf/perf_events.h"
#include "collect/perf/perf_period.h"
#include "collect/perf/perf_run.h"
#include "collect/perf/perf_scatter.h"
#include "collect/tasks/task_table.h"
#include "record/event_writer.h"

/*
 * A run of the perf-events collector while it lasts: what perf_run.c (how it starts and ends),
 * perf_read.c (from the rings to batches) and perf_cpus.c (which CPUs are traced, and at what
 * cost) share.
 */

/* One CPU while the run lasts. */
typedef struct {
	EventCpu event_cpu; /* first: what the writer borrows */
	PerfCpu *perf;
	GSource *samples_source; /* wakes the program; borrowed from the run's context */
	GSource *tasks_source;
	uint64_t head;              /* of the round at hand */
	uint64_t position;          /* in the ring, of the record at hand */
	uint64_t read;              /* samples that came */
	uint64_t lost;              /* of the nominal period; see EventCpu.events_lost */
	uint64_t lost_rest;         /* lost events that make no whole period yet */
	uint64_t lost_samples;      /* what the kernel took and did not come */
	bool has_unreadable;        /* what came in samples that could not be read is lost, too */
	uint64_t lost_tasks;        /* records of what tasks became, where events depend on them */
	uint64_t enabled_at_ns;     /* when its events began to count */
	uint64_t complete_until_ns; /* of the newest heartbeat */
	PerfEnabled enabled;        /* at the last look */
	PerfWeight *weights;        /* by point, owned */
	PerfScatter *scatters;      /* likewise */
	PerfThrottle throttle;
	uint64_t changed_head; /* of the ring, and the time, when the periods were last drawn */
	uint64_t changed_ns;
	bool is_aiming;    /* the periods in force are those of perf_period_aim() */
	CacheCalls *calls; /* owned; NULL: no probes for the caches */
} PerfRunCpu;

/* A run of this collector while it lasts. */
typedef struct {
	LiveRun live; /* first: it is what callbacks get */
	const PerfRunPlan *plan;
	PerfRequest request;
	PerfEvents *events;
	PerfCost cost;
	PerfBound bound;
	uint64_t sample_type;
	uint32_t stack_depth;
	int64_t clock_offset_ns; /* from the samples' times to the stream's */
	GArray *online;          /* (element-type guint32), owned: the CPUs at the start */
	GPtrArray *cpus;         /* (element-type PerfRunCpu), owned */
	TaskTable *tasks;
	EventWriter *writer;
	BpfBeside *beside;
	CacheSites *sites;   /* NULL: no probes for the caches */
	PerfRunCpu *reading; /* the CPU whose records are being read */
	uint32_t self;
	uint64_t random;          /* state of perf_period_random() */
	uint64_t scatter_percent; /* as the stream has it */
	bool is_drawing;          /* periods are drawn again and again */
	bool in_container;        /* pids are those of another pid namespace than the first */
	uint64_t not_delivered;   /* events, at the end: see KMT_FIELD_NOT_DELIVERED */
	bool tasks_lost_reported;
	bool scan_is_due; /* what tasks became was lost */
	uint64_t scanned_ns;
	bool has_frames;   /* an allocation's sample had */
	bool lacks_frames; /* one had none */
} PerfRun;

/* Reads what all CPUs have. complete_until_ns: no event before that time will follow; 0: says
   nothing about that. */
void perf_read_round(PerfRun *run, uint64_t complete_until_ns);

/* Reads what one CPU has, up to cpu->head. */
void perf_read_cpu(PerfRun *run, PerfRunCpu *cpu);

/* Reports this CPU's known loss. */
void perf_read_report_lost(PerfRunCpu *cpu);

/* Opens the events of the CPUs that were online at the start. Returns false with error set. */
bool perf_cpus_open(PerfRun *run, GError **error);

/* Listens to their rings. */
void perf_cpus_watch(PerfRun *run);

/* As LiveEngine.trace_cpus. */
void perf_cpus_trace(LiveRun *live);

void perf_run_cpu_free(gpointer cpu);

/* Counts the events of a CPU that did not come until now as lost. */
void perf_read_end_weights(PerfRun *run, PerfRunCpu *cpu);

/* Has a CPU's events be counted. */
void perf_cpus_enable(PerfRun *run, PerfRunCpu *cpu);

/* Looks at what events cost each CPU, and bounds it. */
void perf_cpus_judge(PerfRun *run, uint64_t now_ns);
