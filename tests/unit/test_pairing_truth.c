/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is reported as held, compared with the truth of made-up runs. */
#include "record/format.h"
#include "held/held_cells.h"
#include "session/losses.h"
#include "session/session.h"

#include "event_batch.h"
#include "made_session.h"
#include "fixtures/held_run.h"
#include "leaks.h"
#include "record/address_sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(pairing_truth);

#define PLENTY ((size_t)256 << 20)
#define END_NS (HELD_RUN_START_NS + (uint64_t)HELD_RUN_EVENTS * HELD_RUN_STEP_NS)

/* Objects of one stack. */
typedef struct {
	uint64_t held;       /* as the objects are listed ... */
	uint64_t certain;    /* ... of these: allocated after the last loss */
	uint64_t freed;      /* ... of these held ones: freed in truth */
	uint64_t refuted;    /* ... of these certain ones: freed in truth */
	uint64_t reported;   /* as the report has it */
	uint64_t doubtful;   /* of these */
	uint64_t live;       /* in truth */
	uint64_t live_after; /* ... of these: allocated after the last loss */
} StackSums;

typedef struct {
	const HeldRun *run;
	uint64_t last_loss_ns;
	StackSums stacks[HELD_RUN_STACKS];
	uint64_t strangers; /* listed objects that were never allocated */
} Comparison;

/* A LiveVisitor. */
static void compare_object(const LiveObject *listed, void *user_data)
{
	Comparison *comparison = user_data;
	const HeldRunObject *object = held_run_object_at(comparison->run, listed->time_ns);
	StackSums *sums = &comparison->stacks[object->stack];
	bool is_certain = listed->time_ns > comparison->last_loss_ns;

	comparison->strangers += !object->is_alloc || listed->cpu != object->cpu;
	sums->held++;
	sums->certain += is_certain;
	sums->freed += object->freed_ns != 0;
	sums->refuted += is_certain && object->freed_ns;
}

static void add_reported(Comparison *comparison, const Session *session)
{
	const HeldMoment moment = { END_NS, comparison->last_loss_ns };
	g_autoptr(HeldCells) cells = held_cells_new(session->pairing, (HeldChoice){ 0 }, moment);

	for (uint32_t i = 0; i < held_cells_count(cells); i++) {
		const HeldCell *cell = held_cells_at(cells, i);
		const ProfileOrigin *origin = profile_origin(session->profile, cell->cell.origin);
		StackSums *sums = &comparison->stacks[origin->bytes_requested - HELD_RUN_BYTES];

		sums->reported += cell->cell.events;
		sums->doubtful += cell->sums.doubtful;
	}
}

static void add_truth(Comparison *comparison)
{
	for (uint32_t i = 0; i < HELD_RUN_EVENTS; i++) {
		const HeldRunObject *object =
			&g_array_index(comparison->run->objects, HeldRunObject, i);
		uint64_t allocated_ns = HELD_RUN_START_NS + (uint64_t)i * HELD_RUN_STEP_NS;
		bool is_live = object->is_alloc && !object->freed_ns;
		StackSums *sums = &comparison->stacks[object->stack];

		sums->live += is_live;
		sums->live_after += is_live && allocated_ns > comparison->last_loss_ns;
	}
}

static Comparison compared(const HeldRun *run, const Session *session)
{
	Comparison comparison = { .run = run, .last_loss_ns = losses_last_ns(session) };

	pairing_each_object(session->pairing, compare_object, &comparison);
	add_reported(&comparison, session);
	add_truth(&comparison);
	return comparison;
}

Test(pairing_truth, without_loss_exactly_what_is_live_is_held)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		g_autoptr(HeldRun) run = held_run_new(seed);
		g_autoptr(GByteArray) bytes = g_byte_array_new();
		g_autoptr(Session) session = NULL;
		Comparison comparison;

		held_run_write(run, seed + 100, bytes);
		session = made_session_paired(bytes, PLENTY);
		comparison = compared(run, session);
		cr_expect(zero(u64, comparison.last_loss_ns));
		cr_expect(zero(u64, comparison.strangers));
		cr_expect(zero(u64, pairing_totals(session->pairing).recycled));
		cr_expect(zero(u64, pairing_totals(session->pairing).unknown));
		for (unsigned i = 0; i < HELD_RUN_STACKS; i++) {
			const StackSums *sums = &comparison.stacks[i];

			cr_assert(lt(u64, 20, sums->live));
			cr_expect(eq(u64, sums->reported, sums->live));
			cr_expect(zero(u64, sums->freed));
			cr_expect(zero(u64, sums->doubtful));
		}
	}
}

