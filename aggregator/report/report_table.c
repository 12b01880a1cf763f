/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of all reports but the overview of slab caches (slab_readings.c) as tables: columns and
 * how their values are read from groups, comparisons, hits and intervals.
 */
#include "report/report_table.h"

#include "base/number_text.h"
#include "rates/rate_table.h"
#include "symbols/frame_line.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Groups: of --by, or parts of the shown stacks; NULL: the stacks themselves are rows. */
static const GroupRows *groups_of(const ReportModel *model)
{
	return model->groups ? model->groups : model->parts;
}

/* Rows of one call are one row, which begins with their first one. */
static guint row_of_model(const ReportModel *model, guint row)
{
	return model->calls ? call_row_first(model->calls->pdata[row]) : row;
}

/* The run that rows come from, for databases: the same in all rows, unless rows tell runs apart. */

/* Returns the run_facts of a row's own run or host; NULL: there are none. */
static const Value *run_of_row(const ReportModel *model, guint row)
{
	const GroupRows *groups = groups_of(model);
	const Value *values = NULL;

	for (guint key = 0;
	     model->runs && !model->diff && !model->hits && groups && groups->keys[key]; key++) {
		bool of_host = g_str_equal(groups->keys[key]->name, "host");
		uint32_t member, run;

		if (!groups->keys[key]->of_runs)
			continue;
		member =
			group_rows_member(groups, &g_array_index(groups->rows, GroupRow, row), key);
		run = profile_task(view_source(model->view)->profile, member)->run;
		values = of_host ? many_runs_of_host(model->runs, run)
				 : many_runs_of_run(model->runs, run);
	}
	return values;
}

static Value read_run(Table *table, const TableColumn *column, guint row)
{
	const ReportModel *model = table->source;
	const Facts *facts = column->of;
	const Value *of_row = facts == model->facts ? run_of_row(model, row) : NULL;

	return of_row ? of_row[column->at] : facts->values[run_facts[column->at]];
}

/* A range has a column for each end: databases have no ranges. */
static Value read_run_max(Table *table, const TableColumn *column, guint row)
{
	const Value range = read_run(table, column, row);

	return (Value){ .known = range.known, .number = range.other };
}

static void add_run(Table *table, const Facts *facts, const char *prefix)
{
	for (gsize i = 0; i < RUN_FACTS; i++) {
		const FactKind *kind = &fact_kinds[run_facts[i]];
		bool is_range = kind->type == VALUE_RANGE;
		const TableColumn columns[] = {
			{ .id = table_printf(table, "%s%s", prefix, kind->id),
			  .type = is_range ? VALUE_COUNT : kind->type,
			  .read = read_run,
			  .at = i,
			  .of = facts },
			{ .id = table_printf(table, "%s%s_max", prefix, kind->id),
			  .type = VALUE_COUNT,
			  .read = read_run_max,
			  .at = i,
			  .of = facts },
		};

		table_add(table, columns, is_range ? 2 : 1, TABLE_FLAT);
	}
}

/* Labels: of groups of --by, of parts of the shown stacks, or of the run that has a row. */

typedef struct {
	const GroupRows *groups;
	const GroupRow *row; /* NULL: a sum */
	const View *view;
} Labelled;

static Labelled report_table_labelled(const ReportModel *model, guint row)
{
	Labelled of = { groups_of(model), NULL, model->view };

	if (model->diff) {
		const DiffRow *joined = diff_rows_at(model->diff, row);
		JoinSide side = diff_row_side(joined);

		return (Labelled){ model->diff->groups[side],
				   diff_rows_of(model->diff, joined, side),
				   model->diff->views[side] };
	}
	if (row != TABLE_OTHERS)
		of.row = &g_array_index(of.groups->rows, GroupRow, row_of_model(model, row));
	return of;
}

static Value read_label(Table *table, const TableColumn *column, guint row)
{
	const Labelled of = report_table_labelled(table->source, row);

	group_rows_append_label(of.groups, of.row, (guint)column->at, table->text);
	return (Value){ .known = true, .text = table->text->str };
}

static Value read_frames(Table *table, const TableColumn *column, guint row)
{
	const Labelled of = report_table_labelled(table->source, row);

	(void)table;
	return (Value){ .known = true,
			.number = group_rows_member(of.groups, of.row, (guint)column->at),
			.of = view_stack_rows(of.view) };
}

