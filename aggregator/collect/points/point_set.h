/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"
#include "collect/points/point_events.h"
#include "probes/expression.h"
#include "probes/preset.h"
#include "record/point_list.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * PointColumn binds a name to the samples of one event: how its value is read. The names are:
 *
 *   a field       of a tracepoint's record; numbers, strings, and arrays of char
 *   arg1, arg2... the arguments of a function, a system call's entry, or a USDT probe
 *   a parameter   of a kernel function, by its name, if the kernel has BTF
 *   retval        the result of a function or a system call
 *   address       of a page fault or alignment fault
 *
 * Registers have 8 bytes, of which a smaller type defines only the lower ones. The value is that of
 * the type where that is known: at a system call's entry, of operands with a size (USDT), and of
 * kernel functions with BTF. Else, write `arg1 & 0xffffffff`.
 */
typedef enum {
	POINT_COLUMN_NUMBER,   /* a number in the record */
	POINT_COLUMN_TEXT,     /* a string of variable length in the record */
	POINT_COLUMN_CHARS,    /* an array of char in the record */
	POINT_COLUMN_REGISTER, /* PERF_SAMPLE_REGS_INTR */
	POINT_COLUMN_CONSTANT, /* an operand without a register */
	POINT_COLUMN_ADDRESS,  /* PERF_SAMPLE_ADDR */
} PointColumnKind;

typedef struct {
	PointColumnKind kind;
	bool is_of_kernel;     /* the kernel can test it in a filter of the event, by this name */
	bool is_of_program;    /* the register is of a program, which must have 64 bits */
	TracepointField field; /* of a record */
	int register_number;   /* bit of sample_regs_intr */
	unsigned bytes;        /* of the register; a smaller number than 8 is the lower part */
	bool is_signed;
	int64_t constant;
} PointColumn;

/* The parts of a sample that columns read. */
typedef struct {
	const uint8_t *raw; /* the tracepoint's record; NULL: none */
	uint32_t raw_bytes;
	uint64_t address;          /* 0: none */
	uint64_t registers_abi;    /* enum perf_sample_regs_abi; 0: no registers */
	uint64_t registers_mask;   /* as sample_regs_intr was */
	const uint64_t *registers; /* one for each bit of the mask, lowest first */
} PointSample;

/* Binds the name. Returns false with error set if the event does not have it; the error lists what
   it has. */
bool point_column_bind(PointColumn *column, const PointEvent *event, const char *name,
		       GError **error);

/* Whether its values are texts; else they are numbers. */
bool point_column_is_text(const PointColumn *column);

/* Returns the registers that the columns need, for perf_event_attr.sample_regs_intr; 0: none. */
uint64_t point_registers_mask(const PointColumn *columns, unsigned count);

/* Reads the value. A text points into the sample, is not terminated, and may have any bytes.
   Returns false, with a value of 0, if the sample does not contain it. */
bool point_column_read(const PointColumn *column, const PointSample *sample,
		       ExpressionValue *value);

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
	GPtrArray *shown; /* (element-type PresetValue), of the preset: how each column is shown */
	char *filter;     /* owned: of the kernel, at least as weak as where; NULL: none */
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
