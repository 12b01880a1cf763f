/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of a kernel's record of held objects: /proc/allocinfo. Line by line, without memory
 * of earlier rows; each row becomes one HeldObjects with a frame made of its place.
 */
#include "config.h"

#include "import/import.h"
#include "import/import_types.h"
#include "base/saturate.h"

#include <string.h>

/*
 * /proc/allocinfo, from Linux 6.10 on with CONFIG_MEM_ALLOC_PROFILING: the bytes and objects held
 * per place in the source that allocated them (lib/alloc_tag.c, codetag_to_text()):
 *
 *	allocinfo - version: 1.0
 *	#     <size>  <calls> <tag info>
 *	       90112       22 mm/slub.c:2410 func:alloc_slab_page
 *	        4096        1 fs/binfmt_misc.c:771 [binfmt_misc] func:bm_register_write
 *
 * Version 2.0 appends " accurate:no" to rows whose numbers the kernel does not trust. There are no
 * stacks: the place becomes one frame, "alloc_slab_page at mm/slub.c:2410 [kernel]". Bytes are
 * those allocated, and the same number is taken as requested.
 *
 * Rows may come without the title ("sort -g /proc/allocinfo | tail"), and from the log of a kernel
 * that ran out of memory, which rounds sizes to three digits (lib/alloc_tag.c, show_mem()):
 *
 *	[  812.104511]      160 KiB       40 fs/widget.c:12 func:make_widget
 *
 * Other lines of such a log are skipped.
 */

typedef struct {
	Import in;
	bool has_title;
	bool has_rows;
} AllocinfoState;
G_STATIC_ASSERT(offsetof(AllocinfoState, in) == 0);

/* A row. */
typedef struct {
	uint64_t bytes;
	uint64_t objects;
	const char *place; /* "mm/slub.c:2410" */
	size_t place_bytes;
	const char *module; /* NULL: the kernel itself */
	size_t module_bytes;
	const char *function;
	size_t function_bytes;
	bool is_inaccurate;
} Row;

static bool is_title(const char *line, size_t length)
{
	return import_begins(line, length, "allocinfo - version: ");
}

/* "[binfmt_misc] " */
static void take_module(Cursor *cursor, Row *row)
{
	Cursor at = *cursor;
	const char *word;
	size_t length;

	if (!cursor_take_word(&at, &word, &length) || length < 3 || word[0] != '[' ||
	    word[length - 1] != ']')
		return;
	row->module = word + 1;
	row->module_bytes = length - 2;
	cursor_skip_blanks(&at);
	*cursor = at;
}

/* Units of string_get_size(), in powers of 1,024. */
static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };

/* Returns whether the text at the cursor is a unit; *shift: of its power of two. */
static bool take_unit(Cursor *cursor, unsigned *shift)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(units); i++) {
		Cursor at = *cursor;

		if (!cursor_take(&at, units[i]) || !cursor_skip_blanks(&at))
			continue;
		*cursor = at;
		*shift = 10 * i;
		return true;
	}
	return false;
}

/* "163840 ", "160 KiB ", "8.00 MiB " */
static bool take_size(Cursor *cursor, Row *row)
{
	enum { DIGITS_MAX = 3 };
	Cursor at = *cursor;
	uint64_t fraction = 0, scale = 1;
	unsigned shift = 0;

	if (!cursor_take_decimal(&at, &row->bytes))
		return false;
	if (cursor_take(&at, ".")) {
		const char *digits = at.at;

		if (!cursor_take_decimal(&at, &fraction) || at.at - digits > DIGITS_MAX)
			return false;
		for (; digits < at.at; digits++)
			scale *= 10;
	}
	if (!cursor_skip_blanks(&at))
		return false;
	if (take_unit(&at, &shift)) {
		row->is_inaccurate = shift > 0;
		row->bytes = saturate_sum(saturate_product(row->bytes, 1ULL << shift),
					  saturate_product(fraction, 1ULL << shift) / scale);
	} else if (scale > 1) {
		return false;
	}
	*cursor = at;
	return true;
}

