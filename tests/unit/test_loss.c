/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "count/loss.h"

#include "event_batch.h"
#include "leaks.h"
#include "session/losses.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(loss);

enum { SESSION_BYTES = 64 << 20 };

/* One batch of a CPU, and how many of its events could be decoded. */
typedef struct {
	uint64_t time_ns;
	uint64_t produced; /* with this batch */
	uint32_t events;   /* in this batch */
	uint32_t decoded;
} Step;

static void enter_sampled(LossLedger *ledger, uint32_t cpu, const Step *step, uint32_t period)
{
	const struct KmtBatchHeader header = {
		.cpu = cpu,
		.base_time_ns = step->time_ns,
		.events = step->events,
		.sampling_period = period,
		.events_total = step->produced,
	};

	loss_ledger_enter(ledger, &(Events){ .header = &header }, step->decoded);
}

static void enter(LossLedger *ledger, uint32_t cpu, const Step *step)
{
	enter_sampled(ledger, cpu, step, 0);
}

static LossLedger *ledger_of(const Step *steps, size_t count)
{
	LossLedger *ledger = loss_ledger_new();

	for (size_t i = 0; i < count; i++)
		enter(ledger, 0, &steps[i]);
	return ledger;
}

Test(loss, a_complete_stream_has_lost_nothing)
{
	const Step steps[] = { { 10, 5, 5, 5 }, { 20, 9, 4, 4 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 0));
}

Test(loss, the_next_batch_reports_a_missing_one)
{
	const Step steps[] = { { 10, 5, 5, 5 }, { 30, 12, 3, 3 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 4));
	cr_expect(eq(u64, loss_ledger_totals(ledger).damaged.high, 0));
}

Test(loss, a_damaged_count_hides_no_later_loss)
{
	const Step steps[] = { { 10, 4, 4, 4000000000U }, { 30, 37, 3, 3 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 30));
}

Test(loss, a_late_batch_is_not_lost)
{
	const Step steps[] = { { 10, 5, 5, 5 }, { 30, 12, 3, 3 }, { 20, 9, 4, 4 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 0));
}

Test(loss, what_a_damaged_batch_held_is_lost_and_named)
{
	const Step steps[] = { { 10, 5, 5, 2 }, { 20, 9, 4, 4 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 3));
	cr_expect(eq(u64, loss_ledger_totals(ledger).damaged.high, 3));
}

Test(loss, each_cpu_counts_for_itself)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	const Step zero = { 10, 5, 5, 5 };
	const Step one = { 10, 105, 5, 5 };

	enter(ledger, 0, &zero);
	enter(ledger, 7, &one);
	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 100));
	cr_expect(eq(u32, loss_ledger_totals(ledger).cpus, 2));
}

/* The counters alone, as the collector reads them at the end. */
static const Step reading_of_20 = { 30, 20, 0, 0 };

Test(loss, counters_read_at_the_end_have_what_no_batch_had)
{
	const Step steps[] = { { 10, 5, 5, 5 }, { 20, 12, 5, 5 }, reading_of_20, reading_of_20 };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 2 + 8));
	cr_expect(eq(u64, loss_ledger_totals(ledger).unread.high, 8));
}

Test(loss, counters_of_a_cpu_that_was_never_heard_count)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 5, 30);
	enter(ledger, 3, &reading_of_20);
	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 20));
	cr_expect(eq(u64, loss_ledger_totals(ledger).unread.high, 20));
}

