/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that only grow, for Prometheus: each interval's table is added. What was unknown once stays
 * unknown. Caches beyond the limit share the last row.
 */
#include "rates/rate_totals.h"

#include "base/saturate.h"
#include "base/unconst.h"

RateTotals *rate_totals_new(void)
{
	RateTotals *totals = g_new0(RateTotals, 1);

	totals->rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	totals->known = g_hash_table_new(g_str_hash, g_str_equal);
	totals->texts = text_pool_new();
	return totals;
}

void rate_totals_free(RateTotals *totals)
{
	if (!totals)
		return;
	g_array_unref(totals->rows);
	g_hash_table_unref(totals->known);
	text_pool_free(totals->texts);
	g_free(totals);
}

static RateRow *row_at(RateTotals *totals, guint index)
{
	g_assert(index < totals->rows->len);
	return &g_array_index(totals->rows, RateRow, index);
}

/* Returns the row of a cache. The last row is kept free for all caches beyond the others. */
static RateRow *row_intern(RateTotals *totals, const RateRow *names)
{
	static const RateRow other = { .label = RATE_TOTALS_OTHER };
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(totals->known, names->label));
	RateRow row = { .label = NULL };

	if (!number && totals->rows->len >= RATE_TOTALS_ROWS_MAX - 1) {
		names = &other;
		number = GPOINTER_TO_UINT(g_hash_table_lookup(totals->known, other.label));
	}
	if (number)
		return row_at(totals, number - 1);
	row.label = text_pool_keep(totals->texts, names->label);
	row.name = text_pool_keep(totals->texts, names->name);
	row.by_size = names->by_size;
	g_array_append_val(totals->rows, row);
	g_hash_table_insert(totals->known, unconst(row.label), GUINT_TO_POINTER(totals->rows->len));
	return row_at(totals, totals->rows->len - 1);
}

/* What is unknown once stays unknown: a counter must not skip what happened meanwhile. */
static void add_row(RateRow *to, const RateRow *from)
{
	RowSums sums = from->sums;
	Variance *variance = &sums.variance;
	double events = (double)MAX(sums.summary.allocations, 1);
	double requested = (double)sums.summary.bytes_requested / events;
	double allocated = (double)sums.summary.bytes_allocated / events;

	/* Counters are compared over any time. So the variance of each interval has that of one
	   more sample of average weight: a row of which nothing was sampled but single events is
	   not exact. */
	variance->allocations += variance->of_sample;
	variance->bytes_requested += variance->of_sample * requested * requested;
	variance->bytes_allocated += variance->of_sample * allocated * allocated;
	variance->of_sample = 0;
	row_sums_add(&to->sums, &sums);
	saturate_add(&to->live.frees, from->live.frees);
	saturate_add(&to->live.held, from->live.held);
	saturate_add(&to->live.held_bytes, from->live.held_bytes);
	to->live.held_variance += from->live.held_variance;
	to->lacks |= from->lacks & ~(unsigned)NEEDS_SLABINFO;
}

/* The host's reading also has caches that are not in the table. */
static void set_objects_in_use(RateRow *row, const Slabinfo *slabinfo)
{
	const SlabinfoCache *cache =
		slabinfo && row->name ? slabinfo_find(slabinfo, row->name) : NULL;

	if (cache)
		row->live.objects_in_use = cache->objects_in_use;
	row->lacks &= ~(unsigned)NEEDS_SLABINFO;
	row->lacks |= cache ? 0 : NEEDS_SLABINFO;
}

/* An event may look lost until it arrives late: the counters wait until the number is reached
   again. */
static void add_run(RateTotals *totals, const RateRunCounters *now)
{
	totals->events_received = MAX(totals->events_received, now->events_received);
	totals->events_lost.low = MAX(totals->events_lost.low, now->events_lost.low);
	totals->events_lost.high = MAX(totals->events_lost.high, now->events_lost.high);
	totals->untraced_ns = MAX(totals->untraced_ns, now->untraced_ns);
	totals->probe_ns = MAX(totals->probe_ns, now->probe_ns);
}

void rate_totals_add(RateTotals *totals, const RateTable *table, const RateRunCounters *now)
{
	saturate_add(&totals->observed_ns, table->end_ns - table->start_ns);
	totals->sampled |= table->sampling_period > 1;
	add_run(totals, now);
	for (guint i = 0; i < totals->rows->len; i++) {
		RateRow *row = row_at(totals, i);

		/* What was held before does not count. A cache that is not in the table may be
		   concerned, too, if kfree() does not report caches. */
		row->live.held = 0;
		row->live.held_bytes = 0;
		row->live.held_variance = 0;
		row->lacks |= table->sum.lacks & (NEEDS_HELD | NEEDS_CHURN);
		if (table->kfree_is_blind && rate_row_is_of_kmalloc(row))
			row->lacks |= NEEDS_FREES;
	}
	for (guint i = 0; i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);

		add_row(row_intern(totals, row), row);
	}
	for (guint i = 0; i < totals->rows->len; i++)
		set_objects_in_use(row_at(totals, i), now->slabinfo);
}