static bool read_row(const char *line, size_t length, Row *row)
{
	Cursor at = cursor_over(line, length);

	*row = (Row){ 0 };
	cursor_skip_blanks(&at);
	if (!take_size(&at, row) || !cursor_take_decimal(&at, &row->objects) ||
	    !cursor_skip_blanks(&at) || !cursor_take_word(&at, &row->place, &row->place_bytes) ||
	    !cursor_skip_blanks(&at))
		return false;
	take_module(&at, row);
	if (!cursor_take(&at, "func:") ||
	    !cursor_take_word(&at, &row->function, &row->function_bytes))
		return false;
	cursor_skip_blanks(&at);
	if (!cursor_take(&at, "accurate:no"))
		return true;
	row->is_inaccurate = true;
	/* A later version may append more words. */
	return cursor_at_end(&at) || cursor_skip_blanks(&at);
}

static bool has_function(const char *line, size_t length)
{
	static const char mark[] = " func:";

	return memmem(line, length, mark, sizeof(mark) - 1) != NULL;
}

/* A row behind what the log and its reader print before a line. */
static bool read_row_of_log(const char *line, size_t length, Row *row)
{
	Cursor at = cursor_over(line, length);
	const char *word;
	size_t word_bytes;

	if (!has_function(line, length))
		return false;
	do {
		if (read_row(at.at, (size_t)(at.end - at.at), row))
			return true;
		cursor_skip_blanks(&at);
		cursor_take_word(&at, &word, &word_bytes);
	} while (!cursor_at_end(&at));
	return false;
}

static void take_row(AllocinfoState *state, const Row *row)
{
	GString *frame = state->in.stack;

	g_string_truncate(frame, 0);
	g_string_append_c(frame, ' ');
	g_string_append_len(frame, row->function, (gssize)row->function_bytes);
	g_string_append(frame, " at ");
	g_string_append_len(frame, row->place, (gssize)row->place_bytes);
	g_string_append(frame, " [");
	if (row->module)
		g_string_append_len(frame, row->module, (gssize)row->module_bytes);
	else
		g_string_append(frame, "kernel");
	g_string_append(frame, "]\n");
	import_take_held(state->in.session, &(HeldObjects){
						    .text = frame->str,
						    .length = (uint32_t)frame->len,
						    .objects = row->objects,
						    .bytes_requested = row->bytes,
						    .bytes_allocated = row->bytes,
					    });
}

static void read_line(void *data, const char *line, size_t length)
{
	AllocinfoState *state = data;
	Row row;

	state->has_title |= is_title(line, length);
	if (!length || *line == '#' || is_title(line, length))
		return;
	/* Bytes without objects come from counters of CPUs that were read while they changed. */
	if (!read_row_of_log(line, length, &row) ||
	    (row.objects ? row.objects > INT64_MAX : row.bytes > 0)) {
		state->in.unreadable += state->has_title || has_function(line, length);
		return;
	}
	state->has_rows = true;
	state->in.session->held_inaccurate += row.is_inaccurate;
	if (row.objects)
		take_row(state, &row);
}

/* The rows of a log may come late in it. */
static bool allocinfo_has_read(const void *data)
{
	const AllocinfoState *state = data;

	return state->has_title || state->has_rows;
}

static bool is_row(const char *line, size_t length)
{
	Row row;

	return is_title(line, length) || read_row(line, length, &row);
}

static bool is_any_row(const char *line, size_t length)
{
	Row row;

	return is_title(line, length) || read_row_of_log(line, length, &row);
}

static bool allocinfo_recognises(const char *text, size_t length)
{
	return import_any_line(text, length, IMPORT_FIRST_LINES, is_title) ||
	       import_any_line(text, length, 1, is_row);
}

static bool allocinfo_accepts(const char *text, size_t length)
{
	return import_any_line(text, length, IMPORT_ALL_LINES, is_any_row);
}

const ImportType import_allocinfo = {
	.name = "allocinfo",
	.recognises = allocinfo_recognises,
	.accepts = allocinfo_accepts,
	.has_read = allocinfo_has_read,
	.is_held = true,
	.state_bytes = sizeof(AllocinfoState),
	.line = read_line,
};
