/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of tables of rates: the columns as text or numbers, per second or in all, and the order of
 * rows; why the net of a cache is unknown, in words for people and programs; rows of what each
 * cache holds, added up over the held cells of a view source. Columns are those of table/metric.c.
 * The text, JSON and the screen print with it.
 */
#include "rates/rate_row.h"

#include "base/number_text.h"
#include "base/saturate.h"
#include "base/unconst.h"
#include "names/kmalloc_class.h"
#include "rates/rate_table.h"
#include "table/cell_filter.h"
#include "table/group_table.h"

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

	if (column->type == VALUE_TEXT) {
		const char *of_a = text_of(a, column), *of_b = text_of(b, column);

		/* What is unknown comes last. */
		order = of_a && of_b ? strcmp(of_a, of_b) : !of_a - !of_b;
	} else {
		order = compare_numbers(column, a, b);
	}
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

enum { NAMES_MAX = 4 };

static const struct {
	const char *word;
	const char *reason;
} net_words[RATE_NETS] = {
	[RATE_NET_UNCONFIRMED] = { "no_free_seen",
				   "no free was seen, and /proc/slabinfo shows no growth" },
	[RATE_NET_CONTRADICTED] = { "slabinfo_differs",
				    "not all frees are seen, /proc/slabinfo differs" },
	[RATE_NET_UNNAMED] = { "kfree_names_no_cache",
			       "kfree() does not say which cache (--collector=stap does)" },
	[RATE_NET_FILTERED] = { "processes_filtered",
				"others may free what these processes allocate" },
	[RATE_NET_SAMPLED] = { "sampled", "allocations and frees are sampled apart" },
	[RATE_NET_NOT_COLLECTED] = { "frees_not_collected", "frees were not collected" },
};

bool rate_net_is_shown(const Metric *const *columns)
{
	while (*columns && *columns != &metrics[METRIC_NET])
		columns++;
	return *columns;
}

const char *rate_net_word(RateNet state)
{
	return net_words[state].word;
}

/* Appends "NET - of dentry, filp, 3 more (not in the sum): ...". */
void rate_net_append_reasons(GString *out, const RateTable *table, const char *end)
{
	bool is_partial = table->sum.net_state == RATE_NET_KNOWN;

	for (RateNet state = RATE_NET_KNOWN + 1; state < RATE_NETS; state++) {
		g_autoptr(GString) names = g_string_new(" of ");
		guint count = 0;

		for (guint i = 0; i < table->rows->len; i++) {
			const RateRow *row = &g_array_index(table->rows, RateRow, i);

			if (row->net_state == state && count++ < NAMES_MAX)
				g_string_append_printf(names, "%s%s", count > 1 ? ", " : "",
						       row->label);
		}
		if (!count)
			continue;
		if (count > NAMES_MAX)
			g_string_append_printf(names, ", %u more", count - NAMES_MAX);
		g_string_append_printf(
			out, "NET -%s%s: %s%s", state < RATE_NET_FILTERED ? names->str : "",
			is_partial ? " (not in the sum)" : "", net_words[state].reason, end);
	}
}

/* What the slab caches hold, and which of them are not paired. */
typedef struct {
	GroupTable by_cache;
	GArray *lacks; /* (element-type unsigned) by row of by_cache, owned */
} HeldCaches;

static void add_cell(HeldCaches *held, const ProfileCell *cell, unsigned lacks)
{
	uint32_t row = group_table_add(&held->by_cache, cell);

	if (row >= held->lacks->len)
		g_array_set_size(held->lacks, row + 1);
	g_array_index(held->lacks, unsigned, row) |= lacks;
}

/* A cache whose frees are not all seen has a row, but how much it holds is not known. */
static void add_cells(HeldCaches *held, const ViewSource *source, const GArray *filters,
		      CellFilters *prepared)
{
	for (uint32_t i = 0; i < view_source_cells(source); i++) {
		const ProfileCell *cell = view_source_cell(source, i);
		const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);
		int against;

		/* Allocations count, but not of the collector's own processes. */
		if (cell->origin == ORIGIN_ID_OVERFLOW || origin->free || origin->own)
			continue;
		against = cell_filters_against(prepared, cell);
		if (against < 0 && cell->events)
			add_cell(held, cell, 0);
		else if (against >= 0 &&
			 g_array_index(filters, CellFilter, against).type == &cell_filter_unpaired)
			add_cell(held, cell, NEEDS_HELD);
	}
}

static RateRow held_row_of(const CacheLabel *cache, const RowSums *sums)
{
	RateRow row = {
		.live = {
			.held = sums->summary.allocations,
			.held_bytes = sums->summary.bytes_allocated,
			.held_variance = sums->variance.allocations,
		},
	};

	rate_row_set_cache(&row, cache);
	return row;
}

GArray *rate_held_rows(const ViewSource *source, const GArray *filters, CellFilters *prepared)
{
	const GroupNaming naming = { .source = source };
	g_autoptr(GroupIndex) caches = group_index_new(dimension_lookup("cache"), &naming);
	GroupIndex *indexes[] = { caches, NULL };
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	HeldCaches held = { .lacks = g_array_new(FALSE, TRUE, sizeof(unsigned)) };

	group_table_init(&held.by_cache, source, indexes);
	add_cells(&held, source, filters, prepared);
	for (guint i = 0; i < held.by_cache.rows->len; i++) {
		const GroupRow *group = group_table_row(&held.by_cache, i);
		OriginId origin = group_index_member(caches, group->groups[0]);
		CacheLabel cache =
			cache_names_of(source->caches, profile_origin(source->profile, origin));
		RateRow row = held_row_of(&cache, &group->sums);

		row.lacks = g_array_index(held.lacks, unsigned, i);
		g_array_append_val(rows, row);
	}
	group_table_clear(&held.by_cache);
	g_array_unref(held.lacks);
	return rows;
}
