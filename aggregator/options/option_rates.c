/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers of slabratetop's options: each stores one value. Columns may request events.
 * option_table.c has them in its rows.
 */
#include "number.h"
#include "options/option_values.h"

#include <string.h>

static bool take_query(CacheQuery **query, const char *value, GError **error)
{
	if (*query)
		return option_fail(error, "several are given with commas: 'NAME,NAME'");
	*query = cache_query_new(value, error);
	return *query != NULL;
}

bool option_cache(Options *options, const char *value, GError **error)
{
	return take_query(&options->choice.caches, value, error);
}

bool option_exclude_cache(Options *options, const char *value, GError **error)
{
	return take_query(&options->choice.caches_excluded, value, error);
}

static const Metric *parse_column(const char *name, GError **error)
{
	return option_metric(name, METRIC_RATES, "column", error);
}

/* Requests what the column needs. */
static void use_column(Options *options, const Metric *column)
{
	if (column->needs & NEEDS_ANY_FREES)
		options->live.request.what.events |= PROBE_FREE;
	options->live.request.what.held |= column->needs & NEEDS_HELD;
}

/* A column that was requested earlier may need frees. */
bool option_rate_events(Options *options, const char *value, GError **error)
{
	unsigned frees = options->live.request.what.events & PROBE_FREE;

	if (!option_events(options, value, error))
		return false;
	options->live.request.what.events |= frees;
	return true;
}

static void add_column(Options *options, const Metric *column)
{
	guint i = 0;

	while (options->rate.columns[i] && options->rate.columns[i] != column)
		i++;
	options->rate.columns[i] = column;
	use_column(options, column);
}

bool option_rate_columns(Options *options, const char *value, GError **error)
{
	g_auto(GStrv) words = g_strsplit(value, ",", -1);

	for (char **word = words; *word; word++) {
		const Metric *column = parse_column(*word + (**word == '+'), error);

		if (!column)
			return false;
		add_column(options, column);
	}
	return *words || option_fail(error, "'%s' names no column", value);
}

bool option_rate_sort(Options *options, const char *value, GError **error)
{
	const Metric *column = parse_column(value, error);

	if (!column)
		return false;
	options->rate.sort = column;
	use_column(options, column);
	return true;
}

void option_rate_finish(Options *options)
{
	RateOptions *rate = &options->rate;
	bool is_held = options->live.request.what.held;

	if (is_held) {
		add_column(options, &metrics[METRIC_HELD]);
		add_column(options, &metrics[METRIC_HELD_BYTES]);
	}
	if (!rate->sort)
		rate->sort = is_held ? &metrics[METRIC_HELD_BYTES] : rate_sort_default;
	add_column(options, rate->sort);
}

static bool parse_above_zero(const char *value, uint64_t *number, GError **error)
{
	const char *rest;

	if (!number_parse(value, number, &rest) || *rest || !*number)
		return option_fail(error, "'%s' is not a whole number above 0", value);
	return true;
}

bool option_rate_rows(Options *options, const char *value, GError **error)
{
	return parse_above_zero(value, &options->rate.rows_max, error);
}

bool option_rate_count(Options *options, const char *value, GError **error)
{
	return parse_above_zero(value, &options->rate.count, error);
}

bool option_rate_interval(Options *options, const char *value, GError **error)
{
	return option_parse_interval(value, &options->rate.interval_s, error);
}

bool option_rate_speed(Options *options, const char *value, GError **error)
{
	options->rate.speed_given = true;
	options->rate.recorded_speed = g_str_equal(value, "1");
	return options->rate.recorded_speed || g_str_equal(value, "max") ||
	       option_fail(error, "'%s' is not valid: use 1 or max", value);
}

bool option_rate_stacks(Options *options, const char *value, GError **error)
{
	options->live.request.what.stack_depth = STACK_DEPTH_DEFAULT;
	return !value || option_stacks(options, value, error);
}
