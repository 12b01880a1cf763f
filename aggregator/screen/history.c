/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rates of each cache in the last intervals, as rings in a hash table, for the sparklines.
 * state.h has one as a member, table_view.c draws it.
 */
#include "screen/history.h"

#include "base/keyed_hash.h"

#include <string.h>

/* A cache's rates; that of interval i is at i % HISTORY_INTERVALS. */
typedef struct {
	double rates[HISTORY_INTERVALS];
	uint64_t last; /* the last interval in which the cache had a rate */
} Series;

struct History {
	GHashTable *caches; /* (element-type char* Series) */
	uint64_t intervals; /* number of intervals so far */
};

History *history_new(void)
{
	History *history = g_new0(History, 1);

	history->caches = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, g_free);
	return history;
}

History *history_copy(const History *history)
{
	History *copy = history_new();
	GHashTableIter caches;
	gpointer label, series;

	copy->intervals = history->intervals;
	g_hash_table_iter_init(&caches, history->caches);
	while (g_hash_table_iter_next(&caches, &label, &series))
		g_hash_table_insert(copy->caches, g_strdup(label),
				    g_memdup(series, sizeof(Series)));
	return copy;
}

void history_free(History *history)
{
	g_hash_table_destroy(history->caches);
	g_free(history);
}

/* Drops caches that have been idle for longer than is shown. */
static gboolean is_idle(gpointer label, gpointer value, gpointer user_data)
{
	const History *history = user_data;
	const Series *series = value;

	(void)label;
	return series->last + HISTORY_INTERVALS <= history->intervals;
}

void history_take(History *history, const RateTable *table)
{
	const double seconds = (double)(table->end_ns - table->start_ns) / 1e9;
	const uint64_t now = ++history->intervals;

	for (guint i = 0; i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);
		Series *series = g_hash_table_lookup(history->caches, row->label);
		uint64_t bytes = row->sums.summary.bytes_allocated;

		if (!series) {
			series = g_new0(Series, 1);
			series->last = now;
			g_hash_table_insert(history->caches, g_strdup(row->label), series);
		}
		while (series->last < now)
			series->rates[++series->last % HISTORY_INTERVALS] = 0;
		series->rates[now % HISTORY_INTERVALS] = seconds > 0 ? (double)bytes / seconds : 0;
	}
	g_hash_table_foreach_remove(history->caches, is_idle, history);
}

void history_get(const History *history, const char *label, double *rates, unsigned count)
{
	const Series *series = g_hash_table_lookup(history->caches, label);

	memset(rates, 0, count * sizeof(*rates));
	for (unsigned back = 0; series && back < MIN(count, HISTORY_INTERVALS); back++) {
		uint64_t interval = history->intervals - back;

		if (back >= history->intervals)
			break;
		if (interval <= series->last && interval + HISTORY_INTERVALS > series->last)
			rates[count - 1 - back] = series->rates[interval % HISTORY_INTERVALS];
	}
}
