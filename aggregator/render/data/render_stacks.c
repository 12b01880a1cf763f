/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderers "folded" and "speedscope", of stacks with figures. folded has a line for each part,
 * outermost frame first, and of a comparison two figures; speedscope has a profile for each weight,
 * from the paths of the model. renderers.c has both in its table.
 */
#include "config.h"

#include "render/data/render_data.h"

#include "base/clock.h"
#include "render/data/json_writer.h"
#include "report/stack_paths.h"
#include "report/weights.h"
#include "symbols/frame_line.h"

enum { KEY_PROCESS, KEY_STACK };

/* Appends a name; the separator of names becomes another character in it. */
static void append_folded_name(GString *line, const GString *name)
{
	for (gsize i = 0; i < name->len; i++)
		g_string_append_c(line, name->str[i] == ';' ? ':' : name->str[i]);
}

/* Appends the frames of a stack, outermost first. */
static void append_folded_frames(GString *line, const StackRows *stacks, uint32_t row,
				 GString *name)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	while (count--) {
		Frame frame = stack_rows_frame(stacks, ids[count]);

		g_string_truncate(name, 0);
		frame_line_append_name(name, &frame);
		g_string_append_c(line, ';');
		append_folded_name(line, name);
	}
}

/* Appends a figure without an exponent; time spans in ns. */
static void append_folded_figure(GString *line, double figure, const Metric *weight, DiffPer per)
{
	double unit = weight->type == VALUE_TIME_SPAN ? NS_PER_SECOND : 1;
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append_c(line, ' ');
	g_string_append(line,
			g_ascii_formatd(text, sizeof(text), per == DIFF_PER_RUN ? "%.0f" : "%.6f",
					figure * unit));
}

/* Writes lines of difffolded.pl: a stack with the figures of both runs. */
static void write_folded_diff(const DiffRows *diff, FILE *out)
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
		append_folded_name(line, name);
		append_folded_frames(line, view_stack_rows(diff->views[side]),
				     group_rows_member(diff->groups[side], group, KEY_STACK), name);
		append_folded_figure(line, figures.before, diff->rank, per);
		append_folded_figure(line, figures.after, diff->rank, per);
		fprintf(out, "%s\n", line->str);
	}
}

static void write_folded_stacks(const ReportModel *model, FILE *out)
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
		append_folded_name(line, name);
		append_folded_frames(line, view_stack_rows(model->view),
				     group_rows_member(parts, row, KEY_STACK), name);
		fprintf(out, "%s %" G_GUINT64_FORMAT "\n", line->str, figure);
	}
}

void render_folded(const ReportModel *model, FILE *out)
{
	if (model->diff)
		write_folded_diff(model->diff, out);
	else
		write_folded_stacks(model, out);
}

/*
 * The format is that of https://www.speedscope.app/file-format-schema.json, read on 2026-11-24 from
 * speedscope 1.25.0: "sampled" profiles, each with its samples (frames by number, outermost first)
 * and their weights.
 */
#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

typedef struct {
	const StackPaths *paths;
	JsonWriter json;
	FILE *out;
} SpeedscopeWriter;

/* speedscope gives functions of the same file similar colours. */
static void write_frames(SpeedscopeWriter *writer)
{
	const GArray *frames = stack_paths_frames(writer->paths);
	JsonWriter *json = &writer->json;

	json_open(json, "shared", '{');
	json_open(json, "frames", '[');
	for (guint i = 0; i < frames->len; i++) {
		const PathFrame *frame = &g_array_index(frames, PathFrame, i);
		const char *file = frame->file ? frame->file : frame->module;

		json_open(json, NULL, '{');
		json_text(json, "name", frame->name);
		if (file)
			json_text(json, "file", file);
		if (frame->line)
			json_count(json, "line", frame->line);
		json_close(json, '}');
		json_spill(json, writer->out);
	}
	json_close(json, ']');
	json_close(json, '}');
}

static uint64_t figure_of(const SpeedscopeWriter *writer, guint position, const Weight *weight)
{
	return metric_figure(weight->metric, &stack_paths_part(writer->paths, position)->sums);
}

static void write_samples(SpeedscopeWriter *writer, const Weight *weight)
{
	JsonWriter *json = &writer->json;

	json_open(json, "samples", '[');
	for (guint i = 0; i < stack_paths_count(writer->paths); i++) {
		guint count;
		const uint32_t *path;

		if (!figure_of(writer, i, weight))
			continue;
		path = stack_paths_get(writer->paths, i, &count);
		json_open(json, NULL, '[');
		for (guint frame = 0; frame < count; frame++)
			json_count(json, NULL, path[frame]);
		json_close(json, ']');
		json_spill(json, writer->out);
	}
	json_close(json, ']');
}

static void write_profile(SpeedscopeWriter *writer, const Weight *weight)
{
	JsonWriter *json = &writer->json;

	json_open(json, NULL, '{');
	json_text(json, "type", "sampled");
	json_text(json, "name", weight->title);
	json_text(json, "unit", weight_unit(weight, "none"));
	json_count(json, "startValue", 0);
	json_count(json, "endValue", weight->total);
	write_samples(writer, weight);
	json_open(json, "weights", '[');
	for (guint i = 0; i < stack_paths_count(writer->paths); i++) {
		uint64_t figure = figure_of(writer, i, weight);

		if (figure)
			json_count(json, NULL, figure);
		json_spill(json, writer->out);
	}
	json_close(json, ']');
	json_close(json, '}');
}

/* The name is what a user may look for: the host, if it may be shown, and the kernel. */
void render_speedscope(const ReportModel *model, FILE *out)
{
	const char *host = fact_text(model->facts, FACT_HOST);
	const char *release = fact_text(model->facts, FACT_RELEASE);
	g_autofree char *name = g_strjoin(" ", model->source->command, host ? host : release,
					  host ? release : NULL, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GArray) weights = weights_new(model);
	g_autoptr(StackPaths) paths = stack_paths_new(model, true);
	SpeedscopeWriter writer = { .paths = paths, .json = { .out = text }, .out = out };
	JsonWriter *json = &writer.json;

	json_open(json, NULL, '{');
	json_text(json, "$schema", SCHEMA);
	json_text(json, "name", name);
	json_text(json, "exporter", PACKAGE_NAME);
	json_count(json, "activeProfileIndex", weights_rank(weights, model));
	write_frames(&writer);
	json_open(json, "profiles", '[');
	for (guint i = 0; i < weights->len; i++)
		write_profile(&writer, &g_array_index(weights, Weight, i));
	json_close(json, ']');
	json_close(json, '}');
	fprintf(out, "%s\n", text->str);
}