Test(loss, a_batch_after_the_counters_is_judged_by_its_own)
{
	const Step steps[] = { { 10, 5, 5, 5 }, reading_of_20, { 25, 20, 15, 15 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	cr_expect(zero(u64, loss_ledger_totals(ledger).transport.high));
	cr_expect(zero(u64, loss_ledger_totals(ledger).unread.high));
}

Test(loss, what_a_sampling_cpu_lost_stands_for_more)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	const Step first = { 10, 5, 5, 5 };
	const Step later = { 30, 12, 3, 3 };
	LossTotals totals;

	enter_sampled(ledger, 0, &first, 1);
	enter_sampled(ledger, 0, &later, 1);
	enter_sampled(ledger, 1, &first, 4);
	enter_sampled(ledger, 1, &later, 8);
	totals = loss_ledger_totals(ledger);
	cr_expect(eq(u64, totals.transport.low, 4 + 4 * 4));
	cr_expect(eq(u64, totals.transport.high, 4 + 4 * 8));
	cr_expect(eq(u32, totals.sampling_period_min, 1));
	cr_expect(eq(u32, totals.sampling_period_max, 8));
	cr_expect(eq(u32, totals.sampling_cpu, 1));
}

Test(loss, what_was_lost_stands_for_as_many_as_were_sampled_then)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	const Step steps[] = { { 10, 5, 5, 5 },  { 20, 12, 3, 3 }, { 30, 15, 3, 3 },
			       { 40, 18, 3, 3 }, { 50, 21, 3, 3 }, { 60, 31, 1, 1 },
			       { 70, 32, 1, 1 }, { 80, 36, 3, 2 }, { 90, 40, 0, 0 } };
	const uint32_t periods[] = { 1, 1, 1, 64, 128, 128, 4, 4, 0 };
	LossTotals totals;

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
		enter_sampled(ledger, 0, &steps[i], periods[i]);
	totals = loss_ledger_totals(ledger);
	/* 4 at a period of 1, 9 at 128, then 1 at 4, 1 in a damaged batch, and 4 that nobody sent.
	 */
	cr_expect(eq(u64, totals.transport.low, 4 + 9 * 128 + 4 + 4 + 4 * 4));
	cr_expect(eq(u64, totals.transport.high, 4 + 9 * 128 + 4 + 4 + 4 * 4));
	cr_expect(eq(u64, totals.damaged.low, 4));
	cr_expect(eq(u64, totals.damaged.high, 4));
	cr_expect(eq(u64, totals.unread.high, 4 * 4));
}

Test(loss, a_late_batch_of_another_period_leaves_no_range)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	const Step first = { 10, 5, 5, 5 }, late = { 20, 9, 4, 4 }, third = { 30, 12, 3, 3 };

	enter_sampled(ledger, 0, &first, 2);
	enter_sampled(ledger, 0, &third, 8);
	enter_sampled(ledger, 0, &late, 4);
	cr_expect(zero(u64, loss_ledger_totals(ledger).transport.low));
	cr_expect(zero(u64, loss_ledger_totals(ledger).transport.high));
}

Test(loss, sampling_outside_the_window_is_not_reported)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	const Step before = { 10, 5, 5, 5 };
	const Step inside = { 30, 8, 3, 3 };
	const Step nothing = { 35, 8, 0, 0 };
	const Step after = { 50, 9, 1, 1 };

	loss_ledger_set_window(ledger, 20, 40);
	enter_sampled(ledger, 0, &before, 16);
	enter_sampled(ledger, 0, &inside, 2);
	enter_sampled(ledger, 0, &nothing, 32);
	enter_sampled(ledger, 0, &after, 64);
	cr_expect(eq(u32, loss_ledger_totals(ledger).sampling_period_max, 2));
}

Test(loss, what_was_lost_outside_the_window_does_not_count)
{
	const Step steps[] = {
		{ 10, 5, 5, 5 },   { 20, 15, 5, 5 }, /* 5 lost before the window */
		{ 110, 20, 5, 5 }, { 190, 25, 5, 5 },
		{ 210, 30, 5, 5 }, { 250, 99, 5, 5 }, /* 64 lost after it */
	};
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 100, 200);
	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
		enter(ledger, 0, &steps[i]);
	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 0));
}

Test(loss, a_gap_across_an_edge_of_the_window_counts)
{
	const Step steps[] = {
		{ 90, 5, 5, 5 }, { 110, 12, 5, 5 }, { 190, 17, 5, 5 }, { 210, 25, 5, 5 }
	};
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 100, 200);
	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
		enter(ledger, 0, &steps[i]);
	cr_expect(eq(u64, loss_ledger_totals(ledger).transport.high, 2 + 3));
}

