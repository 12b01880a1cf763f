/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "record/event_writer.h"

#include "leaks.h"
#include "session/losses.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(event_writer);

#define TEXT 0xffffffff81000000ULL
enum { MEMORY_BYTES = 64 << 20, EVENTS = 50000, STACKS = 6000 };

/* A session at the other end, and what was seen on the way. */
typedef struct {
	Session *session;
	EventWriter *writer;
	EventCpu cpu;
	guint batches;
	size_t bytes_max;
} Stage;

static void send(const void *batch, size_t bytes, void *user_data)
{
	Stage *stage = user_data;

	stage->batches++;
	stage->bytes_max = MAX(stage->bytes_max, bytes);
	session_feed(stage->session, batch, bytes);
}

static void stage_init(Stage *stage)
{
	*stage = (Stage){ .session = session_new(MEMORY_BYTES),
			  .cpu = { .cpu = 3, .sampling_period = 1 } };
	stage->writer = event_writer_new(send, stage);
	event_writer_open(stage->writer, &stage->cpu);
}

static void stage_clear(Stage *stage)
{
	cr_expect_eq(batch_reader_totals(stage->session->reader).damaged, 0);
	cr_expect_eq(loss_ledger_totals(stage->session->loss).damaged.high, 0);
	event_writer_free(stage->writer);
	session_free(stage->session);
}

static const EventTask worker = { .tgid = 7, .tid = 8, .start_time_ns = 5, .comm = "worker" };
static const EventFacts small = { .call_site = TEXT + 4,
				  .pointer = 1,
				  .bytes_requested = 100,
				  .bytes_allocated = 128,
				  .gfp_flags = 0xcc0,
				  .node = -1,
				  .source = KMT_SOURCE_KMALLOC };

static void add(Stage *stage, uint64_t time_ns, const EventTask *task, const EventFacts *facts,
		uint64_t first_frame, uint32_t depth)
{
	uint64_t frames[KMT_STACK_DEPTH_MAX + 1];

	for (uint32_t i = 0; i < depth; i++)
		frames[i] = first_frame + i * 16;
	event_writer_add(stage->writer, time_ns, task, facts, stage->cpu.sampling_period, frames,
			 depth, false);
}

/* Returns how many events the cells of that origin's stack and that task have. */
static uint64_t events_of(const Stage *stage, uint64_t first_frame, uint32_t depth,
			  const char *comm)
{
	const Profile *profile = stage->session->profile;
	uint64_t events = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);
		uint64_t frames[KMT_STACK_DEPTH_MAX];

		if (origin->stack == STACK_ID_NONE ||
		    profile_stack_frames(profile, origin->stack, frames) != depth ||
		    frames[0] != first_frame ||
		    strcmp(profile_task(profile, cell->task)->comm, comm) != 0)
			continue;
		events += cell->events;
	}
	return events;
}

Test(event_writer, every_event_comes_back_with_its_stack_and_task)
{
	EventTask other = worker;
	Stage stage;

	g_strlcpy(other.comm, "other", sizeof(other.comm));
	stage_init(&stage);
	for (uint64_t i = 0; i < EVENTS; i++)
		add(&stage, 1000 + i, i % 3 ? &worker : &other, &small, TEXT + (i % STACKS) * 4096,
		    5);
	event_writer_close(stage.writer);
	cr_expect_eq(profile_totals(stage.session->profile).events, EVENTS);
	cr_expect_eq(stage.cpu.events_written, EVENTS);
	cr_expect_eq(loss_ledger_totals(stage.session->loss).transport.high, 0);
	/* STACKS is divisible by 3: a stack has one task. */
	cr_expect_eq(events_of(&stage, TEXT, 5, "other"), (EVENTS + STACKS - 1) / STACKS);
	cr_expect_eq(events_of(&stage, TEXT, 5, "worker"), 0);
	cr_expect_eq(events_of(&stage, TEXT + 4096, 5, "worker"), (EVENTS + STACKS - 2) / STACKS);
	cr_expect_gt(stage.batches, 1);
	cr_expect_leq(stage.bytes_max, 128 << 10);
	stage_clear(&stage);
}

