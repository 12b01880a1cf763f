/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "held/held_cells.h"
#include "record/address_sample.h"
#include "record/batch_writer.h"
#include "session/losses.h"
#include "session/session.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(pairing);

enum { OBJECT_BYTES = 64, BATCH_EVENTS = 1000 };
#define ADDRESS 0xffff888000000000ULL
#define LATER_NS 1000000000ULL
#define PLENTY ((size_t)256 << 20)

static const uint32_t frames[] = { 0x81000010, 0x81000020 };

/* A batch with one origin, of this CPU and time. */
static EventBatch begin(GByteArray *bytes, uint32_t cpu, uint32_t number, uint64_t time_ns)
{
	EventBatch batch = event_batch_begin(bytes, cpu, number, time_ns);

	event_batch_task(&batch, 10, "worker");
	event_batch_origin(&batch, frames, 2, OBJECT_BYTES, OBJECT_BYTES);
	return batch;
}

static void add(EventBatch *batch, uint8_t type, uint32_t delta_ns, uint64_t number)
{
	event_batch_event(batch, type, 0, delta_ns, KMT_CONTEXT_TASK,
			  ADDRESS + number * OBJECT_BYTES);
}

static uint64_t shown(const Session *session)
{
	const HeldMoment moment = { .end_ns = session_end_ns(session) };
	g_autoptr(HeldCells) cells = held_cells_new(session->pairing, (HeldChoice){ 0 }, moment);
	uint64_t events = 0;

	for (uint32_t i = 0; i < held_cells_count(cells); i++)
		events += held_cells_at(cells, i)->cell.events;
	return events;
}

Test(pairing, what_is_freed_on_another_cpu_is_not_held)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = NULL;
	PairingTotals totals;
	/* The batch with the free comes first. */
	EventBatch batch = begin(bytes, 1, 0, 1000);

	add(&batch, KMT_RECORD_FREE, 500, 1);
	event_batch_heartbeat(&batch, 2000, 0, 0);
	event_batch_end(&batch, 1);
	batch = begin(bytes, 0, 0, 1000);
	add(&batch, KMT_RECORD_ALLOC, 100, 1);
	add(&batch, KMT_RECORD_ALLOC, 200, 2);
	event_batch_heartbeat(&batch, 2000, 0, 0);
	event_batch_end(&batch, 2);
	session = made_session_paired(bytes, PLENTY);
	totals = pairing_totals(session->pairing);
	cr_expect(eq(u64, totals.allocated, 2));
	cr_expect(eq(u64, totals.freed, 1));
	cr_expect(eq(u64, totals.held, 1));
	cr_expect(eq(u64, totals.unknown, 0));
	cr_expect(eq(u64, totals.recycled, 0));
}

Test(pairing, a_report_in_the_middle_shows_what_is_held_then)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = session_new(PLENTY);
	EventBatch batch = begin(bytes, 0, 0, 1000);

	for (unsigned i = 0; i < 10; i++)
		add(&batch, KMT_RECORD_ALLOC, 100 + i, i);
	event_batch_heartbeat(&batch, LATER_NS, 0, 0);
	event_batch_end(&batch, 10);
	session_pair(session, false);
	made_session_feed(session, bytes);
	cr_expect(eq(u64, shown(session), 10));
	g_byte_array_set_size(bytes, 0);
	batch = begin(bytes, 0, 1, LATER_NS);
	for (unsigned i = 0; i < 7; i++)
		add(&batch, KMT_RECORD_FREE, 200 + i, i);
	event_batch_end(&batch, 7);
	made_session_feed(session, bytes);
	session_finish(session);
	cr_expect(eq(u64, shown(session), 3));
}

