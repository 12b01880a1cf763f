/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame.h"
#include "symbols/line_table.h"

#include <glib.h>
#include <stddef.h>

/*
 * FrameTable gives every distinct frame a small id. So stacks that print the same are equal arrays
 * of ids, and nothing is stored twice. A frame from text is parsed once, when its fields are
 * needed.
 */
typedef struct FrameTable FrameTable;
typedef uint32_t FrameId;

/* address_digits: number of printed digits, 8 or 16. */
FrameTable *frame_table_new(unsigned address_digits);
void frame_table_free(FrameTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameTable, frame_table_free)

/* Returns a name in printable form: nearly always the name itself, else an escaped copy that lives
   as long as the table. */
const char *frame_table_printable(FrameTable *table, const char *name);

/* What a frame's address means. All strings are printable, and everything lives as long as the
   table. */
typedef struct {
	const char *function; /* NULL: unknown */
	const char *module;   /* NULL: everything is unknown */
	uint64_t start;       /* of the function, or of the module; 0: the function was inlined */
	uint64_t bytes;
	const LineFrame *line; /* where it is in the source; NULL: unknown */
} FramePlace;

/* Whether the function was inlined into that of the next frame: only source lines show that. */
static inline bool frame_place_is_inlined(const FramePlace *place)
{
	return place->line && !place->start;
}

/* Returns the id of the frame of an address, adding it if new. */
FrameId frame_table_intern(FrameTable *table, uint64_t address, const FramePlace *place);

/* Returns the id of a frame from a line of text, escaped and without a line end, adding it if
   new. */
FrameId frame_table_intern_line(FrameTable *table, const char *line, size_t length);

/* Sets the text of the source line of a frame from text. It must outlive the table. */
void frame_table_set_source(FrameTable *table, FrameId id, const char *source);

/* Notes that a frame from text is one of the kernel, though its line has no address. */
void frame_table_set_kernel(FrameTable *table, FrameId id);

/* Returns a bound: all ids are lower. */
uint32_t frame_table_ids_end(const FrameTable *table);

/* Returns a frame; its texts are borrowed from the table. */
Frame frame_table_get(FrameTable *table, FrameId id);

/* Appends the line of a frame, like frame_line_append(). */
void frame_table_append_line(const FrameTable *table, FrameId id, GString *out);

/* Appends the lines of several frames, each ended by '\n' and followed by the text of its source
   line, if that is known. */
void frame_table_append_lines(const FrameTable *table, const FrameId *ids, uint32_t count,
			      GString *out);

/* Orders frames by their lines, in strcmp() order. */
int frame_table_compare(FrameTable *table, FrameId a, FrameId b);

/* Returns the memory in use, in bytes. */
size_t frame_table_memory(const FrameTable *table);
