/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process answers that reads debug data, which a stranger's file may have taken over. */
#include "code/lines/lines_child.h"
#include "fuzz/fuzz.h"
#include "symbols/line_table.h"

#include <stdlib.h>
#include <string.h>

#define BUILD_ID "0123"

enum { BYTES_MAX = 1 << 18, PLACES = 3 };

static const char *const keys[] = { "k:0123", "m:0123:.text" };

static void expect_printable(const char *text)
{
	for (; text && *text; text++)
		if (g_ascii_iscntrl(*text))
			abort();
}

static void expect_printable_frames(const LineTable *table, const char *key, uint64_t offset)
{
	size_t count = 0;
	const LineFrame *frames = line_table_find(table, key, offset, &count);

	if (count > LINE_DEPTH_MAX)
		abort();
	for (size_t i = 0; i < count; i++) {
		expect_printable(frames[i].function);
		expect_printable(frames[i].root);
		expect_printable(frames[i].file);
	}
}

static void read_lines(LineTable *table, TextPart lines)
{
	line_table_parse(table, lines);
	for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
		for (uint64_t offset = 0; offset <= PLACES; offset++)
			expect_printable_frames(table, keys[i], offset);
}

/* Whether a line is about a place that was asked for: "l KEY OFFSET ...". */
static bool was_asked_for(TextPart line)
{
	bool is_line = text_part_is(text_part_next_word(&line), "l"), is_key = false;
	TextPart key = text_part_next_word(&line);
	uint64_t offset;

	for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
		is_key |= text_part_is(key, keys[i]);
	return is_line && is_key && text_part_hexadecimal(text_part_next_word(&line), &offset) &&
	       offset && offset <= PLACES;
}

static void take(TextPart answer, const LinesJob *job)
{
	g_autoptr(LineTable) table = line_table_new(BYTES_MAX);
	g_autoptr(GString) lines = g_string_new(NULL);
	LinesOutcome outcome = lines_answer_take(lines, answer, job);
	TextPart rest = { lines->str, lines->len }, line;

	read_lines(table, rest);
	while (text_part_next_line(&rest, &line))
		if (!was_asked_for(line))
			abort();
	if ((outcome.result != LINES_FOUND && lines->len) ||
	    (outcome.build_id && outcome.result != LINES_OTHER_FILE &&
	     outcome.result != LINES_REFERS) ||
	    (outcome.result == LINES_REFERS) != (outcome.supplement != NULL) ||
	    (outcome.result == LINES_FAILED) != (outcome.problem != NULL))
		abort();
	expect_printable(outcome.build_id);
	lines_outcome_clear(&outcome);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const TextPart text = { (const char *)data, size };
	g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(LinesPlace));
	g_autoptr(LineTable) table = line_table_new(BYTES_MAX);
	LinesRequest requests[] = { { CODE_OF_KERNEL, keys[0], NULL, places },
				    { CODE_OF_MODULE, keys[1], ".text", places } };

	for (uint64_t offset = 1; offset <= PLACES; offset++)
		g_array_append_val(places, ((LinesPlace){ .offset = offset }));
	take(text, &(LinesJob){ .build_id = BUILD_ID, .requests = requests, .count = 2 });
	read_lines(table, text);
	return 0;
}
