/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "count/intervals.h"

#include "event_batch.h"
#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(intervals);

#define SECOND_NS 1000000000ULL
#define MILLISECOND_NS 1000000U
enum { MEMORY_BYTES = 1 << 20, GIVEN_MAX = 16 };

static const uint32_t frames[] = { 0x81000010 };

typedef struct {
	guint count;
	uint64_t events[GIVEN_MAX];
	uint64_t start_ns[GIVEN_MAX], end_ns[GIVEN_MAX];
	bool partial[GIVEN_MAX];
} Given;

static void take(const Interval *interval, void *user_data)
{
	Given *given = user_data;

	cr_assert_lt(given->count, GIVEN_MAX);
	cr_expect_eq(interval->number, given->count);
	given->events[given->count] = profile_totals(interval->profile).events;
	given->start_ns[given->count] = interval->start_ns;
	given->end_ns[given->count] = interval->end_ns;
	given->partial[given->count++] = interval->partial;
}

/* A reader's user data: with which word of completeness batches arrive. */
typedef struct {
	Intervals *intervals;
	EventReader *events;
	uint64_t complete_until_ns;
	uint64_t decoded; /* so far */
} Arrival;

static void arrive(const Batch *batch, void *user_data)
{
	Arrival *arrival = user_data;

	const Events *events = event_reader_decode(arrival->events, batch);

	if (intervals_take(arrival->intervals, events))
		arrival->decoded += events->decoded;
	intervals_complete(arrival->intervals, arrival->complete_until_ns);
}

/* A batch with an event at each of these milliseconds after base_ns. Returns how many were decoded.
 */
static uint64_t send(Intervals *intervals, uint64_t base_ns, const uint32_t *at_ms, size_t count,
		     uint64_t complete_until_ns)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 0, 0, base_ns);
	g_autoptr(EventReader) events = event_reader_new(NULL);
	Arrival arrival = { intervals, events, complete_until_ns, 0 };
	g_autoptr(BatchReader) reader = batch_reader_new(arrive, &arrival);
	uint16_t origin = event_batch_origin(&batch, frames, 1, 10, 16);

	for (size_t i = 0; i < count; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, at_ms[i] * MILLISECOND_NS,
				  KMT_CONTEXT_TASK, 1);
	event_batch_end(&batch, count);
	batch_reader_feed(reader, bytes->data, bytes->len);
	return arrival.decoded;
}

#define SEND(intervals, base_ns, complete_until_ns, ...)                                           \
	send(intervals, base_ns, (const uint32_t[]){ __VA_ARGS__ },                                \
	     G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ })), complete_until_ns)

Test(intervals, events_count_where_they_happened_however_late_they_come)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, 10 * SECOND_NS, UINT64_MAX);
	SEND(intervals, 10 * SECOND_NS, 0, 0, 999, 1000);
	SEND(intervals, 12 * SECOND_NS, 0, 5);
	SEND(intervals, 10 * SECOND_NS, 11 * SECOND_NS, 500);
	cr_expect_eq(given.count, 1);
	SEND(intervals, 11 * SECOND_NS, 13 * SECOND_NS, 200);
	cr_expect_eq(given.count, 3);
	cr_expect_eq(given.events[0], 3);
	cr_expect_eq(given.events[1], 2);
	cr_expect_eq(given.events[2], 1);
	cr_expect_eq(given.start_ns[2], 12 * SECOND_NS);
	cr_expect_eq(given.end_ns[2], 13 * SECOND_NS);
	cr_expect_not(given.partial[0]);
}

Test(intervals, what_comes_after_its_interval_was_given_away_counts_in_the_next)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	SEND(intervals, SECOND_NS, 0, 1, 2);
	intervals_expire(intervals, 2 * SECOND_NS);
	cr_expect_eq(given.count, 1);
	cr_expect(given.partial[0]);
	SEND(intervals, SECOND_NS, 0, 3, 4, 1005);
	intervals_finish(intervals, 2 * SECOND_NS + 10 * MILLISECOND_NS);
	cr_expect_eq(given.count, 2);
	cr_expect_eq(given.events[0], 2);
	cr_expect_eq(given.events[1], 3);
	cr_expect_eq(given.end_ns[1], 2 * SECOND_NS + 10 * MILLISECOND_NS);
}

Test(intervals, what_is_late_when_none_is_open_counts_as_well)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	intervals_expire(intervals, 2 * SECOND_NS);
	cr_expect_eq(given.count, 1);
	SEND(intervals, SECOND_NS, 0, 3, 4);
	intervals_finish(intervals, 3 * SECOND_NS);
	cr_expect_eq(given.count, 2);
	cr_expect_eq(given.events[0], 0);
	cr_expect_eq(given.events[1], 2);
}

