/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a comparison: the groups of both runs are joined, judged by chance (count/noise.c)
 * and by bursts, filtered by the larger side, ranked and cut. Keeps the groups of both sides;
 * renderers read rows and figures.
 */
#include "report/diff_rows.h"

#include "base/clock.h"
#include "count/noise.h"

#include <math.h>
#include <stddef.h>

const DiffUnit diff_units[DIFF_PERS] = {
	[DIFF_PER_AUTO] = { "auto", "", "" },
	[DIFF_PER_RUN] = { "run", "", "" },
	[DIFF_PER_SECOND] = { "second", "_per_second", " per second" },
	[DIFF_PER_EVENTS] = { "event", "_per_1000_events", " per 1,000" },
};

const char *const diff_change_names[DIFF_CHANGES] = {
	[DIFF_SAME] = "same",       [DIFF_NOISE] = "noise", [DIFF_UNKNOWN] = "unknown",
	[DIFF_UNCLEAR] = "unclear", [DIFF_NEW] = "new",     [DIFF_GONE] = "gone",
	[DIFF_MORE] = "more",       [DIFF_LESS] = "less",
};

const struct DiffFigure diff_figures[DIFF_FIGURES] = {
	{ "old", MEMBER_AT(double, DiffFigures, before) },
	{ "new", MEMBER_AT(double, DiffFigures, after) },
	{ "change", MEMBER_AT(double, DiffFigures, change) },
	{ "noise", MEMBER_AT(double, DiffFigures, noise) },
};

double diff_figure(const DiffFigures *figures, size_t at)
{
	return *(const double *)(const void *)((const char *)figures + at);
}

const DiffRow *diff_rows_at(const DiffRows *rows, guint row)
{
	g_assert(row < rows->rows->len || row >= TABLE_OTHERS);
	return row == TABLE_OTHERS ? &rows->of_others
	       : row == TABLE_ALL  ? &rows->of_all
				   : &g_array_index(rows->rows, DiffRow, row);
}

const GroupRow *diff_rows_of(const DiffRows *rows, const DiffRow *row, JoinSide side)
{
	g_assert(side < G_N_ELEMENTS(row->rows));
	return row->rows[side]
		       ? &g_array_index(rows->groups[side]->rows, GroupRow, row->rows[side] - 1)
		       : NULL;
}

JoinSide diff_row_side(const DiffRow *row)
{
	return row->rows[JOIN_NEW] ? JOIN_NEW : JOIN_OLD;
}

DiffPer diff_rows_per(const DiffRows *rows, const Metric *metric)
{
	return metric_adds_up(metric) ? rows->per : DIFF_PER_RUN;
}

bool diff_rows_know_noise(const DiffRows *rows)
{
	return rows->rank->scatter.kind != SPREAD_UNKNOWN;
}

/* Figures. */

static double factor_of(const DiffRun *run, DiffPer per)
{
	if (per == DIFF_PER_SECOND && run->duration_ns)
		return (double)NS_PER_SECOND / (double)run->duration_ns;
	if (per == DIFF_PER_EVENTS && run->events)
		return (double)DIFF_EVENTS / (double)run->events;
	return 1;
}

/* Returns the sums of a row; those of no row are 0. */
static const RowSums *diff_row_sums(const DiffRows *rows, const DiffRow *row, JoinSide side)
{
	static const RowSums none = { .summary = { 0 } };
	const GroupRow *group = diff_rows_of(rows, row, side);

	if (row == &rows->of_all)
		return &rows->all[side];
	if (row == &rows->of_others)
		return &rows->others[side];
	return group ? &group->sums : &none;
}

static NoisyFigure noisy_figure(const DiffRows *rows, const DiffRow *row, const Metric *metric,
				JoinSide side)
{
	const RowSums *sums = diff_row_sums(rows, row, side);
	double unit = metric->type == VALUE_TIME_SPAN ? 1.0 / NS_PER_SECOND : 1;

	g_assert(side < G_N_ELEMENTS(rows->factors));
	return (NoisyFigure){
		.figure = (double)metric_figure(metric, sums),
		.variance = metric_scatter(metric, sums),
		.factor = (metric_adds_up(metric) ? rows->factors[side] : 1) * unit,
	};
}

