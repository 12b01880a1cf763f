/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/bpf_beside.h"
#include "collect/perf/perf_cpus.h"
#include "collect/perf/perf_hits.h"
#include "collect/perf/perf_names.h"
#include "collect/perf/perf_read.h"
#include "collect/perf/perf_run.h"
#include "collect/run/live_run.h"

#include <stdbool.h>
#include <stdint.h>

/* What was found out during the run, as it is in the stream: perf_run.c writes what is new. */
typedef struct {
	BpfBeside *beside;
	char *blind, *attached;   /* owned: its findings */
	uint64_t scatter_percent; /* of threads */
	bool is_scattered;        /* rows were written */
	uint64_t missed;          /* see KMT_FIELD_PROBES_MISSED */
	uint64_t tasks_lost;      /* records */
	uint64_t not_delivered;   /* events, at the end: see KMT_FIELD_NOT_DELIVERED */
} PerfFindings;

/*
 * A running perf-events collector. perf_run.c starts and ends it, perf_round.c reads the rings of
 * all CPUs, perf_cpus.c says which CPUs are traced, and at what cost. Each part is written by the
 * file that owns it, and borrows from the others what it needs.
 */
struct PerfRun {
	LiveRun live; /* first: callbacks get this pointer */
	PerfRunPlan plan;
	PerfEvents *events;
	GPtrArray *cpus; /* (element-type PerfRunCpu), owned */
	PerfReader reader;
	PerfNames names;
	PerfHits hits;
	PerfCosts costs;
	PerfFindings findings;
};

/* Returns the run whose first member that is. */
static inline PerfRun *perf_run_of(LiveRun *live)
{
	G_STATIC_ASSERT(G_STRUCT_OFFSET(PerfRun, live) == 0);
	return (PerfRun *)live;
}

/* A record's time is taken before it is in the ring; a hypervisor may stop the CPU in between. */
#define PERF_READ_SETTLED_NS 20000000ULL

/* Reads the rings of all CPUs. complete_until_ns: no earlier event will follow; 0: unknown. */
void perf_round(PerfRun *run, uint64_t complete_until_ns);

/* Reads one CPU's ring up to its end. */
void perf_round_of_cpu(PerfRun *run, PerfRunCpu *cpu);

/* Reads the rest of all rings once their events are disabled, and counts what does not arrive as
   lost. Returns how many events were not delivered and that the kernel did not count as lost. */
uint64_t perf_round_rest(PerfRun *run);
