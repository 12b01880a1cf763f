/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was: the rates of each cache in the last intervals, as rings in a hash table, for the
 * sparklines; and the tape: earlier tables of a recording in bounded memory, with sums of those
 * that were dropped. state.h has both as members, table_view.c draws the rates, replay.c asks for
 * tables and histories.
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

enum {
	/* The texts of a row, and what the allocator adds. */
	ROW_TEXT_BYTES = 128,
	TABLE_BYTES = 8192, /* of a table without rows: mostly the first chunk of its texts */
};

struct Tape {
	GPtrArray *tables;  /* (element-type RateTable), owned; the oldest first */
	RateTable *rest;    /* NULL: none */
	RateTable *dropped; /* the sum of the dropped tables; NULL: none */
	RateTable *sum;     /* of all tables; NULL: none */
	size_t bytes;       /* about what the tables take */
	size_t bytes_max;
};

Tape *tape_new(size_t bytes_max)
{
	Tape *tape = g_new0(Tape, 1);

	tape->tables = g_ptr_array_new_with_free_func((GDestroyNotify)rate_table_free);
	tape->bytes_max = bytes_max;
	return tape;
}

void tape_free(Tape *tape)
{
	if (!tape)
		return;
	g_ptr_array_unref(tape->tables);
	rate_table_free(tape->rest);
	rate_table_free(tape->dropped);
	rate_table_free(tape->sum);
	g_free(tape);
}

static size_t bytes_of(const RateTable *table)
{
	return TABLE_BYTES + table->rows->len * (sizeof(RateRow) + ROW_TEXT_BYTES);
}

/* The screen sorts the rows that it shows, so the order of a sum does not matter. */
static void add_to(RateTable **sum, const RateTable *table)
{
	if (*sum)
		rate_table_add(*sum, table, rate_sort_default);
	else
		*sum = rate_table_copy(table);
}

static void tape_keep(Tape *tape, RateTable *table)
{
	tape->bytes += bytes_of(table);
	g_ptr_array_add(tape->tables, table);
}

static void keep_rest(Tape *tape)
{
	if (tape->rest)
		tape_keep(tape, g_steal_pointer(&tape->rest));
}

guint tape_add(Tape *tape, RateTable *table)
{
	guint dropped = 0;

	add_to(&tape->sum, table);
	keep_rest(tape);
	tape_keep(tape, table);
	for (; tape->tables->len > 1 &&
	       (tape->bytes > tape->bytes_max || tape->tables->len > TAPE_TABLES_MAX);
	     dropped++) {
		const RateTable *oldest = tape_table(tape, 0);

		add_to(&tape->dropped, oldest);
		tape->bytes -= bytes_of(oldest);
		g_ptr_array_remove_index(tape->tables, 0);
	}
	return dropped;
}

void tape_add_rest(Tape *tape, RateTable *table)
{
	add_to(&tape->sum, table);
	keep_rest(tape);
	tape->rest = table;
}

guint tape_length(const Tape *tape)
{
	return tape->tables->len;
}

const RateTable *tape_table(const Tape *tape, guint index)
{
	g_assert(index < tape->tables->len);
	return g_ptr_array_index(tape->tables, index);
}

RateTable *tape_sum(const Tape *tape, guint index)
{
	RateTable *sum = NULL;

	if (index + 1 == tape->tables->len)
		return rate_table_copy(tape->sum);
	if (tape->dropped)
		sum = rate_table_copy(tape->dropped);
	for (guint i = 0; i <= index; i++)
		add_to(&sum, tape_table(tape, i));
	return sum;
}

History *tape_history(const Tape *tape, guint index)
{
	History *history = history_new();

	for (guint i = index - MIN(index, HISTORY_INTERVALS - 1); i <= index; i++)
		history_take(history, tape_table(tape, i));
	return history;
}