/* Enters a batch of a CPU whose only record is a heartbeat. */
static void beat(LossLedger *ledger, uint32_t cpu, uint64_t until_ns, uint64_t skipped,
		 uint64_t probe_ns)
{
	const struct KmtBatchHeader header = {
		.cpu = cpu,
		.base_time_ns = until_ns,
		.heartbeats = 1,
		.sampling_period = 1,
	};
	const struct KmtHeartbeat record = {
		.complete_until_ns = until_ns,
		.skipped = skipped,
		.probe_ns = probe_ns,
	};

	loss_ledger_enter(
		ledger,
		&(Events){ .header = &header, .heartbeats = &record, .heartbeats_count = 1 }, 0);
}

Test(loss, heartbeats_show_the_slowest_cpu)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	uint32_t cpus;

	beat(ledger, 0, 100, 0, 0);
	beat(ledger, 0, 200, 0, 0);
	beat(ledger, 1, 150, 0, 0);
	cr_expect(eq(u64, loss_ledger_heartbeats(ledger, &cpus), 1));
	cr_expect(eq(u32, cpus, 2));
	cr_expect(eq(u64, loss_ledger_complete_until(ledger), 150));
}

Test(loss, skipped_probes_and_cost_count_inside_the_window)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 100, 1000);
	beat(ledger, 0, 50, 3, 1000);
	beat(ledger, 0, 150, 4, 1700);
	beat(ledger, 1, 160, 4, 200);
	cr_expect(eq(u64, loss_ledger_totals(ledger).skipped, 1));
	cr_expect(eq(u64, loss_ledger_totals(ledger).probe_ns, 700));
	cr_expect(eq(u64, loss_ledger_totals(ledger).probe_span_ns, 100));
	cr_expect(eq(u64, loss_ledger_totals(ledger).probe_ns_busiest, 700));
	cr_expect(eq(u32, loss_ledger_totals(ledger).probe_cpu_busiest, 0));
}

/* Enters a batch whose heartbeat says how many events were received, but did not count. */
static void beat_passed_over(LossLedger *ledger, uint64_t until_ns, uint64_t passed_over)
{
	const struct KmtBatchHeader header = { .base_time_ns = until_ns, .heartbeats = 1 };
	const struct KmtHeartbeat record = {
		.complete_until_ns = until_ns,
		.probe_ns = KMT_NOT_MEASURED,
		.passed_over = passed_over,
	};

	loss_ledger_enter(
		ledger,
		&(Events){ .header = &header, .heartbeats = &record, .heartbeats_count = 1 }, 0);
}

Test(loss, events_that_were_passed_over_count_inside_the_window)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 100, 1000);
	beat_passed_over(ledger, 50, 10);
	beat_passed_over(ledger, 500, 40);
	beat_passed_over(ledger, 1100, 90);
	beat_passed_over(ledger, 1200, 100);
	/* As with losses, those around the edge are taken as inside. */
	cr_expect_eq(loss_ledger_totals(ledger).passed_over, 90 - 10);
}

Test(loss, probes_skipped_after_the_window_are_not_its_loss)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 100, 1000);
	beat(ledger, 0, 50, 0, 0);
	beat(ledger, 0, 950, 1, 0);
	cr_expect(not(loss_ledger_totals(ledger).shared_until_end));
	beat(ledger, 1, 1050, 3, 0);
	beat(ledger, 0, 1060, 7, 0);
	cr_expect(loss_ledger_totals(ledger).shared_until_end);
	cr_expect(eq(u64, loss_ledger_totals(ledger).skipped, 3));
}