/* The figures of both runs. */
typedef struct {
	NoisyFigure of[JOIN_SIDES];
} Pair;

static Pair pair_of(const DiffRows *rows, const DiffRow *row, const Metric *metric)
{
	return (Pair){ { noisy_figure(rows, row, metric, JOIN_OLD),
			 noisy_figure(rows, row, metric, JOIN_NEW) } };
}

static double change_of(const Pair *pair)
{
	const NoisyFigure *before = &pair->of[JOIN_OLD], *after = &pair->of[JOIN_NEW];

	return after->figure * after->factor - before->figure * before->factor;
}

/* Events may come more unevenly than independent ones, never more evenly. */
static void diff_rows_measure(const DiffRows *rows, const DiffRow *row, const Metric *metric,
			      Pair *pair)
{
	for (JoinSide side = 0; side < JOIN_SIDES; side++) {
		double *variance = &pair->of[side].variance;

		*variance = fmax(*variance, diff_bursts_variance(rows->bursts[side], row->number,
								 metric->block));
	}
}

/* If a figure is less than so many bursts, nothing is known about how these vary. */
enum { BURSTS_MIN = 8 };

static bool has_bursts(const Pair *pair)
{
	for (JoinSide side = 0; side < JOIN_SIDES; side++) {
		const NoisyFigure *one = &pair->of[side];

		if (one->figure * one->figure >= BURSTS_MIN * one->variance && one->figure > 0)
			return true;
	}
	return false;
}

static DiffChange direction_of(const DiffFigures *figures)
{
	if (figures->before == 0)
		return DIFF_NEW;
	if (figures->after == 0)
		return DIFF_GONE;
	return figures->change > 0 ? DIFF_MORE : DIFF_LESS;
}

/* What is said of a change if nothing was measured. */
static DiffChange diff_rows_unmeasured(const Metric *metric, double change, double noise)
{
	if (change == 0)
		return DIFF_SAME;
	if (!metric->scatter.kind)
		return DIFF_UNKNOWN;
	return isfinite(noise) && fabs(change) <= noise ? DIFF_NOISE : DIFF_UNCLEAR;
}

/* Sets noise, and what it says about the change. Independent events make the least noise. */
static void diff_rows_judge(const DiffRows *rows, const DiffRow *row, const Metric *metric,
			    Pair *pair, DiffFigures *figures)
{
	bool is_measured = rows->errors_measured > 0 &&
			   diff_bursts_know(rows->bursts[JOIN_OLD], metric->block) &&
			   diff_bursts_know(rows->bursts[JOIN_NEW], metric->block);

	figures->noise = noise_of_change(pair->of[JOIN_OLD], pair->of[JOIN_NEW], rows->errors);
	figures->what = diff_rows_unmeasured(metric, figures->change, figures->noise);
	if (!is_measured) {
		if (figures->what == DIFF_UNCLEAR)
			figures->noise = INFINITY;
		return;
	}
	diff_rows_measure(rows, row, metric, pair);
	figures->noise =
		noise_of_change(pair->of[JOIN_OLD], pair->of[JOIN_NEW], rows->errors_measured);
	if (figures->what != DIFF_UNCLEAR)
		return;
	if (fabs(figures->change) > figures->noise)
		figures->what = direction_of(figures);
	else if (has_bursts(pair))
		figures->what = DIFF_NOISE;
}

DiffFigures diff_row_figures(const DiffRows *rows, const DiffRow *row, const Metric *metric)
{
	Pair pair = pair_of(rows, row, metric);
	const NoisyFigure *before = &pair.of[JOIN_OLD], *after = &pair.of[JOIN_NEW];
	DiffFigures figures = {
		.before = before->figure * before->factor,
		.after = after->figure * after->factor,
		.change = change_of(&pair),
	};

	figures.percent = figures.change * 100 / figures.before;
	diff_rows_judge(rows, row, metric, &pair, &figures);
	return figures;
}