Test(event_writer, an_origin_is_used_again_only_in_the_batch_that_has_it)
{
	const uint64_t frames[] = { TEXT, TEXT + 16 };
	EventFacts again = { .pointer = 2, .context = KMT_CONTEXT_SOFTIRQ };
	WrittenOrigin origin = { 0 };
	unsigned added = 0;
	Stage stage;

	stage_init(&stage);
	for (uint64_t i = 0; i < EVENTS; i++) {
		if (event_writer_add_again(stage.writer, 1000 + i, &worker, &again, &origin))
			continue;
		origin = event_writer_add(stage.writer, 1000 + i, &worker, &small, 1, frames, 2,
					  false);
		added++;
	}
	event_writer_close(stage.writer);
	cr_expect_gt(stage.batches, 1);
	cr_expect_eq(added, stage.batches);
	cr_expect_eq(stage.cpu.events_written, EVENTS);
	cr_expect_eq(events_of(&stage, TEXT, 2, "worker"), EVENTS);
	cr_expect_eq(loss_ledger_totals(stage.session->loss).transport.high, 0);
	stage_clear(&stage);
}

Test(event_writer, a_leader_that_changes_its_name_is_written_again)
{
	EventTask later = worker;
	Stage stage;

	g_strlcpy(later.leader, "later", sizeof(later.leader));
	stage_init(&stage);
	add(&stage, 1000, &worker, &small, TEXT, 1);
	add(&stage, 1001, &later, &small, TEXT, 1);
	add(&stage, 1002, &worker, &small, TEXT, 1);
	event_writer_close(stage.writer);
	cr_expect_eq(events_of(&stage, TEXT, 1, "worker"), 2);
	cr_expect_eq(events_of(&stage, TEXT, 1, "later"), 1);
	stage_clear(&stage);
}

Test(event_writer, definitions_that_repeat_are_sent_once)
{
	Stage stage;

	stage_init(&stage);
	for (uint64_t i = 0; i < 1000; i++)
		add(&stage, 1000 + i, &worker, &small, TEXT, 20);
	event_writer_close(stage.writer);
	cr_expect_eq(stage.batches, 1);
	cr_expect_leq(stage.bytes_max,
		      1000 * sizeof(struct KmtEvent) + sizeof(struct KmtBatchHeader) + 300);
	stage_clear(&stage);
}

Test(event_writer, far_frames_and_low_addresses_are_kept)
{
	const uint64_t firsts[] = { TEXT, 0x1000, 0xffff800000000000ULL, TEXT + 0x100000000ULL };
	Stage stage;

	stage_init(&stage);
	for (guint i = 0; i < G_N_ELEMENTS(firsts); i++)
		add(&stage, 1000, &worker, &small, firsts[i], 3);
	event_writer_close(stage.writer);
	for (guint i = 0; i < G_N_ELEMENTS(firsts); i++)
		cr_expect_eq(events_of(&stage, firsts[i], 3, "worker"), 1, "stack %u", i);
	stage_clear(&stage);
}

Test(event_writer, sizes_flags_nodes_and_sources_make_origins)
{
	Stage stage;

	stage_init(&stage);
	for (int i = 0; i < 6; i++) {
		EventFacts facts = small;

		facts.call_site += i == 1;
		facts.bytes_requested += i == 2;
		facts.bytes_allocated += i == 3;
		facts.gfp_flags += i == 4;
		facts.node += i == 5;
		add(&stage, 1000, &worker, &facts, TEXT, 2);
		add(&stage, 1001, &worker, &facts, TEXT, 2);
	}
	event_writer_close(stage.writer);
	/* The first origin is that of the overflow row. */
	cr_expect_eq(profile_origin_count(stage.session->profile), 1 + 6);
	cr_expect_eq(profile_totals(stage.session->profile).events, 12);
	stage_clear(&stage);
}