/* Returns how many objects are reported but freed; checks what a loss may and may not do. */
static uint64_t check_loss(uint64_t seed, double percent)
{
	g_autoptr(HeldRun) run = held_run_new(seed);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = NULL;
	Comparison comparison;
	uint64_t after_ns, freed = 0, doubtful = 0;
	uint64_t lost = held_run_drop(run, seed, percent, &after_ns);

	held_run_write(run, seed, bytes);
	session = made_session_paired(bytes, PLENTY);
	comparison = compared(run, session);
	cr_expect(eq(u64, loss_ledger_totals(session->loss).transport.high, lost));
	cr_expect(eq(u64, comparison.last_loss_ns, after_ns), "seed %" G_GUINT64_FORMAT, seed);
	cr_expect(zero(u64, comparison.strangers));
	for (unsigned i = 0; i < HELD_RUN_STACKS; i++) {
		const StackSums *sums = &comparison.stacks[i];

		cr_expect(zero(u64, sums->refuted), "seed %" G_GUINT64_FORMAT, seed);
		cr_expect(eq(u64, sums->certain, sums->live_after));
		cr_expect(eq(u64, sums->reported, sums->held));
		cr_expect(eq(u64, sums->doubtful, sums->held - sums->certain));
		cr_expect(le(u64, sums->freed, MIN(sums->doubtful, lost)));
		freed += sums->freed;
		doubtful += sums->doubtful;
	}
	cr_expect(le(u64, freed, MIN(doubtful, lost)));
	return freed;
}

Test(pairing_truth, loss_makes_only_doubtful_objects_wrong)
{
	const double percents[] = { 0.1, 0.3, 1, 3, 5 };
	uint64_t freed = 0;

	for (uint64_t seed = 1; seed <= 30; seed++)
		freed += check_loss(seed, percents[seed % G_N_ELEMENTS(percents)]);
	/* The losses are such that they matter. */
	cr_expect(lt(u64, 100, freed));
}

/* Of a large number of objects. */
enum {
	OBJECTS = 1000000,
	FREED_EACH = 5, /* one of so many is freed */
	GROUPS = 10,
	GROUP_BYTES = 64,
	BATCH_EVENTS = 1000,
	BATCH_NS = 100000000,
};
#define ADDRESS 0xffff888000000000ULL

/* Event i allocates object i of group i % GROUPS, and every FREED_EACH-th frees an older one. */
static GByteArray *many_objects(void)
{
	GByteArray *bytes = g_byte_array_new();
	uint64_t written = 0;

	for (uint32_t number = 0; number < OBJECTS / BATCH_EVENTS; number++) {
		EventBatch batch = event_batch_begin(bytes, 0, number, (uint64_t)number * BATCH_NS);

		event_batch_task(&batch, 10, "worker");
		for (uint32_t group = 0; group < GROUPS; group++) {
			const uint32_t frames[] = { 0x81000010 + group * 64, 0x81000020 };

			event_batch_origin(&batch, frames, 2, group, GROUP_BYTES);
		}
		for (uint32_t i = 0; i < BATCH_EVENTS; i++) {
			uint64_t object = (uint64_t)number * BATCH_EVENTS + i;

			event_batch_event(&batch, KMT_RECORD_ALLOC, object % GROUPS, i,
					  KMT_CONTEXT_TASK, ADDRESS + object * GROUP_BYTES);
			written++;
			if (object % FREED_EACH || object < BATCH_EVENTS)
				continue;
			object -= BATCH_EVENTS;
			event_batch_event(&batch, KMT_RECORD_FREE, object % GROUPS, i,
					  KMT_CONTEXT_TASK, ADDRESS + object * GROUP_BYTES);
			written++;
		}
		event_batch_heartbeat(&batch, (number + 1) * (uint64_t)BATCH_NS, 0, 0);
		event_batch_end(&batch, written);
	}
	return bytes;
}

static double squared_error(uint64_t estimate, uint64_t truth)
{
	double error = (double)estimate - (double)truth;

	return error * error;
}

/* Of the estimate of a number of objects, each of which was taken once in scale. */
static double binomial_variance(uint64_t objects, uint64_t scale)
{
	return (double)objects * (double)(scale - 1);
}

static uint64_t live_of_group(uint32_t group)
{
	uint64_t all = OBJECTS / GROUPS;

	/* The last BATCH_EVENTS objects are not freed. */
	return group % FREED_EACH ? all : BATCH_EVENTS / GROUPS;
}

/* Objects that 16 MB have no room for. */
Test(pairing_truth, thinned_estimates_are_within_three_standard_errors)
{
	enum { MEMORY = 16 << 20, SIGMAS = 3 };
	g_autoptr(GByteArray) bytes = many_objects();
	g_autoptr(Session) session = made_session_paired(bytes, MEMORY);
	PairingTotals totals = pairing_totals(session->pairing);
	uint64_t held[GROUPS] = { 0 }, live = 0;
	const HeldMoment moment = { .end_ns = 0 };
	g_autoptr(HeldCells) cells = held_cells_new(session->pairing, (HeldChoice){ 0 }, moment);

	for (uint32_t i = 0; i < held_cells_count(cells); i++) {
		const HeldCell *cell = held_cells_at(cells, i);

		held[profile_origin(session->profile, cell->cell.origin)->bytes_requested] +=
			cell->cell.events;
	}
	for (uint32_t group = 0; group < GROUPS; group++) {
		cr_expect(
			le(dbl, squared_error(held[group], live_of_group(group)),
			   SIGMAS * SIGMAS * binomial_variance(live_of_group(group), totals.scale)),
			"group %u", group);
		live += live_of_group(group);
	}
	cr_expect(ge(u64, totals.scale, 4));
	cr_expect(le(u64, totals.scale, 64));
	cr_expect(zero(u64, totals.out_of_order));
	cr_expect(le(dbl, squared_error(totals.held, live),
		     SIGMAS * SIGMAS * binomial_variance(live, totals.scale)));
	cr_expect(le(sz, pairing_memory(session->pairing),
		     memory_budget_limit(session->memory, MEMORY_PAIRING)));
}