/* Rows. */

/* Adds the rows of a run. Those that mean the same are added up in the first of them. */
static void join_rows(DiffRows *rows, JoinSide side)
{
	GroupRows *groups = rows->groups[side];
	GArray *numbers = g_array_sized_new(FALSE, FALSE, sizeof(guint32), groups->numbers);
	const guint32 none = GROUP_ROWS_NONE;

	g_assert(side < G_N_ELEMENTS(rows->groups));
	rows->numbers[side] = numbers;
	while (numbers->len < groups->numbers)
		g_array_append_val(numbers, none);
	for (guint i = 0; i < groups->rows->len; i++) {
		const GroupRow *group = &g_array_index(groups->rows, GroupRow, i);
		uint32_t number = join_number(rows->join, side, groups, group);
		uint32_t *first;

		if (number >= rows->rows->len)
			g_array_set_size(rows->rows, number + 1);
		g_array_index(rows->rows, DiffRow, number).number = number;
		g_array_index(numbers, guint32, group->number) = number;
		first = &g_array_index(rows->rows, DiffRow, number).rows[side];
		if (*first)
			row_sums_add(&g_array_index(groups->rows, GroupRow, *first - 1).sums,
				     &group->sums);
		else
			*first = i + 1;
	}
}

/* Returns the larger of both runs' sums. */
static StackSummary diff_rows_larger(const DiffRows *rows, const DiffRow *row)
{
	const StackSummary *a = &diff_row_sums(rows, row, JOIN_OLD)->summary;
	const StackSummary *b = &diff_row_sums(rows, row, JOIN_NEW)->summary;

	return (StackSummary){
		.allocations = MAX(a->allocations, b->allocations),
		.failed = MAX(a->failed, b->failed),
		.bytes_requested = MAX(a->bytes_requested, b->bytes_requested),
		.bytes_allocated = MAX(a->bytes_allocated, b->bytes_allocated),
	};
}

static void add_sums(const DiffRows *rows, const DiffRow *row, RowSums sums[JOIN_SIDES])
{
	for (JoinSide side = 0; side < JOIN_SIDES; side++)
		row_sums_add(&sums[side], diff_row_sums(rows, row, side));
}

static void filter_rows(DiffRows *rows)
{
	guint kept = 0;

	g_byte_array_set_size(rows->places, rows->rows->len);
	for (guint i = 0; i < rows->rows->len; i++) {
		const DiffRow *row = &g_array_index(rows->rows, DiffRow, i);
		const StackSummary summary = diff_rows_larger(rows, row);

		rows->places->data[i] = DIFF_LEFT_OUT;
		if (!filter_chain_keeps(rows->filters, &summary))
			continue;
		rows->places->data[i] = DIFF_SHOWN;
		add_sums(rows, row, rows->all);
		g_array_index(rows->rows, DiffRow, kept++) = *row;
	}
	g_array_set_size(rows->rows, kept);
	rows->compared = kept;
}

/* Equal changes keep the order of the runs: by what the rows have. */
static gint diff_rows_compare(gconstpointer left, gconstpointer right)
{
	const DiffRow *a = left, *b = right;
	double of_a = fabs(a->change), of_b = fabs(b->change);

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	for (int side = JOIN_NEW; side >= JOIN_OLD; side--)
		if (a->rows[side] != b->rows[side])
			return a->rows[side] - 1 < b->rows[side] - 1 ? -1 : 1;
	return 0;
}