Test(intervals, the_last_one_waits_for_what_is_late)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, 3 * SECOND_NS);
	SEND(intervals, 2 * SECOND_NS, 2 * SECOND_NS, 1);
	intervals_expire(intervals, 9 * SECOND_NS);
	cr_expect_eq(given.count, 1);
	SEND(intervals, 2 * SECOND_NS, 2 * SECOND_NS, 2, 3);
	intervals_finish(intervals, 9 * SECOND_NS);
	cr_expect_eq(given.count, 2);
	cr_expect_eq(given.events[1], 3);
	cr_expect_eq(given.end_ns[1], 3 * SECOND_NS);
}

Test(intervals, what_counts_nowhere_is_decoded_all_the_same)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	cr_expect_eq(SEND(intervals, SECOND_NS, 0, 1, 2), 2);
	intervals_set_window(intervals, 5 * SECOND_NS, UINT64_MAX);
	cr_expect_eq(SEND(intervals, SECOND_NS, 0, 1, 2, 3), 3);
	/* Two open intervals have a look at it. */
	cr_expect_eq(SEND(intervals, 5 * SECOND_NS, 0, 1, 1000), 2);
	intervals_finish(intervals, 7 * SECOND_NS);
	cr_expect_eq(given.events[0] + given.events[1], 2);
}

Test(intervals, a_long_gap_is_one_interval)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	SEND(intervals, SECOND_NS, 0, 1);
	SEND(intervals, 1000 * SECOND_NS, 0, 500);
	/* What another CPU has in the gap. */
	SEND(intervals, 70 * SECOND_NS, 0, 1, 2);
	intervals_complete(intervals, 2000 * SECOND_NS);
	cr_assert_eq(given.count, 4);
	cr_expect_eq(given.events[0], 1);
	cr_expect_eq(given.events[1], 2);
	cr_expect_eq(given.start_ns[1], 2 * SECOND_NS);
	cr_expect_eq(given.end_ns[1], 1000 * SECOND_NS);
	cr_expect_eq(given.events[2], 1);
	cr_expect_eq(given.events[3], 0);
	cr_expect_eq(given.end_ns[3], 2000 * SECOND_NS);
}

Test(intervals, the_last_instant_of_the_window_opens_none)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, 3 * SECOND_NS);
	SEND(intervals, SECOND_NS, 0, 500);
	SEND(intervals, 2 * SECOND_NS, 0, 999, 1000);
	SEND(intervals, 3 * SECOND_NS, 0, 0, 1);
	intervals_finish(intervals, 9 * SECOND_NS);
	cr_assert_eq(given.count, 2);
	cr_expect_eq(given.events[0], 1);
	cr_expect_eq(given.events[1], 3);
}

Test(intervals, what_was_begun_before_the_end_was_known_is_dropped_when_it_has_nothing)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	SEND(intervals, SECOND_NS, 0, 1);
	intervals_complete(intervals, 2 * SECOND_NS);
	intervals_set_window(intervals, SECOND_NS, 2 * SECOND_NS);
	intervals_finish(intervals, 5 * SECOND_NS);
	cr_expect_eq(given.count, 1);
}

Test(intervals, a_stream_without_an_end_loses_nothing)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS / 10, MEMORY_BYTES, take, &given);
	uint64_t events = 0;

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	SEND(intervals, SECOND_NS, 0, 10, 150, 450, 850);
	intervals_finish(intervals, SECOND_NS);
	cr_assert_eq(given.count, 9);
	for (guint i = 0; i < given.count; i++)
		events += given.events[i];
	cr_expect_eq(events, 4);
	cr_expect_eq(given.end_ns[8], SECOND_NS + 850 * MILLISECOND_NS + 1);
}

Test(intervals, a_day_is_an_interval_too)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals =
		intervals_new(86400 * SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	for (uint64_t hour = 0; hour < 49; hour++)
		cr_expect_eq(SEND(intervals, hour * 3600 * SECOND_NS + SECOND_NS,
				  hour * 3600 * SECOND_NS, 1),
			     1);
	intervals_complete(intervals, 172801 * SECOND_NS);
	cr_assert_eq(given.count, 2);
	cr_expect_eq(given.events[0], 24);
	cr_expect_eq(given.events[1], 24);
}

