/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names all stacks of a profile once: frames by frame_namer.c, user frames and texts, then equal
 * ones become one row, by a hash table of frame ids. Call sites are named later with the same
 * namer. Paid from the budget; what finds no room shares one row. A stack as one line is for the
 * details of a cache.
 */
#include "table/stack_rows.h"

#include "base/escape.h"
#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/slot_table.h"
#include "callsite_skip.h"
#include "symbols/frame_line.h"
#include "symbols/frame_namer.h"
#include "symbols/user_frame.h"

#include <string.h>

/* For events without a stack of their own: the row of all stacks that found the table full. */
static const char overflow_line[] = "[stacks beyond the memory bound]";
/* An imported event whose writer printed no stack. */
static const char no_stack_line[] = "[no stack recorded]";

enum { FIRST_SLOTS = 1024 };

struct StackRows {
	FrameTable *frames;
	bool borrows_frames;
	FrameNamer *namer; /* of stacks, later of call sites */
	GArray *ids;       /* (element-type FrameId), owned: the frames of all rows */
	GArray *ids_end;   /* (element-type uint32_t), owned: end of a row's frames in ids */
	uint32_t *row_of;  /* owned, by StackId */
	uint32_t stacks;
	uint32_t overflow_row;
};

/* State that is needed only to find the rows. */
typedef struct {
	StackRows *rows;
	const ViewSource *source;
	SlotTable slots; /* rows by the hash of their frames */
	GArray *ids;     /* (element-type FrameId) of the current stack */
} RowFinder;

uint32_t stack_rows_count(const StackRows *rows)
{
	return rows->ids_end->len;
}

const FrameId *stack_rows_frames(const StackRows *rows, uint32_t row, uint32_t *count)
{
	uint32_t start = row ? g_array_index(rows->ids_end, uint32_t, row - 1) : 0;

	hot_assert(row < rows->ids_end->len);
	*count = g_array_index(rows->ids_end, uint32_t, row) - start;
	return &g_array_index(rows->ids, FrameId, start);
}

uint32_t stack_rows_frame_ids_end(const StackRows *rows)
{
	return frame_table_ids_end(rows->frames);
}

Frame stack_rows_frame(const StackRows *rows, FrameId id)
{
	return frame_table_get(rows->frames, id);
}

void stack_rows_append_line(const StackRows *rows, FrameId id, GString *out)
{
	frame_table_append_line(rows->frames, id, out);
}

const FrameId *stack_rows_call_site(const StackRows *rows, uint64_t address, uint32_t epoch,
				    uint32_t *count)
{
	return frame_namer_call_site(rows->namer, address, epoch, count);
}

static void append_line(StackRows *rows, GArray *ids, const char *line)
{
	FrameId id = frame_table_intern_line(rows->frames, line, strlen(line));

	g_array_append_val(ids, id);
}

