/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * LineTable gives every distinct frame line a small, dense id, so that stacks which print the
 * same are equal arrays of ids, and no line is kept twice.
 */
typedef struct LineTable LineTable;
typedef uint32_t LineId;

LineTable *line_table_new(void);
void line_table_free(LineTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineTable, line_table_free)

/* Returns the id of a line, adding it when it is new. */
LineId line_table_intern(LineTable *table, const char *line, size_t length);

/* Returns the memory in use, in bytes. */
size_t line_table_memory(const LineTable *table);

/* Returns the line, terminated; borrowed for as long as the table lives. */
const char *line_table_text(const LineTable *table, LineId id);
