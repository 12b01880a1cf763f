/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/data/render_data.h"

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

void render_folded(const ReportModel *model, FILE *out)
{
	const Metric *weight = view_rank(model->source->options);
	const GroupRows *parts = model->parts;
	g_autoptr(GString) line = g_string_new(NULL);
	g_autoptr(GString) name = g_string_new(NULL);

	for (guint i = 0; i < parts->rows->len; i++) {
		const GroupRow *row = &g_array_index(parts->rows, GroupRow, i);
		uint64_t figure = weight->value(&row->sums);

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
