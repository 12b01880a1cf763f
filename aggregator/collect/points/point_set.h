/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"
#include "collect/points/point_formula.h"
#include "probes/preset.h"
#include "record/point_list.h"

#include <glib.h>

/*
 * PointSet is what a run observes: the probe points of a preset, as this kernel has them.
 */

/* A point. Its index in the set is its number in the stream. */
typedef struct {
	PointEvent *event; /* owned */
	const char *name;  /* borrowed: of the event, or of the preset's point if it is an end */
	PointRole role;
	uint8_t pair; /* begins and ends with the same number belong together */
	/* What its hits are worth, and which of them count; owned. NULL: 1; all of them. */
	PointFormula *value;
	PointFormula *where;
	/* (element-type PointFormula): owned, of a list; an absent column is NULL. NULL: none */
	GPtrArray *columns;
	char *filter; /* owned: of the kernel, at least as weak as where; NULL: none */
} SetPoint;

typedef struct {
	GPtrArray *points;      /* (element-type SetPoint), owned */
	uint64_t registers;     /* that the formulas need */
	const char *value_name; /* borrowed: expression of the values; NULL: there are none */
	bool has_pairs;
	bool by_address; /* hits are counted by what is mapped at the address of their fault */
	char *missing;   /* owned: points that this kernel lacks, and why; NULL: it has all */
} PointSet;

/* Returns the points of a preset (borrowed), or NULL with error set: this kernel has none of them,
   or one lacks what a formula needs. */
PointSet *point_set_find(const PointHost *host, const Preset *preset, GError **error);
void point_set_free(PointSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PointSet, point_set_free)

static inline const SetPoint *point_set_at(const PointSet *set, unsigned number)
{
	hot_assert(number < set->points->len);
	return set->points->pdata[number];
}
