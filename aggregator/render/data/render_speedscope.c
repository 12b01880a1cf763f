/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "speedscope": a profile for each weight, from the paths of the model. renderers.c
 * has it in its table.
 */
#include "render/data/render_data.h"

#include "config.h"
#include "render/data/json_writer.h"
#include "report/stack_paths.h"
#include "report/weights.h"

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

static void write_weights(SpeedscopeWriter *writer, const Weight *weight)
{
	json_open(&writer->json, "weights", '[');
	for (guint i = 0; i < stack_paths_count(writer->paths); i++) {
		uint64_t figure = figure_of(writer, i, weight);

		if (figure)
			json_count(&writer->json, NULL, figure);
		json_spill(&writer->json, writer->out);
	}
	json_close(&writer->json, ']');
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
	write_weights(writer, weight);
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
