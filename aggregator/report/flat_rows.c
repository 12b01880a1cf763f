/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report as rows of one table, for CSV and ndjson: a table of sources, one for each kind of
 * report, gives columns and values. One row at a time is in memory.
 */
#include "report/flat_rows.h"

#include "symbols/frame_line.h"

#include <math.h>

/* How the rows of a kind of report are made. */
typedef struct {
	bool (*fits)(const ReportModel *model);
	void (*add_columns)(FlatRows *rows);
	guint (*count)(const FlatRows *rows);
	/* Adds the values of a row, in the order of the columns. */
	void (*add_values)(FlatRows *rows, guint row);
} FlatSource;

struct FlatRows {
	const ReportModel *model;
	const FlatSource *source;
	GArray *columns;  /* (element-type FlatColumn) */
	GArray *values;   /* (element-type Value) of the current row */
	GPtrArray *texts; /* (element-type utf8) of the current row, owned */
	GPtrArray *names; /* (element-type utf8) of columns, owned */
	GArray *slab[2];  /* (element-type SlabTableRow) by whether the kernel can shrink them */
	guint next;
	guint run_values; /* the first values are those of the run: the same in all rows */
};

static void add_column(FlatRows *rows, const char *name, ValueType type)
{
	const FlatColumn column = { name, type };

	g_array_append_val(rows->columns, column);
}

static void add_value(FlatRows *rows, Value value)
{
	g_array_append_val(rows->values, value);
}

/* Adds a text, which the rows own. */
static void add_text(FlatRows *rows, char *text)
{
	g_ptr_array_add(rows->texts, text);
	add_value(rows, (Value){ .known = true, .text = text });
}

/* A range has a column for each end: databases have no ranges. */
static void add_range(FlatRows *rows, const char *name, const Value *range)
{
	char *name_max = g_strconcat(name, "_max", NULL);

	g_ptr_array_add(rows->names, name_max);
	add_column(rows, name, VALUE_COUNT);
	add_value(rows, (Value){ .known = range->known, .number = range->number });
	add_column(rows, name_max, VALUE_COUNT);
	add_value(rows, (Value){ .known = range->known, .number = range->other });
}

/* prefix: of the names of columns. */
static void add_run(FlatRows *rows, const Facts *facts, const char *prefix)
{
	for (gsize i = 0; i < RUN_FACTS; i++) {
		const FactKind *kind = &fact_kinds[run_facts[i]];
		const Value *value = &facts->values[run_facts[i]];
		char *name = g_strconcat(prefix, kind->id, NULL);

		g_ptr_array_add(rows->names, name);
		if (kind->type == VALUE_RANGE) {
			add_range(rows, name, value);
			continue;
		}
		add_column(rows, name, kind->type);
		add_value(rows, *value);
	}
	rows->run_values = rows->values->len;
}

/* Groups: of --by, or parts of the shown stacks. */

static const GroupRows *groups_of(const ReportModel *model)
{
	return model->groups ? model->groups : model->parts;
}

static bool has_groups(const ReportModel *model)
{
	return groups_of(model) && !model->hits;
}

static bool shows_metric(const Metric *metric, const MetricContext *context)
{
	return metric->uses & METRIC_REPORTS &&
	       (!metric->if_known || metric_is_known(metric, context->lacks));
}

static void add_key_columns(FlatRows *rows, const GroupRows *groups)
{
	for (guint key = 0; groups->keys[key]; key++)
		if (groups->keys[key]->of_runs)
			continue; /* the columns of the run */
		else if (dimension_is_stack(groups->keys[key]))
			add_column(rows, "frames", VALUE_LIST);
		else
			add_column(rows, groups->keys[key]->name, VALUE_TEXT);
}

static void add_group_columns(FlatRows *rows)
{
	const MetricContext context = model_metric_context(rows->model);

	add_key_columns(rows, groups_of(rows->model));
	for (MetricId id = 0; id < METRICS; id++)
		if (shows_metric(&metrics[id], &context))
			add_column(rows, metrics[id].member, metrics[id].type);
}

static guint count_groups(const FlatRows *rows)
{
	return groups_of(rows->model)->rows->len;
}

