/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_ring.h"
#include "collect/perf/perf_sample.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The perf events of a run. A tracepoint's samples go into the ring of their CPU. Task records
 * (names, forks, exits) go into a second ring, and the ends of slabs into a third one, so that none
 * crowds out the others. Every descriptor is closed on exec and at exit: nothing can be left
 * behind.
 *
 * They always trace all processes. Events of single processes would cost other processes nothing,
 * but the kernel ends them when such a process executes a program with other rights (perf's
 * perf_event_exit_task() in begin_new_exec()). Inheriting them also allocates in every fork: on two
 * CPUs, half of the allocations in a shell's forks came from perf_event_init_task.
 */
typedef struct PerfEvents PerfEvents;

/* A tracepoint to open. */
typedef struct {
	uint16_t id; /* its number in the format file */
	/* Its type and configs if it is another event than a tracepoint, or NULL; borrowed. */
	const struct perf_event_attr *event;
	bool is_free;
	bool no_stack;       /* its kernel frames are not wanted; stacks of frees never are */
	bool no_user_stack;  /* ... or its user frames */
	char *filter;        /* kernel filter; rejected events are not counted either; NULL: none */
	bool counts_calls;   /* open one more event, which counts what the filter rejects, too */
	bool is_helper;      /* see PerfRequest */
	bool filters_caches; /* the filter rejects slab caches that were not requested */
	bool has_cache_name; /* its record has the cache's name, which takes time to copy */
} PerfPoint;

/* The events to open. Everything is borrowed until perf_events_free(). */
typedef struct {
	const PerfPoint *points;
	unsigned points_count;
	/* Numbers of the helper tracepoints. Their samples help to interpret the other samples and
	   precede them in the same ring. They have no stack, and their losses are not counted. */
	const uint16_t *helpers;
	unsigned helpers_count;
	/* The tracepoint of TaskBirths; its samples go into the ring of task records; 0: none. */
	uint16_t births_id;
	/* The probe of SlabProbe; its samples go into a ring of their own, of that size; 0: none.
	 */
	uint16_t slab_frees_id;
	size_t slab_frees_ring_bytes;
	uint32_t stack_depth;      /* kernel frames; 0: none. Stacks of frees are never recorded. */
	bool takes_hits;           /* samples have the form of perf_hit_parse() */
	uint32_t depth_max;        /* that the kernel allows for both sides together; 0: any */
	uint32_t user_depth;       /* with takes_hits: user frames, by frame pointers; 0: none */
	uint64_t registers;        /* ... mask of those to record where a probe is hit */
	uint64_t user_registers;   /* ... mask of the program's registers to record; 0: none */
	uint32_t user_stack_bytes; /* ... bytes of the user stack to copy; a multiple of 8 */
	bool with_maps;            /* record executable mappings of all processes, too */
	bool with_data_maps;       /* ... and those that are not executable */
	uint32_t sampling_period;  /* at first; not 1 if it will change: see below */
	bool has_twins;            /* open two events for each point: see perf_weight.h */
	bool selects_later;        /* ... of which the second is for perf_events_select() */
	size_t ring_bytes;         /* of samples, per CPU: a power of two of whole pages */
	bool with_cgroups;         /* request the cgroup in each sample */
	bool own_thread;           /* only of the calling thread; else of all */
	bool own_clock;            /* use perf's own clock, as on a kernel without use_clockid */
} PerfRequest;

/* Returns how many events there are for a point. */
static inline unsigned perf_request_twins(const PerfRequest *request)
{
	return request->has_twins ? 2 : 1;
}

/* An event of a point on a CPU. */
typedef struct {
	unsigned point; /* its index in the request */
	unsigned twin;  /* 0, or 1 if points have two events */
} PerfEventId;

/* Features of this kernel's samples. */
typedef struct {
	uint64_t sample_type; /* for perf_sample_parse(), or in PerfHitForm */
	bool monotonic_clock; /* else the times are on the CPU's own clock */
} PerfLayout;

/* The events of one CPU. */
typedef struct {
	uint32_t cpu;
	PerfRing samples;
	PerfRing tasks;
	PerfRing slab_frees; /* not mapped if there are none */
	int samples_fd;      /* to poll for data; changes when the CPU is reopened; -1: none */
	int tasks_fd;
	int slab_frees_fd;       /* -1: none */
	uint64_t interrupted_ns; /* by what this program asked of its events; estimated */
	void *owner;             /* the caller's data of this CPU, borrowed; NULL at first */
} PerfCpu;

/* Returns an object without any CPU. */
PerfEvents *perf_events_new(const PerfRequest *request);
void perf_events_free(PerfEvents *events);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PerfEvents, perf_events_free)