/* The names of the frames of a stack, innermost first. */
static Value read_frame_names(Table *table, const TableColumn *column, guint row)
{
	const Value frames = read_frames(table, column, row);
	uint32_t count;
	const FrameId *ids = stack_rows_frames(frames.of, (uint32_t)frames.number, &count);

	table->list = g_new0(char *, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		GString *name = g_string_new(NULL);
		Frame frame = stack_rows_frame(frames.of, ids[i]);

		frame_line_append_name(name, &frame);
		table->list[i] = g_string_free(name, FALSE);
	}
	return (Value){ .known = true, .list = table->list };
}

/* When the recording of a row began. */
static Value read_start_time(Table *table, const TableColumn *column, guint row)
{
	const Labelled of = report_table_labelled(table->source, row);
	const ViewSource *source = view_source(of.view);
	uint64_t start_time_ns;

	if (!of.row || !source->runs)
		return (Value){ 0 };
	start_time_ns = run_names_start_time_ns(
		source->runs, profile_task(source->profile,
					   group_rows_member(of.groups, of.row, (guint)column->at))
				      ->run);
	if (!start_time_ns)
		return (Value){ 0 };
	append_time(table->text, start_time_ns);
	return table_text(table->text);
}

/* Names of recordings need not say which is the older. */
static void add_start_time(Table *table, guint number)
{
	const TableColumn column = {
		.id = "start_time",
		.title = "START",
		.type = VALUE_TEXT,
		.read = read_start_time,
		.at = number,
	};

	g_array_append_val(table->columns, column);
}

static void add_key(Table *table, const Dimension *key, guint number, TableUse use)
{
	TableColumn column = {
		.id = key->name,
		.title = key->title,
		.type = VALUE_LABEL,
		.is_key = true,
		.read = read_label,
		.at = number,
	};

	if (dimension_is_stack(key) && use != TABLE_TEXT) {
		column.id = "frames";
		column.type = use == TABLE_FLAT ? VALUE_LIST : VALUE_FRAMES;
		column.read = use == TABLE_FLAT ? read_frame_names : read_frames;
	}
	if (g_str_equal(key->name, "recording") && use == TABLE_TEXT)
		add_start_time(table, number);
	g_array_append_val(table->columns, column);
}

/* The run has columns of its own; stacks of a comparison have lines of their own. */
static bool has_column(const Dimension *key, const ReportModel *model, TableUse use)
{
	return !(use == TABLE_FLAT && key->of_runs) &&
	       !(use == TABLE_TEXT && model->diff && dimension_is_stack(key));
}

void report_table_add_keys(Table *table, const ReportModel *model, TableUse use)
{
	const GroupRows *groups = model->diff ? model->diff->groups[JOIN_NEW] : groups_of(model);
	bool sorts = use == TABLE_TEXT && !model->diff;
	guint first = table->columns->len;

	for (int lines = false; lines <= (int)sorts; lines++)
		for (guint i = 0; groups->keys[i]; i++)
			if (has_column(groups->keys[i], model, use) &&
			    (!sorts || (groups->keys[i]->compare != NULL) == lines))
				add_key(table, groups->keys[i], i, use);
	for (guint i = first; i < table->columns->len; i++) {
		TableColumn *column = &g_array_index(table->columns, TableColumn, i);

		column->is_cut = !model->source->details &&
				 (model->diff ? groups->keys[column->at + 1] != NULL
					      : i + 1 < table->columns->len);
	}
}

/* Groups. */

static Value read_metric(Table *table, const TableColumn *column, guint row)
{
	const ReportModel *model = table->source;
	const GroupRows *groups = groups_of(model);
	const RowSums *sums;

	if (row == TABLE_OTHERS)
		sums = &groups->others;
	else if (model->calls)
		sums = &((const CallRow *)model->calls->pdata[row])->sums;
	else if (!groups)
		sums = &((const ViewStack *)model->view->stacks->pdata[row])->sums;
	else
		sums = &g_array_index(groups->rows, GroupRow, row).sums;
	return metric_value(column->of, sums, &table->context);
}