Test(pairing, an_address_that_is_allocated_twice_shows_a_free_that_was_not_seen)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = NULL;
	PairingTotals totals;
	EventBatch batch = begin(bytes, 0, 0, 1000);

	add(&batch, KMT_RECORD_ALLOC, 100, 1);
	add(&batch, KMT_RECORD_ALLOC, 200, 1);
	add(&batch, KMT_RECORD_FREE, 300, 9);
	event_batch_end(&batch, 3);
	session = made_session_paired(bytes, PLENTY);
	totals = pairing_totals(session->pairing);
	cr_expect(eq(u64, totals.recycled, 1));
	cr_expect(eq(u64, totals.held, 1));
	cr_expect(eq(u64, totals.unknown, 1));
}

Test(pairing, events_wait_until_every_cpu_has_sent_theirs)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = session_new(PLENTY);
	EventBatch batch = begin(bytes, 0, 0, 1000);

	event_batch_heartbeat(&batch, 1000, 0, 0);
	event_batch_end(&batch, 0);
	batch = begin(bytes, 1, 0, 1000);
	add(&batch, KMT_RECORD_FREE, 500, 1);
	event_batch_heartbeat(&batch, LATER_NS, 0, 0);
	event_batch_end(&batch, 1);
	session_pair(session, false);
	made_session_feed(session, bytes);
	cr_expect(eq(u64, pairing_totals(session->pairing).unknown, 0));
	g_byte_array_set_size(bytes, 0);
	batch = begin(bytes, 0, 1, 1100);
	add(&batch, KMT_RECORD_ALLOC, 100, 1);
	event_batch_heartbeat(&batch, LATER_NS, 0, 0);
	event_batch_end(&batch, 1);
	made_session_feed(session, bytes);
	cr_expect(eq(u64, pairing_totals(session->pairing).freed, 1));
	cr_expect(eq(u64, pairing_totals(session->pairing).unknown, 0));
}

/* More objects than the memory allows: the estimate of what is held must stay right. */
Test(pairing, a_full_table_continues_with_a_sample_of_the_addresses)
{
	enum { BATCHES = 600, HELD = BATCHES * BATCH_EVENTS };
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = NULL;
	PairingTotals totals;
	double scale, margin;

	for (unsigned i = 0; i < BATCHES; i++) {
		EventBatch batch = begin(bytes, 0, i, 1000 + i * 1000000ULL);

		for (unsigned j = 0; j < BATCH_EVENTS; j++)
			add(&batch, KMT_RECORD_ALLOC, j, (uint64_t)i * BATCH_EVENTS + j);
		event_batch_heartbeat(&batch, 1000 + (i + 1) * 1000000ULL, 0, 0);
		event_batch_end(&batch, (i + 1) * (uint64_t)BATCH_EVENTS);
	}
	session = made_session_paired(bytes, (size_t)16 << 20);
	totals = pairing_totals(session->pairing);
	scale = (double)totals.scale;
	cr_expect(lt(u64, 1, totals.scale));
	/* Five standard errors: the seed of the addresses is fixed, so this does not vary. */
	margin = 5 * 5 * HELD * (scale - 1);
	cr_expect(lt(dbl, ((double)totals.held - HELD) * ((double)totals.held - HELD), margin));
}

enum { BITS_OBJECTS = BATCH_EVENTS, BITS_FREED = 300, BITS_LEVEL = 2 };

/* Objects, all followed, of which some are freed later, when the kernel selects addresses by their
   bits, beside as many that are allocated then. */
