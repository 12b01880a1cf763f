/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "count/profile.h"

#include "event_batch.h"
#include "leaks.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

TEST_SUITE_WITHOUT_LEAKS(profile);

enum { PLENTY = 64 << 20 };

static const uint32_t frames[] = { 0x81000010, 0x81000020, 0x81000030 };

/* What a stream was, beside what a profile has counted of it. */
typedef struct {
	Profile *profile;
	EventReader *reader;
	uint64_t decoded, damaged, unknown_records;
} Fed;

static void count(const Batch *batch, void *user_data)
{
	Fed *fed = user_data;
	const Events *events = event_reader_decode(fed->reader, batch);

	profile_take(fed->profile, events);
	fed->decoded += events->decoded;
	fed->damaged += events->damaged;
	fed->unknown_records += events->unknown_records;
}

static Fed feed_of_epoch(Profile *profile, const GByteArray *bytes, uint32_t epoch)
{
	g_autoptr(EventReader) events = event_reader_new(NULL);
	Fed fed = { .profile = profile, .reader = events };
	g_autoptr(BatchReader) reader = batch_reader_new(count, &fed);

	event_reader_set_epoch(events, epoch);
	batch_reader_feed(reader, bytes->data, bytes->len);
	batch_reader_finish(reader);
	return fed;
}

static Fed feed(Profile *profile, const GByteArray *bytes)
{
	return feed_of_epoch(profile, bytes, 0);
}

/* Sums the bytes of all allocations. */
static uint64_t bytes_of_all(const Profile *profile)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		bytes += cell->events * profile_origin(profile, cell->origin)->bytes_allocated;
	}
	return bytes;
}

/* Sums the cells of a task (by comm) in a context. */
static ProfileCell sum_of(const Profile *profile, const char *comm, uint8_t context)
{
	ProfileCell sum = { 0 };

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		if (cell->context != context ||
		    strcmp(profile_task(profile, cell->task)->comm, comm) != 0)
			continue;
		sum.events += cell->events;
		sum.failed += cell->failed;
	}
	return sum;
}

/* Two tasks, three contexts, a failed allocation. */
static GByteArray *mixed_stream(void)
{
	GByteArray *bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 3, 0, 1000);
	struct KmtRecordHead use[2] = { { 0 } };
	uint16_t one, two;

	event_batch_task(&batch, 10, "one");
	one = event_batch_origin(&batch, frames, 3, 100, 128);
	two = event_batch_origin(&batch, frames, 2, 20, 32);
	event_batch_event(&batch, KMT_RECORD_ALLOC, one, 0, KMT_CONTEXT_TASK, 0x1000);
	event_batch_event(&batch, KMT_RECORD_ALLOC, one, 5, KMT_CONTEXT_TASK, 0x2000);
	event_batch_task(&batch, 11, "two");
	event_batch_event(&batch, KMT_RECORD_ALLOC, two, 6, KMT_CONTEXT_SOFTIRQ, 0x3000);
	event_batch_event(&batch, KMT_RECORD_ALLOC, two, 7, KMT_CONTEXT_TASK, 0);
	event_batch_add(&batch, use, sizeof(use), KMT_RECORD_TASK_USE, 0);
	event_batch_event(&batch, KMT_RECORD_ALLOC, two, 900, KMT_CONTEXT_TASK, 0x4000);
	event_batch_end(&batch, 5);
	return bytes;
}

Test(profile, counts_by_stack_task_and_context)
{
	g_autoptr(GByteArray) bytes = mixed_stream();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	feed(profile, bytes);
	cr_expect(eq(u64, profile_totals(profile).events, 5));
	cr_expect(eq(u64, sum_of(profile, "one", KMT_CONTEXT_TASK).events, 3));
	cr_expect(eq(u64, sum_of(profile, "two", KMT_CONTEXT_SOFTIRQ).events, 1));
	cr_expect(eq(u64, sum_of(profile, "two", KMT_CONTEXT_TASK).events, 0));
	cr_expect(eq(u64, sum_of(profile, "two", KMT_CONTEXT_TASK).failed, 1));
	cr_expect(eq(u32, stack_table_count(profile_stacks(profile)), 2));
}