/* Text has no columns that say nothing; others have the same columns for all runs of a kind. */
static bool shows_metric(const Metric *metric, const MetricContext *context, TableUse use)
{
	bool is_known = metric_is_known(metric, context->lacks);

	if (!(metric->uses & METRIC_REPORTS))
		return false;
	if (use != TABLE_TEXT)
		return is_known || !metric->if_known;
	return is_known && (metric->type != VALUE_SHARE || metric_adds_up(context->rank)) &&
	       (!metric->if_any || metric_figure(metric, context->all)) &&
	       (!metric->if_run || context->rank->of_run);
}

static void add_metrics(Table *table, TableUse use)
{
	for (MetricId id = 0; id < METRICS; id++) {
		const TableColumn column = {
			.id = metrics[id].member,
			.title = metrics[id].title,
			.title_human = metrics[id].title_human,
			.type = metrics[id].type,
			.is_optional = metrics[id].if_known,
			.is_short = metrics[id].needs & NEEDS_TIMES,
			.read = read_metric,
			.of = &metrics[id],
		};

		if (shows_metric(&metrics[id], &table->context, use))
			g_array_append_val(table->columns, column);
	}
}

static void add_groups(Table *table, const ReportModel *model, TableUse use)
{
	const GroupRows *groups = groups_of(model);

	table->count = model->calls ? model->calls->len : groups->rows->len;
	table->more = groups->rows_before - groups->rows->len;
	table->context = model_metric_context(model);
	if (use == TABLE_TEXT)
		add_metrics(table, use);
	report_table_add_keys(table, model, use);
	if (use != TABLE_TEXT)
		add_metrics(table, use);
}

/* A list of hits. */

static Value read_hit(Table *table, const TableColumn *column, guint row)
{
	const ReportModel *model = table->source;

	hit_rows_append(model->hits, row, (guint)column->at, table->text);
	return table_text(table->text);
}

static void add_hits(Table *table, const HitRows *hits)
{
	for (guint i = 0; hits->columns[i]; i++) {
		g_autofree char *title = g_ascii_strup(hits->columns[i], -1);
		const TableColumn column = {
			.id = hits->columns[i],
			.title = table_printf(table, "%s", title),
			.type = VALUE_LABEL,
			.blank = "",
			.is_optional = true,
			.read = read_hit,
			.at = i,
		};

		g_array_append_val(table->columns, column);
	}
	table->count = hits->hits->len;
	table->more = hits->more;
}

/* A comparison of two runs. */

enum { PERCENT_AT = MEMBER_AT(double, DiffFigures, percent) };

static Value read_change(Table *table, const TableColumn *column, guint row)
{
	const DiffRows *diff = ((const ReportModel *)table->source)->diff;
	const DiffRow *joined = diff_rows_at(diff, row);
	DiffFigures figures;
	double figure;

	if (column->at != PERCENT_AT && !metric_is_known(column->of, table->context.lacks))
		return (Value){ .known = false };
	figures = diff_row_figures(diff, joined, column->of);
	figure = diff_figure(&figures, column->at);
	return (Value){ .known = isfinite(figure), .real = figure };
}

static Value read_what(Table *table, const TableColumn *column, guint row)
{
	const DiffRows *diff = ((const ReportModel *)table->source)->diff;
	const DiffRow *joined = diff_rows_at(diff, row);

	(void)column;
	return (Value){
		.known = true,
		.text = diff_change_names[diff_row_figures(diff, joined, diff->rank).what]
	};
}

static void add_changes(Table *table, const DiffRows *diff, const Metric *metric, TableUse use)
{
	const char *suffix = diff_units[diff_rows_per(diff, metric)].suffix;
	const char *name = table_printf(table, "%s%s", metric->member, suffix);

	for (gsize i = 0; i < DIFF_FIGURES; i++) {
		const TableColumn column = {
			.id = use == TABLE_FLAT
				      ? table_printf(table, "%s_%s", diff_figures[i].name, name)
				      : diff_figures[i].name,
			.within = use == TABLE_JSON ? name : NULL,
			.type = VALUE_REAL,
			.read = read_change,
			.at = diff_figures[i].at,
			.of = metric,
		};

		g_array_append_val(table->columns, column);
	}
}