static uint64_t held_by_bits(uint64_t seed)
{
	const InfoField fields[] = {
		{ KMT_FIELD_SAMPLED_BY, 0, KMT_SAMPLED_BY_BITS },
		{ KMT_FIELD_SAMPLE_SEED, seed, NULL },
	};
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = NULL;
	EventBatch batch;
	uint64_t written = BITS_OBJECTS;

	batch_write_info(bytes, fields, G_N_ELEMENTS(fields));
	batch = begin(bytes, 0, 0, LATER_NS);
	for (unsigned i = 0; i < BITS_OBJECTS; i++)
		add(&batch, KMT_RECORD_ALLOC, i, i);
	event_batch_end(&batch, written);
	batch = begin(bytes, 0, 1, 2 * LATER_NS);
	event_batch_header(&batch)->version = KMT_VERSION_BY_BITS;
	event_batch_header(&batch)->sampling_period = 1U << BITS_LEVEL;
	for (unsigned i = 0; i < BITS_OBJECTS + BITS_FREED; i++) {
		bool is_free = i < BITS_FREED;
		uint64_t number = is_free ? i : BITS_OBJECTS - BITS_FREED + i;

		if (!kmt_address_is_taken_by_bits(ADDRESS + number * OBJECT_BYTES, seed,
						  BITS_LEVEL))
			continue;
		add(&batch, is_free ? KMT_RECORD_FREE : KMT_RECORD_ALLOC, i, number);
		written++;
	}
	event_batch_heartbeat(&batch, 3 * LATER_NS, 0, 0);
	event_batch_end(&batch, written);
	session = made_session_paired(bytes, PLENTY);
	cr_expect(eq(u64, pairing_totals(session->pairing).scale, 1U << BITS_LEVEL));
	cr_expect(eq(u64, pairing_totals(session->pairing).recycled, 0));
	return pairing_totals(session->pairing).held;
}

/* With each seed, others are followed: together they are all. */
Test(pairing, objects_that_the_kernel_selects_by_bits_are_estimated_without_bias)
{
	const uint64_t truth = 2 * BITS_OBJECTS - BITS_FREED;
	uint64_t sum = 0;

	for (uint64_t seed = 0; seed < 1U << BITS_LEVEL; seed++) {
		uint64_t held = held_by_bits(seed);

		cr_expect(lt(u64, truth / 5 * 4, held));
		cr_expect(lt(u64, held, truth / 5 * 6));
		sum += held;
	}
	cr_expect(eq(u64, sum, truth << BITS_LEVEL));
}

/* A free after the end of the window still ends what was allocated in it; an allocation does not
   begin anything. */
Test(pairing, frees_after_the_end_count)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = session_new(PLENTY);
	EventBatch batch = begin(bytes, 0, 0, 1000);

	add(&batch, KMT_RECORD_ALLOC, 100, 1);
	add(&batch, KMT_RECORD_ALLOC, 110, 2);
	add(&batch, KMT_RECORD_FREE, 500, 1);
	add(&batch, KMT_RECORD_ALLOC, 600, 3);
	event_batch_end(&batch, 4);
	session_pair(session, false);
	session_set_number(session, KMT_FIELD_WINDOW_END_NS, 1200);
	made_session_feed(session, bytes);
	session_finish(session);
	cr_expect(eq(u64, pairing_totals(session->pairing).allocated, 2));
	cr_expect(eq(u64, pairing_totals(session->pairing).held, 1));
}

/* As interrupts leave them: CPU 0 allocates at 105 after its event of 110; CPU 1 frees at 107. */
/* A slow reader gets a second of one CPU before it gets anything of the other one. */
Test(pairing, events_wait_for_the_first_batch_of_each_cpu)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = session_new(PLENTY);
	EventBatch batch = begin(bytes, 0, 0, LATER_NS + 1000);

	add(&batch, KMT_RECORD_FREE, 0, 1);
	event_batch_heartbeat(&batch, 2 * LATER_NS, 0, 0);
	event_batch_end(&batch, 1);
	batch = begin(bytes, 1, 0, LATER_NS);
	add(&batch, KMT_RECORD_ALLOC, 0, 1);
	event_batch_heartbeat(&batch, 2 * LATER_NS, 0, 0);
	event_batch_end(&batch, 1);

	session_pair(session, false);
	session_set_number(session, KMT_FIELD_RUN_START_NS, LATER_NS);
	session_set_number(session, KMT_FIELD_CPUS_ONLINE, 2);
	made_session_feed(session, bytes);
	session_finish(session);
	cr_expect(eq(u64, pairing_totals(session->pairing).held, 0));
	cr_expect(eq(u64, pairing_totals(session->pairing).freed, 1));
}