Test(profile, a_sampled_event_stands_for_its_period)
{
	g_autoptr(GByteArray) bytes = mixed_stream();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	((struct KmtBatchHeader *)bytes->data)->sampling_period = 10;
	feed(profile, bytes);
	cr_expect(eq(u64, profile_totals(profile).events, 50));
	cr_expect(eq(u64, sum_of(profile, "one", KMT_CONTEXT_TASK).events, 30));
	cr_expect(eq(u64, sum_of(profile, "two", KMT_CONTEXT_TASK).failed, 10));
}

Test(profile, a_repeated_record_is_many_events)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 0, 0, 1000);
	g_autoptr(Profile) profile = profile_new(PLENTY);
	uint16_t origin;
	Fed fed;

	event_batch_task(&batch, 10, "one");
	origin = event_batch_origin(&batch, frames, 3, 100, 128);
	event_batch_repeated(&batch, origin, 0, 3000000000U, 500);
	event_batch_repeated(&batch, origin, 600, 2000000000U, 0);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 700, KMT_CONTEXT_TASK, 0);
	event_batch_header(&batch)->sampling_period = 4;
	event_batch_end(&batch, 5000000001ULL);
	fed = feed(profile, bytes);
	cr_expect(eq(u64, profile_totals(profile).events, 4 * 5000000001ULL));
	cr_expect(eq(u64, sum_of(profile, "one", KMT_CONTEXT_TASK).events, 4 * 5000000000ULL));
	cr_expect(eq(u64, sum_of(profile, "one", KMT_CONTEXT_TASK).failed, 4));
	cr_expect(eq(u64, fed.damaged, 0));
	cr_expect(eq(u64, fed.decoded, 5000000001ULL));
}

Test(profile, frames_are_widened_by_their_base)
{
	g_autoptr(GByteArray) bytes = mixed_stream();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	uint64_t kept[KMT_STACK_DEPTH_MAX];

	feed(profile, bytes);
	cr_assert(eq(u32, profile_stack_frames(profile, 0, kept), 3));
	cr_expect(eq(u64, kept[2], 0xffffffff81000030ULL));
}

Test(profile, frames_far_apart_are_kept_whole)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	EventBatch batch = event_batch_begin(bytes, 0, 0, 0);
	struct {
		struct KmtStack stack;
		uint64_t frames[2];
	} stack = { { .depth = 2 }, { 0x3ff80001010, 0x200810 } };
	struct KmtOrigin origin = { .cache = KMT_NONE };
	uint64_t kept[KMT_STACK_DEPTH_MAX];

	event_batch_add(&batch, &stack, sizeof(stack), KMT_RECORD_STACK8, 0);
	event_batch_add(&batch, &origin, sizeof(origin), KMT_RECORD_ORIGIN, 0);
	event_batch_event(&batch, KMT_RECORD_ALLOC, 0, 0, KMT_CONTEXT_TASK, 0x1000);
	event_batch_end(&batch, 1);
	feed_of_epoch(profile, bytes, 7);
	cr_assert(eq(u32, profile_stack_frames(profile, 0, kept), 2));
	cr_expect(eq(u64, kept[0], 0x3ff80001010));
	cr_expect(eq(u64, kept[1], 0x200810));
	cr_expect(eq(u32, profile_stack_epoch(profile, 0), 7));
}

Test(profile, events_outside_the_window_leave_nothing_behind)
{
	g_autoptr(GByteArray) bytes = mixed_stream();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	Fed fed;

	profile_set_window(profile, 1005, 1006);
	fed = feed(profile, bytes);
	cr_expect(eq(u64, profile_totals(profile).events, 2));
	cr_expect(eq(u64, profile_totals(profile).outside_window, 3));
	cr_expect(eq(u64, fed.damaged, 0));

	profile_set_window(profile, 5000, 6000);
	feed(profile, bytes);
	cr_expect(eq(u64, profile_totals(profile).events, 2));
}

Test(profile, a_reused_address_of_another_epoch_is_another_stack)
{
	g_autoptr(GByteArray) bytes = mixed_stream();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	feed(profile, bytes);
	feed_of_epoch(profile, bytes, 1);
	cr_expect(eq(u32, stack_table_count(profile_stacks(profile)), 4));
}