/* Returns the row with the current frames, adding it if new. */
static uint32_t row_intern(RowFinder *finder)
{
	StackRows *rows = finder->rows;
	uint32_t hash = (uint32_t)keyed_hash(finder->ids->data, finder->ids->len * sizeof(FrameId));
	uint32_t at, row;

	for (at = hash; (row = slot_table_candidate(&finder->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		uint32_t count;
		const FrameId *ids = stack_rows_frames(rows, row, &count);

		if (count == finder->ids->len &&
		    !memcmp(ids, finder->ids->data, count * sizeof(*ids)))
			return row;
	}
	row = rows->ids_end->len;
	g_array_append_vals(rows->ids, finder->ids->data, finder->ids->len);
	g_array_append_val(rows->ids_end, rows->ids->len);
	slot_table_put(&finder->slots, hash, at, row);
	return row;
}

/* Adds the frame of this line, and clears the line. source: the text of its source line; NULL:
   unknown. */
static void take_line(RowFinder *finder, GString *line, const char *source)
{
	FrameId id = frame_table_intern_line(finder->rows->frames, line->str, line->len);

	if (source)
		frame_table_set_source(finder->rows->frames, id, source);
	g_array_append_val(finder->ids, id);
	g_string_truncate(line, 0);
}

/* Appends the lines of an imported stack. In a report of ours names are escaped already. */
static void append_text(RowFinder *finder, const Profile *profile, StackId stack)
{
	g_autoptr(GString) line = g_string_new(NULL);
	uint32_t length;
	const char *text = stack_table_bytes(profile_stacks(profile), stack, &length);
	const char *end = text + length;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		escape_hidden_append_len(line, text, (gsize)(stop - text));
		take_line(finder, line, NULL);
		text = stop < end ? stop + 1 : end;
	}
	if (!finder->ids->len)
		append_line(finder->rows, finder->ids, no_stack_line);
}

/* Adds the frame of a place, after those of functions that were inlined there. */
static void append_user_frame(RowFinder *finder, UserPlace place, bool is_return_address,
			      GString *line)
{
	const ViewSource *source = finder->source;
	size_t count;
	const LineFrame *lines = user_frame_lines(source->user_objects, source->lines, place,
						  is_return_address, &count);
	const LineFrame last = count ? lines[count - 1] : (LineFrame){ .file = NULL };

	for (size_t i = 0; i + 1 < count; i++) {
		user_frame_append_inlined(line, source->user_objects, place, &lines[i]);
		take_line(finder, line, lines[i].source);
	}
	user_frame_append_line(line, source->user_objects, source->user_names, place,
			       is_return_address);
	frame_line_append_source(line, last.file, last.line);
	take_line(finder, line, last.source);
}

static void append_frames(RowFinder *finder, const Profile *profile, StackId stack)
{
	uint64_t addresses[KMT_STACK_DEPTH_MAX];
	UserPlace places[KMT_STACK_DEPTH_MAX];
	uint32_t depth = profile_stack_frames(profile, stack, addresses), count = 0;
	g_autoptr(GString) line = g_string_new(NULL);

	if (depth && !finder->source->hides_kernel_frames)
		frame_namer_append(finder->rows->namer, finder->ids, addresses, depth,
				   profile_stack_epoch(profile, stack));
	if (!finder->source->hides_user_frames)
		count = profile_stack_places(profile, stack, places);
	for (uint32_t i = 0; i < count; i++)
		append_user_frame(finder, places[i], i > 0, line);
	if (!finder->ids->len)
		append_line(finder->rows, finder->ids, no_stack_line);
}

static void name_stack(RowFinder *finder, const Profile *profile, StackId stack)
{
	const FrameId *ids;
	uint32_t bytes;

	hot_assert(stack < finder->rows->stacks);
	g_array_set_size(finder->ids, 0);
	switch (profile_stack_kind(profile)) {
	case STACK_TEXT:
		append_text(finder, profile, stack);
		break;
	case STACK_NAMED:
		ids = stack_table_bytes(profile_stacks(profile), stack, &bytes);
		g_array_append_vals(finder->ids, ids, (guint)(bytes / sizeof(*ids)));
		break;
	default:
		append_frames(finder, profile, stack);
	}
	finder->rows->row_of[stack] = row_intern(finder);
}

/* Returns the memory of frames and rows so far. */
static size_t memory_of(const RowFinder *finder)
{
	const StackRows *rows = finder->rows;

	return frame_table_memory(rows->frames) +
	       (rows->namer ? frame_namer_memory(rows->namer) : 0) +
	       slot_table_memory(&finder->slots) + rows->ids->len * sizeof(FrameId) +
	       rows->ids_end->len * sizeof(uint32_t) + rows->stacks * sizeof(*rows->row_of);
}

/* Stacks whose frames exceed the memory limit share one row. */
static void name_all(RowFinder *finder, const ViewSource *source)
{
	StackRows *rows = finder->rows;
	StackId stack = 0;

	while (stack < rows->stacks &&
	       memory_budget_set(source->memory, MEMORY_REPORT, memory_of(finder)))
		name_stack(finder, source->profile, stack++);
	g_array_set_size(finder->ids, 0);
	append_line(rows, finder->ids, overflow_line);
	rows->overflow_row = row_intern(finder);
	while (stack < rows->stacks)
		rows->row_of[stack++] = rows->overflow_row;
}

static FrameNamer *namer_new(const ViewSource *source, FrameTable *frames)
{
	FrameNamer *namer;

	if (!source->symbols)
		return NULL;
	namer = frame_namer_new(source->symbols, frames);

	if (source->lines)
		frame_namer_set_lines(namer, source->code, source->lines);
	return namer;
}

StackRows *stack_rows_new(const ViewSource *source)
{
	StackRows *rows = g_new0(StackRows, 1);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(FrameId));
	RowFinder finder = { .rows = rows, .source = source, .ids = ids };

	rows->stacks = stack_table_count(profile_stacks(source->profile));
	rows->borrows_frames = source->frames != NULL;
	rows->frames = source->frames
			       ? source->frames
			       : frame_table_new(2 * symbol_store_word_bytes(source->symbols));
	rows->namer = namer_new(source, rows->frames);
	rows->ids = g_array_new(FALSE, FALSE, sizeof(FrameId));
	rows->ids_end = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), rows->stacks + 1);
	rows->row_of = g_new(uint32_t, rows->stacks);
	slot_table_init(&finder.slots, FIRST_SLOTS);
	name_all(&finder, source);
	slot_table_clear(&finder.slots);
	/* There are far fewer call sites than stack addresses; ranking needs the memory. */
	frame_namer_free(rows->namer);
	rows->namer = namer_new(source, rows->frames);
	return rows;
}

