/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "session/session.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(count_cut);

enum { MEMORY_BYTES = 16 << 20 };
#define MS 1000000ULL
#define START_NS (1000 * MS)

/* Feeds a batch of a CPU with an event each millisecond. It is complete until a time; 0: none. */
static void feed(Session *session, uint32_t cpu, uint64_t from_ms, unsigned events,
		 uint64_t complete_ms)
{
	static const uint32_t frames[] = { 0x81000010, 0x81000020 };
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, cpu, (uint32_t)from_ms, from_ms * MS);
	uint16_t origin;

	event_batch_task(&batch, 7, "seven");
	origin = event_batch_origin(&batch, frames, 2, 100, 128);
	for (unsigned i = 0; i < events; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, (uint32_t)(i * MS),
				  KMT_CONTEXT_TASK, 0x1000 + 8 * i);
	if (complete_ms)
		event_batch_heartbeat(&batch, complete_ms * MS, 0, 0);
	event_batch_end(&batch, events);
	made_session_feed(session, bytes);
}

static Session *begin(void)
{
	Session *session = session_new(MEMORY_BYTES);

	session_set_number(session, KMT_FIELD_CPUS_ONLINE, 2);
	session_set_number(session, KMT_FIELD_RUN_START_NS, START_NS);
	session_set_number(session, KMT_FIELD_WINDOW_START_NS, START_NS);
	return session;
}

static uint64_t counted(const Session *session)
{
	return profile_totals(session->profile).events;
}

Test(count_cut, a_report_of_a_run_shows_exactly_the_run_up_to_its_time)
{
	g_autoptr(Session) session = begin();

	/* The first 10 are before the run. */
	feed(session, 0, 990, 100, 1080);
	session_cut(session, 1100 * MS);
	feed(session, 1, 1000, 80, 1080);
	cr_expect(not(session_cut_is_complete(session)));
	feed(session, 0, 1090, 60, 1150);
	feed(session, 1, 1120, 30, 1150);
	cr_expect(session_cut_is_complete(session));
	/* Of CPU 0 90 and 11, of CPU 1 80. */
	cr_expect(eq(u64, counted(session), 181));
	cr_expect(eq(u64, session_length_ns(session), 100 * MS));
	session_end_cut(session);
	cr_expect(eq(u64, counted(session), 90 + 80 + 60 + 30));
	cr_expect(eq(u64, profile_totals(session->profile).outside_window, 10));
	cr_expect(eq(u64, session_length_ns(session), 150 * MS));
}

Test(count_cut, a_report_that_comes_after_the_end_of_the_run_has_its_own_length)
{
	g_autoptr(Session) session = begin();

	session_cut(session, 1100 * MS);
	feed(session, 0, 1000, 200, 1200);
	session_set_number(session, KMT_FIELD_RUN_END_NS, 1150 * MS);
	session_set_number(session, KMT_FIELD_WINDOW_END_NS, 1150 * MS);
	cr_expect(eq(u64, counted(session), 101));
	cr_expect(eq(u64, session_length_ns(session), 100 * MS));
	session_end_cut(session);
	cr_expect(eq(u64, counted(session), 151));
	cr_expect(eq(u64, session_length_ns(session), 150 * MS));
}

/* CPU 1 sends nothing, while CPU 0 sends more than the limit of all parts. */
Test(count_cut, later_events_without_memory_are_in_the_report)
{
	enum { BATCHES = 3000, EVENTS = 400 };
	g_autoptr(Session) session = begin();
	const MemoryBudget *memory = session->memory;
	size_t most = 0;

	feed(session, 1, 1000, 1, 1001);
	session_cut(session, 1100 * MS);
	for (unsigned i = 0; i < BATCHES; i++) {
		feed(session, 0, 1000 + (uint64_t)i * EVENTS, EVENTS, 1000 + (i + 1) * EVENTS);
		most = MAX(most, memory->bytes[MEMORY_LATE]);
	}
	cr_expect(lt(sz, most, MEMORY_BYTES / 2));
	cr_expect(lt(sz, 0, most));
	/* The report has the events up to its time, and nothing else. */
	cr_expect(lt(u64, 101, counted(session)));
	cr_expect(eq(u64, session_length_ns(session) / MS + 2, counted(session)));
	cr_expect(not(session_cut_is_complete(session)));
	session_end_cut(session);
	cr_expect(eq(u64, counted(session), 1 + (uint64_t)BATCHES * EVENTS));
	cr_expect(zero(sz, memory->bytes[MEMORY_LATE]));
	cr_expect(not(memory_budget_is_full(memory)));
}
