/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rates/rate_columns.h"

#include "base/number_text.h"
#include "base/saturate.h"

#include <string.h>

static const char *label(const RateRow *row)
{
	return row->label;
}

static const char *busiest(const RateRow *row)
{
	return row->busiest;
}

static bool allocations(const RateRow *row, int64_t *number)
{
	*number = saturate_signed(row->allocations);
	return true;
}

static bool bytes_allocated(const RateRow *row, int64_t *number)
{
	*number = saturate_signed(row->bytes_allocated);
	return true;
}

static bool frees(const RateRow *row, int64_t *number)
{
	*number = saturate_signed(row->frees);
	return row->frees_known;
}

static bool net(const RateRow *row, int64_t *number)
{
	*number = row->net;
	return row->net_state == RATE_NET_KNOWN;
}

static bool bytes_requested(const RateRow *row, int64_t *number)
{
	*number = saturate_signed(row->bytes_requested);
	return true;
}

static bool bytes_wasted(const RateRow *row, int64_t *number)
{
	*number = row->bytes_allocated > row->bytes_requested
			  ? saturate_signed(row->bytes_allocated - row->bytes_requested)
			  : 0;
	return true;
}

static bool objects_in_use(const RateRow *row, int64_t *number)
{
	*number = row->objects_in_use;
	return row->objects_in_use >= 0;
}

const RateColumn rate_columns[] = {
	{ .name = "cache",
	  .alias = "name",
	  .member = "cache",
	  .title = "CACHE",
	  .help = "the slab cache",
	  .width = 32,
	  .text = label },
	{ .name = "allocs",
	  .alias = "count",
	  .member = "allocations",
	  .title = "ALLOCS",
	  .help = "allocations",
	  .width = 6,
	  .number = allocations },
	{ .name = "bytes",
	  .alias = "size",
	  .member = "bytes_allocated",
	  .title = "BYTES",
	  .help = "bytes allocated in the interval, freed or not",
	  .width = 10,
	  .number = bytes_allocated,
	  .bytes = true },
	{ .name = "free",
	  .member = "frees",
	  .title = "FREES",
	  .help = "objects freed",
	  .width = 6,
	  .number = frees,
	  .needs_frees = true },
	{ .name = "net",
	  .member = "net",
	  .title = "NET",
	  .help = "allocations minus frees",
	  .width = 7,
	  .number = net,
	  .needs_frees = true },
	{ .name = "req",
	  .member = "bytes_requested",
	  .title = "REQ",
	  .help = "bytes requested",
	  .width = 10,
	  .number = bytes_requested,
	  .bytes = true },
	{ .name = "waste",
	  .member = "bytes_wasted",
	  .title = "WASTE",
	  .help = "bytes allocated but not requested",
	  .width = 10,
	  .number = bytes_wasted,
	  .bytes = true },
	{ .name = "procs",
	  .member = "busiest_process",
	  .title = "PROCS",
	  .help = "the processes with most allocations, by name, and their share",
	  .width = 20,
	  .text = busiest,
	  .needs_processes = true },
	{ .name = "inuse",
	  .member = "objects_in_use",
	  .title = "INUSE",
	  .help = "objects in use by /proc/slabinfo, at most 5 s old; of a recording, at its start "
		  "and end",
	  .width = 9,
	  .number = objects_in_use,
	  .instant = true,
	  .needs_slabinfo = true },
	{ .name = NULL },
};

const RateColumn *const rate_sort_default = &rate_columns[2];

static double margin(const RateRow *row)
{
	if (row->bytes_allocated)
		return margin_percent(row->variance.bytes_allocated, row->bytes_allocated);
	return margin_percent(row->variance.allocations, row->allocations);
}

const RateColumn rate_margin_column = {
	.name = "margin",
	.title = "+-%",
	.help = "by how much BYTES may be off, where events are sampled",
	.width = 4,
	.margin = margin,
};

void rate_columns_choose(const RateColumn *chosen[RATE_COLUMNS_MAX + 1],
			 const RateColumn *const *given, bool sampled)
{
	guint count = 0;

	for (guint i = 0; given[i]; i++) {
		if (sampled && i == RATE_COLUMNS_FIRST)
			chosen[count++] = &rate_margin_column;
		chosen[count++] = given[i];
	}
	if (sampled && count == RATE_COLUMNS_FIRST)
		chosen[count++] = &rate_margin_column;
	chosen[count] = NULL;
}

const RateColumn *rate_column_lookup(const char *name)
{
	for (const RateColumn *column = rate_columns; column->name; column++)
		if (g_str_equal(column->name, name) || !g_strcmp0(column->alias, name))
			return column;
	return NULL;
}

void rate_column_append_title(GString *out, const RateColumn *column, bool per_second)
{
	bool divided = per_second && column->number && !column->instant;

	g_string_append_printf(out, "%s%s", column->title, divided ? "/s" : "");
}

static int64_t per_second(int64_t number, uint64_t span_ns)
{
	double rate = (double)ABS(number) * 1e9 / (double)span_ns;
	int64_t rounded = saturate_signed(saturate_double(rate + 0.5));

	return number < 0 ? -rounded : rounded;
}

bool rate_column_number(const RateColumn *column, const RateRow *row, uint64_t span_ns,
			int64_t *number)
{
	if (!column->number || !column->number(row, number))
		return false;
	if (span_ns && !column->instant)
		*number = per_second(*number, span_ns);
	return true;
}

static void append_number(GString *out, const RateColumn *column, int64_t number,
			  const RateNumbers *numbers)
{
	uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;

	if (numbers->estimated && number && !column->instant)
		g_string_append_c(out, '~');
	if (number < 0)
		g_string_append_c(out, '-');
	append_amount(out, size, numbers->human && column->bytes);
}

void rate_column_append(GString *out, const RateColumn *column, const RateRow *row,
			const RateNumbers *numbers)
{
	const char *text = column->text ? column->text(row) : NULL;
	int64_t number;

	if (column->margin)
		append_margin(out, column->margin(row));
	else if (rate_column_number(column, row, numbers->span_ns, &number))
		append_number(out, column, number, numbers);
	else
		g_string_append(out, text ? text : "-");
}

static int compare_texts(const RateColumn *column, const RateRow *a, const RateRow *b)
{
	const char *left = column->text(a), *right = column->text(b);

	if (!left || !right)
		return !left - !right;
	return strcmp(left, right);
}

static int compare_numbers(const RateColumn *column, const RateRow *a, const RateRow *b)
{
	int64_t left, right;
	bool left_known = rate_column_number(column, a, 0, &left);
	bool right_known = rate_column_number(column, b, 0, &right);

	if (!left_known || !right_known)
		return right_known - left_known;
	return (right > left) - (right < left);
}

static int compare_counts(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static gint compare(gconstpointer left, gconstpointer right, gpointer data)
{
	const RateRow *a = left, *b = right;
	const RateColumn *column = data;
	int order = column->text ? compare_texts(column, a, b) : compare_numbers(column, a, b);

	order = order ? order : strcmp(a->label, b->label);
	/* A cache may be called what another one's label says: their figures decide. */
	order = order ? order : compare_counts(b->allocations, a->allocations);
	order = order ? order : compare_counts(b->frees, a->frees);
	return order ? order : compare_counts(b->bytes_allocated, a->bytes_allocated);
}

void rate_rows_sort(GArray *rows, const RateColumn *sort)
{
	g_array_sort_with_data(rows, compare, (gpointer)sort);
}