void stack_rows_free(StackRows *rows)
{
	if (!rows)
		return;
	if (!rows->borrows_frames)
		frame_table_free(rows->frames);
	frame_namer_free(rows->namer);
	g_array_unref(rows->ids);
	g_array_unref(rows->ids_end);
	g_free(rows->row_of);
	g_free(rows);
}

uint32_t stack_rows_row(const StackRows *rows, StackId stack)
{
	return stack < rows->stacks ? rows->row_of[stack] : rows->overflow_row;
}

FrameList *stack_rows_list(const StackRows *rows, uint32_t row)
{
	g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
	uint32_t count;
	const FrameId *ids = stack_rows_frames(rows, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		Frame frame = stack_rows_frame(rows, ids[i]);

		g_array_append_val(frames, frame);
	}
	return frame_list_new((const Frame *)frames->data, count);
}

void stack_rows_append_text(const StackRows *rows, uint32_t row, GString *out)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(rows, row, &count);

	frame_table_append_lines(rows->frames, ids, count, out);
}

int stack_rows_compare(const StackRows *rows, uint32_t a, uint32_t b)
{
	uint32_t count_a, count_b;
	const FrameId *ids_a = stack_rows_frames(rows, a, &count_a);
	const FrameId *ids_b = stack_rows_frames(rows, b, &count_b);

	for (uint32_t i = 0; i < MIN(count_a, count_b); i++)
		if (ids_a[i] != ids_b[i])
			return frame_table_compare(rows->frames, ids_a[i], ids_b[i]);
	return (count_a > count_b) - (count_a < count_b);
}

/* Enough to distinguish the stacks of one cache; terminals show fewer. */
enum { FUNCTIONS_MAX = 8 };

void stack_chain_append(GString *out, const FrameList *stack)
{
	guint first = 0;

	/* Skips allocators, but not the last frame: the line must not be empty. */
	while (first + 1 < stack->count && stack->frames[first].function &&
	       callsite_skip_has(NULL, stack->frames[first].function))
		first++;
	for (guint i = first; i < stack->count && i < first + FUNCTIONS_MAX; i++) {
		const Frame *frame = &stack->frames[i];

		g_string_append(out, i > first ? " < " : "");
		if (frame->function)
			g_string_append(out, frame->function);
		else
			frame_line_append_symbol(out, frame);
		if (frame->function && frame->module && strcmp(frame->module, "kernel") != 0)
			g_string_append_printf(out, " [%s]", frame->module);
	}
}
