/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"
#include "table/view.h"

#include <glib.h>

/*
 * The rows of a list of hits: those that the filters of a view keep, in the order of time, with the
 * texts of their columns.
 */
typedef struct HitRows HitRows;

/* Returns the rows, at most rows_max, or NULL: the hits were only counted. Both must outlive them.
   Free them with hit_rows_free(). */
HitRows *hit_rows_new(const Session *session, const View *view, uint64_t rows_max);
void hit_rows_free(HitRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HitRows, hit_rows_free)

/* The names of the columns; the last one is NULL. */
const char *const *hit_rows_columns(const HitRows *rows);

/* Returns the number of rows. */
guint hit_rows_count(const HitRows *rows);

/* Returns how many more there are, and how many found no room when they were recorded. */
uint64_t hit_rows_more(const HitRows *rows);
uint64_t hit_rows_dropped(const HitRows *rows);

/* Appends the text of a column in a row, escaped; empty: the hit does not have it. */
void hit_rows_append(const HitRows *rows, guint row, guint column, GString *out);

/* Appends the lines of its stack, each ended by '\n'. */
void hit_rows_append_stack(const HitRows *rows, guint row, GString *out);