/* Adds the frames of a stack, innermost first. */
static void add_frames(FlatRows *rows, const StackRows *stacks, uint32_t stack)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, stack, &count);
	char **list = g_new0(char *, count + 1);

	for (uint32_t i = 0; i < count; i++) {
		GString *name = g_string_new(NULL);
		Frame frame = stack_rows_frame(stacks, ids[i]);

		frame_line_append_name(name, &frame);
		list[i] = g_string_free(name, FALSE);
	}
	add_value(rows, (Value){ .known = true, .list = list });
}

/* Adds the labels of a row of that view's groups. */
static void add_keys(FlatRows *rows, const GroupRows *groups, const GroupRow *row, const View *view)
{
	for (guint key = 0; groups->keys[key]; key++) {
		GString *label;

		if (groups->keys[key]->of_runs)
			continue;
		if (dimension_is_stack(groups->keys[key])) {
			add_frames(rows, view_stack_rows(view),
				   group_rows_member(groups, row, key));
			continue;
		}
		label = g_string_new(NULL);
		group_rows_append_label(groups, row, key, label);
		add_text(rows, g_string_free(label, FALSE));
	}
}

/* Replaces the values of the run in the order of add_run(). */
static void set_run(FlatRows *rows, const Value *values)
{
	guint at = 0;

	for (gsize i = 0; i < RUN_FACTS; i++) {
		const Value *value = &values[i];

		g_array_index(rows->values, Value, at++) = *value;
		if (fact_kinds[run_facts[i]].type != VALUE_RANGE)
			continue;
		g_array_index(rows->values, Value, at++) =
			(Value){ .known = value->known, .number = value->other };
	}
}

/* If rows tell runs apart, the columns of the run are those of a row's own one. */
static void set_run_of_row(FlatRows *rows, const GroupRows *groups, const GroupRow *row)
{
	const ReportModel *model = rows->model;
	const Profile *profile = view_source(model->view)->profile;

	for (guint key = 0; model->runs && groups->keys[key]; key++) {
		bool of_host = g_str_equal(groups->keys[key]->name, "host");
		uint32_t run;

		if (!groups->keys[key]->of_runs)
			continue;
		run = profile_task(profile, group_rows_member(groups, row, key))->run;
		set_run(rows, of_host ? many_runs_of_host(model->runs, run)
				      : many_runs_of_run(model->runs, run));
	}
}

static void add_group_values(FlatRows *rows, guint number)
{
	const MetricContext context = model_metric_context(rows->model);
	const GroupRows *groups = groups_of(rows->model);
	const GroupRow *row = &g_array_index(groups->rows, GroupRow, number);

	g_assert(number < groups->rows->len);
	set_run_of_row(rows, groups, row);
	add_keys(rows, groups, row, rows->model->view);
	for (MetricId id = 0; id < METRICS; id++)
		if (shows_metric(&metrics[id], &context))
			add_value(rows, metric_value(&metrics[id], &row->sums, &context));
}

/* A list of hits. */

static bool has_hits(const ReportModel *model)
{
	return model->hits != NULL;
}

static void add_hit_columns(FlatRows *rows)
{
	for (const char *const *name = hit_rows_columns(rows->model->hits); *name; name++)
		add_column(rows, *name, VALUE_TEXT);
}

static guint count_hits(const FlatRows *rows)
{
	return hit_rows_count(rows->model->hits);
}

static void add_hit_values(FlatRows *rows, guint number)
{
	const HitRows *hits = rows->model->hits;

	for (guint i = 0; hit_rows_columns(hits)[i]; i++) {
		GString *text = g_string_new(NULL);

		hit_rows_append(hits, number, i, text);
		if (text->len) {
			add_text(rows, g_string_free(text, FALSE));
		} else {
			g_string_free(text, TRUE);
			add_value(rows, (Value){ .known = false });
		}
	}
}

/* An interval: a row for each slab cache. */

static bool has_interval(const ReportModel *model)
{
	return model->interval != NULL;
}

static uint64_t span_of_rates(const IntervalSource *interval)
{
	const RateTable *table = interval->table;

	return interval->layout->per_second ? table->end_ns - table->start_ns : 0;
}