Test(event_writer, an_event_without_a_stack_counts_at_its_call_site)
{
	Stage stage;

	stage_init(&stage);
	add(&stage, 1000, &worker, &small, 0, 0);
	event_writer_close(stage.writer);
	cr_expect_eq(events_of(&stage, small.call_site, 1, "worker"), 1);
	stage_clear(&stage);
}

Test(event_writer, a_stack_beyond_the_format_is_cut_and_says_so)
{
	Stage stage;

	stage_init(&stage);
	add(&stage, 1000, &worker, &small, TEXT, KMT_STACK_DEPTH_MAX + 1);
	event_writer_close(stage.writer);
	cr_expect_eq(events_of(&stage, TEXT, KMT_STACK_DEPTH_MAX, "worker"), 1);
	cr_expect(profile_origin(stage.session->profile, 1)->truncated);
	stage_clear(&stage);
}

Test(event_writer, the_next_batch_reports_what_was_lost)
{
	Stage stage;

	stage_init(&stage);
	add(&stage, 1000, &worker, &small, TEXT, 2);
	event_writer_close(stage.writer);
	stage.cpu.events_lost = 5;
	event_writer_beat(stage.writer, 2000);
	event_writer_close(stage.writer);
	cr_expect_eq(loss_ledger_totals(stage.session->loss).transport.high, 5);
	cr_expect_eq(loss_ledger_cpu_complete_until(stage.session->loss, 3), 2000);
	stage_clear(&stage);
}

Test(event_writer, a_loss_is_a_share_of_all_events_that_arrived)
{
	Stage stage;

	stage_init(&stage);
	for (uint64_t i = 0; i < 8; i++)
		add(&stage, 1000 + i, &worker, &small, TEXT, 2);
	event_writer_close(stage.writer);
	stage.cpu.events_lost = 2;
	stage.cpu.passed_over = 90;
	event_writer_beat(stage.writer, 2000);
	event_writer_close(stage.writer);
	cr_expect_eq(losses_counted(stage.session), 8);
	cr_expect_eq(losses_received(stage.session), 98);
	cr_expect_eq(losses_percent(stage.session, 2), 2);
	cr_expect_not(losses_exceed(stage.session, 2.5));
	cr_expect(losses_exceed(stage.session, 1.5));
	stage_clear(&stage);
}

/* As -p of an idle shell beside other work: nothing counts, and little of all is lost. */
Test(event_writer, the_loss_of_an_idle_process_is_small)
{
	Stage stage;

	stage_init(&stage);
	stage.cpu.events_lost = 2;
	stage.cpu.passed_over = 998;
	event_writer_beat(stage.writer, 2000);
	event_writer_close(stage.writer);
	cr_expect_float_eq(losses_percent(stage.session, 2), 0.2, 1e-9);
	cr_expect_not(losses_exceed(stage.session, 1));
	stage_clear(&stage);
}

Test(event_writer, times_of_a_batch_fit_into_it)
{
	const uint64_t second_ns = 1000000000;
	Stage stage;

	stage_init(&stage);
	add(&stage, 5 * second_ns, &worker, &small, TEXT, 2);
	add(&stage, 7 * second_ns, &worker, &small, TEXT, 2);
	/* An interrupt's, whose record came first. */
	add(&stage, 7 * second_ns - 10, &worker, &small, TEXT, 2);
	event_writer_close(stage.writer);
	profile_set_window(stage.session->profile, 0, 1);
	cr_expect_eq(stage.batches, 2);
	cr_expect_eq(profile_totals(stage.session->profile).events, 3);
	stage_clear(&stage);
}