Test(profile, a_free_is_not_an_allocation)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	EventBatch batch = event_batch_begin(bytes, 0, 0, 0);
	uint16_t origin = event_batch_origin(&batch, frames, 1, 0, 0);
	uint64_t allocations = 0, frees = 0;

	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 0, KMT_CONTEXT_TASK, 0x1000);
	event_batch_event(&batch, KMT_RECORD_FREE, origin, 1, KMT_CONTEXT_TASK, 0x1000);
	event_batch_event(&batch, KMT_RECORD_FREE, origin, 2, KMT_CONTEXT_TASK, 0x1000);
	event_batch_end(&batch, 3);
	feed(profile, bytes);
	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		if (profile_origin(profile, cell->origin)->free)
			frees += cell->events;
		else
			allocations += cell->events;
	}
	cr_expect(eq(u64, allocations, 1));
	cr_expect(eq(u64, frees, 2));
}

Test(profile, a_call_site_without_stack_is_a_stack_of_one_frame)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	EventBatch batch = event_batch_begin(bytes, 0, 0, 0);
	struct KmtOrigin origin = { .stack = KMT_NONE, .cache = KMT_NONE, .call_site = 0x1234 };
	uint64_t kept[KMT_STACK_DEPTH_MAX];

	event_batch_add(&batch, &origin, sizeof(origin), KMT_RECORD_ORIGIN, 0);
	event_batch_event(&batch, KMT_RECORD_ALLOC, 0, 0, KMT_CONTEXT_TASK, 0x1000);
	event_batch_header(&batch)->events = 1;
	event_batch_end(&batch, 1);
	batch.origins = 1;
	feed(profile, bytes);
	cr_assert(eq(u32, stack_table_count(profile_stacks(profile)), 1));
	cr_expect(eq(u32, profile_stack_frames(profile, 0, kept), 1));
	cr_expect(eq(u64, kept[0], 0x1234));
}

Test(profile, an_unknown_record_is_skipped)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	EventBatch batch = event_batch_begin(bytes, 0, 0, 0);
	uint64_t unknown[4] = { 0 };
	uint16_t origin = event_batch_origin(&batch, frames, 1, 8, 8);
	Fed fed;

	event_batch_add(&batch, unknown, sizeof(unknown), 200, 7);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 0, KMT_CONTEXT_TASK, 0x1000);
	event_batch_end(&batch, 1);
	fed = feed(profile, bytes);
	cr_expect(eq(u64, profile_totals(profile).events, 1));
	cr_expect(eq(u64, fed.unknown_records, 1));
}

/* Where the records of the batch below are. */
enum {
	STACK_AT = sizeof(struct KmtBatchHeader),
	ORIGIN_AT = STACK_AT + 24,
	EVENT_AT = ORIGIN_AT + sizeof(struct KmtOrigin),
};

/* Makes one byte of a sound batch wrong. */
typedef struct {
	char name[40];
	size_t offset;
	uint8_t value;
} Damage;

static Damage damages[] = {
	{ "a record of no length", STACK_AT + 1, 0 },
	{ "a record longer than the batch", STACK_AT + 1, 255 },
	{ "a stack deeper than its record", STACK_AT + 4, 90 },
	{ "a stack of no depth", STACK_AT + 4 + (G_BYTE_ORDER == G_BIG_ENDIAN), 0 },
	{ "a stack out of order", STACK_AT + 2, 9 },
	{ "an origin of a missing stack", ORIGIN_AT + 4, 9 },
	{ "an event of a missing origin", EVENT_AT + 2, 9 },
};

ParameterizedTestParameters(profile, damage_ends_a_batch)
{
	return cr_make_param_array(Damage, damages, G_N_ELEMENTS(damages));
}

ParameterizedTest(Damage *damage, profile, damage_ends_a_batch)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	EventBatch batch = event_batch_begin(bytes, 0, 0, 0);
	uint16_t origin = event_batch_origin(&batch, frames, 3, 8, 8);
	Fed fed;

	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 0, KMT_CONTEXT_TASK, 0x1000);
	event_batch_end(&batch, 1);
	bytes->data[damage->offset] = damage->value;
	fed = feed(profile, bytes);
	cr_expect(eq(u64, profile_totals(profile).events, 0), "%s", damage->name);
	cr_expect(eq(u64, fed.damaged, 1), "%s", damage->name);
}

