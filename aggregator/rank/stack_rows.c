/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/stack_rows.h"

#include "count/slot_table.h"
#include "escape.h"
#include "keyed_hash.h"
#include "symbols/frame_text.h"

#include <string.h>

/* What has no stack of its own: the row of all stacks that found their table full. */
static const char overflow_line[] = "[stacks beyond the memory bound]\n";
/* An imported event whose writer had no stack to print. */
static const char no_stack_line[] = "[no stack recorded]\n";

enum { FIRST_SLOTS = 1024 };

struct StackRows {
	LineTable *lines;
	GArray *ids;      /* (element-type LineId), owned: the lines of all rows */
	GArray *ids_end;  /* (element-type uint32_t), owned: by row, where its lines end in ids */
	uint32_t *row_of; /* owned, by StackId */
	uint32_t stacks;
	uint32_t overflow_row;
};

/* What is needed only while the rows are found. */
typedef struct {
	StackRows *rows;
	SlotTable slots; /* rows by the hash of their lines */
	GArray *ids;     /* (element-type LineId) of the stack at hand */
} RowFinder;

uint32_t stack_rows_count(const StackRows *rows)
{
	return rows->ids_end->len;
}

/* Returns the lines of a row and their number. */
static const LineId *row_lines(const StackRows *rows, uint32_t row, uint32_t *count)
{
	uint32_t start = row ? g_array_index(rows->ids_end, uint32_t, row - 1) : 0;

	*count = g_array_index(rows->ids_end, uint32_t, row) - start;
	return &g_array_index(rows->ids, LineId, start);
}

/* Appends the lines of an imported stack: as they came, but for what a terminal would obey. */
static void append_imported(StackRows *rows, GArray *ids, const char *text, uint32_t length)
{
	g_autoptr(GString) line = g_string_new(NULL);
	const char *end = text + length;

	while (text < end) {
		const char *stop = memchr(text, '\n', end - text);
		LineId id;

		stop = stop ? stop : end;
		g_string_truncate(line, 0);
		escape_append_len(line, text, stop - text);
		g_string_append_c(line, '\n');
		id = line_table_intern(rows->lines, line->str, line->len);
		g_array_append_val(ids, id);
		text = stop < end ? stop + 1 : end;
	}
}

static void append_line(StackRows *rows, GArray *ids, const char *line)
{
	LineId id = line_table_intern(rows->lines, line, strlen(line));

	g_array_append_val(ids, id);
}

static bool row_equals(const StackRows *rows, uint32_t row, const GArray *ids)
{
	uint32_t count;
	const LineId *lines = row_lines(rows, row, &count);

	return count == ids->len && !memcmp(lines, ids->data, count * sizeof(*lines));
}

/* Returns the row that has the lines at hand, adding it when it is new. */
static uint32_t row_intern(RowFinder *finder)
{
	StackRows *rows = finder->rows;
	uint32_t hash = (uint32_t)keyed_hash(finder->ids->data, finder->ids->len * sizeof(LineId));
	uint32_t at, row;

	for (at = hash; (row = slot_table_candidate(&finder->slots, hash, &at)) != SLOT_ID_NONE;
	     at++)
		if (row_equals(rows, row, finder->ids))
			return row;
	row = rows->ids_end->len;
	g_array_append_vals(rows->ids, finder->ids->data, finder->ids->len);
	g_array_append_val(rows->ids_end, rows->ids->len);
	slot_table_put(&finder->slots, hash, at, row);
	return row;
}

static void append_text(RowFinder *finder, const Profile *profile, StackId stack)
{
	uint32_t length;
	const char *text = stack_table_bytes(profile_stacks(profile), stack, &length);

	append_imported(finder->rows, finder->ids, text, length);
	if (!finder->ids->len)
		append_line(finder->rows, finder->ids, no_stack_line);
}

static void append_frames(RowFinder *finder, const Profile *profile, FrameText *frames,
			  StackId stack)
{
	uint64_t addresses[KMT_STACK_DEPTH_MAX];
	uint32_t depth = profile_stack_frames(profile, stack, addresses);

	frame_text_append(frames, finder->ids, addresses, depth,
			  profile_stack_epoch(profile, stack));
}

