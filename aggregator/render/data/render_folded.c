/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "folded": a line for each part, outermost frame first; of a comparison with two
 * figures.
 */
#include "render/data/render_data.h"

#include "base/clock.h"
#include "symbols/frame_line.h"

enum { KEY_PROCESS, KEY_STACK };

/* Appends a name; the separator of names becomes another character in it. */
static void append_name(GString *line, const GString *name)
{
	for (gsize i = 0; i < name->len; i++)
		g_string_append_c(line, name->str[i] == ';' ? ':' : name->str[i]);
}

/* Appends the frames of a stack, outermost first. */
static void append_frames(GString *line, const StackRows *stacks, uint32_t row, GString *name)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	while (count--) {
		Frame frame = stack_rows_frame(stacks, ids[count]);

		g_string_truncate(name, 0);
		frame_line_append_name(name, &frame);
		g_string_append_c(line, ';');
		append_name(line, name);
	}
}

/* Appends a figure without an exponent; time spans in ns. */
static void append_figure(GString *line, double figure, const Metric *weight, DiffPer per)
{
	double unit = weight->type == VALUE_TIME_SPAN ? NS_PER_SECOND : 1;
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append_c(line, ' ');
	g_string_append(line,
			g_ascii_formatd(text, sizeof(text), per == DIFF_PER_RUN ? "%.0f" : "%.6f",
					figure * unit));
}

/* Writes lines of difffolded.pl: a stack with the figures of both runs. */
static void write_diff(const DiffRows *diff, FILE *out)
{
	DiffPer per = diff_rows_per(diff, diff->rank);
	g_autoptr(GString) line = g_string_new(NULL);
	g_autoptr(GString) name = g_string_new(NULL);

	for (guint i = 0; i < diff->rows->len; i++) {
		const DiffRow *row = &g_array_index(diff->rows, DiffRow, i);
		const DiffFigures figures = diff_row_figures(diff, row, diff->rank);
		JoinSide side = diff_row_side(row);
		const GroupRow *group = diff_rows_of(diff, row, side);

		g_string_truncate(line, 0);
		g_string_truncate(name, 0);
		group_rows_append_label(diff->groups[side], group, KEY_PROCESS, name);
		append_name(line, name);
		append_frames(line, view_stack_rows(diff->views[side]),
			      group_rows_member(diff->groups[side], group, KEY_STACK), name);
		append_figure(line, figures.before, diff->rank, per);
		append_figure(line, figures.after, diff->rank, per);
		fprintf(out, "%s\n", line->str);
	}
}

static void write_stacks(const ReportModel *model, FILE *out)
{
	const Metric *weight = view_rank(model->source->options);
	const GroupRows *parts = model->parts;
	g_autoptr(GString) line = g_string_new(NULL);
	g_autoptr(GString) name = g_string_new(NULL);

	for (guint i = 0; i < parts->rows->len; i++) {
		const GroupRow *row = &g_array_index(parts->rows, GroupRow, i);
		uint64_t figure = metric_figure(weight, &row->sums);

		if (!figure)
			continue;
		g_string_truncate(line, 0);
		g_string_truncate(name, 0);
		group_rows_append_label(parts, row, KEY_PROCESS, name);
		append_name(line, name);
		append_frames(line, view_stack_rows(model->view),
			      group_rows_member(parts, row, KEY_STACK), name);
		fprintf(out, "%s %" G_GUINT64_FORMAT "\n", line->str, figure);
	}
}

void render_folded(const ReportModel *model, FILE *out)
{
	if (model->diff)
		write_diff(model->diff, out);
	else
		write_stacks(model, out);
}