Test(profile, what_does_not_fit_goes_to_the_overflow_row)
{
	g_autoptr(Profile) profile = profile_new(4 << 20);
	g_autoptr(EventReader) reader = event_reader_new(NULL);
	uint64_t stacks = 200000, in_cells = 0;

	for (uint64_t i = 0; i < stacks; i++) {
		g_autofree char *text = g_strdup_printf(" frame %" G_GUINT64_FORMAT "\n", i);

		profile_take(profile, event_reader_decode_text(
					      reader, &(EventText){
							      .text = text,
							      .length = (uint32_t)strlen(text),
							      .weight = 1,
							      .bytes_requested = 8,
							      .bytes_allocated = 8,
						      }));
	}
	for (uint32_t i = 0; i < profile_cell_count(profile); i++)
		in_cells += profile_cell(profile, i)->events;
	cr_expect(eq(u64, in_cells, stacks));
	cr_expect(lt(u64, 0, profile_totals(profile).over_bound));
	cr_expect(lt(u64, profile_memory(profile), 8 << 20));
	/* What finds no room has no stack, but its size. */
	cr_expect(eq(u64, bytes_of_all(profile), 8 * stacks));
}

/* Events of so many tasks; "#" in the name of their cache is the number of the task. */
static Fed feed_tasks(Profile *profile, uint32_t tasks, const char *cache_name)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	for (uint32_t i = 0; i < tasks; i++) {
		g_autofree char *number = g_strdup_printf("%u", i);
		g_auto(GStrv) parts = g_strsplit(cache_name, "#", 2);
		g_autofree char *cache = g_strjoinv(number, parts);
		EventBatch batch = event_batch_begin(bytes, 0, i, 0);
		uint16_t origin;

		event_batch_task(&batch, i + 1, "short");
		event_batch_cache(&batch, cache, 192, 192);
		origin = event_batch_origin(&batch, frames, 3, 192, 192);
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 1, KMT_CONTEXT_TASK, 1);
		event_batch_end(&batch, i + 1);
	}
	return feed(profile, bytes);
}

Test(profile, a_table_takes_the_memory_that_others_do_not_need)
{
	enum { LIMIT = 16 << 20, TASKS = 30000 };
	g_autoptr(Profile) profile = profile_new(LIMIT);
	ProfileTotals totals;

	feed_tasks(profile, TASKS, "dentry");
	totals = profile_totals(profile);
	cr_expect(zero(u64, totals.of_other_tasks + totals.over_bound));
	cr_expect(lt(sz, profile_memory(profile), LIMIT));
}

Test(profile, full_tables_together_keep_to_the_limit)
{
	enum { LIMIT = 2 << 20, TASKS = 30000 };
	g_autoptr(Profile) profile = profile_new(LIMIT);

	feed_tasks(profile, TASKS, "cache_#");
	cr_expect(lt(u64, 0,
		     profile_totals(profile).of_other_tasks + profile_totals(profile).over_bound));
	cr_expect(lt(sz, profile_memory(profile), LIMIT));
	cr_expect(eq(u64, bytes_of_all(profile), (uint64_t)192 * TASKS));
}

Test(profile, blocks_of_time_are_a_part_of_the_limit)
{
	enum { LIMIT = 4 << 20, TASKS = 30000 };
	g_autoptr(Profile) with = profile_new(LIMIT);
	g_autoptr(Profile) without = profile_new(LIMIT);

	profile_keep_blocks(with);
	feed_tasks(with, TASKS, "dentry");
	feed_tasks(without, TASKS, "dentry");
	cr_expect(lt(u32, profile_cell_count(with), profile_cell_count(without)));
	cr_expect(lt(sz, profile_cell_count(with) * (sizeof(ProfileCell) + TIME_BLOCKS_CELL_BYTES),
		     profile_memory(with)));
	cr_expect(lt(sz, profile_memory(with), LIMIT));
	cr_expect(zero(ptr, (void *)profile_blocks(without)));
}

/* Adds a time span of 1 us to each cell, and returns their number. */
static uint64_t add_spans(Profile *profile)
{
	const ProfileSpan span = { .begin_ns = 1000, .end_ns = 2000, .value = 1, .weight = 1 };
	uint32_t cells = profile_cell_count(profile);

	for (uint32_t i = 1; i < cells; i++)
		profile_add_span(profile, i, &span);
	return cells - 1;
}

static uint64_t time_of_all(const Profile *profile)
{
	uint64_t time_ns = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++)
		time_ns += profile_values(profile, profile_cell(profile, i)).time_ns;
	return time_ns;
}