static void name_stack(RowFinder *finder, const Profile *profile, FrameText *frames, StackId stack)
{
	g_array_set_size(finder->ids, 0);
	if (profile_stack_kind(profile) == STACK_TEXT)
		append_text(finder, profile, stack);
	else
		append_frames(finder, profile, frames, stack);
	finder->rows->row_of[stack] = row_intern(finder);
}

static void name_overflow(RowFinder *finder)
{
	g_array_set_size(finder->ids, 0);
	append_line(finder->rows, finder->ids, overflow_line);
	finder->rows->overflow_row = row_intern(finder);
}

/* Returns what was taken so far for lines and rows. */
static size_t memory_of(const RowFinder *finder, const FrameText *frames)
{
	const StackRows *rows = finder->rows;

	return line_table_memory(rows->lines) + frame_text_memory(frames) +
	       slot_table_memory(&finder->slots) + rows->ids->len * sizeof(LineId) +
	       rows->ids_end->len * sizeof(uint32_t) + rows->stacks * sizeof(*rows->row_of);
}

/* Stacks for whose lines there is no memory are those of one row. */
static void name_all(RowFinder *finder, const ViewSource *source)
{
	g_autoptr(FrameText) frames = frame_text_new(source->symbols, finder->rows->lines);
	StackRows *rows = finder->rows;
	StackId stack = 0;

	while (stack < rows->stacks && memory_budget_set(source->memory, MEMORY_REPORT,
							 memory_of(finder, frames)))
		name_stack(finder, source->profile, frames, stack++);
	name_overflow(finder);
	while (stack < rows->stacks)
		rows->row_of[stack++] = rows->overflow_row;
}

StackRows *stack_rows_new(const ViewSource *source)
{
	StackRows *rows = g_new0(StackRows, 1);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(LineId));
	RowFinder finder = { .rows = rows, .ids = ids };

	rows->stacks = stack_table_count(profile_stacks(source->profile));
	rows->lines = line_table_new();
	rows->ids = g_array_new(FALSE, FALSE, sizeof(LineId));
	rows->ids_end = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), rows->stacks + 1);
	rows->row_of = g_new(uint32_t, rows->stacks);
	slot_table_init(&finder.slots, FIRST_SLOTS);
	name_all(&finder, source);
	slot_table_clear(&finder.slots);
	return rows;
}

void stack_rows_free(StackRows *rows)
{
	if (!rows)
		return;
	line_table_free(rows->lines);
	g_array_unref(rows->ids);
	g_array_unref(rows->ids_end);
	g_free(rows->row_of);
	g_free(rows);
}

uint32_t stack_rows_row(const StackRows *rows, StackId stack)
{
	return stack < rows->stacks ? rows->row_of[stack] : rows->overflow_row;
}

void stack_rows_append_text(const StackRows *rows, uint32_t row, GString *out)
{
	uint32_t count;
	const LineId *ids = row_lines(rows, row, &count);

	for (uint32_t i = 0; i < count; i++)
		g_string_append(out, line_table_text(rows->lines, ids[i]));
}

const char *stack_rows_line(const StackRows *rows, uint32_t row, uint32_t index)
{
	uint32_t count;
	const LineId *ids = row_lines(rows, row, &count);

	return index < count ? line_table_text(rows->lines, ids[index]) : NULL;
}

int stack_rows_compare(const StackRows *rows, uint32_t a, uint32_t b)
{
	uint32_t count_a, count_b;
	const LineId *ids_a = row_lines(rows, a, &count_a);
	const LineId *ids_b = row_lines(rows, b, &count_b);

	for (uint32_t i = 0; i < MIN(count_a, count_b); i++)
		if (ids_a[i] != ids_b[i])
			return strcmp(line_table_text(rows->lines, ids_a[i]),
				      line_table_text(rows->lines, ids_b[i]));
	return (count_a > count_b) - (count_a < count_b);
}
