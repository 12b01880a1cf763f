/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_ring.h"
#include "collect/perf/perf_weight.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The perf events of a run: a tracepoint's samples come into the ring of the CPU they happened on;
 * task records (names, forks, exits) come into a second one, so that neither crowds out the other.
 * Every descriptor is closed on exec and with the program: nothing can be left behind.
 *
 * They always trace all processes. Events of single processes would cost other processes nothing,
 * but the kernel ends them when such a process executes a program with other rights (perf's
 * perf_event_exit_task() in begin_new_exec()), and inheriting them allocates in every fork: half of
 * what a shell's forks allocated on two CPUs was perf_event_init_task's.
 */
typedef struct PerfEvents PerfEvents;

/* A tracepoint to open. */
typedef struct {
	uint16_t id; /* its number, of the format file */
	bool is_free;
	char *filter; /* of the kernel: what does not pass is not counted either; NULL: none */
	bool filters_caches; /* it leaves out slab caches that are not asked for */
} PerfPoint;

/* The events to open. Everything is borrowed until perf_events_free(). */
typedef struct {
	const PerfPoint *points;
	unsigned points_count;
	/* Numbers of tracepoints whose samples help to read the others', ahead of them in the same
	   ring: they have no stack, and what becomes of them is not counted. */
	const uint16_t *helpers;
	unsigned helpers_count;
	/* The tracepoint of TaskBirths, whose samples come among what tasks become; 0: none. */
	uint16_t births_id;
	uint32_t stack_depth;     /* frames; 0: none. What frees came from is never walked. */
	uint32_t sampling_period; /* at first; not 1 where it is to change: see below */
	size_t ring_bytes;        /* of samples, each CPU: a power of two of whole pages */
	bool with_cgroups;        /* ask for the cgroup in each sample */
	bool own_thread;          /* of the calling thread only; else everybody's */
	bool own_clock;           /* take perf's own clock, as a kernel does that has no other */
} PerfRequest;

/* Features of this kernel's samples. */
typedef struct {
	uint64_t sample_type; /* as perf_sample_parse() takes it */
	bool monotonic_clock; /* else the times are those of the CPU's own clock */
} PerfLayout;

/* One CPU's part. */
typedef struct {
	uint32_t cpu;
	PerfRing samples;
	PerfRing tasks;
	int samples_fd; /* polled for something to read; changes when it is reopened */
	int tasks_fd;
} PerfCpu;

/* Returns events without any CPU yet. */
PerfEvents *perf_events_new(const PerfRequest *request);
void perf_events_free(PerfEvents *events);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PerfEvents, perf_events_free)

/* Raises the limit of open files for that many CPUs; children started before keep the old limit. */
void perf_events_make_room(const PerfRequest *request, unsigned cpus);

/*
 * Opens the events of a CPU, which do not count yet; those of one that went away and came back
 * fill the same rings. Returns NULL with error set; G_IO_ERROR_NOT_FOUND: the CPU is not online.
 */
PerfCpu *perf_events_open(PerfEvents *events, uint32_t cpu, GError **error);

/* Enables the task records of a CPU, and its tracepoints: in this order, so that the task of every
   sample is known. */
void perf_events_enable_tasks(PerfEvents *events, PerfCpu *cpu);
void perf_events_enable_samples(PerfEvents *events, PerfCpu *cpu);

/* Ends both. */
void perf_events_disable(PerfEvents *events, PerfCpu *cpu);

/*
 * From here on one of so many events of a point is taken on a CPU; point is its place in the
 * request. The event counts all the while: nothing is missed. What the kernel makes of it is in
 * perf_weight.h. An event that was opened with 1 must not be given another period: the kernel takes
 * its next event twice then, and holds that for a flood which it stops (since 6.16 it does not even
 * count meanwhile). So such an event is opened with another one, and given 1 when it counts.
 */
PerfChange perf_events_set_period(PerfEvents *events, PerfCpu *cpu, unsigned point,
				  uint32_t sampling_period);

/* The same for all helpers. */
void perf_events_set_helpers_period(PerfEvents *events, PerfCpu *cpu, uint32_t sampling_period);

/* Returns to how many events a point has come on a CPU since it was opened there: whether they were
   taken, and found room in the ring, or not. */
uint64_t perf_events_count(const PerfEvents *events, const PerfCpu *cpu, unsigned point);

/* Reports how many samples of a CPU found no room in the ring since the start. Returns false where
   the kernel does not say that: before 6.0. What then did not come either was counted, but never
   handed over: some kernels do that to what happens in the idle task. */
bool perf_events_lost(const PerfEvents *events, const PerfCpu *cpu, uint64_t *lost);

/* For how long events had counted when they were asked. */
typedef struct {
	uint64_t enabled_ns;
	uint64_t asked_ns; /* CLOCK_MONOTONIC; 0: never */
} PerfEnabled;

/* A shorter gap is not noticed. */
#define PERF_ENABLED_GRAIN_NS 50000000ULL

/* Whether the kernel has taken a filter that leaves out slab caches. It may refuse one. */
bool perf_events_are_filtered(const PerfEvents *events);

/* Whether the events of a CPU have counted all the time since they were asked before: they do not
   from when it goes away on, even when it comes back. last is the caller's, zeros at first and when
   they were opened anew. */
bool perf_events_are_counting(const PerfEvents *events, const PerfCpu *cpu, PerfEnabled *last);

/* What samples have, known once a CPU's events were opened. */
PerfLayout perf_events_layout(const PerfEvents *events);
