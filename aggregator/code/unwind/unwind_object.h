/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_rule.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* The rules of one address: a row of the table that CFI describes. */
typedef struct {
	UnwindRule cfa;
	bool is_start;  /* the return address is undefined: nobody called this code */
	bool is_signal; /* the caller was interrupted; its address is not a return address */
	uint8_t rule_count;
	UnwindRule rules[]; /* of registers that change */
} UnwindRow;

/* Computes the registers of the caller. Returns false with frame->end set. */
bool unwind_row_step(const UnwindRow *row, UnwindFrame *frame);

/*
 * UnwindObject has the CFI of an ELF file: of .eh_frame, and where code has none there, of
 * .debug_frame. Rows are decoded once for each address and kept.
 */
typedef struct UnwindObject UnwindObject;

/* The memory of all objects together, in bytes, about. */
typedef struct {
	size_t sections, sections_max; /* CFI of more objects than fit is not read */
	size_t rows, rows_max;         /* the caller forgets rows when there are more */
} UnwindBudget;

/* Lets libdw load what it needs to decode rows of this machine. Before elfutils 0.178 that is a
   library, which a process in a sandbox cannot open. Call it before child_sandbox_close(). */
void unwind_object_prepare(void);

/*
 * Reads the CFI of a file that is open for reading. The descriptor is borrowed for the call.
 * Returns an object without CFI if the file has none, is not of this machine, or does not fit. The
 * budget is borrowed.
 */
UnwindObject *unwind_object_new(int fd, UnwindBudget *budget);
void unwind_object_free(UnwindObject *object);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UnwindObject, unwind_object_free)

/* Whether the object has CFI of any code. */
bool unwind_object_has_cfi(const UnwindObject *object);

/* Returns the row of the code at an offset in the file; NULL: there is no CFI. Valid until
   unwind_object_forget_rows(). */
const UnwindRow *unwind_object_row(UnwindObject *object, uint64_t file_offset);

/* Frees the known rows; they are read again when they are needed. */
void unwind_object_forget_rows(UnwindObject *object);