Test(loss, the_busiest_cpu_is_the_one_with_the_largest_share)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	beat(ledger, 0, 1000, 0, 0);
	beat(ledger, 0, 2000, 0, 300);
	beat(ledger, 5, 1900, 0, 0);
	beat(ledger, 5, 2000, 0, 50);
	cr_expect(eq(u64, loss_ledger_totals(ledger).probe_ns, 350));
	cr_expect(eq(u64, loss_ledger_totals(ledger).probe_span_ns, 1100));
	cr_expect(eq(u32, loss_ledger_totals(ledger).probe_cpu_busiest, 5));
	cr_expect(eq(u64, loss_ledger_totals(ledger).probe_span_ns_busiest, 100));
}

Test(loss, a_cost_that_was_not_measured_has_no_span)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 100, 1000);
	beat(ledger, 0, 50, 0, KMT_NOT_MEASURED);
	beat(ledger, 0, 150, 0, KMT_NOT_MEASURED);
	beat(ledger, 1, 150, 0, KMT_NOT_MEASURED);
	beat(ledger, 1, 250, 0, KMT_NOT_MEASURED);
	cr_expect(zero(u64, loss_ledger_totals(ledger).probe_ns));
	cr_expect(zero(u64, loss_ledger_totals(ledger).probe_span_ns));
	cr_expect(zero(u64, loss_ledger_totals(ledger).probe_span_ns_busiest));
	cr_expect(eq(u64, loss_ledger_complete_until(ledger), 150));
}

Test(loss, nothing_lost_has_no_last_loss)
{
	const Step steps[] = { { 10, 5, 5, 5 }, { 20, 9, 4, 4 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	beat(ledger, 1, 30, 0, 0);
	cr_expect(zero(u64, loss_ledger_last_loss_ns(ledger)));
}

Test(loss, the_last_loss_was_before_the_batch_that_showed_it)
{
	const Step steps[] = { { 10, 5, 5, 5 }, { 30, 12, 3, 3 }, { 50, 20, 8, 8 } };
	const Step other[] = { { 15, 5, 5, 5 }, { 25, 9, 3, 3 } };
	g_autoptr(LossLedger) ledger = ledger_of(steps, G_N_ELEMENTS(steps));

	enter(ledger, 1, &other[0]);
	enter(ledger, 1, &other[1]);
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), 30));
}

Test(loss, the_last_loss_was_before_the_end_of_the_batch)
{
	const Step first = { 10, 5, 5, 5 };
	const Event events[] = { { .after_ns = 0 }, { .after_ns = 7 } };
	const struct KmtBatchHeader header = { .base_time_ns = 30, .events = 2, .events_total = 9 };
	g_autoptr(LossLedger) ledger = ledger_of(&first, 1);

	loss_ledger_enter(ledger,
			  &(Events){ .header = &header, .events = events, .events_count = 2 }, 2);
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), 37));
}

Test(loss, a_late_batch_takes_the_last_loss_back)
{
	const Step steps[] = {
		{ 10, 5, 5, 5 },  { 20, 9, 2, 2 },  /* 2 are lost */
		{ 50, 20, 3, 3 }, { 60, 30, 4, 4 }, /* 8 and 6 are late */
		{ 40, 17, 8, 8 }, { 55, 26, 6, 6 }, { 70, 31, 1, 1 },
	};
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	const uint64_t expected[] = { 0, 20, 50, 60, 60, 20, 20 };

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		enter(ledger, 0, &steps[i]);
		cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), expected[i]));
	}
}

Test(loss, many_gaps_are_not_forgotten)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();
	uint64_t produced = 0;

	for (uint64_t i = 1; i <= 20; i++) {
		const Step step = { 10 * i, produced += 2, 1, 1 };

		enter(ledger, 0, &step);
	}
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), 200));
}

Test(loss, what_a_damaged_batch_held_was_before_the_next_one)
{
	const Step steps[] = {
		{ 10, 5, 5, 2 }, { 8, 7, 2, 2 }, { 20, 11, 4, 4 }, { 30, 15, 4, 4 }
	};
	const uint64_t expected[] = { UINT64_MAX, UINT64_MAX, 20, 20 };
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		enter(ledger, 0, &steps[i]);
		cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), expected[i]));
	}
}

