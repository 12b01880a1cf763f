/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row of a table of rates: its columns as text or numbers, per second or in all, and the order
 * of rows. Columns are those of table/metric.c. The text, JSON and the screen print with it.
 */
#include "rates/rate_row.h"

#include "base/number_text.h"
#include "base/saturate.h"
#include "base/unconst.h"
#include "names/kmalloc_class.h"

#include <string.h>

const Metric *const rate_columns_first[RATE_COLUMNS_FIRST] = {
	&metrics[METRIC_CACHE],
	&metrics[METRIC_ALLOCATIONS],
	&metrics[METRIC_BYTES_ALLOCATED],
};

const Metric *const rate_sort_default = &metrics[METRIC_BYTES_ALLOCATED];

void rate_row_set_cache(RateRow *row, const CacheLabel *cache)
{
	/* The other names of a merged cache would move its figures out of their columns. */
	row->label = cache->origin == CACHE_RECORDED ? cache->name : cache->label;
	row->name = cache->name;
	row->by_size = cache->origin == CACHE_BY_SIZE;
}

bool rate_row_is_of_kmalloc(const RateRow *row)
{
	KmallocClass class;

	return row->name && kmalloc_class_parse(row->name, &class);
}

void rate_columns_choose(const Metric *chosen[RATE_COLUMNS_MAX + 1], const Metric *const *given,
			 bool sampled)
{
	guint count = 0;

	for (guint i = 0; given[i]; i++) {
		if (sampled && i == RATE_COLUMNS_FIRST)
			chosen[count++] = &metrics[METRIC_MARGIN];
		chosen[count++] = given[i];
	}
	if (sampled && count == RATE_COLUMNS_FIRST)
		chosen[count++] = &metrics[METRIC_MARGIN];
	chosen[count] = NULL;
}

static bool has_number(const Metric *column)
{
	return column->value.kind || column->live.kind;
}

void rate_column_append_title(GString *out, const Metric *column, bool per_second)
{
	bool divided = per_second && has_number(column) && !column->instant;

	g_string_append_printf(out, "%s%s", column->title_short, divided ? "/s" : "");
}

static const char *text_of(const RateRow *row, const Metric *column)
{
	return column == &metrics[METRIC_CACHE] ? row->label : row->busiest;
}

static int64_t per_second(int64_t number, uint64_t span_ns)
{
	double rate = (double)ABS(number) * 1e9 / (double)span_ns;
	int64_t rounded = saturate_signed(saturate_double(rate + 0.5));

	return number < 0 ? -rounded : rounded;
}

bool rate_row_number(const RateRow *row, const Metric *column, uint64_t span_ns, int64_t *number)
{
	unsigned lacks = row->lacks | (row->net_state != RATE_NET_KNOWN ? NEEDS_NET : 0);
	uint64_t value;

	if (!has_number(column) || !metric_is_known(column, lacks))
		return false;
	value = column->live.kind ? figure_read(&column->live, &row->live)
				  : metric_figure(column, &row->sums);
	*number = column->type == VALUE_DIFFERENCE ? (int64_t)value : saturate_signed(value);
	if (span_ns && !column->instant)
		*number = per_second(*number, span_ns);
	return true;
}

static void append_number(GString *out, const Metric *column, int64_t number,
			  const RateNumbers *numbers)
{
	uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;

	if (numbers->estimated && number && (!column->instant || column->needs & NEEDS_HELD))
		g_string_append_c(out, '~');
	if (number < 0)
		g_string_append_c(out, '-');
	append_amount(out, size, numbers->human && column->type == VALUE_BYTES);
}

void rate_row_append(GString *out, const RateRow *row, const Metric *column,
		     const RateNumbers *numbers)
{
	const char *text = column->type == VALUE_TEXT ? text_of(row, column) : NULL;
	MetricId of =
		row->sums.summary.bytes_allocated ? METRIC_BYTES_ALLOCATED : METRIC_ALLOCATIONS;
	int64_t number;

	/* The margin of what is held, if nothing else is known. */
	if (column == &metrics[METRIC_MARGIN])
		append_margin(out, row->lacks & NEEDS_CHURN
					   ? margin_percent(row->live.held_variance, row->live.held)
					   : metric_margin(&metrics[of], &row->sums));
	else if (rate_row_number(row, column, numbers->span_ns, &number))
		append_number(out, column, number, numbers);
	else
		g_string_append(out, text ? text : "-");
}

/* What is unknown comes last. */
static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
}

static int compare_numbers(const Metric *column, const RateRow *a, const RateRow *b)
{
	int64_t left, right;
	bool left_known = rate_row_number(a, column, 0, &left);
	bool right_known = rate_row_number(b, column, 0, &right);

	if (!left_known || !right_known)
		return right_known - left_known;
	return (right > left) - (right < left);
}

static gint rate_row_compare(gconstpointer left, gconstpointer right, gpointer data)
{
	const RateRow *a = left, *b = right;
	const Metric *column = data;
	int order;

	if (column->type == VALUE_TEXT)
		order = compare_texts(text_of(a, column), text_of(b, column));
	else
		order = compare_numbers(column, a, b);
	order = order ? order : strcmp(a->label, b->label);
	/* A cache's name may equal another cache's label: then the figures decide. */
	order = order ? order : metric_compare(&metrics[METRIC_ALLOCATIONS], &a->sums, &b->sums);
	order = order ? order : (b->live.frees > a->live.frees) - (b->live.frees < a->live.frees);
	return order ? order : metric_compare(&metrics[METRIC_BYTES_ALLOCATED], &a->sums, &b->sums);
}

void rate_rows_sort(GArray *rows, const Metric *sort)
{
	g_array_sort_with_data(rows, rate_row_compare, unconst(sort));
}
