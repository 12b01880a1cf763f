/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/rate_feed.h"

#include "event_batch.h"
#include "leaks.h"
#include "table/cell_filter.h"
#include "record/batch_writer.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(rate_feed);

#define SECOND_NS 1000000000ULL
#define MS_NS 1000000U
enum { PLENTY = 16 << 20 };

static const uint32_t frames[] = { 0x81000010 };

/* A session with a feed of one-second tables, from second 10 on. */
typedef struct {
	Session *session;
	RateFeed *feed;
	GArray *cells;
	GPtrArray *tables; /* (element-type RateTable), owned */
	uint32_t batch_number;
	uint64_t events_total;
} Run;

static void keep_table(RateTable *table, void *user_data)
{
	g_ptr_array_add(user_data, table);
}

static void feed_bytes(Run *run, const GByteArray *bytes)
{
	session_feed(run->session, bytes->data, bytes->len);
}

static void begin(Run *run, bool counts_all)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	const InfoField facts[] = { { KMT_FIELD_WINDOW_START_NS, 10 * SECOND_NS, NULL } };

	*run = (Run){
		.session = session_new(PLENTY),
		.cells = g_array_new(FALSE, FALSE, sizeof(CellFilter)),
		.tables = g_ptr_array_new_with_free_func((GDestroyNotify)rate_table_free),
	};
	run->feed = rate_feed_new(run->session, &(RateFeedOptions){
							.interval_s = 1,
							.sort = rate_sort_default,
							.cells = run->cells,
							.counts_all = counts_all,
							.bytes_max = PLENTY,
							.sink = keep_table,
							.user_data = run->tables,
						});
	batch_write_info(bytes, facts, G_N_ELEMENTS(facts));
	feed_bytes(run, bytes);
}

static void end(Run *run)
{
	rate_feed_free(run->feed);
	g_array_unref(run->cells);
	g_ptr_array_unref(run->tables);
	session_free(run->session);
}

/* A batch of an event at each of these milliseconds, and the word that there are no more before
   until_ns. */
static void send(Run *run, uint64_t base_ns, const uint32_t *at_ms, size_t count, uint64_t until_ns)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 0, run->batch_number++, base_ns);
	uint16_t origin = event_batch_origin(&batch, frames, 1, 10, 16);

	for (size_t i = 0; i < count; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, at_ms[i] * MS_NS,
				  KMT_CONTEXT_TASK, 1);
	event_batch_heartbeat(&batch, until_ns, 0, 0);
	run->events_total += count;
	event_batch_end(&batch, run->events_total);
	feed_bytes(run, bytes);
}

#define SEND(run, base_ns, until_ns, ...)                                                          \
	send(run, base_ns, (const uint32_t[]){ __VA_ARGS__ },                                      \
	     G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ })), until_ns)

static const RateTable *table(const Run *run, guint number)
{
	cr_assert(lt(u32, number, run->tables->len));
	return run->tables->pdata[number];
}

static uint64_t allocations(const Run *run)
{
	uint64_t sum = 0;

	for (guint i = 0; i < run->tables->len; i++)
		sum += table(run, i)->sum.sums.summary.allocations;
	return sum;
}

Test(rate_feed, another_interval_begins_behind_what_was_counted)
{
	Run run;

	begin(&run, false);
	SEND(&run, 10 * SECOND_NS, 11 * SECOND_NS + 123456789, 100, 900, 1050);
	cr_expect(eq(u32, run.tables->len, 1));
	rate_feed_set_interval(run.feed, 0.5);
	SEND(&run, 11 * SECOND_NS, 12 * SECOND_NS + 300 * MS_NS, 300, 650, 750);
	rate_feed_finish(run.feed);
	cr_assert(eq(u32, run.tables->len, 5));
	for (guint i = 1; i < run.tables->len; i++) {
		cr_expect(eq(u64, table(&run, i)->start_ns, table(&run, i - 1)->end_ns));
		cr_expect(eq(u64, table(&run, i)->number, i));
	}
	cr_expect(eq(u64, table(&run, 1)->end_ns, 11 * SECOND_NS + 51 * MS_NS));
	cr_expect(eq(u64, table(&run, 0)->sum.sums.summary.allocations, 2));
	cr_expect(eq(u64, table(&run, 1)->sum.sums.summary.allocations, 1));
	cr_expect(eq(u64, table(&run, 2)->sum.sums.summary.allocations, 1));
	cr_expect(eq(u64, allocations(&run), 6));
	end(&run);
}

Test(rate_feed, tables_alone_are_counted_once_and_what_was_lost_is_known_all_the_same)
{
	Run run;

	begin(&run, false);
	SEND(&run, 10 * SECOND_NS, 10 * SECOND_NS + 500 * MS_NS, 100, 200);
	run.events_total += 7;
	SEND(&run, 10 * SECOND_NS, 11 * SECOND_NS, 600);
	rate_feed_finish(run.feed);
	cr_expect(eq(u64, allocations(&run), 3));
	cr_expect(eq(u64, table(&run, 0)->events_lost.low, 7));
	cr_expect(eq(u64, profile_totals(run.session->profile).events, 0));
	end(&run);
}

Test(rate_feed, who_looks_behind_the_tables_has_all_in_the_session)
{
	Run run;

	begin(&run, true);
	SEND(&run, 10 * SECOND_NS, 11 * SECOND_NS, 100, 200);
	SEND(&run, 11 * SECOND_NS, 12 * SECOND_NS, 100);
	rate_feed_finish(run.feed);
	cr_expect(eq(u64, allocations(&run), 3));
	cr_expect(eq(u64, profile_totals(run.session->profile).events, 3));
	end(&run);
}