/* The page shows only the metric that ranks. */
static void add_diff(Table *table, const ReportModel *model, TableUse use)
{
	const TableColumn what = { .id = "what", .type = VALUE_TEXT, .read = read_what };
	const TableColumn ranked[] = {
		{ .id = "change", .type = VALUE_TEXT, .read = read_what },
		{ .id = "change_percent",
		  .type = VALUE_REAL,
		  .read = read_change,
		  .at = PERCENT_AT,
		  .of = model->diff->rank },
	};

	table->context = model_diff_context(model);
	table->count = model->diff->rows->len;
	table->more = model->diff->compared - model->diff->rows->len;
	if (use == TABLE_FLAT)
		add_run(table, model->older->facts, "old_");
	report_table_add_keys(table, model, use);
	if (use == TABLE_PAGE) {
		table->context.lacks = 0;
		add_changes(table, model->diff, model->diff->rank, use);
		table_add(table, &what, 1, use);
		return;
	}
	table_add(table, ranked, G_N_ELEMENTS(ranked), use);
	for (MetricId id = 0; id < METRICS; id++)
		if (model_diff_shows(model, &metrics[id]))
			add_changes(table, model->diff, &metrics[id], use);
}

/* An interval: a row for each slab cache. */

static const RateRow *rate_at(const Table *table, guint row)
{
	return row == TABLE_ALL ? table->all : &g_array_index(table->rows, RateRow, row);
}

static Value read_rate(Table *table, const TableColumn *column, guint row)
{
	int64_t figure;
	bool known = rate_row_number(rate_at(table, row), column->of, table->span_ns, &figure);

	return (Value){ .known = known, .number = known ? (uint64_t)figure : 0 };
}

static Value read_rate_text(Table *table, const TableColumn *column, guint row)
{
	rate_row_append(table->text, rate_at(table, row), column->of, table->source);
	return table_text(table->text);
}

static Value read_net_word(Table *table, const TableColumn *column, guint row)
{
	const char *word = rate_net_word(rate_at(table, row)->net_state);

	(void)column;
	return (Value){ .known = word, .text = word };
}

static Value read_busiest_percent(Table *table, const TableColumn *column, guint row)
{
	const RateRow *rate = rate_at(table, row);

	return (Value){ .known = rate->busiest_name && rate->busiest_percent >= 0,
			.real = rate->busiest_percent,
			.other = column->decimals };
}

/* In percent of the estimates; 0: exact. */
static Value read_rate_margin(Table *table, const TableColumn *column, guint row)
{
	const RateRow *rate = rate_at(table, row);
	const Metric *metric = column->of;

	return (Value){ .known = metric_is_known(metric, rate->lacks),
			.real = metric == &metrics[METRIC_HELD]
					? margin_percent(rate->live.held_variance, rate->live.held)
					: metric_margin(metric, &rate->sums),
			.other = column->decimals };
}

/* Texts with several facts become several members. */
#define MEMBER(name, type, member) TABLE_MEMBER(name, type, RateRow, member)
#define OF(metric) .of = &metrics[METRIC_##metric]

static const TableColumn rate_columns[] = {
	{ MEMBER("cache", VALUE_TEXT, label), OF(CACHE), .uses = TABLE_FLAT },
	{ MEMBER("cache", VALUE_TEXT, name), OF(CACHE), .uses = TABLE_JSON },
	{ MEMBER("cache_by_size", VALUE_FLAG, by_size), OF(CACHE), .uses = TABLE_JSON },
	{ MEMBER("busiest_process", VALUE_TEXT, busiest_name), OF(BUSIEST) },
	{ .id = "busiest_process_percent",
	  .type = VALUE_ROUNDED,
	  OF(BUSIEST),
	  .uses = TABLE_JSON,
	  .read = read_busiest_percent,
	  .decimals = 1 },
};

#define ROUNDED(name) .id = name, .type = VALUE_ROUNDED, .decimals = 3, .read = read_rate_margin

static const TableColumn rate_margins[] = {
	{ ROUNDED("allocations_margin_percent"), OF(ALLOCATIONS) },
	{ ROUNDED("bytes_allocated_margin_percent"), OF(BYTES_ALLOCATED) },
	{ ROUNDED("objects_held_margin_percent"), OF(HELD), .is_optional = true },
};

