/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/live_run.h"

#include <glib.h>

/*
 * PerfMaps tells a collector that is not perf events what processes map, start and end: by perf
 * events that count nothing, on each CPU. It writes that to the stream, and names user stacks.
 */
typedef struct PerfMaps PerfMaps;

/* Opens the events, and takes all processes that exist. The run is borrowed. Returns NULL with
   error set. */
PerfMaps *perf_maps_new(LiveRun *live, GError **error);
void perf_maps_free(PerfMaps *maps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PerfMaps, perf_maps_free)

/* Writes all that happened until now to the stream. Call it before user stacks of that time are fed
   to the session. */
void perf_maps_read(PerfMaps *maps);

/* Follows CPUs that came online. Call it after each check of them. */
void perf_maps_look(PerfMaps *maps);

/* Writes the names of all user stacks so far to the stream. */
void perf_maps_name(PerfMaps *maps);
