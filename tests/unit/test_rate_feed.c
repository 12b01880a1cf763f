/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "tools/rate_feed.h"

#include "event_batch.h"
#include "made_session.h"
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

static void begin_for(Run *run, bool counts_all, bool pairs, unsigned needs)
{
	static const CellFilter unpaired = { .type = &cell_filter_unpaired };
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	const InfoField facts[] = { { KMT_FIELD_WINDOW_START_NS, 10 * SECOND_NS, NULL } };

	*run = (Run){
		.session = session_new(PLENTY),
		.cells = g_array_new(FALSE, FALSE, sizeof(CellFilter)),
		.tables = g_ptr_array_new_with_free_func((GDestroyNotify)rate_table_free),
	};
	g_array_append_val(run->cells, unpaired);
	if (pairs)
		session_pair(run->session, false);
	run->feed = rate_feed_new(run->session, &(RateFeedOptions){
							.interval_s = 1,
							.sort = rate_sort_default,
							.cells = run->cells,
							.counts_all = counts_all,
							.needs = needs,
							.bytes_max = PLENTY,
							.sink = keep_table,
							.user_data = run->tables,
						});
	batch_write_info(bytes, facts, G_N_ELEMENTS(facts));
	made_session_feed(run->session, bytes);
}

static void begin_as(Run *run, bool counts_all, bool pairs)
{
	begin_for(run, counts_all, pairs, 0);
}

static void begin(Run *run, bool counts_all)
{
	begin_as(run, counts_all, false);
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
	made_session_feed(run->session, bytes);
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

/* Three allocations by others, two by the program itself, and four frees. */
static void send_own(Run *run)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	const InfoField facts[] = { { KMT_FIELD_EVENTS, 0, "kmalloc,free" } };
	EventBatch batch;
	uint16_t origin, own;

	batch_write_info(bytes, facts, G_N_ELEMENTS(facts));
	batch = event_batch_begin(bytes, 0, run->batch_number++, 10 * SECOND_NS);
	origin = event_batch_origin(&batch, frames, 1, 10, 16);
	own = event_batch_origin(&batch, frames, 1, 10, 16);
	((struct KmtOrigin *)(bytes->data + bytes->len - sizeof(struct KmtOrigin)))->kind =
		KMT_KIND_OWN;
	for (uint32_t i = 0; i < 9; i++)
		event_batch_event(&batch, i < 5 ? KMT_RECORD_ALLOC : KMT_RECORD_FREE,
				  i == 3 || i == 4 ? own : origin, i * MS_NS, KMT_CONTEXT_TASK,
				  1 + i % 5);
	event_batch_heartbeat(&batch, 11 * SECOND_NS, 0, 0);
	event_batch_end(&batch, 9);
	made_session_feed(run->session, bytes);
}

/* Whose object an interrupt frees is not known, so a net without them would be too low. */
Test(rate_feed, the_programs_own_allocations_are_in_the_net_only)
{
	const LiveSums *live;
	Run run;

	begin_for(&run, false, false, NEEDS_FREES | NEEDS_NET);
	send_own(&run);
	SEND(&run, 11 * SECOND_NS, 12 * SECOND_NS, 1);
	live = &table(&run, 0)->sum.live;
	cr_expect(eq(u64, table(&run, 0)->sum.sums.summary.allocations, 3));
	cr_expect(eq(u64, live->frees, 4));
	cr_assert(eq(u32, table(&run, 0)->rows->len, 1));
	live = &g_array_index(table(&run, 0)->rows, RateRow, 0).live;
	cr_expect(eq(i64, live->net, 1));
	end(&run);
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

/* An event of an object. */
typedef struct {
	uint32_t at_ms;
	uint8_t type;
	uint8_t object;
} ObjectEvent;

/* As send(), of a slab cache. */
static void send_objects(Run *run, uint64_t base_ns, const ObjectEvent *events, size_t count,
			 uint64_t until_ns)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 0, run->batch_number++, base_ns);
	uint16_t origin;

	event_batch_cache(&batch, "filp", 200, 256);
	origin = event_batch_origin(&batch, frames, 1, 200, 256);
	for (size_t i = 0; i < count; i++)
		event_batch_event(&batch, events[i].type, origin, events[i].at_ms * MS_NS,
				  KMT_CONTEXT_TASK,
				  0xffff888000000000 + (uint64_t)events[i].object * 256);
	event_batch_heartbeat(&batch, until_ns, 0, 0);
	run->events_total += count;
	event_batch_end(&batch, run->events_total);
	made_session_feed(run->session, bytes);
}

/* Returns -1 if it is not known. */
static int64_t held(const RateRow *row, MetricId metric)
{
	int64_t number;

	return rate_row_number(row, &metrics[metric], 0, &number) ? number : -1;
}