Test(profile, values_without_room_are_beyond_the_limit)
{
	enum { LIMIT = 4 << 20, TASKS = 30000 };

	for (unsigned with_blocks = 0; with_blocks < 2; with_blocks++) {
		g_autoptr(Profile) profile = profile_new(LIMIT);
		uint64_t before, spans;

		if (with_blocks)
			profile_keep_blocks(profile);
		feed_tasks(profile, TASKS, "dentry");
		before = profile_totals(profile).over_bound;
		spans = add_spans(profile);
		cr_expect(lt(sz, profile_memory(profile), LIMIT), "%zu", profile_memory(profile));
		cr_expect(lt(u64, before, profile_totals(profile).over_bound));
		cr_expect(eq(u64, time_of_all(profile), spans * 1000));
		cr_expect(eq(u64, profile_totals(profile).events, TASKS + spans));
	}
}

Test(profile, values_are_a_part_of_the_limit)
{
	enum { LIMIT = 4 << 20, TASKS = 30000 };

	for (unsigned with_blocks = 0; with_blocks < 2; with_blocks++) {
		g_autoptr(Profile) with = profile_new(LIMIT);
		g_autoptr(Profile) without = profile_new(LIMIT);
		uint64_t before;

		if (with_blocks) {
			profile_keep_blocks(with);
			profile_keep_blocks(without);
		}
		feed_tasks(with, 10, "dentry");
		add_spans(with);
		feed_tasks(with, TASKS, "dentry");
		feed_tasks(without, TASKS, "dentry");
		before = profile_totals(with).over_bound;
		add_spans(with);
		cr_expect(lt(u32, profile_cell_count(with), profile_cell_count(without)));
		cr_expect(lt(sz, profile_memory(with), LIMIT), "%zu", profile_memory(with));
		cr_expect(lt(u64, profile_totals(with).over_bound, before + 100));
	}
}

static bool is_any(uint32_t cell, void *user_data)
{
	(void)cell, (void)user_data;
	return true;
}

static void note_move(uint32_t from, uint32_t to, void *user_data)
{
	(void)from, (void)to;
	++*(uint32_t *)user_data;
}

Test(profile, what_folding_needs_is_a_part_of_the_limit)
{
	enum { LIMIT = 2 << 20, TASKS = 30000 };
	g_autoptr(Profile) with = profile_new(LIMIT);
	g_autoptr(Profile) without = profile_new(LIMIT);
	uint32_t cells, count, moved = 0;
	size_t needed;

	profile_prepare_folding(with);
	feed_tasks(with, TASKS, "dentry");
	feed_tasks(without, TASKS, "dentry");
	cells = profile_cell_count(with);
	cr_expect(lt(u32, cells, profile_cell_count(without)));
	needed = (size_t)cells * PROFILE_FOLD_CELL_BYTES +
		 (size_t)profile_task_count(with) * PROFILE_FOLD_TASK_BYTES;
	cr_expect(lt(sz, profile_memory(with) + needed, LIMIT));
	profile_fold_cells(with, is_any, note_move, &moved);
	cr_expect(eq(u32, profile_cells_free(with), moved));
	cr_expect(lt(sz, profile_memory(with), LIMIT));
	/* Cells that are taken again are known until they are forgotten. */
	feed_tasks(with, 7, "filp");
	cr_expect(eq(u32, profile_cells_free(with), moved - 7));
	profile_cells_reused(with, &count);
	cr_expect(eq(u32, count, 7));
	profile_cells_forget_reused(with);
	profile_cells_reused(with, &count);
	cr_expect(zero(u32, count));
}

Test(profile, copies_of_a_cache_for_cgroups_take_no_room)
{
	g_autoptr(Profile) profile = profile_new(1 << 20);

	feed_tasks(profile, 10000, "dentry(#:user.slice)");
	cr_expect(eq(u32, profile_cache_count(profile), CACHE_ID_OVERFLOW + 2));
	cr_expect(zero(u64, profile_totals(profile).of_other_caches));
	cr_expect(eq(u64, made_session_events_of_cache(profile, "dentry"), 10000));
}

