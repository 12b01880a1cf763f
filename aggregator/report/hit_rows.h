/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"
#include "table/view.h"

#include <glib.h>

/*
 * The rows of a list of hits: those that the filters of a view keep, in the order of time, with the
 * texts of their columns.
 */
typedef struct {
	char **columns;   /* owned: names of columns, ended by NULL */
	GArray *hits;     /* (element-type uint32_t), owned: rows, as indexes in the list */
	uint64_t more;    /* rows above the maximum */
	uint64_t dropped; /* hits that found no room when they were recorded */
	/* Private. */
	const Session *session;
	const View *view;
	guint *value_of; /* by column: its place in the text of a hit */
} HitRows;

/* Returns the rows, at most rows_max, or NULL: the hits were only counted. Both must outlive them.
   Free them with hit_rows_free(). */
HitRows *hit_rows_new(const Session *session, const View *view, uint64_t rows_max);
void hit_rows_free(HitRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HitRows, hit_rows_free)

/* Appends the text of a column in a row, escaped; empty: the hit does not have it. */
void hit_rows_append(const HitRows *rows, guint row, guint column, GString *out);

/* Appends the lines of its stack, each ended by '\n'. */
void hit_rows_append_stack(const HitRows *rows, guint row, GString *out);
