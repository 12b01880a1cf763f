/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Earlier tables of a recording in bounded memory, and sums of those that were dropped. replay.c
 * asks for tables and histories.
 */
#include "screen/state.h"

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
