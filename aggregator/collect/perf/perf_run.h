/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_events.h"
#include "collect/slabs/cache_probes.h"
#include "collect/points/point_set.h"
#include "collect/slabs/slab_probes.h"
#include "collect/run/collector.h"
#include "collect/run/gfp_flags.h"
#include "collect/tasks/task_proc.h"

#include <stdbool.h>

/*
 * What a run of perf events collects, and how: prepared by the perf-events collector before it
 * opens any event. Everything is borrowed. Whom it observes, and for how long, is in the
 * CollectRequest.
 */
typedef struct {
	/* What is opened. Only ring_bytes and own_clock are given: the run completes its own copy.
	 */
	PerfRequest events;
	const GPtrArray *points; /* (element-type KmemPoint) */
	const PointSet *hits;    /* probe points instead of these; NULL: none */
	int kmem_folder_fd;      /* tracefs folder events/kmem, for hits */
	/* If the points do not record the caches: a probe at the end of slabs, and the kernel's
	   memory, to find them by page; NULL: not possible. */
	const SlabProbe *slab_probe;
	const KernelMemory *memory;
	CacheLayout layout;
	/* Or else probes at the allocator's entries; with both, the results are compared. NULL:
	   caches are unknown ... */
	const CacheProbes *probes;
	const char *caches_unknown; /* ... for this reason; NULL: no probes needed */
	KprobeGroup *kprobes;       /* of the points and the probes; NULL: none */
	/* Functions that free objects and could not be probed; NULL: none. */
	const char *frees_not_seen;
	const TaskBirths *births; /* NULL: names of new tasks are read from /proc */
	GfpFlags gfp_flags;       /* of this kernel */
	uint64_t buffer_bytes;    /* of all CPUs, for the report */
} PerfRunPlan;

/*
 * Opens the events, holds and releases the command, and reads the events into the session. As
 * CollectorType.collect.
 */
bool perf_run(const PerfRunPlan *plan, const CollectRun *parts, GError **error);
