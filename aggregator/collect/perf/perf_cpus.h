/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/clock.h"
#include "collect/perf/perf_cost.h"
#include "collect/perf/perf_events.h"
#include "collect/perf/perf_period.h"
#include "collect/perf/perf_scatter.h"
#include "collect/perf/perf_turn.h"
#include "collect/run/live_run.h"
#include "collect/slabs/cache_probes.h"
#include "record/event_writer.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct PerfRun PerfRun;

/* State of one CPU during the run. */
typedef struct {
	EventCpu event_cpu; /* first: the writer borrows it */
	PerfCpu *perf;
	GSource *samples_source; /* wakes the program; borrowed from the run's context */
	GSource *tasks_source;
	GSource *slab_frees_source; /* NULL: none */
	uint64_t head;              /* of the current round */
	uint64_t position;          /* in the ring, of the current record */
	uint64_t read;              /* samples read ... */
	uint64_t taken;             /* ... and events taken: not of an object that is left out */
	uint64_t lost;              /* of the nominal period; see EventCpu.events_lost */
	uint64_t lost_rest;         /* lost events that do not yet fill a whole period */
	uint64_t lost_samples;      /* samples that the kernel took but did not deliver */
	bool has_unreadable;        /* events in unreadable samples are lost, too */
	uint64_t lost_tasks;        /* lost task records, if events depend on them */
	unsigned selected_level;    /* of the sample of addresses that the kernel takes; 0: all */
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
	PerfMean mean;     /* in its place if events are paired */
	CacheCalls *calls; /* owned; NULL: no probes for the caches */
} PerfRunCpu;

/* What the events cost, and how that is bounded: the part of a run that perf_cpus.c owns. */
typedef struct {
	PerfCost cost;      /* measured at the start */
	HitCost *hit_costs; /* owned: by point */
	ReaderTime time;    /* of the program; perf_cost.c keeps it */
	PerfBound bound;
	uint64_t random; /* state of perf_period_random() */
	bool is_drawing; /* the twins of some points take turns */
} PerfCosts;

/* Sets the bound. The costs are not known yet. */
void perf_costs_init(PerfCosts *costs, PerfBound bound);
void perf_costs_clear(PerfCosts *costs);

/* Sets what the events cost; takes ownership of hit_costs, by point. From now on the CPUs have a
   cost, if it is known. */
void perf_cpus_set_costs(PerfRun *run, const PerfCost *cost, HitCost *hit_costs);

/* Opens the events of these CPUs (element-type guint32), those of them that are online. Returns
   false with error set. */
bool perf_cpus_open(PerfRun *run, const GArray *numbers, GError **error);

/* Polls their rings. */
void perf_cpus_watch(PerfRun *run);

/* As LiveEngine.trace_cpus. */
void perf_cpus_trace(LiveRun *live);

/* A GDestroyNotify of a PerfRunCpu. */
void perf_run_cpu_free(gpointer cpu);

/* Starts to count a CPU's events. */
void perf_cpus_enable(PerfRun *run, PerfRunCpu *cpu);

/* Adds up what a CPU's events have cost, in event_cpu.probe_ns. An estimate cannot exceed the whole
   time. */
static inline void perf_cpus_sum_cost(const PerfCosts *costs, PerfRunCpu *cpu)
{
	uint64_t all_ns = clock_monotonic_ns() - cpu->enabled_at_ns;

	if (costs->cost.is_known)
		cpu->event_cpu.probe_ns = MIN(cpu_cost_sum(&cpu->cost), all_ns);
}

/* Adds what a CPU's hits have cost that are not paid for yet. */
void perf_cpus_pay(PerfRun *run, PerfRunCpu *cpu);

/* Checks what the events cost each CPU, and bounds the cost. */
void perf_cpus_judge(PerfRun *run, uint64_t now_ns);
