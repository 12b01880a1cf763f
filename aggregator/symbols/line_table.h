/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * LineTable contains the source lines of places in code, from lines like this:
 *
 *	l OBJECTKEY OFFSET LINE FUNCTION\tROOT\tFILE
 *
 * Consecutive lines with the same place are the functions there: the innermost inlined one first,
 * and last the one that has the code. OFFSET is hexadecimal, LINE decimal; LINE 0 and empty texts
 * are unknown. FILE is below the folder ROOT, if that is not empty. The first lines of a place
 * count.
 */
typedef struct LineTable LineTable;

enum { LINE_TEXT_BYTES_MAX = 4096, LINE_DEPTH_MAX = 64 };

/* A function at a place. All texts are escaped for printing, and live as long as the table. */
typedef struct {
	const char *function; /* NULL: unknown */
	const char *root;     /* "": none */
	const char *file;     /* NULL: unknown */
	uint32_t line;        /* 0: unknown */
	const char *source;   /* the text of that line; NULL: unknown */
} LineFrame;

/* Returns an empty table that takes at most this many bytes, about. */
LineTable *line_table_new(size_t bytes_max);
void line_table_free(LineTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineTable, line_table_free)

/* Adds all lines of a text. */
void line_table_parse(LineTable *table, TextPart lines);

/* Returns the text of a line of a file, owned by the caller; NULL: it is not known. */
typedef char *(*LineReader)(const LineFrame *frame, void *user_data);

/* Reads the text of all lines whose file is known, and that have none yet. */
void line_table_read_sources(LineTable *table, LineReader read, void *user_data);

/* Finds the functions at a place, and how many they are. Returns NULL if it is not known. Valid
   until lines are added. */
const LineFrame *line_table_find(const LineTable *table, const char *object_key, uint64_t offset,
				 size_t *count);

/* Returns how many lines were not understood; how many found no room. */
uint64_t line_table_invalid(const LineTable *table);
uint64_t line_table_dropped(const LineTable *table);

/* Appends a line of the text with its end. Characters that end a text become '?'. */
void line_table_append_line(GString *out, const char *object_key, uint64_t offset,
			    const LineFrame *frame);