/* Raises the limit of open files for that many CPUs. Children that are already running keep the old
   limit. */
void perf_events_make_room(const PerfRequest *request, unsigned cpus);

/*
 * Opens the events of a CPU; they do not count yet. Events of a CPU that was offline fill the same
 * rings as before. Returns NULL with error set; G_IO_ERROR_NOT_FOUND: the CPU is not online.
 */
PerfCpu *perf_events_open(PerfEvents *events, uint32_t cpu, GError **error);

/* Returns a CPU that was opened, even if it is offline now; NULL: it was never. */
PerfCpu *perf_events_cpu(const PerfEvents *events, uint32_t number);

/* Enables a CPU's task records and ends of slabs, then the first event of each tracepoint. In this
   order the task and the slab of every sample is known. */
void perf_events_enable_tasks(PerfEvents *events, PerfCpu *cpu);
void perf_events_enable_samples(PerfEvents *events, PerfCpu *cpu);

/* Enables a CPU's tracepoints of frees only. Paired frees are enabled on all CPUs before any
   allocation: else objects that were freed in between would look held. */
void perf_events_enable_frees(PerfEvents *events, PerfCpu *cpu);

/* Ends a CPU's tracepoints and task records. Ends of slabs are recorded on: the caches of the last
   samples are found later, when their slabs may have ended. */
void perf_events_disable(PerfEvents *events, PerfCpu *cpu);

/*
 * Sets the sampling period of an event, whether it is enabled or not. It keeps counting during the
 * change. perf_weight.h describes the kernel's behaviour. An event that was opened with period 1
 * must not get another period: the kernel would then take its next event twice, treat that as a
 * flood and stop the event (since 6.16 it does not even count meanwhile). So open such an event
 * with another period, and set 1 when it counts.
 */
void perf_events_set_period(PerfEvents *events, PerfCpu *cpu, PerfEventId event,
			    uint32_t sampling_period);

/* Enables or disables an event. */
void perf_events_switch(PerfEvents *events, PerfCpu *cpu, PerfEventId event, bool on);

/*
 * Lets the second event of a point take over, with a filter that passes a part of what the first
 * one records; at most once for each time that the CPU is opened. Both record for a moment, then
 * the first one is disabled: it had counted *before. Returns false if the kernel refuses the
 * filter: then nothing changes.
 */
bool perf_events_select(PerfEvents *events, PerfCpu *cpu, unsigned point, const char *filter,
			uint64_t *before);

/* Sets the sampling period of all helpers. */
void perf_events_set_helpers_period(PerfEvents *events, PerfCpu *cpu, uint32_t sampling_period);

/* Returns how many hits an event has counted since it was opened, including those that were not
   sampled or found no room in the ring. */
uint64_t perf_events_count(const PerfEvents *events, PerfCpu *cpu, PerfEventId event);

/* Returns how many calls of a point its CPU has counted since it was opened, including those that
   the filter rejects; 0 if it does not count them. */
uint64_t perf_events_calls(const PerfEvents *events, PerfCpu *cpu, unsigned point);

/* Returns the attributes with which a point is opened, but for its sampling period. */
struct perf_event_attr perf_events_attr(const PerfEvents *events, unsigned point);

/* Finds the event of a sample by the id in it. Returns false if it is none of the CPU's open events
   of points. */
bool perf_events_find(const PerfEvents *events, const PerfCpu *cpu, uint64_t id,
		      PerfEventId *event);

/* Reports how many samples of a CPU found no room in the ring since the start. Returns false before
   6.0, which does not report that. Other missing samples were counted but never delivered: some
   kernels do that to events in the idle task. */
bool perf_events_lost(const PerfEvents *events, const PerfCpu *cpu, uint64_t *lost);

/* How long events had counted at the last query. */
typedef struct {
	uint64_t enabled_ns;
	uint64_t asked_ns; /* CLOCK_MONOTONIC; 0: never */
} PerfEnabled;

/* Gaps shorter than this are not noticed. */
#define PERF_ENABLED_GRAIN_NS 50000000ULL

/* Whether the kernel has accepted a filter that excludes slab caches. It may refuse one. */
bool perf_events_are_filtered(const PerfEvents *events);

/* Whether a CPU's events have counted without a gap since the last query. They stop when the CPU
   goes offline and stay stopped when it returns. The caller owns last; it is zeroed at first and
   after the events were reopened. */
bool perf_events_are_counting(const PerfEvents *events, PerfCpu *cpu, PerfEnabled *last);

/* The format of the samples; known once a CPU's events are open. */
PerfLayout perf_events_layout(const PerfEvents *events);