Test(pairing, events_slightly_out_of_order_are_put_in_order)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = NULL;
	PairingTotals totals;
	EventBatch batch = begin(bytes, 0, 0, 1000);

	add(&batch, KMT_RECORD_ALLOC, 110, 2);
	add(&batch, KMT_RECORD_ALLOC, 105, 1);
	event_batch_end(&batch, 2);
	batch = begin(bytes, 1, 0, 1000);
	add(&batch, KMT_RECORD_FREE, 107, 1);
	event_batch_end(&batch, 1);
	session = made_session_paired(bytes, PLENTY);
	totals = pairing_totals(session->pairing);
	cr_expect(eq(u64, totals.freed, 1));
	cr_expect(eq(u64, totals.held, 1));
	cr_expect(eq(u64, totals.unknown, 0));
}

/* Each batch has a process of its own, so a cell of its own. */
static void add_processes(GByteArray *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		EventBatch batch = event_batch_begin(bytes, 0, i, 1000 + i * 1000ULL);

		event_batch_task(&batch, 10 + i, "worker");
		event_batch_origin(&batch, frames, 2, OBJECT_BYTES, OBJECT_BYTES);
		add(&batch, KMT_RECORD_ALLOC, 1, i);
		event_batch_heartbeat(&batch, 1000 + (i + 1) * 1000ULL, 0, 0);
		event_batch_end(&batch, i + 1);
	}
}

Test(pairing, more_processes_than_there_is_room_for_hold_as_much)
{
	enum { PROCESSES = 400000 };
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = NULL;
	PairingTotals totals;

	add_processes(bytes, PROCESSES);
	session = made_session_paired(bytes, (size_t)2 << 20);
	totals = pairing_totals(session->pairing);
	/* Objects are sampled, and nothing is lost. */
	cr_expect(lt(u64, 1, totals.scale));
	cr_expect(eq(u64, losses_of(session).over_bound, 0));
	cr_expect(lt(u64, PROCESSES / 10 * 9, totals.held));
	cr_expect(lt(u64, totals.held, PROCESSES / 10 * 11));
	cr_expect(losses_make_incomplete(session, 100));
}

/* Many short processes, each of which frees what it allocates at STACKS places but for one object
   of every KEEPS_EACH-th, and one that keeps 100 objects in the end. */
enum { SHORT = 6000, STACKS = 30, KEEPS_EACH = 100, LATE = 100, FIRST_TGID = 1000 };

static void add_short(GByteArray *bytes, uint32_t number)
{
	uint64_t time_ns = LATER_NS + number * 10000000ULL;
	EventBatch batch = event_batch_begin(bytes, 0, number, time_ns);
	bool keeps = number % KEEPS_EACH == 0;

	event_batch_task(&batch, FIRST_TGID + number, keeps ? "keeper" : "short");
	for (uint32_t i = 0; i < STACKS; i++) {
		const uint32_t stack[] = { 0x81000010, 0x81000100 + 16 * i };
		uint16_t origin = event_batch_origin(&batch, stack, 2, OBJECT_BYTES, OBJECT_BYTES);
		uint64_t pointer = ADDRESS + (number * STACKS + i) * OBJECT_BYTES;

		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 1000 * i, KMT_CONTEXT_TASK,
				  pointer);
		if (i || !keeps)
			event_batch_event(&batch, KMT_RECORD_FREE, origin, 1000 * i + 1,
					  KMT_CONTEXT_TASK, pointer);
	}
	event_batch_heartbeat(&batch, time_ns + 9000000, 0, 0);
	event_batch_end_only(&batch);
}

static void add_late_holder(GByteArray *bytes)
{
	uint64_t time_ns = LATER_NS + SHORT * 10000000ULL;
	EventBatch batch = event_batch_begin(bytes, 0, SHORT, time_ns);

	event_batch_task(&batch, 10, "holder");
	event_batch_origin(&batch, frames, 2, OBJECT_BYTES, OBJECT_BYTES);
	for (uint32_t i = 0; i < LATE; i++)
		add(&batch, KMT_RECORD_ALLOC, i, SHORT * STACKS + i);
	event_batch_heartbeat(&batch, time_ns + 9000000, 0, 0);
	event_batch_end(&batch, LATE);
}

