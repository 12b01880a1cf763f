/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame.h"

#include <glib.h>
#include <stddef.h>

/*
 * FrameTable gives every distinct frame a small id, so that stacks which print the same are
 * equal arrays of ids, and nothing is kept twice. A frame that came as text is taken apart when its
 * fields are asked for, once.
 */
typedef struct FrameTable FrameTable;
typedef uint32_t FrameId;

/* Addresses are printed with so many digits: 8 or 16. */
FrameTable *frame_table_new(unsigned address_digits);
void frame_table_free(FrameTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameTable, frame_table_free)

/* Returns a name as it can be printed: itself, as nearly always, or an escaped copy that lives as
   long as the table. */
const char *frame_table_printable(FrameTable *table, const char *name);

/* What the symbols say of an address; both strings are printable, and borrowed for as long as the
   table lives. */
typedef struct {
	const char *function; /* NULL: not known */
	const char *module;   /* NULL: neither is known, nor the rest */
	uint64_t start;       /* of the function, or of the module */
	uint64_t bytes;
} FramePlace;

/* Returns the id of the frame of an address, adding it when it is new. */
FrameId frame_table_intern(FrameTable *table, uint64_t address, const FramePlace *place);

/* Returns the id of a frame that came as a line of text, escaped and without an end; adds it when
   it is new. */
FrameId frame_table_intern_line(FrameTable *table, const char *line, size_t length);

/* All ids are lower. */
uint32_t frame_table_ids_end(const FrameTable *table);

Frame frame_table_get(FrameTable *table, FrameId id);

/* Appends the line of a frame, as frame_line_append() does. */
void frame_table_append_line(const FrameTable *table, FrameId id, GString *out);

/* Appends the lines of several frames, each ended by '\n'. */
void frame_table_append_lines(const FrameTable *table, const FrameId *ids, uint32_t count,
			      GString *out);

/* Orders frames by their lines, as strcmp() would. */
int frame_table_compare(FrameTable *table, FrameId a, FrameId b);

/* Returns the memory in use, in bytes. */
size_t frame_table_memory(const FrameTable *table);