Test(profile, merged_frees_take_neither_stacks_nor_tasks)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	profile_merge_frees(profile);
	for (uint32_t i = 0; i < 1000; i++) {
		const uint32_t freer[] = { 0x81000010 + i };
		EventBatch batch = event_batch_begin(bytes, 0, i, 0);
		uint16_t origin;

		event_batch_task(&batch, i + 1, "short");
		event_batch_cache(&batch, "filp", 192, 192);
		origin = event_batch_origin(&batch, freer, 1, 0, 0);
		event_batch_event(&batch, KMT_RECORD_FREE, origin, 1, KMT_CONTEXT_TASK, 1);
		event_batch_end(&batch, i + 1);
	}
	feed(profile, bytes);
	cr_expect(eq(u64, made_session_events_of_cache(profile, "filp"), 1000));
	cr_expect(eq(u32, profile_cell_count(profile), 2));
	cr_expect(zero(u32, stack_table_count(profile_stacks(profile))));
	cr_expect(zero(u64, profile_totals(profile).over_bound));
}

Test(profile, the_text_after_a_commands_terminator_does_not_matter)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	for (uint8_t i = 0; i < 2; i++) {
		EventBatch batch = event_batch_begin(bytes, 0, i, 0);
		struct KmtTask task = { .tgid = 5, .comm = "sh\0garbage" };
		uint16_t origin;

		task.comm[12] = (char)i;
		event_batch_add(&batch, &task, sizeof(task), KMT_RECORD_TASK, 0);
		origin = event_batch_origin(&batch, frames, 1, 8, 8);
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 0, KMT_CONTEXT_TASK, 1);
		event_batch_end(&batch, i + 1U);
	}
	feed(profile, bytes);
	cr_expect(eq(u64, sum_of(profile, "sh", KMT_CONTEXT_TASK).events, 2));
	cr_expect(eq(u32, profile_task_count(profile), 3));
}

/* One allocation by a thread, whose record is as long as that of 0.1 where leader is NULL. */
static void add_thread(GByteArray *bytes, uint32_t number, uint32_t tid, const char *comm,
		       const char *leader)
{
	EventBatch batch = event_batch_begin(bytes, 0, number, number);
	struct KmtTask task = { .tgid = 5, .tid = tid, .start_time_ns = 7 };
	uint16_t origin;

	g_strlcpy(task.comm, comm, sizeof(task.comm));
	g_strlcpy(task.leader, leader ? leader : "", sizeof(task.leader));
	event_batch_add(&batch, &task,
			leader ? sizeof(task) : G_STRUCT_OFFSET(struct KmtTask, leader),
			KMT_RECORD_TASK, 0);
	origin = event_batch_origin(&batch, frames, 1, 8, 8);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 0, KMT_CONTEXT_TASK, 1);
	event_batch_end(&batch, number + 1U);
}

/* Returns the allocations of the processes of that name. */
static uint64_t events_of_process(const Profile *profile, const char *name)
{
	uint64_t events = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		if (g_str_equal(profile_process_name(profile, cell->task), name))
			events += cell->events;
	}
	return events;
}

Test(profile, a_process_has_the_name_of_its_leader_and_its_threads_are_one)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	add_thread(bytes, 0, 6, "worker-0", "server");
	add_thread(bytes, 1, 7, "worker-1", "server");
	add_thread(bytes, 2, 5, "server", "server");
	feed(profile, bytes);
	cr_expect(eq(u64, events_of_process(profile, "server"), 3));
	cr_expect(eq(u32, profile_task_count(profile), 3), "two are there from the start");
}

Test(profile, threads_are_kept_apart_on_demand)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	profile_keep_threads(profile);
	add_thread(bytes, 0, 6, "worker", "server");
	add_thread(bytes, 1, 7, "worker", "server");
	add_thread(bytes, 2, 7, "worker", "server");
	feed(profile, bytes);
	cr_assert(eq(u32, profile_task_count(profile), 4));
	cr_expect(eq(u32, profile_task(profile, 3)->tid, 7));
	cr_expect_str_eq(profile_task(profile, 3)->thread_comm, "worker");
	cr_expect_str_eq(profile_process_name(profile, 3), "server");
}

Test(profile, an_old_record_has_the_name_of_the_leader_that_is_seen_before_or_after)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	add_thread(bytes, 0, 6, "worker-0", NULL);
	add_thread(bytes, 1, 5, "sh", NULL);
	add_thread(bytes, 2, 5, "server", NULL);
	add_thread(bytes, 3, 7, "worker-1", NULL);
	feed(profile, bytes);
	cr_expect(eq(u64, events_of_process(profile, "server"), 3));
	cr_expect(eq(u64, events_of_process(profile, "sh"), 1));
}