/* One CPU is ahead of the other, and what it sent is in intervals that are open. */
Test(intervals, another_length_loses_nothing_and_counts_nothing_twice)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);
	uint64_t events = 0;

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	SEND(intervals, SECOND_NS, SECOND_NS, 100, 900);
	SEND(intervals, 2 * SECOND_NS, SECOND_NS, 100, 200);
	SEND(intervals, 3 * SECOND_NS, SECOND_NS, 1, 300);
	intervals_expire(intervals, 2 * SECOND_NS);
	intervals_set_length(intervals, SECOND_NS / 2, MILLISECOND_NS);
	/* The other one, of the interval that was given away among them. */
	SEND(intervals, SECOND_NS, SECOND_NS, 950);
	SEND(intervals, 2 * SECOND_NS, SECOND_NS, 150, 999);
	SEND(intervals, 3 * SECOND_NS, SECOND_NS, 300, 301, 800, 801);
	intervals_finish(intervals, 4 * SECOND_NS);
	cr_assert_eq(given.count, 5);
	cr_expect_eq(given.events[0], 2);
	cr_expect_eq(given.events[1], 5, "late, and of both CPUs");
	cr_expect_eq(given.end_ns[2], 3 * SECOND_NS + 301 * MILLISECOND_NS);
	cr_expect_eq(given.events[2], 3);
	cr_expect_eq(given.end_ns[3], 3 * SECOND_NS + 801 * MILLISECOND_NS);
	cr_expect_eq(given.events[3], 2);
	cr_expect_eq(given.events[4], 1);
	for (guint i = 1; i < given.count; i++)
		cr_expect_eq(given.start_ns[i], given.end_ns[i - 1]);
	for (guint i = 0; i < given.count; i++)
		events += given.events[i];
	cr_expect_eq(events, 13);
}

Test(intervals, an_impossible_time_is_damage)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, UINT64_MAX - SECOND_NS, UINT64_MAX);
	cr_expect_eq(SEND(intervals, UINT64_MAX - SECOND_NS, 0, 1), 1);
	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	SEND(intervals, SECOND_NS, UINT64_MAX, 1);
	cr_expect_eq(SEND(intervals, UINT64_MAX / 2, 0, 1, 2), 0);
	intervals_finish(intervals, UINT64_MAX / 2);
	cr_expect_eq(given.count, 1);
	cr_expect_eq(given.events[0], 1);
}

Test(intervals, a_record_of_many_counts_where_it_begins)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 0, 0, SECOND_NS);
	g_autoptr(EventReader) events = event_reader_new(NULL);
	Arrival arrival = { intervals, events, 0, 0 };
	g_autoptr(BatchReader) reader = batch_reader_new(arrive, &arrival);
	uint16_t origin = event_batch_origin(&batch, frames, 1, 10, 16);

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	event_batch_repeated(&batch, origin, 999 * MILLISECOND_NS, 40, 5 * MILLISECOND_NS);
	event_batch_end(&batch, 40);
	batch_reader_feed(reader, bytes->data, bytes->len);
	intervals_finish(intervals, 3 * SECOND_NS);
	cr_expect_eq(arrival.decoded, 40);
	cr_expect_eq(given.events[0], 40);
	cr_expect_eq(given.events[1], 0);
}

Test(intervals, nothing_outside_of_the_window_counts)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	SEND(intervals, SECOND_NS, 5 * SECOND_NS, 1);
	cr_expect_eq(given.count, 0);
	intervals_set_window(intervals, 5 * SECOND_NS, 6 * SECOND_NS + SECOND_NS / 2);
	SEND(intervals, 4 * SECOND_NS, 0, 999, 1000);
	SEND(intervals, 6 * SECOND_NS, 9 * SECOND_NS, 500, 501);
	intervals_finish(intervals, 9 * SECOND_NS);
	cr_expect_eq(given.count, 2);
	cr_expect_eq(given.events[0], 1);
	cr_expect_eq(given.events[1], 1);
	cr_expect_eq(given.end_ns[1], 6 * SECOND_NS + SECOND_NS / 2);
}

Test(intervals, an_interval_without_events_is_given_all_the_same)
{
	Given given = { 0 };
	g_autoptr(Intervals) intervals = intervals_new(SECOND_NS, MEMORY_BYTES, take, &given);

	intervals_set_window(intervals, SECOND_NS, UINT64_MAX);
	SEND(intervals, 4 * SECOND_NS, 5 * SECOND_NS, 1);
	cr_expect_eq(given.count, 4);
	cr_expect_eq(given.events[2], 0);
	cr_expect_eq(given.events[3], 1);
}
