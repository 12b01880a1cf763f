/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_events.h"

/*
 * Inside of this folder: a finder of point_events_find(), one for each kind of probe. Each adds
 * events (element-type PointEvent) to the array, or returns false with error set.
 */
typedef bool (*PointFinder)(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			    GError **error);

/* Each is the PointFinder of a kind of probe. */
bool point_find_tracepoints(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			    GError **error);
bool point_find_software(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			 GError **error);

/* Adds an event of that perf type, displayed as the probe is written. */
PointEvent *point_events_add(GPtrArray *events, const ProbeSpec *spec, uint32_t type);

/* Sets the error "PROBE: PROBLEM; nearest: A, B", or "PROBE: PROBLEM; ADVICE" if no name is similar
   to the wanted one. names: (element-type char *), from outside; code: a GIOErrorEnum. Returns
   false. */
bool point_fail_nearest(const ProbeSpec *spec, const char *problem, const GPtrArray *names,
			const char *wanted, const char *advice, GError **error);

/* Returns "OWNER has A, B, C, and 12 more", escaped: advice for point_fail_nearest(). The caller
   frees it. */
char *point_first_names(const char *owner, const GPtrArray *names);

/* Sets the error "PROBE: TEXT". Returns false. */
bool point_fail(const ProbeSpec *spec, int code, GError **error, const char *format, ...)
	G_GNUC_PRINTF(4, 5);