Test(event_writer, a_window_counts_by_the_times_of_events)
{
	Stage stage;

	stage_init(&stage);
	profile_set_window(stage.session->profile, 1500, 2500);
	for (uint64_t time_ns = 1000; time_ns <= 3000; time_ns += 500)
		add(&stage, time_ns, &worker, &small, TEXT, 2);
	event_writer_close(stage.writer);
	cr_expect_eq(profile_totals(stage.session->profile).events, 3);
	cr_expect_eq(profile_totals(stage.session->profile).outside_window, 2);
	stage_clear(&stage);
}

Test(event_writer, a_sampled_event_stands_for_its_period)
{
	Stage stage;

	stage_init(&stage);
	stage.cpu.sampling_period = 11;
	add(&stage, 1000, &worker, &small, TEXT, 2);
	event_writer_close(stage.writer);
	cr_expect_eq(profile_totals(stage.session->profile).events, 11);
	cr_expect_eq(loss_ledger_totals(stage.session->loss).sampling_period_max, 11);
	stage_clear(&stage);
}

Test(event_writer, an_event_comes_back_with_its_cache)
{
	enum { CACHES = 5000 };
	Stage stage;
	uint64_t of_odd = 0, unknown = 0;

	stage_init(&stage);
	for (uint32_t i = 0; i < CACHES; i++) {
		EventCache cache = { .object_bytes = 8 + i, .slot_bytes = 16 + i };
		EventFacts facts = small;
		int length = g_snprintf(cache.name, sizeof(cache.name), "cache-%u", i % 100);

		cache.name_bytes = (uint16_t)length;
		facts.cache = i % 2 ? &cache : NULL;
		add(&stage, 1000 + i, &worker, &facts, TEXT, 5);
	}
	event_writer_close(stage.writer);
	for (uint32_t i = 0; i < profile_cell_count(stage.session->profile); i++) {
		const ProfileCell *cell = profile_cell(stage.session->profile, i);
		const ProfileOrigin *origin = profile_origin(stage.session->profile, cell->origin);
		const ProfileCache *cache = profile_cache(stage.session->profile, origin->cache);
		g_autofree char *name =
			g_strdup_printf("cache-%u", (cache->object_bytes - 8) % 100);

		if (origin->cache == CACHE_ID_UNKNOWN) {
			unknown += cell->events;
			continue;
		}
		if (!cell->events)
			continue;
		cr_expect_str_eq(cache->name, name);
		cr_expect_eq(cache->slot_bytes, cache->object_bytes + 8);
		of_odd += cell->events;
	}
	cr_expect_eq(of_odd, CACHES / 2);
	cr_expect_eq(unknown, CACHES / 2);
	stage_clear(&stage);
}

Test(event_writer, an_event_may_have_a_weight_of_its_own)
{
	EventFacts failed = small, freed = small;
	const ProfileCell *cell;
	Stage stage;

	failed.pointer = 0;
	freed.free = true;
	stage_init(&stage);
	stage.cpu.sampling_period = 3;
	/* As the batch says, and otherwise. */
	event_writer_add(stage.writer, 1000, &worker, &small, 3, NULL, 0, false);
	event_writer_add(stage.writer, 1001, &worker, &small, 13, NULL, 0, false);
	event_writer_add(stage.writer, 1002, &worker, &failed, 26, NULL, 0, false);
	event_writer_add(stage.writer, 1003, &worker, &freed, 17, NULL, 0, false);
	event_writer_close(stage.writer);
	cr_assert(eq(u32, profile_cell_count(stage.session->profile), 3));
	/* The first one is that of a full table. */
	cell = profile_cell(stage.session->profile, 1);
	cr_expect(eq(u64, cell->events, 16));
	cr_expect(eq(u64, cell->failed, 26));
	cr_expect(eq(u64, cell->variance, 3 * 2 + 13 * 12 + 26 * 25));
	cell = profile_cell(stage.session->profile, 2);
	cr_expect(profile_origin(stage.session->profile, cell->origin)->free);
	cr_expect(eq(u64, cell->events, 17));
	stage_clear(&stage);
}
