/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_columns.h"

/*
 * PointFormula is an expression bound to the samples of one event: a --weight, --where or a column
 * of --print. Beside the columns of the event, its names may be:
 *
 *   pid, tid, cpu, comm   of the hit: its process, thread, CPU, and the name of the thread
 */
typedef struct PointFormula PointFormula;

/* What a hit is, beside its sample. */
typedef struct {
	uint32_t tgid;
	uint32_t tid;
	uint32_t cpu;
	const char *comm; /* of the thread, at most comm_bytes; any bytes */
	uint32_t comm_bytes;
} PointTask;

/* Returns the formula, or NULL with error set if the event lacks a name. Both are borrowed. */
PointFormula *point_formula_new(const Expression *expression, const PointEvent *event,
				GError **error);
void point_formula_free(PointFormula *formula);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PointFormula, point_formula_free)

/* Returns the registers that it needs: see point_registers_mask(). */
uint64_t point_formula_registers(const PointFormula *formula);

/* Returns its value. Allocates nothing. Names that the sample lacks are 0. */
ExpressionValue point_formula_value(PointFormula *formula, const PointSample *sample,
				    const PointTask *task);

/* Returns a filter of the kernel that lets at least all hits pass for which it is true; the caller
   frees it. NULL: there is none. */
char *point_formula_filter(const PointFormula *formula);