static void add_rate_column(Table *table, const Metric *metric, TableUse use)
{
	bool is_rate = table->span_ns && !metric->instant;
	const TableColumn number = {
		.id = table_printf(table, "%s%s", metric->member, is_rate ? "_per_second" : ""),
		.type = VALUE_DIFFERENCE,
		.read = read_rate,
		.of = metric,
	};

	if (metric->type != VALUE_TEXT)
		table_add(table, &number, 1, use);
	for (gsize i = 0; i < G_N_ELEMENTS(rate_columns); i++)
		if (rate_columns[i].of == metric)
			table_add(table, &rate_columns[i], 1, use);
}

/* The width of a text does not depend on its content: a long name shifts only its own line. */
static void add_rate_texts(Table *table, const IntervalSource *interval)
{
	const RateNumbers numbers = { .span_ns = table->span_ns, .human = interval->layout->human };
	const Metric *columns[RATE_COLUMNS_MAX + 1];

	table->source = table_keep(table, &numbers, sizeof(numbers));
	rate_columns_choose(columns, interval->layout->columns,
			    interval->table->sampling_period > 1);
	for (guint i = 0; columns[i]; i++) {
		g_autoptr(GString) title = g_string_new(NULL);
		const bool is_text = columns[i]->type == VALUE_TEXT;
		TableColumn column = {
			.type = VALUE_LABEL,
			.is_right = !is_text,
			.is_fixed = is_text,
			.width = columns[i]->width,
			.read = read_rate_text,
			.of = columns[i],
		};

		rate_column_append_title(title, columns[i], table->span_ns);
		column.title = table_printf(table, "%s", title->str);
		g_array_append_val(table->columns, column);
	}
}

static void add_interval(Table *table, const IntervalSource *interval, TableUse use)
{
	static const TableColumn net = { "net_unknown", .type = VALUE_TEXT, .is_optional = true,
					 .read = read_net_word };
	const Metric *const *columns = interval->layout->columns;
	const RateTable *rates = interval->table;
	RateRow *sum = table_keep(table, &rates->sum, sizeof(rates->sum));

	table->rows = g_array_ref(rates->rows);
	table->count = rates->rows->len;
	table_cut(table, interval->layout->rows_max);
	table->span_ns = interval->layout->per_second ? rates->end_ns - rates->start_ns : 0;
	table->all = sum;
	if (use == TABLE_TEXT) {
		if (rates->rows->len > 1)
			sum->label = table_printf(table, "(all %u caches)", rates->rows->len);
		add_rate_texts(table, interval);
		return;
	}
	for (guint i = 0; columns[i]; i++)
		add_rate_column(table, columns[i], use);
	if (use == TABLE_FLAT)
		return;
	if (rate_net_is_shown(columns))
		table_add(table, &net, 1, use);
	if (rates->sampling_period > 1)
		table_add(table, rate_margins, G_N_ELEMENTS(rate_margins), use);
}

/* The interval itself is the same in all its rows. */
static void add_interval_times(Table *table, const RateTable *rates)
{
	table_add_constant(table, "interval", VALUE_COUNT,
			   (Value){ .known = true, .number = rates->number });
	table_add_constant(
		table, "end_time", VALUE_TIME,
		(Value){ .known = rates->realtime_ns != 0, .number = rates->realtime_ns });
	table_add_constant(table, "interval_seconds", VALUE_TIME_SPAN,
			   (Value){ .known = true, .number = rates->end_ns - rates->start_ns });
}

Table *interval_table_new(const IntervalSource *interval, TableUse use)
{
	Table *table = table_new(NULL, NULL);

	add_interval(table, interval, use);
	return table;
}

Table *report_table_new(const ReportModel *model, TableUse use)
{
	Table *table = table_new(model, NULL);

	if (use == TABLE_FLAT)
		add_run(table, model->facts, "");
	if (model->diff) {
		add_diff(table, model, use);
	} else if (model->kind == REPORT_SLAB_CACHES) {
		slab_table_add(table, &model->slab->table, SLABS_KEPT | SLABS_RECLAIMABLE, use);
	} else if (model->interval) {
		add_interval_times(table, model->interval->table);
		add_interval(table, model->interval, use);
	} else if (model->hits) {
		add_hits(table, model->hits);
	} else if (groups_of(model)) {
		add_groups(table, model, use);
	} else {
		table->count = model->view->stacks->len;
		table->context = model_metric_context(model);
		add_metrics(table, use);
	}
	return table;
}