Test(rate_feed, what_is_held_is_that_of_the_end_of_an_interval)
{
	static const ObjectEvent events[] = {
		{ 100, KMT_RECORD_ALLOC, 1 }, { 200, KMT_RECORD_ALLOC, 2 },
		{ 300, KMT_RECORD_FREE, 1 },  { 900, KMT_RECORD_ALLOC, 3 },
		{ 1050, KMT_RECORD_FREE, 2 }, /* in the next one, of the same batch */
	};
	g_autoptr(RateTable) sum = NULL;
	Run run;

	begin_as(&run, false, true);
	send_objects(&run, 10 * SECOND_NS, events, G_N_ELEMENTS(events), 13 * SECOND_NS);
	rate_feed_finish(run.feed);
	cr_assert(eq(u32, run.tables->len, 3));
	for (guint i = 0; i < run.tables->len; i++) {
		const RateTable *each = table(&run, i);
		/* The last one has no events. */
		const RateRow *row = &g_array_index(each->rows, RateRow, 0);

		cr_assert(eq(u32, each->rows->len, 1));
		cr_expect(eq(str, (char *)row->name, "filp"));
		cr_expect(eq(i64, held(row, METRIC_HELD), i ? 1 : 2));
		cr_expect(eq(i64, held(row, METRIC_HELD_BYTES), i ? 256 : 512));
		cr_expect(eq(i64, held(&each->sum, METRIC_HELD), i ? 1 : 2));
	}
	sum = rate_table_copy(table(&run, 0));
	rate_table_add(sum, table(&run, 1), rate_sort_default);
	cr_expect(eq(i64, held(&g_array_index(sum->rows, RateRow, 0), METRIC_HELD), 1));
	cr_expect(eq(u64, sum->sum.sums.summary.allocations, 3));
	end(&run);
}

Test(rate_feed, what_is_held_is_not_known_if_frees_are_not_seen)
{
	ObjectEvent events[10] = { 0 };
	Run run;

	/* The same address again and again, without a free. */
	for (uint32_t i = 0; i < G_N_ELEMENTS(events); i++)
		events[i] = (ObjectEvent){ i, KMT_RECORD_ALLOC, 1 };
	begin_as(&run, false, true);
	send_objects(&run, 10 * SECOND_NS, events, G_N_ELEMENTS(events), 11 * SECOND_NS);
	rate_feed_finish(run.feed);
	cr_expect(eq(u64, allocations(&run), 10));
	cr_expect(eq(i64, held(&g_array_index(table(&run, 0)->rows, RateRow, 0), METRIC_HELD), -1));
	cr_expect(eq(i64, held(&table(&run, 0)->sum, METRIC_HELD), 0));
	end(&run);
}

Test(rate_feed, nothing_is_known_of_held_objects_without_pairing)
{
	Run run;

	begin(&run, false);
	SEND(&run, 10 * SECOND_NS, 11 * SECOND_NS, 100, 200);
	rate_feed_finish(run.feed);
	cr_expect(eq(i64, held(&table(&run, 0)->sum, METRIC_HELD), -1));
	end(&run);
}

/* What a recording's feed asks before each batch; lets it go on after so many times. */
typedef struct {
	GPtrArray *tables;
	RateFeed *feed;
	unsigned asked;
} Holding;

static bool release_later(void *user_data)
{
	Holding *holding = user_data;

	if (++holding->asked == 3)
		rate_feed_set_pace(holding->feed, RATE_FEED_STEP);
	return true;
}

static void hold_table(RateTable *table, void *user_data)
{
	Holding *holding = user_data;

	g_ptr_array_add(holding->tables, table);
}

Test(rate_feed, a_held_recording_is_read_up_to_its_next_table)
{
	Holding holding = { 0 };
	Run run;

	begin(&run, false);
	rate_feed_free(run.feed);
	holding.tables = run.tables;
	run.feed = holding.feed = rate_feed_new(run.session, &(RateFeedOptions){
								     .interval_s = 1,
								     .sort = rate_sort_default,
								     .cells = run.cells,
								     .bytes_max = PLENTY,
								     .recorded = true,
								     .pace = RATE_FEED_HELD,
								     .waiting = release_later,
								     .sink = hold_table,
								     .user_data = &holding,
							     });
	SEND(&run, 10 * SECOND_NS, 10 * SECOND_NS + 500 * MS_NS, 100);
	cr_expect(eq(u32, holding.asked, 3));
	SEND(&run, 10 * SECOND_NS + 600 * MS_NS, 11 * SECOND_NS, 100);
	cr_expect(eq(u32, run.tables->len, 1));
	holding.asked = 0;
	SEND(&run, 12 * SECOND_NS, 13 * SECOND_NS, 100);
	cr_expect(eq(u32, holding.asked, 3));
	end(&run);
}