static Session *after_short_processes(size_t memory_bytes, bool with_freers)
{
	Session *session = session_new(memory_bytes);

	session_pair(session, with_freers);
	for (uint32_t i = 0; i <= SHORT; i++) {
		g_autoptr(GByteArray) bytes = g_byte_array_new();

		if (i < SHORT)
			add_short(bytes, i);
		else
			add_late_holder(bytes);
		made_session_feed(session, bytes);
	}
	session_finish(session);
	return session;
}

/* Sums of the processes of a name. */
typedef struct {
	uint64_t held, allocated, freed;
	uint32_t with_pid; /* cells */
} NameSums;

static NameSums sums_of(const Session *session, const char *name, bool by_freer)
{
	const HeldMoment moment = { .end_ns = session_end_ns(session) };
	const HeldChoice choice = { .by_freer = by_freer };
	g_autoptr(HeldCells) cells = held_cells_new(session->pairing, choice, moment);
	NameSums sums = { 0 };

	for (uint32_t i = 0; i < held_cells_count(cells); i++) {
		const HeldCell *cell = held_cells_at(cells, i);
		const ProfileTask *task = profile_task(session->profile, cell->cell.task);

		if (strcmp(profile_process_name(session->profile, cell->cell.task), name))
			continue;
		sums.held += cell->cell.events;
		sums.allocated += cell->sums.allocated;
		sums.freed += cell->sums.freed;
		sums.with_pid += task->tgid > 0;
	}
	return sums;
}

static void expect_all_counted(const Session *session, bool by_freer)
{
	const NameSums shorts = sums_of(session, "short", by_freer);
	const NameSums keepers = sums_of(session, "keeper", by_freer);
	const NameSums holder = sums_of(session, "holder", by_freer);
	const ProfileTotals totals = profile_totals(session->profile);
	const uint32_t keep = SHORT / KEEPS_EACH;

	cr_expect(eq(u64, totals.of_other_tasks, 0));
	cr_expect(eq(u64, totals.over_bound, 0));
	cr_expect(eq(u64, pairing_over_bound(session->pairing), 0));
	cr_expect(eq(u64, shorts.held, 0));
	cr_expect(eq(u64, shorts.allocated, (SHORT - keep) * STACKS));
	cr_expect(eq(u64, shorts.freed, (SHORT - keep) * STACKS));
	cr_expect(eq(u64, keepers.held, keep));
	cr_expect(eq(u64, keepers.allocated, keep * STACKS));
	cr_expect(ge(u32, keepers.with_pid, keep), "what is held has its pid");
	cr_expect(eq(u64, holder.held, LATE));
	cr_expect(eq(u32, holder.with_pid, 1));
}

Test(pairing, cells_of_processes_that_ended_with_nothing_held_are_used_again)
{
	g_autoptr(Session) session = after_short_processes((size_t)16 << 20, false);

	expect_all_counted(session, false);
	cr_expect(lt(u32, sums_of(session, "short", false).with_pid, SHORT * STACKS / 2));
	cr_expect(lt(u32, profile_task_count(session->profile), SHORT));
	cr_expect(profile_totals(session->profile).of_past_tasks > SHORT);
	cr_expect(le(u64, profile_totals(session->profile).of_past_tasks, SHORT * STACKS));
}

Test(pairing, frees_have_their_call_sites_although_cells_are_used_again)
{
	g_autoptr(Session) session = after_short_processes((size_t)32 << 20, true);

	expect_all_counted(session, true);
	cr_expect(lt(u32, sums_of(session, "short", false).with_pid, SHORT * STACKS));
}

Test(pairing, with_enough_memory_every_process_keeps_its_pid)
{
	g_autoptr(Session) session = after_short_processes(PLENTY, false);

	expect_all_counted(session, false);
	cr_expect(eq(u64, profile_totals(session->profile).of_past_tasks, 0));
	cr_expect(eq(u32, sums_of(session, "short", false).with_pid,
		     (SHORT - SHORT / KEEPS_EACH) * STACKS));
}
