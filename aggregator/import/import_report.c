/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of a printed report, so that old reports can be filtered and drawn. State: the
 * current stack and its count.
 */
#include "config.h"

#include "import/import.h"
#include "import/import_count.h"
#include "import/import_stack_line.h"
#include "import/import_text.h"
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
	Session *session;
	ImportLines lines;
	GString *stack; /* frame lines so far */
	uint64_t count;
	bool in_stack;
	bool summed_up; /* the part after the stacks was reached */
	uint64_t unreadable;
} ReportState;

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

static bool import_report_begins(const char *line, size_t length, const char *literal)
{
	Cursor at = cursor_over(line, length);

	return cursor_take(&at, literal);
}

static bool is_detail(const char *line, size_t length)
{
	return import_report_begins(line, length, "bytes: ") ||
	       import_report_begins(line, length, "processes: ") ||
	       import_report_begins(line, length, FRAME_SOURCE_MARK);
}

static bool is_frame(const char *line, size_t length)
{
	uint64_t number;

	return stack_line_is_frame(stack_line_kind(line, length, &number));
}

static void end_stack(ReportState *state)
{
	if (state->in_stack)
		import_count(state->session, &(EventText){
						     .text = state->stack->str,
						     .length = (uint32_t)state->stack->len,
						     .weight = state->count,
					     });
	g_string_truncate(state->stack, 0);
	state->in_stack = false;
}

static void begin_stack(ReportState *state, uint64_t count)
{
	end_stack(state);
	state->count = count;
	state->in_stack = !state->summed_up;
	state->unreadable += state->summed_up;
}

static void add_frame(ReportState *state, const char *line, size_t length)
{
	if (!stack_line_append(state->stack, LINE_FRAME, line, length))
		state->unreadable++;
}

/* The loss in such a report cannot be imported: its line counts as unreadable. */
static bool is_loss_line(const char *line, size_t length)
{
	return import_report_begins(line, length, "Lost: ") &&
	       !import_report_begins(line, length, "Lost: none");
}

/* Stacks of such a report may be wrong. */
static bool is_difference_line(const char *line, size_t length)
{
	return import_report_begins(line, length, "Stack walks compared: ") &&
	       !g_strstr_len(line, (gssize)length, ", different: 0");
}

static void read_outside(ReportState *state, const char *line, size_t length)
{
	if (import_report_begins(line, length, "Num stacks before filtering:"))
		state->summed_up = true;
	else
		state->unreadable += is_loss_line(line, length) ||
				     is_difference_line(line, length) || is_frame(line, length);
}

static void read_line(void *data, const char *line, size_t length)
{
	ReportState *state = data;
	uint64_t count;

	if (!length)
		end_stack(state);
	else if (read_head(line, length, &count))
		begin_stack(state, count);
	else if (!state->in_stack)
		read_outside(state, line, length);
	else if (!is_detail(line, length))
		add_frame(state, line, length);
}

static void *report_begin(Session *session)
{
	ReportState *state = g_new0(ReportState, 1);

	state->session = session;
	state->stack = g_string_new(NULL);
	import_lines_init(&state->lines, read_line, state);
	return state;
}

static void report_feed(void *data, const char *text, size_t length)
{
	ReportState *state = data;

	import_lines_feed(&state->lines, text, length);
}

static uint64_t report_finish(void *data)
{
	g_autofree ReportState *state = data;

	import_lines_finish(&state->lines);
	end_stack(state);
	g_string_free(state->stack, TRUE);
	return state->unreadable + state->lines.too_long;
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
	.begin = report_begin,
	.feed = report_feed,
	.finish = report_finish,
};
