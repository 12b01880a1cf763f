/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the metrics by which pictures and profiles weigh stacks, with their titles and units. The
 * renderers of svg, pprof and speedscope and text_diff.c use the same choice.
 */
#include "report/weights.h"

#include "base/escape.h"

#include <string.h>

static void weight_clear(gpointer data)
{
	Weight *weight = data;

	g_free(weight->id);
	g_free(weight->title);
}

/* The figure of "time_seconds" is in ns. */
static char *id_of(const Metric *metric)
{
	static const char seconds[] = "_seconds";
	char *id = g_strdup(metric->member);

	if (g_str_has_suffix(id, seconds))
		id[strlen(id) - strlen(seconds)] = '\0';
	return id;
}

/* A preset says what its events and their values are called. */
static char *title_of(const Metric *metric, const Facts *facts)
{
	const bool is_value = metric == &metrics[METRIC_VALUE];
	const char *unit = fact_text(facts, FACT_VALUE_UNIT);
	const char *name = fact_text(facts, FACT_VALUE_NAME);

	if (is_value && unit)
		return escape_copy(unit);
	if ((is_value || metric == &metrics[METRIC_VALUE_BYTES]) && name)
		return escape_copy(name);
	if (metric == &metrics[METRIC_ALLOCATIONS] && fact_is_known(facts, FACT_POINTS_NOUN)) {
		g_autofree char *noun = escape_copy(fact_text(facts, FACT_POINTS_NOUN));

		return g_strconcat(noun, "s", NULL);
	}
	if (fact_number(facts, FACT_HELD_IS_GROWTH) && metric->needs & NEEDS_HELD)
		return g_strdup(metric->type == VALUE_BYTES ? "bytes added" : "objects added");
	return g_strdelimit(id_of(metric), "_", ' ');
}

/* Of metrics with the same figure the last one is the most specific: "held", not "count". */
static void add_weight(GArray *weights, const ReportModel *model, const Metric *metric)
{
	bool is_time = metric->type == VALUE_TIME_SPAN ||
		       (metric == &metrics[METRIC_VALUE] &&
			!g_strcmp0(fact_text(model->facts, FACT_VALUE_UNIT), "ns"));
	const Weight weight = {
		.metric = metric,
		.id = id_of(metric),
		.title = title_of(metric, model->facts),
		.type = is_time ? VALUE_NS : metric->type,
		.total = metric_figure(metric, model_shown_sums(model)),
	};

	for (guint i = 0; i < weights->len; i++)
		if (metric_same_figure(g_array_index(weights, Weight, i).metric, metric)) {
			weight_clear(&g_array_index(weights, Weight, i));
			g_array_index(weights, Weight, i) = weight;
			return;
		}
	g_array_append_val(weights, weight);
}

GArray *weights_new(const ReportModel *model)
{
	const unsigned uses = METRIC_RANKS | METRIC_REPORTS | METRIC_OF_HITS;
	const unsigned lacks = model_metric_context(model).lacks;
	GArray *weights = g_array_new(FALSE, FALSE, sizeof(Weight));

	g_array_set_clear_func(weights, weight_clear);
	for (MetricId id = 0; id < METRICS; id++) {
		const Metric *metric = &metrics[id];
		if (!(metric->uses & uses) || !metric_adds_up(metric) ||
		    !metric_is_known(metric, lacks))
			continue;
		/* Nobody asked for a picture without any area. */
		if (id == METRIC_ALLOCATIONS ||
		    metric_same_figure(metric, view_rank(model->source->options)) ||
		    metric_figure(metric, model_shown_sums(model)))
			add_weight(weights, model, metric);
	}
	return weights;
}

guint weights_rank(const GArray *weights, const ReportModel *model)
{
	const Metric *rank = view_rank(model->source->options);

	for (guint i = 0; i < weights->len; i++)
		if (metric_same_figure(g_array_index(weights, Weight, i).metric, rank))
			return i;
	return 0;
}

const char *weight_unit(const Weight *weight, const char *of_counts)
{
	switch (weight->type) {
	case VALUE_BYTES:
		return "bytes";
	case VALUE_NS:
		return "nanoseconds";
	default:
		return of_counts;
	}
}