static void rank_rows(DiffRows *rows, uint64_t top)
{
	for (guint i = 0; i < rows->rows->len; i++) {
		DiffRow *row = &g_array_index(rows->rows, DiffRow, i);
		const Pair pair = pair_of(rows, row, rows->rank);

		row->change = change_of(&pair);
	}
	g_array_sort(rows->rows, diff_rows_compare);
	for (guint i = rows->rows->len; i > top; i--) {
		const DiffRow *row = &g_array_index(rows->rows, DiffRow, i - 1);
		const StackSummary summary = diff_rows_larger(rows, row);

		filter_chain_cut(rows->filters, &summary);
		add_sums(rows, row, rows->others);
		rows->places->data[row->number] = DIFF_OTHER;
	}
}

/* The variances of both runs are measured on few blocks. */
static void measure_bursts(DiffRows *rows, const DiffRun runs[JOIN_SIDES])
{
	uint32_t blocks = UINT32_MAX;

	for (JoinSide side = 0; side < JOIN_SIDES; side++) {
		const DiffBlocksOf run = {
			.view = rows->views[side],
			.groups = rows->groups[side],
			.numbers = (const uint32_t *)(const void *)rows->numbers[side]->data,
			.start_ns = runs[side].start_ns,
			.end_ns = runs[side].end_ns,
		};

		rows->bursts[side] = diff_bursts_new(&run, rows->places);
		blocks = MIN(blocks, diff_bursts_blocks(rows->bursts[side]));
	}
	rows->of_others.number = rows->places->len;
	rows->of_all.number = rows->places->len + 1;
	rows->errors = noise_errors(rows->compared);
	rows->errors_measured = blocks ? noise_errors_measured(rows->errors, blocks) : 0;
}

/* Judges all rows, then leaves those beyond the top out. */
static void judge_rows(DiffRows *rows, uint64_t top)
{
	for (guint i = 0; i < rows->rows->len; i++) {
		const DiffRow *row = &g_array_index(rows->rows, DiffRow, i);
		DiffFigures figures = diff_row_figures(rows, row, rows->rank);

		rows->exceeding += figures.what > DIFF_UNCLEAR;
		rows->unclear += figures.what == DIFF_UNCLEAR;
	}
	if (rows->rows->len > top)
		g_array_set_size(rows->rows, (guint)top);
}

DiffRows *diff_rows_new(const DiffRun runs[JOIN_SIDES], const ViewOptions *options, DiffPer per)
{
	const StackRows *stacks[JOIN_SIDES];
	DiffRows *rows = g_new0(DiffRows, 1);

	rows->rank = view_rank(options);
	rows->per = per;
	/* Nothing is filtered or cut before both sides of a row are known. */
	rows->grouping = *options;
	rows->grouping.filters = NULL;
	rows->grouping.top = UINT64_MAX;
	rows->grouping.notes_cells = true;
	for (JoinSide side = 0; side < JOIN_SIDES; side++) {
		rows->views[side] = runs[side].view;
		rows->factors[side] = factor_of(&runs[side], per);
		rows->groups[side] = group_rows_new(runs[side].view, &rows->grouping, true);
		stacks[side] = view_stack_rows(runs[side].view);
	}
	rows->join = join_new(stacks);
	rows->half_known = join_half_known(rows->join);
	rows->rows = g_array_new(FALSE, TRUE, sizeof(DiffRow));
	rows->filters = filter_chain_new(options->filters, FILTERS_OF_NUMBERS, options->top);
	rows->drops = filter_chain_drops(rows->filters);
	join_rows(rows, JOIN_NEW);
	join_rows(rows, JOIN_OLD);
	rows->places = g_byte_array_new();
	filter_rows(rows);
	rank_rows(rows, options->top);
	measure_bursts(rows, runs);
	judge_rows(rows, options->top);
	return rows;
}

void diff_rows_free(DiffRows *rows)
{
	if (!rows)
		return;
	for (JoinSide side = 0; side < JOIN_SIDES; side++) {
		group_rows_free(rows->groups[side]);
		g_array_unref(rows->numbers[side]);
		diff_bursts_free(rows->bursts[side]);
	}
	g_byte_array_unref(rows->places);
	g_array_unref(rows->rows);
	join_free(rows->join);
	filter_chain_free(rows->filters);
	g_free(rows);
}
