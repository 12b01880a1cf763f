/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/cache_probes.h"
#include "collect/run/collector.h"
#include "collect/run/gfp_flags.h"
#include "collect/tasks/task_births.h"

#include <stdbool.h>

/* What the perf-events collector prepares before it opens any event. Everything is borrowed. */
typedef struct {
	const GPtrArray *points; /* (element-type KmemPoint) */
	/* They report the caches where the points do not; NULL: nothing does ... */
	const CacheProbes *probes;
	const char *caches_unknown; /* ... for this reason; NULL: none is needed */
	const TaskBirths *births;   /* NULL: what new tasks are called is read from /proc */
	GfpFlags gfp_flags;         /* of this kernel */
	size_t ring_bytes;          /* of each CPU: a power of two of whole pages */
	uint64_t buffer_bytes;      /* of all CPUs, for the report */
	bool own_clock; /* as on a kernel that times perf events by its own clock only */
} PerfRunPlan;

/*
 * Opens the events, holds and releases the command, reads what happens into the session. As
 * CollectorType.collect; needs what perf_collector prepares.
 */
bool perf_run(const PerfRunPlan *plan, const CollectRun *parts, GError **error);