/* A run of which only the objects that the hash of their address selects are recorded. */
enum { SAMPLED_LEVEL = 4, SAMPLED_OBJECTS = 60000, SAMPLED_SEEDS = 10 };

/* The objects of such a group are freed at once. */
static bool is_freed_group(uint32_t group)
{
	return group % FREED_EACH == 0;
}

static GByteArray *sampled_objects(uint64_t seed)
{
	GByteArray *bytes = g_byte_array_new();
	uint64_t written = 0;

	for (uint32_t number = 0; number < SAMPLED_OBJECTS / BATCH_EVENTS; number++) {
		EventBatch batch = event_batch_begin(bytes, 0, number, (uint64_t)number * BATCH_NS);

		event_batch_header(&batch)->sampling_period = 1U << SAMPLED_LEVEL;
		event_batch_task(&batch, 10, "worker");
		for (uint32_t group = 0; group < GROUPS; group++) {
			const uint32_t frames[] = { 0x81000010 + group * 64, 0x81000020 };

			event_batch_origin(&batch, frames, 2, group, GROUP_BYTES);
		}
		for (uint32_t i = 0; i < BATCH_EVENTS; i++) {
			uint64_t pointer =
				ADDRESS + ((uint64_t)number * BATCH_EVENTS + i) * GROUP_BYTES;
			uint16_t group = (uint16_t)(i % GROUPS);

			if (!kmt_address_is_taken(pointer, seed, SAMPLED_LEVEL))
				continue;
			event_batch_event(&batch, KMT_RECORD_ALLOC, group, 2 * i, KMT_CONTEXT_TASK,
					  pointer);
			written++;
			if (!is_freed_group(group))
				continue;
			event_batch_event(&batch, KMT_RECORD_FREE, group, 2 * i + 1,
					  KMT_CONTEXT_TASK, pointer);
			written++;
		}
		event_batch_heartbeat(&batch, (number + 1) * (uint64_t)BATCH_NS, 0, 0);
		event_batch_end(&batch, written);
	}
	return bytes;
}

static void estimate_sampled(uint64_t seed, uint64_t held[GROUPS])
{
	g_autoptr(GByteArray) bytes = sampled_objects(seed);
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(HeldCells) cells = NULL;

	session_pair(session, false);
	session_set_number(session, KMT_FIELD_SAMPLE_SEED, seed);
	made_session_feed(session, bytes);
	session_finish(session);
	cr_expect(eq(u64, pairing_totals(session->pairing).scale, 1U << SAMPLED_LEVEL));
	cells = held_cells_new(session->pairing, (HeldChoice){ 0 }, (HeldMoment){ .end_ns = 0 });
	for (uint32_t i = 0; i < held_cells_count(cells); i++) {
		const HeldCell *cell = held_cells_at(cells, i);

		held[profile_origin(session->profile, cell->cell.origin)->bytes_requested] +=
			cell->cell.events;
	}
}

Test(pairing_truth, a_sample_of_addresses_estimates_without_bias)
{
	const double truth = SAMPLED_OBJECTS / GROUPS;
	const double variance = binomial_variance(SAMPLED_OBJECTS / GROUPS, 1U << SAMPLED_LEVEL);
	double error_sum = 0, squares = 0;
	unsigned estimates = 0;

	for (uint64_t seed = 1; seed <= SAMPLED_SEEDS; seed++) {
		uint64_t held[GROUPS] = { 0 };

		estimate_sampled(seed * 0x9e3779b97f4a7c15ULL, held);
		for (uint32_t group = 0; group < GROUPS; group++) {
			if (is_freed_group(group)) {
				cr_expect(zero(u64, held[group]), "group %u", group);
				continue;
			}
			error_sum += (double)held[group] - truth;
			squares += squared_error(held[group], (uint64_t)truth);
			estimates++;
		}
	}
	/* The root of the mean square error is at most 1.2 times the binomial one. The seeds are
	   fixed, so this does not vary. */
	cr_expect(le(dbl, squares / estimates, 1.2 * 1.2 * variance));
	cr_expect(ge(dbl, squares / estimates, variance / 2));
	cr_expect(le(dbl, error_sum * error_sum, 3 * 3 * variance * estimates));
}
