/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of a printed report, so that old reports can be filtered and drawn. State: the
 * current stack and its count.
 */
#include "config.h"

#include "import/import.h"
#include "import/import_stack_line.h"
#include "import/import_types.h"
#include "symbols/frame_line.h"

#include <string.h>

/*
 * A report of kmalloc-top, or of the Perl tool of that name:
 *
 *	This path seen 12 times:
 *	 0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]
 *	bytes: requested 1,200, allocated 1,536, wasted 336; failed 0
 *	processes: crond[812] 100 %
 *
 * A stack ends with an empty line. The two lines of --details are skipped, because they only
 * contain sums and shares, and so are the source lines of --source. If a file contains several
 * reports, the first one counts, because a later one may include its numbers.
 */

typedef struct {
	Import in;
	uint64_t count;
	bool in_stack;
	bool summed_up; /* the part after the stacks was reached */
} ReportState;
G_STATIC_ASSERT(offsetof(ReportState, in) == 0);

/* "This path seen 12 times:", "This path seen 12 times (sampled, +-3.1 %):" */
static bool read_head(const char *line, size_t length, uint64_t *count)
{
	Cursor at = cursor_over(line, length);

	if (!cursor_take(&at, "This path seen ") || !cursor_take_decimal(&at, count) ||
	    !cursor_take(&at, " times"))
		return false;
	cursor_skip_margin(&at);
	return cursor_take(&at, ":") && cursor_at_end(&at);
}

static bool is_detail(const char *line, size_t length)
{
	return import_begins(line, length, "bytes: ") ||
	       import_begins(line, length, "processes: ") ||
	       import_begins(line, length, FRAME_SOURCE_MARK);
}

static void end_stack(void *data)
{
	ReportState *state = data;

	if (state->in_stack)
		import_count(state->in.session, &(EventText){
							.text = state->in.stack->str,
							.length = (uint32_t)state->in.stack->len,
							.weight = state->count,
						});
	g_string_truncate(state->in.stack, 0);
	state->in_stack = false;
}

static void read_outside(ReportState *state, const char *line, size_t length)
{
	uint64_t number;
	bool is_lossy =
		import_begins(line, length, "Lost: ") && !import_begins(line, length, "Lost: none");
	bool is_different = import_begins(line, length, "Stack walks compared: ") &&
			    !g_strstr_len(line, (gssize)length, ", different: 0");

	if (import_begins(line, length, "Num stacks before filtering:"))
		state->summed_up = true;
	/* The loss of such a report cannot be imported, and stacks whose walks differed may be
	   wrong. */
	else if (is_lossy || is_different ||
		 stack_line_is_frame(stack_line_kind(line, length, &number)))
		state->in.unreadable++;
}

static void read_line(void *data, const char *line, size_t length)
{
	ReportState *state = data;
	uint64_t count;

	if (!length) {
		end_stack(state);
	} else if (read_head(line, length, &count)) {
		end_stack(state);
		state->count = count;
		state->in_stack = !state->summed_up;
		state->in.unreadable += state->summed_up;
	} else if (!state->in_stack) {
		read_outside(state, line, length);
	} else if (!is_detail(line, length) &&
		   !stack_line_append(state->in.stack, LINE_FRAME, line, length)) {
		state->in.unreadable++;
	}
}

static bool is_head(const char *line, size_t length)
{
	uint64_t count;

	return read_head(line, length, &count);
}

static bool report_recognises(const char *text, size_t length)
{
	return import_any_line(text, length, IMPORT_ALL_LINES, is_head);
}

const ImportType import_report = {
	.name = "a report of stacks",
	.recognises = report_recognises,
	.state_bytes = sizeof(ReportState),
	.line = read_line,
	.end = end_stack,
};