/* Enters a batch of CPU 0 without events, with this many reentrant ones. */
static void enter_reentrant(LossLedger *ledger, uint64_t time_ns, uint64_t dropped, bool has_beat)
{
	const struct KmtBatchHeader header = {
		.base_time_ns = time_ns,
		.events = !has_beat,
		.heartbeats = has_beat,
		.dropped_reentrant = dropped,
	};
	const struct KmtHeartbeat record = { .complete_until_ns = time_ns + 5 };
	const Events events = { .header = &header,
				.heartbeats = &record,
				.heartbeats_count = has_beat };

	loss_ledger_enter(ledger, &events, header.events);
}

Test(loss, reentrant_events_were_lost_before_the_end_of_their_batch)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	enter_reentrant(ledger, 10, 3, true);
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), 15));
	enter_reentrant(ledger, 30, 4, false);
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), UINT64_MAX));
	enter_reentrant(ledger, 40, 4, false);
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), 40));
}

Test(loss, skipped_probes_were_before_the_heartbeat_that_counts_them)
{
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	beat(ledger, 0, 50, 0, 0);
	beat(ledger, 1, 60, 2, 0);
	beat(ledger, 0, 70, 2, 0);
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), 60));
}

Test(loss, counters_read_at_the_end_bound_nothing)
{
	const Step steps[] = { { 10, 5, 5, 5 }, reading_of_20, { 25, 20, 15, 15 } };
	const uint64_t expected[] = { 0, UINT64_MAX, 0 };
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		enter(ledger, 0, &steps[i]);
		cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), expected[i]));
	}
}

Test(loss, what_was_lost_after_the_window_is_not_its_last_loss)
{
	const Step steps[] = {
		{ 110, 5, 5, 5 },  { 120, 12, 5, 5 }, { 190, 17, 5, 5 },
		{ 210, 22, 5, 5 }, { 250, 99, 5, 5 }, /* 72 lost */
	};
	g_autoptr(LossLedger) ledger = loss_ledger_new();

	loss_ledger_set_window(ledger, 100, 200);
	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
		enter(ledger, 0, &steps[i]);
	beat(ledger, 1, 90, 0, 0);
	beat(ledger, 1, 260, 0, 0);
	beat(ledger, 1, 270, 4, 0);
	cr_expect(eq(u64, loss_ledger_last_loss_ns(ledger), 120));
}

/* Returns a session whose CPU 0 has lost events before 30. */
static Session *session_with_loss(void)
{
	const Step steps[] = { { 10, 5, 5, 5 }, { 30, 12, 3, 3 } };
	Session *session = session_new(SESSION_BYTES);

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
		enter(session->loss, 0, &steps[i]);
	return session;
}

Test(loss, a_session_has_the_last_loss_of_its_ledger)
{
	g_autoptr(Session) session = session_with_loss();

	cr_expect(eq(u64, losses_last_ns(session), 30));
	session_set_number(session, KMT_FIELD_PROBES_MISSED, 0);
	session_set_number(session, KMT_FIELD_COUNTED_TO_END, 1);
	cr_expect(eq(u64, losses_last_ns(session), 30));
}

Test(loss, the_last_loss_of_a_session_is_not_known_if_the_run_only_counts_it)
{
	const struct {
		enum KmtFieldId id;
		uint64_t number;
	} facts[] = {
		{ KMT_FIELD_PROBES_MISSED, 1 },  { KMT_FIELD_UNTRACED_NS, 1 },
		{ KMT_FIELD_SKIPPED, 1 },        { KMT_FIELD_DAMAGED_BYTES, 1 },
		{ KMT_FIELD_COUNTED_TO_END, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(facts); i++) {
		g_autoptr(Session) session = session_with_loss();

		session_set_number(session, facts[i].id, facts[i].number);
		cr_expect(eq(u64, losses_last_ns(session), UINT64_MAX));
	}
}