static void add_rate_columns(FlatRows *rows)
{
	const IntervalSource *interval = rows->model->interval;
	const RateTable *table = interval->table;

	add_column(rows, "interval", VALUE_COUNT);
	add_value(rows, (Value){ .known = true, .number = table->number });
	add_column(rows, "end_time", VALUE_TIME);
	add_value(rows, (Value){ .known = table->realtime_ns != 0, .number = table->realtime_ns });
	add_column(rows, "interval_seconds", VALUE_TIME_SPAN);
	add_value(rows, (Value){ .known = true, .number = table->end_ns - table->start_ns });
	rows->run_values = rows->values->len;
	for (guint i = 0; interval->layout->columns[i]; i++) {
		const Metric *metric = interval->layout->columns[i];
		bool is_rate =
			span_of_rates(interval) && !metric->instant && metric->type != VALUE_TEXT;
		char *name = g_strconcat(metric->member, is_rate ? "_per_second" : "", NULL);

		g_ptr_array_add(rows->names, name);
		add_column(rows, name, metric->type == VALUE_TEXT ? VALUE_TEXT : VALUE_DIFFERENCE);
	}
}

static guint count_caches(const FlatRows *rows)
{
	const IntervalSource *interval = rows->model->interval;

	return (guint)MIN(interval->table->rows->len, interval->layout->rows_max);
}

static void add_rate_text(FlatRows *rows, const RateRow *row, const Metric *column)
{
	const char *text = column == &metrics[METRIC_CACHE] ? row->label : row->busiest_name;

	add_value(rows, (Value){ .known = text != NULL, .text = text });
}

static void add_rate_values(FlatRows *rows, guint number)
{
	const IntervalSource *interval = rows->model->interval;
	const RateRow *row = &g_array_index(interval->table->rows, RateRow, number);

	g_assert(number < interval->table->rows->len);
	for (guint i = 0; interval->layout->columns[i]; i++) {
		const Metric *column = interval->layout->columns[i];
		Value value = { .known = false };
		int64_t figure;

		if (column->type == VALUE_TEXT) {
			add_rate_text(rows, row, column);
			continue;
		}
		if (rate_row_number(row, column, span_of_rates(interval), &figure))
			value = (Value){ .known = true, .number = (uint64_t)figure };
		add_value(rows, value);
	}
}

/* Slab caches that grow: first those that the kernel cannot shrink. */

static bool has_slab_table(const ReportModel *model)
{
	return model->kind == REPORT_SLAB_CACHES;
}

static void add_slab_columns(FlatRows *rows)
{
	add_column(rows, "cache", VALUE_TEXT);
	add_column(rows, "reclaimable", VALUE_FLAG);
	add_column(rows, metrics[METRIC_OBJECTS_IN_USE].member, VALUE_COUNT);
	add_column(rows, "slab_bytes", VALUE_BYTES);
	add_column(rows, "change_bytes_per_second", VALUE_DIFFERENCE);
	for (int reclaimable = 0; reclaimable < 2; reclaimable++)
		rows->slab[reclaimable] = slab_table_rows(&rows->model->slab->table, reclaimable);
}

static guint count_slab_rows(const FlatRows *rows, bool reclaimable)
{
	return MIN(rows->slab[reclaimable]->len, rows->model->slab->table.rows_max);
}

static guint count_slabs(const FlatRows *rows)
{
	return count_slab_rows(rows, false) + count_slab_rows(rows, true);
}

static void add_slab_values(FlatRows *rows, guint number)
{
	guint unreclaimable = count_slab_rows(rows, false);
	bool reclaimable = number >= unreclaimable;
	const SlabTableRow *row = &g_array_index(rows->slab[reclaimable], SlabTableRow,
						 number - (reclaimable ? unreclaimable : 0));

	add_value(rows, (Value){ .known = true, .text = row->cache->name });
	add_value(rows, (Value){ .known = true, .number = reclaimable });
	add_value(rows, (Value){ .known = true, .number = row->cache->objects_in_use });
	add_value(rows, (Value){ .known = true, .number = row->cache->slab_bytes });
	add_value(rows, (Value){ .known = true, .number = (uint64_t)(int64_t)row->change_bytes });
}

/* A comparison of two runs. */

static bool has_diff(const ReportModel *model)
{
	return model->diff != NULL;
}

/* Adds a column, and owns its name. */
static void add_named_column(FlatRows *rows, char *name, ValueType type)
{
	g_ptr_array_add(rows->names, name);
	add_column(rows, name, type);
}

static void add_diff_metric_columns(FlatRows *rows, const Metric *metric)
{
	const DiffRows *diff = rows->model->diff;
	const char *suffix = diff_units[diff_rows_per(diff, metric)].suffix;

	add_named_column(rows, g_strconcat("old_", metric->member, suffix, NULL), VALUE_REAL);
	add_named_column(rows, g_strconcat("new_", metric->member, suffix, NULL), VALUE_REAL);
	add_named_column(rows, g_strconcat("change_", metric->member, suffix, NULL), VALUE_REAL);
	add_named_column(rows, g_strconcat("noise_", metric->member, suffix, NULL), VALUE_REAL);
}

