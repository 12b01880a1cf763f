/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as the member "diff" of the JSON report. No state beyond the writer. render_json.c
 * calls it.
 */
#include "render/data/render_json.h"

#include "report/diff_notes.h"
#include "report/report_table.h"

/* Writes a figure of both runs; the unit is in the name. */
static void write_figure(JsonWriter *json, const ReportModel *model, const Metric *metric,
			 const DiffRow *row)
{
	const char *suffix = diff_units[diff_rows_per(model->diff, metric)].suffix;
	g_autofree char *name = g_strconcat(metric->member, suffix, NULL);
	DiffFigures figures;

	if (!metric_is_known(metric, model_diff_context(model).lacks)) {
		json_null(json, name);
		return;
	}
	figures = diff_row_figures(model->diff, row, metric);
	json_open(json, name, '{');
	for (gsize i = 0; i < DIFF_FIGURES; i++)
		json_exact(json, diff_figures[i].name, diff_figure(&figures, diff_figures[i].at));
	json_close(json, '}');
}

/* Writes how the sums of both runs differ, into the open object. */
static void write_figures(JsonWriter *json, const ReportModel *model, const DiffRow *row)
{
	const DiffFigures ranked = diff_row_figures(model->diff, row, model->diff->rank);

	json_text(json, "change", diff_change_names[ranked.what]);
	json_exact(json, "change_percent", ranked.percent);
	for (MetricId id = 0; id < METRICS; id++)
		if (model_diff_shows(model, &metrics[id]))
			write_figure(json, model, &metrics[id], row);
}

static void write_rows(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const DiffRows *diff = model->diff;
	g_autoptr(Table) labels = table_new(model, NULL);

	report_table_add_keys(labels, model, TABLE_JSON);
	json_open(json, "rows", '[');
	for (guint i = 0; i < diff->rows->len; i++) {
		json_open(json, NULL, '{');
		json_write_row(json, labels, i);
		write_figures(json, model, diff_rows_at(diff, i));
		json_close(json, '}');
		json_spill(json, out);
	}
	json_close(json, ']');
}

static void write_others(JsonWriter *json, const ReportModel *model)
{
	const DiffRows *diff = model->diff;

	if (diff->compared == diff->rows->len) {
		json_null(json, "others");
		return;
	}
	json_open(json, "others", '{');
	json_count(json, "rows", diff->compared - diff->rows->len);
	write_figures(json, model, &diff->of_others);
	json_close(json, '}');
}

static void write_notes(JsonWriter *json, const ReportModel *model)
{
	g_autoptr(GArray) notes = diff_notes_new(model->older->facts, model->facts);
	const GPtrArray *modules = model->diff->half_known;

	json_open(json, "recorded_differently", '[');
	for (guint i = 0; i < notes->len; i++)
		json_text(json, NULL, fact_kinds[g_array_index(notes, FactId, i)].id);
	json_close(json, ']');
	json_open(json, "lines_of_one_run_only", '[');
	for (guint i = 0; i < modules->len; i++)
		json_text(json, NULL, modules->pdata[i]);
	json_close(json, ']');
}

void json_write_diff(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const DiffRows *diff = model->diff;

	json_open(json, "diff", '{');
	json_text(json, "per", diff_units[diff->per].name);
	json_count(json, "rows_compared", diff->compared);
	if (diff_rows_know_noise(diff)) {
		json_count(json, "rows_beyond_noise", diff->exceeding);
		json_count(json, "rows_unclear", diff->unclear);
	} else {
		json_null(json, "rows_beyond_noise");
		json_null(json, "rows_unclear");
	}
	json_real(json, "noise_standard_errors",
		  diff->errors_measured > 0 ? diff->errors_measured : diff->errors);
	write_notes(json, model);
	json_write_facts(json, "old_facts", model->older->facts);
	json_write_by(json, diff->groups[JOIN_NEW]);
	write_rows(json, model, out);
	write_others(json, model);
	json_open(json, "all", '{');
	write_figures(json, model, &diff->of_all);
	json_close(json, '}');
	json_close(json, '}');
}
