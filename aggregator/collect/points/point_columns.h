/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_events.h"
#include "probes/expression.h"

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
