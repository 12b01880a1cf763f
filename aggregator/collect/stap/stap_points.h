/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_events.h"
#include "probes/preset.h"
#include "record/point_list.h"

#include <glib.h>
#include <stdbool.h>

/*
 * StapPoints is what a run of SystemTap observes: the probe points of a preset, and the script for
 * them, with one call of kmt_hit() (stap/tapset/kmt_emitter.stp.in) for each hit.
 */

/* A point. Its index is its number in the stream. */
typedef struct {
	char *name; /* owned: as displayed */
	PointRole role;
	uint8_t pair; /* begins and ends with the same number belong together */
} StapPoint;

typedef struct {
	GPtrArray *points;      /* (element-type StapPoint), owned */
	char *script;           /* owned: the probes; follows base.stp */
	GPtrArray *functions;   /* (element-type utf8), owned: of the kernel, probed by name */
	GPtrArray *programs;    /* (element-type utf8), owned: probed files */
	const char *value_name; /* borrowed: expression of the values; NULL: there are none */
	bool has_pairs;
	char *missing; /* owned: points that this kernel lacks, and why; NULL: it has all */
} StapPoints;

/* Returns the points of a preset (borrowed), or NULL with error set, in one line with the remedy:
   SystemTap cannot express a point or a formula, or this kernel has none of them. host: where
   points are looked up; NULL: another kernel is meant, which is assumed to have the first
   alternatives. */
StapPoints *stap_points_new(const Preset *preset, const PointHost *host, GError **error);
void stap_points_free(StapPoints *points);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapPoints, stap_points_free)

static inline const StapPoint *stap_points_at(const StapPoints *points, unsigned number)
{
	g_assert(number < points->points->len);
	return points->points->pdata[number];
}
