/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_rule.h"

/* The rules of one address: a row of the table that CFI describes. */
typedef struct {
	UnwindRule cfa;
	bool is_start;  /* the return address is undefined: nobody called this code */
	bool is_signal; /* the caller was interrupted; its address is not a return address */
	uint8_t rule_count;
	UnwindRule rules[]; /* of registers that change */
} UnwindRow;

/* Returns the row of a frame; its expressions belong to the frame's Dwarf_CFI. NULL: this program
   does not understand it. Free it with g_free(). */
UnwindRow *unwind_row_new(Dwarf_Frame *frame);

/* Returns the row of a function's first instruction. Free it with g_free(). */
UnwindRow *unwind_row_new_entry(void);

/* Returns the memory of a row, in bytes. */
size_t unwind_row_bytes(const UnwindRow *row);

/* Computes the registers of the caller. Returns false with frame->end set. */
bool unwind_row_step(const UnwindRow *row, UnwindFrame *frame);