/* Batches of two CPUs: what comes later may be earlier. */
Test(profile, the_name_of_a_leader_is_the_latest_in_time)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	add_thread(bytes, 9, 5, "server", NULL);
	add_thread(bytes, 2, 5, "sh", NULL);
	add_thread(bytes, 3, 6, "worker-0", NULL);
	feed(profile, bytes);
	cr_expect(eq(u64, events_of_process(profile, "server"), 2));
	cr_expect(eq(u64, profile_task_seen_ns(profile, 2), 9));
	cr_expect(eq(u64, profile_task_seen_ns(profile, 3), 2));
}

Test(profile, an_old_record_whose_leader_is_never_seen_has_the_threads_name)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);

	add_thread(bytes, 0, 6, "worker-0", NULL);
	feed(profile, bytes);
	cr_expect(eq(u64, events_of_process(profile, "worker-0"), 1));
}

Test(profile, equal_stacks_of_two_caches_are_two_origins)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	EventBatch batch = event_batch_begin(bytes, 0, 0, 1000);
	uint16_t unknown = event_batch_origin(&batch, frames, 3, 100, 128);
	uint16_t first, second;
	Fed fed;

	event_batch_cache(&batch, "kmalloc-128", 128, 128);
	first = event_batch_origin(&batch, frames, 3, 100, 128);
	event_batch_cache(&batch, "kmalloc-cg-128", 128, 192);
	second = event_batch_origin(&batch, frames, 3, 100, 128);
	event_batch_event(&batch, KMT_RECORD_ALLOC, unknown, 1, KMT_CONTEXT_TASK, 1);
	event_batch_event(&batch, KMT_RECORD_ALLOC, first, 2, KMT_CONTEXT_TASK, 1);
	event_batch_event(&batch, KMT_RECORD_ALLOC, first, 3, KMT_CONTEXT_TASK, 1);
	event_batch_event(&batch, KMT_RECORD_FREE, second, 4, KMT_CONTEXT_TASK, 1);
	event_batch_end(&batch, 4);
	fed = feed(profile, bytes);

	cr_expect(eq(u64, made_session_events_of_cache(profile, ""), 1));
	cr_expect(eq(u64, made_session_events_of_cache(profile, "kmalloc-128"), 2));
	cr_expect(eq(u64, made_session_events_of_cache(profile, "kmalloc-cg-128"), 1));
	cr_expect(eq(u32, profile_cache(profile, CACHE_ID_OVERFLOW + 2)->slot_bytes, 192));
	cr_expect(eq(u64, fed.unknown_records, 0));
}

Test(profile, a_cache_of_no_name_or_of_too_long_a_name_is_damage)
{
	const uint16_t name_bytes[] = { 0, KMT_CACHE_NAME_BYTES_MAX + 1, 9 };

	for (size_t i = 0; i < G_N_ELEMENTS(name_bytes); i++) {
		g_autoptr(GByteArray) bytes = g_byte_array_new();
		g_autoptr(Profile) profile = profile_new(PLENTY);
		EventBatch batch = event_batch_begin(bytes, 0, 0, 1000);
		struct {
			struct KmtCache cache;
			char name[8];
		} record = { .cache.name_bytes = name_bytes[i], .name = "dentry" };
		uint16_t origin;
		Fed fed;

		event_batch_add(&batch, &record, sizeof(record), KMT_RECORD_CACHE, 0);
		origin = event_batch_origin(&batch, frames, 3, 100, 128);
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 1, KMT_CONTEXT_TASK, 1);
		event_batch_end(&batch, 1);
		fed = feed(profile, bytes);
		cr_expect(eq(u64, profile_totals(profile).events, 0));
		cr_expect(eq(u64, fed.damaged, 1));
	}
}

Test(profile, an_origin_of_a_cache_that_is_not_defined_is_damage)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Profile) profile = profile_new(PLENTY);
	EventBatch batch = event_batch_begin(bytes, 0, 0, 1000);
	uint16_t origin;
	Fed fed;

	batch.caches = 1; /* announced, but never sent */
	origin = event_batch_origin(&batch, frames, 3, 100, 128);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 1, KMT_CONTEXT_TASK, 1);
	event_batch_end(&batch, 1);
	fed = feed(profile, bytes);
	cr_expect(eq(u64, fed.damaged, 1));
}
