/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rank/view_source.h"

#include <glib.h>
#include <stdint.h>

/*
 * StackRows names the stacks of a profile: stacks that print the same are one row, numbered from
 * 0. A row is kept as the ids of its lines, for the text of all rows may be large.
 */
typedef struct StackRows StackRows;

/* Names the stacks of the source's profile by its symbols. Those for which its memory does not
   suffice are one row, as those that found their table full. */
StackRows *stack_rows_new(const ViewSource *source);
void stack_rows_free(StackRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StackRows, stack_rows_free)

uint32_t stack_rows_count(const StackRows *rows);

/* Returns the row of a stack; stack may be STACK_ID_NONE. */
uint32_t stack_rows_row(const StackRows *rows, StackId stack);

/* Appends the lines of a row. */
void stack_rows_append_text(const StackRows *rows, uint32_t row, GString *out);

/* Returns a line of a row, ended by '\n', the innermost being 0; NULL where there is none. */
const char *stack_rows_line(const StackRows *rows, uint32_t row, uint32_t index);

/* Orders rows by their text, as strcmp() would. */
int stack_rows_compare(const StackRows *rows, uint32_t a, uint32_t b);
