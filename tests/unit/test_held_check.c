/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "report/held_check.h"

#include "record/batch_writer.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(held_check);

enum { SLOT_BYTES = 256 };
#define PLENTY ((size_t)64 << 20)
#define SECOND 1000000000ULL
#define START_NS SECOND
#define ADDRESS 0xffff888000000000ULL

/* A run that allocates files in seconds of its own, in a batch each. */
typedef struct {
	Session *session;
	uint32_t batches;
	uint64_t objects;
} Run;

#define SLABINFO(objects)                                                                          \
	"slabinfo - version: 2.1\n# name ...\n"                                                    \
	"filp " objects " 2100 256 16 1 : tunables 0 0 0 : slabdata 100 100 0\n"

static Run begin(void)
{
	static const char text[] = SLABINFO("50");
	Run run = { .session = session_new(PLENTY) };
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	session_pair(run.session, false);
	session_set_number(run.session, KMT_FIELD_CPUS_ONLINE, 1);
	session_set_number(run.session, KMT_FIELD_RUN_START_NS, START_NS);
	session_set_number(run.session, KMT_FIELD_WINDOW_START_NS, START_NS);
	batch_write_reading(bytes, KMT_BATCH_SLABINFO, KMT_READING_START, START_NS, text,
			    strlen(text));
	made_session_feed(run.session, bytes);
	return run;
}

static void end(Run *run)
{
	session_free(run->session);
}

static void allocate(Run *run, uint64_t from_ns, unsigned objects)
{
	static const uint32_t frames[] = { 0x81000010, 0x81000020 };
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 0, run->batches++, from_ns);
	uint16_t origin;

	event_batch_task(&batch, 7, "seven");
	event_batch_cache(&batch, "filp", SLOT_BYTES, SLOT_BYTES);
	origin = event_batch_origin(&batch, frames, 2, SLOT_BYTES, SLOT_BYTES);
	for (unsigned i = 0; i < objects; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, i + 1, KMT_CONTEXT_TASK,
				  ADDRESS + run->objects++ * SLOT_BYTES);
	event_batch_heartbeat(&batch, from_ns + SECOND, 0, 0);
	event_batch_end(&batch, objects);
	made_session_feed(run->session, bytes);
}

/* Compares what is held at a time with a reading. */
static GArray *check(const Run *run, uint64_t end_ns, const char *text, uint64_t read_ns,
		     const GArray *before)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	g_autoptr(CellFilters) filters = NULL;
	g_autoptr(GString) wanted = g_string_new(text);
	g_autoptr(Slabinfo) in_use = slabinfo_new(wanted, 4096);
	Session *session = run->session;
	g_autoptr(CacheNames) caches =
		cache_names_new(session->profile, session->info, session->text);
	const HeldMoment at = { .end_ns = end_ns };
	g_autoptr(HeldCells) cells = NULL;
	ViewSource source = { .profile = session->profile, .caches = caches };
	HeldCheckMoment moment = {
		.source = &source,
		.end_ns = end_ns,
		.in_use = in_use,
		.read_ns = read_ns,
		.before = before,
	};

	session_pair_until(session, end_ns);
	source.held_cells = cells = held_cells_new(session->pairing, (HeldChoice){ 0 }, at);
	moment.filters = filters = cell_filters_new(all, &source);
	return held_check_at(session, &moment);
}

/* Allocates files, and compares them after a second; then more, and compares them with the same
   reading, which is a second old. Owned. */
static GArray *check_twice(Run *run, const char *slabinfo, unsigned first, unsigned more)
{
	g_autoptr(GArray) before = NULL;

	allocate(run, START_NS, first);
	before = check(run, START_NS + SECOND, slabinfo, START_NS + SECOND + 1000, NULL);
	allocate(run, START_NS + SECOND, more);
	return check(run, START_NS + 2 * SECOND, slabinfo, START_NS + SECOND + 1000, before);
}

/* Whether the only cache holds so many objects, and whether that is contradicted. */
static void expect(const GArray *rows, uint64_t held, bool contradicted)
{
	const HeldCheckRow *row = held_check_find(rows, "filp");

	cr_assert_not_null(row);
	cr_expect(eq(u64, row->held, held));
	cr_expect(eq(int, row->contradicted, contradicted));
	cr_expect(eq(int, held_check_fails(rows), contradicted));
}

/* Frees that nobody saw: 5,000 files that are held cannot be 60 that are in use. */
Test(held_check, what_is_held_longer_than_the_reading_is_old_is_compared_exactly)
{
	Run run = begin();
	g_autoptr(GArray) after = check_twice(&run, SLABINFO("60"), 5000, 20);

	expect(after, 5020, true);
	end(&run);
}

/* The same numbers, but the files came after the reading: it says nothing about them. */
Test(held_check, a_burst_after_the_reading_contradicts_nothing)
{
	Run run = begin();
	g_autoptr(GArray) before = NULL, after = NULL;

	allocate(&run, START_NS, 20);
	before = check(&run, START_NS + SECOND, SLABINFO("60"), START_NS + SECOND + 1000, NULL);
	expect(before, 20, false);
	allocate(&run, START_NS + SECOND, 5000);
	after = check(&run, START_NS + 2 * SECOND, SLABINFO("60"), START_NS + SECOND + 1000,
		      before);
	expect(after, 5020, false);
	end(&run);
}

/* Nothing is known of a cache that held nothing before the reading. */
Test(held_check, what_may_all_have_come_after_the_reading_is_not_contradicted)
{
	Run run = begin();
	g_autoptr(GArray) before = NULL, after = NULL;

	allocate(&run, START_NS, 0);
	before = check(&run, START_NS + SECOND, SLABINFO("60"), START_NS + SECOND + 1000, NULL);
	cr_expect(eq(u32, before->len, 0));
	allocate(&run, START_NS + SECOND, 5000);
	after = check(&run, START_NS + 2 * SECOND, SLABINFO("60"), START_NS + SECOND + 1000,
		      before);
	expect(after, 5000, false);
	end(&run);
}

/* More than 4 times 60 files, less than what CPUs may hold ready: beyond the growth, not beyond
   what is in use. */
Test(held_check, growth_has_the_tolerance_of_free_objects_that_count_as_in_use)
{
	Run run = begin();
	g_autoptr(GArray) after = check_twice(&run, SLABINFO("1000"), 1000, 0);

	expect(after, 1000, false);
	end(&run);
}

Test(held_check, without_a_reading_at_the_start_nothing_is_compared)
{
	Run run = { .session = session_new(PLENTY) };

	session_pair(run.session, false);
	allocate(&run, START_NS, 20);
	cr_expect(zero(ptr, check(&run, START_NS + SECOND, SLABINFO("60"), START_NS, NULL)));
	end(&run);
}
