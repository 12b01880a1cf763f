/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "pprof": types of values, comments from facts, and a sample for each part with its
 * labels.
 */
#include "render/data/render_data.h"

#include "base/escape.h"
#include "base/saturate.h"
#include "render/data/json_writer.h"
#include "render/data/pprof_writer.h"
#include "report/weights.h"

typedef struct {
	const ReportModel *model;
	const GArray *weights;
	PprofWriter *writer;
	PprofCode *code;
	/* Of the current sample; the messages point into these. */
	GArray *locations; /* (element-type uint64_t) */
	GArray *values;    /* (element-type int64_t) */
	Pprof__Label labels[DIMENSIONS_MAX];
	GString *text;
} PprofReport;

/* The head. */

static Pprof__ValueType value_type(PprofReport *report, const Weight *weight)
{
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;

	type.type = pprof_writer_text(report->writer, weight->id);
	type.unit = pprof_writer_text(report->writer, weight_unit(weight, "count"));
	return type;
}

static void write_types(PprofReport *report)
{
	for (guint i = 0; i < report->weights->len; i++) {
		const Weight *weight = &g_array_index(report->weights, Weight, i);
		Pprof__ValueType type = value_type(report, weight), *message = &type;
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.n_sample_type = 1;
		part.sample_type = &message;
		if (i == weights_rank(report->weights, report->model))
			part.default_sample_type = type.type;
		pprof_writer_add(report->writer, &part);
	}
}

static void write_times(PprofReport *report)
{
	const Facts *facts = report->model->facts;
	Pprof__ValueType type = value_type(report, &g_array_index(report->weights, Weight, 0));
	Pprof__Profile part = PPROF__PROFILE__INIT;

	part.time_nanos = saturate_signed(fact_number(facts, FACT_START_TIME));
	part.duration_nanos = saturate_signed(fact_number(facts, FACT_DURATION));
	part.period_type = &type;
	part.period = saturate_signed(MAX(fact_number(facts, FACT_SAMPLING_ASKED), 1));
	pprof_writer_add(report->writer, &part);
}

/* What a reader has to know about the run. */
static const FactId comment_facts[] = {
	FACT_HOST,    FACT_RELEASE, FACT_ARCH,           FACT_VERSION,
	FACT_BOOT_ID, FACT_PROGRAM, FACT_COLLECTOR,      FACT_COMMAND_LINE,
	FACT_EVENTS,  FACT_COVERED, FACT_SAMPLING_ASKED, FACT_ALLOCATIONS_MARGIN,
	FACT_LOST,
};

/* Writes "lost_events: 12": names and values as in JSON. */
static void write_comment(PprofReport *report, FactId id)
{
	const Value *value = &report->model->facts->values[id];
	JsonWriter json = { .out = report->text };
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int64_t text;

	g_assert(id < G_N_ELEMENTS(report->model->facts->values));
	if (!value->known)
		return;
	g_string_printf(report->text, "%s: ", fact_kinds[id].id);
	if (fact_kinds[id].type == VALUE_TEXT)
		escape_append(report->text, value->text);
	else
		json_value(&json, NULL, fact_kinds[id].type, value);
	text = pprof_writer_text(report->writer, report->text->str);
	part.n_comment = 1;
	part.comment = &text;
	pprof_writer_add(report->writer, &part);
}

/* Samples. */

/* Sets the labels: all keys but the stack. Returns their number. */
static size_t set_labels(PprofReport *report, const GroupRow *row)
{
	const GroupRows *parts = report->model->parts;
	size_t count = 0;

	for (guint key = 0; parts->keys[key]; key++) {
		Pprof__Label *label = &report->labels[count];

		if (g_str_equal(parts->keys[key]->name, "stack"))
			continue;
		g_string_truncate(report->text, 0);
		group_rows_append_label(parts, row, key, report->text);
		pprof__label__init(label);
		label->key = pprof_writer_text(report->writer, parts->keys[key]->name);
		label->str = pprof_writer_text(report->writer, report->text->str);
		count++;
	}
	return count;
}

static void write_sample(PprofReport *report, const GroupRow *row, guint stack_key)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *message = &sample;
	Pprof__Label *labels[DIMENSIONS_MAX];
	Pprof__Profile part = PPROF__PROFILE__INIT;

	for (guint i = 0; i < DIMENSIONS_MAX; i++)
		labels[i] = &report->labels[i];
	g_array_set_size(report->values, 0);
	for (guint i = 0; i < report->weights->len; i++) {
		const Metric *metric = g_array_index(report->weights, Weight, i).metric;
		int64_t value = saturate_signed(metric_figure(metric, &row->sums));

		g_array_append_val(report->values, value);
	}
	sample.n_label = set_labels(report, row);
	sample.label = labels;
	sample.n_value = report->values->len;
	sample.value = (int64_t *)report->values->data;
	g_array_set_size(report->locations, 0);
	pprof_code_append_stack(report->code,
				group_rows_member(report->model->parts, row, stack_key),
				report->locations);
	sample.n_location_id = report->locations->len;
	sample.location_id = (uint64_t *)report->locations->data;
	part.n_sample = 1;
	part.sample = &message;
	pprof_writer_add(report->writer, &part);
}

static void write_samples(PprofReport *report)
{
	const GroupRows *parts = report->model->parts;
	guint stack_key = dimensions_position(parts->keys, "stack");

	for (guint i = 0; i < parts->rows->len; i++)
		write_sample(report, &g_array_index(parts->rows, GroupRow, i), stack_key);
	pprof_code_write_mappings(report->code);
}

void render_pprof(const ReportModel *model, FILE *out)
{
	PprofWriter *writer = pprof_writer_new(out);
	g_autoptr(PprofCode) code = pprof_code_new(model, writer);
	g_autoptr(GArray) weights = weights_new(model);
	g_autoptr(GArray) locations = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(GString) text = g_string_new(NULL);
	PprofReport report = {
		.model = model,
		.weights = weights,
		.writer = writer,
		.code = code,
		.locations = locations,
		.values = values,
		.text = text,
	};

	write_types(&report);
	write_times(&report);
	for (gsize i = 0; i < G_N_ELEMENTS(comment_facts); i++)
		write_comment(&report, comment_facts[i]);
	write_samples(&report);
	pprof_writer_close(writer);
}
