/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of a comparison for the page: figures as columns, stacks as numbers of names.
 * page_data.c calls it.
 */
#include "render/picture/page_data.h"

#include "render/picture/page_plain.h"
#include "report/diff_notes.h"
#include "symbols/frame_line.h"

static void write_columns(JsonWriter *json, const DiffRows *diff)
{
	for (gsize column = 0; column < DIFF_FIGURES; column++) {
		json_open(json, diff_figures[column].name, '[');
		for (guint i = 0; i < diff->rows->len; i++) {
			DiffFigures figures =
				diff_row_figures(diff, diff_rows_at(diff, i), diff->rank);

			json_exact(json, NULL, diff_figure(&figures, diff_figures[column].at));
		}
		json_close(json, ']');
	}
	json_open(json, "what", '[');
	for (guint i = 0; i < diff->rows->len; i++)
		json_text(
			json, NULL,
			diff_change_names[diff_row_figures(diff, diff_rows_at(diff, i), diff->rank)
						  .what]);
	json_close(json, ']');
}

/* Returns the frames of a row's stack, in that key. */
static const FrameId *frames_of(const DiffRows *diff, guint number, guint key, uint32_t *count,
				const StackRows **rows)
{
	const DiffRow *row = diff_rows_at(diff, number);
	JoinSide side = diff_row_side(row);
	const GroupRows *groups = diff->groups[side];

	*rows = view_stack_rows(diff->views[side]);
	return stack_rows_frames(
		*rows, group_rows_member(groups, diff_rows_of(diff, row, side), key), count);
}

/* Writes the names of all functions, one stack after the other, and how many each has. */
static void write_stacks(JsonWriter *json, const DiffRows *diff, guint key, PageNames *names)
{
	g_autoptr(GString) name = g_string_new(NULL);
	const StackRows *rows;
	uint32_t count;

	json_open(json, "names", '[');
	for (guint i = 0; i < diff->rows->len; i++) {
		const FrameId *ids = frames_of(diff, i, key, &count, &rows);

		for (uint32_t frame = 0; frame < count; frame++) {
			Frame one = stack_rows_frame(rows, ids[frame]);

			g_string_truncate(name, 0);
			frame_line_append_name(name, &one);
			json_count(json, NULL, page_names_add(names, name->str));
		}
	}
	json_close(json, ']');
	json_open(json, "depths", '[');
	for (guint i = 0; i < diff->rows->len; i++) {
		frames_of(diff, i, key, &count, &rows);
		json_count(json, NULL, count);
	}
	json_close(json, ']');
}

static void write_labels(JsonWriter *json, const DiffRows *diff, guint key, PageNames *names)
{
	g_autoptr(GString) label = g_string_new(NULL);

	json_open(json, diff->groups[JOIN_NEW]->keys[key]->name, '[');
	for (guint i = 0; i < diff->rows->len; i++) {
		const DiffRow *row = diff_rows_at(diff, i);
		JoinSide side = diff_row_side(row);

		g_string_truncate(label, 0);
		group_rows_append_label(diff->groups[side], diff_rows_of(diff, row, side), key,
					label);
		json_count(json, NULL, page_names_add(names, label->str));
	}
	json_close(json, ']');
}

static void write_keys(JsonWriter *json, const DiffRows *diff, PageNames *names)
{
	const GroupRows *groups = diff->groups[JOIN_NEW];

	for (guint key = 0; groups->keys[key]; key++)
		if (dimension_is_stack(groups->keys[key]))
			write_stacks(json, diff, key, names);
	json_open(json, "keys", '{');
	for (guint key = 0; groups->keys[key]; key++)
		if (!dimension_is_stack(groups->keys[key]))
			write_labels(json, diff, key, names);
	json_close(json, '}');
}

static void write_sums(JsonWriter *json, const DiffRows *diff)
{
	const DiffFigures all = diff_row_figures(diff, &diff->of_all, diff->rank);

	json_open(json, "all", '{');
	for (gsize i = 0; i < DIFF_FIGURES; i++)
		json_exact(json, diff_figures[i].name, diff_figure(&all, diff_figures[i].at));
	json_exact(json, "change_percent", all.percent);
	json_text(json, "what", diff_change_names[all.what]);
	json_close(json, '}');
}

static void write_words(JsonWriter *json, const ReportModel *model)
{
	g_autoptr(GArray) notes = diff_notes_new(model->older->facts, model->facts);
	g_auto(GStrv) lines = page_lines(model->older);

	json_open(json, "old_lines", '[');
	for (char **line = lines; *line; line++)
		json_text(json, NULL, *line);
	json_close(json, ']');
	json_open(json, "recorded_differently", '[');
	for (guint i = 0; i < notes->len; i++)
		json_text(json, NULL, fact_kinds[g_array_index(notes, FactId, i)].id);
	json_close(json, ']');
}

void page_diff_write(JsonWriter *json, const ReportModel *model, PageNames *names)
{
	const DiffRows *diff = model->diff;

	json_open(json, "diff", '{');
	json_text(json, "member", diff->rank->member);
	json_text(json, "per", diff_units[diff_rows_per(diff, diff->rank)].words);
	json_count(json, "rows_compared", diff->compared);
	if (diff_rows_know_noise(diff)) {
		json_count(json, "rows_beyond_noise", diff->exceeding);
		json_count(json, "rows_unclear", diff->unclear);
	} else {
		json_null(json, "rows_beyond_noise");
		json_null(json, "rows_unclear");
	}
	write_words(json, model);
	write_sums(json, diff);
	write_columns(json, diff);
	write_keys(json, diff, names);
	json_close(json, '}');
}