static void add_diff_columns(FlatRows *rows)
{
	const ReportModel *model = rows->model;

	add_run(rows, model->older->facts, "old_");
	add_key_columns(rows, model->diff->groups[JOIN_NEW]);
	add_column(rows, "change", VALUE_TEXT);
	add_column(rows, "change_percent", VALUE_REAL);
	for (MetricId id = 0; id < METRICS; id++)
		if (model_diff_shows(model, &metrics[id]))
			add_diff_metric_columns(rows, &metrics[id]);
}

static guint count_diff(const FlatRows *rows)
{
	return rows->model->diff->rows->len;
}

static void add_real(FlatRows *rows, bool known, double number)
{
	add_value(rows, (Value){ .known = known && isfinite(number), .real = number });
}

static void add_diff_figures(FlatRows *rows, const DiffRow *row, const Metric *metric)
{
	const ReportModel *model = rows->model;
	bool known = metric_is_known(metric, model_diff_context(model).lacks);
	const DiffFigures figures = diff_row_figures(model->diff, row, metric);

	add_real(rows, known, figures.before);
	add_real(rows, known, figures.after);
	add_real(rows, known, figures.change);
	add_real(rows, known, figures.noise);
}

static void add_diff_values(FlatRows *rows, guint number)
{
	const DiffRows *diff = rows->model->diff;
	const DiffRow *row = &g_array_index(diff->rows, DiffRow, number);
	const DiffFigures ranked = diff_row_figures(diff, row, diff->rank);
	JoinSide side = diff_row_side(row);

	g_assert(number < diff->rows->len);
	add_keys(rows, diff->groups[side], diff_rows_of(diff, row, side), diff->views[side]);
	add_value(rows, (Value){ .known = true, .text = diff_change_names[ranked.what] });
	add_real(rows, true, ranked.percent);
	for (MetricId id = 0; id < METRICS; id++)
		if (model_diff_shows(rows->model, &metrics[id]))
			add_diff_figures(rows, row, &metrics[id]);
}

static const FlatSource sources[] = {
	{ has_diff, add_diff_columns, count_diff, add_diff_values },
	{ has_slab_table, add_slab_columns, count_slabs, add_slab_values },
	{ has_interval, add_rate_columns, count_caches, add_rate_values },
	{ has_hits, add_hit_columns, count_hits, add_hit_values },
	{ has_groups, add_group_columns, count_groups, add_group_values },
};

FlatRows *flat_rows_new(const ReportModel *model)
{
	FlatRows *rows = g_new0(FlatRows, 1);

	rows->model = model;
	rows->source = sources;
	while (!rows->source->fits(model))
		rows->source++;
	rows->columns = g_array_new(FALSE, FALSE, sizeof(FlatColumn));
	rows->values = g_array_new(FALSE, FALSE, sizeof(Value));
	rows->texts = g_ptr_array_new_with_free_func(g_free);
	rows->names = g_ptr_array_new_with_free_func(g_free);
	add_run(rows, model->facts, "");
	rows->source->add_columns(rows);
	return rows;
}

/* Frees what belongs to the current row. */
static void clear_row(FlatRows *rows)
{
	for (guint i = rows->run_values; i < rows->values->len; i++)
		g_strfreev(g_array_index(rows->values, Value, i).list);
	g_array_set_size(rows->values, rows->run_values);
	g_ptr_array_set_size(rows->texts, 0);
}

void flat_rows_free(FlatRows *rows)
{
	if (!rows)
		return;
	clear_row(rows);
	g_array_unref(rows->columns);
	g_array_unref(rows->values);
	g_ptr_array_unref(rows->texts);
	g_ptr_array_unref(rows->names);
	g_clear_pointer(&rows->slab[0], g_array_unref);
	g_clear_pointer(&rows->slab[1], g_array_unref);
	g_free(rows);
}

const GArray *flat_rows_columns(const FlatRows *rows)
{
	return rows->columns;
}

const Value *flat_rows_next(FlatRows *rows)
{
	clear_row(rows);
	if (rows->next >= rows->source->count(rows))
		return NULL;
	rows->source->add_values(rows, rows->next++);
	return &g_array_index(rows->values, Value, 0);
}
