/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "held/event_merge.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "record/event_writer.h"
#include "report/facts.h"
#include "report/model.h"
#include "session/losses.h"
#include "session/session.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(hits);

/* Hits of probe points, from the writer through a stream to the profile and the time spans. */

#define TEXT 0xffffffff81000000ULL
#define PROGRAM 0x555555554000ULL
#define LIBRARY 0x7ffff7c00000ULL
enum { MEMORY_BYTES = 64 << 20, SECOND = 1000000000 };

typedef struct {
	Session *session;
	EventWriter *writer;
	EventCpu cpus[2];
} Stage;

static void send(const void *batch, size_t bytes, void *user_data)
{
	Stage *stage = user_data;

	session_feed(stage->session, batch, bytes);
}

static void stage_init(Stage *stage)
{
	*stage = (Stage){ .session = session_new(MEMORY_BYTES),
			  .cpus = { { .cpu = 0, .sampling_period = 1 },
				    { .cpu = 1, .sampling_period = 1 } } };
	stage->writer = event_writer_new(send, stage);
	event_writer_take_points(stage->writer);
	event_writer_open(stage->writer, &stage->cpus[0]);
}

static void stage_clear(Stage *stage)
{
	cr_expect_eq(batch_reader_totals(stage->session->reader).damaged, 0);
	cr_expect_eq(batch_reader_totals(stage->session->reader).unknown, 0);
	cr_expect_eq(loss_ledger_totals(stage->session->loss).damaged.high, 0);
	event_writer_free(stage->writer);
	session_free(stage->session);
}

static const EventTask worker = { .tgid = 7, .tid = 8, .start_time_ns = 5, .comm = "worker" };
static const EventTask other = { .tgid = 9, .tid = 9, .start_time_ns = 6, .comm = "other" };
static const uint64_t kernel_frames[] = { TEXT + 16, TEXT + 32 };

static void add(Stage *stage, const EventTask *task, PointHit hit)
{
	if (!hit.weight)
		hit.weight = 1;
	event_writer_add_hit(stage->writer, task, &hit);
}

static void finish(Stage *stage)
{
	event_writer_close(stage->writer);
	session_finish(stage->session);
}

/* Returns the cell of a task at a point; NULL: none. */
static const ProfileCell *cell_of(const Stage *stage, const char *comm, uint16_t point)
{
	const Profile *profile = stage->session->profile;

	for (uint32_t i = 1; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		if (profile_origin(profile, cell->origin)->point == point &&
		    !strcmp(profile_task(profile, cell->task)->comm, comm))
			return cell;
	}
	return NULL;
}

Test(hits, values_are_summed_by_stack_task_and_point)
{
	Stage stage;
	const ProfileCell *cell;
	ProfileValues values;

	stage_init(&stage);
	for (int i = 1; i <= 4; i++)
		add(&stage, &worker,
		    (PointHit){ .time_ns = SECOND,
				.value = (uint64_t)(i == 4 ? -100 : i),
				.point = 3,
				.frames = kernel_frames,
				.depth = 2 });
	add(&stage, &worker, (PointHit){ .time_ns = SECOND, .value = 50, .point = 4 });
	add(&stage, &other, (PointHit){ .time_ns = SECOND, .value = 60, .point = 3 });
	finish(&stage);
	cell = cell_of(&stage, "worker", 3);
	values = profile_values(stage.session->profile, cell);
	cr_expect_eq(cell->events, 4);
	cr_expect_eq(values.sum, 1 + 2 + 3 - 100);
	cr_expect_eq(cell_of(&stage, "worker", 4)->events, 1);
	cr_expect_eq(cell_of(&stage, "other", 3)->events, 1);
	cr_expect_eq(profile_totals(stage.session->profile).events, 6);
	stage_clear(&stage);
}

Test(hits, a_value_of_0_is_no_failed_allocation)
{
	Stage stage;

	stage_init(&stage);
	add(&stage, &worker, (PointHit){ .time_ns = SECOND, .value = 0 });
	finish(&stage);
	cr_expect_eq(cell_of(&stage, "worker", 0)->events, 1);
	cr_expect_eq(cell_of(&stage, "worker", 0)->failed, 0);
	stage_clear(&stage);
}

Test(hits, the_weight_of_a_sampled_hit_scales_its_value)
{
	Stage stage;
	ProfileValues values;

	stage_init(&stage);
	add(&stage, &worker, (PointHit){ .time_ns = SECOND, .value = 4096, .weight = 10 });
	finish(&stage);
	values = profile_values(stage.session->profile, cell_of(&stage, "worker", 0));
	cr_expect_eq(cell_of(&stage, "worker", 0)->events, 10);
	cr_expect_eq(values.sum, 40960);
	cr_expect_eq(values.variance, 10.0 * 9 * 4096 * 4096);
	stage_clear(&stage);
}

static const char maps[] = "m 100 7 555555554000 10000 1000 8:1 2a 0 - /usr/bin/worker\n"
			   "m 100 7 7ffff7c00000 100000 28000 8:1 2b 0 - /usr/lib/libc.so.6\n"
			   "m 100 9 555555554000 10000 1000 8:1 2c 0 - /usr/bin/other\n";

Test(hits, user_frames_become_places_in_the_files_of_their_process)
{
	const uint64_t user[] = { LIBRARY + 0x10, PROGRAM + 0x20, 0x1234, PROGRAM + 0x30 };
	UserPlace places[KMT_STACK_DEPTH_MAX];
	uint64_t frames[KMT_STACK_DEPTH_MAX];
	const PointHit hit = { .time_ns = SECOND,
			       .frames = kernel_frames,
			       .depth = 2,
			       .user_frames = user,
			       .user_depth = 4 };
	const Profile *profile;
	StackId stack;
	Stage stage;

	stage_init(&stage);
	profile = stage.session->profile;
	made_session_feed_text(stage.session, KMT_BATCH_MAPS, maps);
	add(&stage, &worker, hit);
	add(&stage, &other, hit);
	finish(&stage);
	stack = profile_origin(profile, cell_of(&stage, "worker", 0)->origin)->stack;
	cr_expect_eq(profile_stack_frames(profile, stack, frames), 2);
	cr_expect_eq(frames[1], TEXT + 32);
	/* The third frame is not in executable memory: it and those after it are junk. */
	cr_assert_eq(profile_stack_places(profile, stack, places), 2);
	cr_expect_str_eq(user_objects_get(stage.session->user_objects, places[0].object)->path,
			 "/usr/lib/libc.so.6");
	cr_expect_eq(places[0].offset, 0x28010);
	cr_expect_str_eq(user_objects_get(stage.session->user_objects, places[1].object)->path,
			 "/usr/bin/worker");
	cr_expect_eq(places[1].offset, 0x1020);
	/* The same addresses are other files in another process; of one only the program. */
	stack = profile_origin(profile, cell_of(&stage, "other", 0)->origin)->stack;
	cr_expect_eq(profile_stack_places(profile, stack, places), 0);
	stage_clear(&stage);
}

/* Which share of the user stacks is whole counts those that were not unwound, or whose mapping is
   not known. */
Test(hits, user_stacks_that_are_missing_are_not_whole)
{
	const uint64_t user[] = { LIBRARY + 0x10 };
	const PointHit with = { .time_ns = SECOND, .user_frames = user, .user_depth = 1 };
	const PointHit without = { .time_ns = SECOND, .frames = kernel_frames, .depth = 2 };
	const RowSums none = { .summary = { 0 } };
	g_autoptr(Facts) facts = NULL;
	Stage stage;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_MAPS, maps);
	for (int i = 0; i < 2; i++)
		add(&stage, &worker, with);
	add(&stage, &other, with); /* it has no such mapping */
	for (int i = 0; i < 5; i++)
		add(&stage, &worker, without);
	finish(&stage);
	session_set_number(stage.session, KMT_FIELD_USER_DEPTH, 64);
	session_set_number(stage.session, KMT_FIELD_NOT_UNWOUND, 4);
	facts = facts_new(stage.session, false);
	facts_set_hits(facts, stage.session, &none);
	cr_expect_eq(fact_number(facts, FACT_USER_STACKS), 2 + 1 + 4);
	cr_expect_eq(fact_number(facts, FACT_USER_STACKS_WHOLE), 0);
	stage_clear(&stage);
}

Test(hits, a_call_that_ends_its_mapping_is_found)
{
	const uint64_t user[] = { PROGRAM, PROGRAM + 0x10000 };
	UserPlace places[KMT_STACK_DEPTH_MAX];
	Stage stage;
	StackId stack;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_MAPS, maps);
	add(&stage, &worker, (PointHit){ .time_ns = SECOND, .user_frames = user, .user_depth = 2 });
	finish(&stage);
	stack = profile_origin(stage.session->profile, cell_of(&stage, "worker", 0)->origin)->stack;
	cr_assert_eq(profile_stack_places(stage.session->profile, stack, places), 2);
	cr_expect_eq(places[1].offset, 0x11000);
	stage_clear(&stage);
}

Test(hits, data_counts_by_its_mapping_and_may_be_unknown)
{
	static const uint64_t data[] = { PROGRAM + 0x20, PROGRAM + 0x40, 0x1234 };
	UserPlace places[KMT_STACK_DEPTH_MAX];
	Stage stage;
	StackId stack;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_MAPS, maps);
	for (uint16_t i = 0; i < G_N_ELEMENTS(data); i++) {
		const uint64_t user[] = { data[i], LIBRARY + 0x10 };

		/* The first two are one stack: the address itself does not count. */
		add(&stage, &worker,
		    (PointHit){ .time_ns = SECOND,
				.point = i / 2,
				.user_frames = user,
				.user_depth = 2,
				.user_has_data = true });
	}
	finish(&stage);
	cr_expect_eq(cell_of(&stage, "worker", 0)->events, 2);
	stack = profile_origin(stage.session->profile, cell_of(&stage, "worker", 0)->origin)->stack;
	cr_assert_eq(profile_stack_places(stage.session->profile, stack, places), 2);
	cr_expect_str_eq(user_objects_get(stage.session->user_objects, places[0].object)->path,
			 "/usr/bin/worker");
	cr_expect_eq(places[0].offset, 0);
	stack = profile_origin(stage.session->profile, cell_of(&stage, "worker", 1)->origin)->stack;
	cr_assert_eq(profile_stack_places(stage.session->profile, stack, places), 2);
	cr_expect_eq(places[0].object, USER_OBJECT_UNKNOWN);
	cr_expect_eq(places[1].offset, 0x28010);
	stage_clear(&stage);
}

/* Short processes, a thousand each second, with a heartbeat after each ten of them. */
static void run_short_processes(Stage *stage, unsigned processes, const char *end)
{
	const unsigned at_a_time = 10;

	for (unsigned i = 0; i < processes; i += at_a_time) {
		g_autoptr(GString) lines = g_string_new(NULL);
		uint64_t time_ns = SECOND + (uint64_t)i * 1000000;

		for (unsigned tgid = 1000 + i; tgid < 1000 + i + at_a_time; tgid++)
			g_string_append_printf(lines,
					       "f %lu %u 1\nx %lu %u\n"
					       "m %lu %u 1000 3000 0 8:1 a 0 - /bin/short\n",
					       time_ns, tgid, time_ns, tgid, time_ns, tgid);
		for (unsigned tgid = 1000 + i; *end && tgid < 1000 + i + at_a_time; tgid++)
			g_string_append_printf(lines, "%s %lu %u\n", end, time_ns + 1, tgid);
		made_session_feed_text(stage->session, KMT_BATCH_MAPS, lines->str);
		event_writer_beat(stage->writer, time_ns);
		event_writer_close(stage->writer);
		event_writer_open(stage->writer, &stage->cpus[0]);
	}
}

/* Returns the places of a hit of a process whose mappings come last. */
static uint32_t places_of_late_hit(Stage *stage)
{
	const uint64_t user[] = { PROGRAM + 0x20, PROGRAM + 0x30 };
	const EventTask late = { .tgid = 900000, .tid = 900000, .comm = "late" };
	UserPlace places[KMT_STACK_DEPTH_MAX];
	const ProfileCell *cell;

	made_session_feed_text(
		stage->session, KMT_BATCH_MAPS,
		"m 90000000000 900000 555555554000 10000 1000 8:1 2c 0 - /usr/bin/late\n");
	add(stage, &late,
	    (PointHit){ .time_ns = 90000000001, .user_frames = user, .user_depth = 2 });
	finish(stage);
	cell = cell_of(stage, "late", 0);
	return profile_stack_places(stage->session->profile,
				    profile_origin(stage->session->profile, cell->origin)->stack,
				    places);
}

static void stage_init_small(Stage *stage)
{
	stage_init(stage);
	session_free(stage->session);
	stage->session = session_new(4 << 20);
}

Test(hits, processes_that_ended_leave_room_for_later_ones)
{
	Losses losses;
	Stage stage;

	stage_init_small(&stage);
	run_short_processes(&stage, 50000, "e");
	cr_expect_eq(places_of_late_hit(&stage), 2);
	losses = losses_of(stage.session);
	cr_expect_eq(losses.user_lines, 0);
	cr_expect(!losses_make_incomplete(stage.session, 0));
	stage_clear(&stage);
}

Test(hits, mappings_without_room_are_a_loss)
{
	Losses losses;
	Stage stage;

	stage_init_small(&stage);
	run_short_processes(&stage, 5000, "");
	cr_expect_eq(places_of_late_hit(&stage), 0);
	losses = losses_of(stage.session);
	cr_expect_gt(losses.user_lines, 1000);
	cr_expect(losses_make_incomplete(stage.session, 0));
	cr_expect(!losses_exceed(stage.session, 0), "no event is missing");
	stage_clear(&stage);
}

Test(hits, lines_of_programs_that_cannot_be_read_are_a_loss)
{
	Losses losses;
	Stage stage;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_MAPS,
			       "m 100 seven 1000 3000 0 8:1 a 0 - /bin/a\n");
	made_session_feed_text(stage.session, KMT_BATCH_USER_SYMBOLS,
			       "s i:8:1:a:0 10 0 20 of_no_object\n");
	finish(&stage);
	losses = losses_of(stage.session);
	cr_expect_eq(losses.user_lines_unreadable, 2);
	cr_expect(losses_exceed(stage.session, 100));
	stage_clear(&stage);
}

static gboolean note_columns(const Events *events, void *user_data)
{
	GString *seen = user_data;

	for (size_t i = 0; i < events->columns_count; i++)
		g_string_append_printf(seen, "%u:%.*s;", events->columns[i].event,
				       (int)events->columns[i].text_bytes, events->columns[i].text);
	return TRUE;
}

Test(hits, columns_belong_to_their_hit)
{
	g_autoptr(GString) seen = g_string_new(NULL);
	const PointHit plain = { .time_ns = SECOND };
	PointHit listed = { .time_ns = SECOND, .columns = "12\tbash", .columns_bytes = 7 };
	Stage stage;

	stage_init(&stage);
	session_add_sink(stage.session, (EventSink)(void (*)(void))note_columns, seen);
	add(&stage, &worker, plain);
	add(&stage, &worker, listed);
	listed.columns = "x";
	listed.columns_bytes = 1;
	add(&stage, &worker, listed);
	finish(&stage);
	cr_expect_str_eq(seen->str, "1:12\tbash;2:x;");
	stage_clear(&stage);
}

/* Time spans. */

static const char pairs[] = "0 begin 0 one:begin\n1 end 0 one:end\n2 begin 1 two:begin\n"
			    "3 end 1 two:end\n";

static void at(Stage *stage, unsigned cpu, const EventTask *task, uint64_t time_ns, uint16_t point)
{
	event_writer_open(stage->writer, &stage->cpus[cpu]);
	add(stage, task,
	    (PointHit){ .time_ns = SECOND + time_ns,
			.value = 5,
			.point = point,
			.frames = kernel_frames,
			.depth = 2 });
}

static DurationTotals totals_of(const Stage *stage)
{
	return durations_totals(stage->session->durations);
}

/* The shortest and the longest span of each class. */
Test(hits, classes_of_lengths_have_decimal_borders)
{
	static const uint64_t borders[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000 };
	const unsigned classes = G_N_ELEMENTS(borders) - 1;
	Stage stage;
	DurationTotals totals;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	for (unsigned i = 0; i < classes; i++) {
		const uint64_t begin_ns = 1000 + 100000 * (uint64_t)i;

		cr_expect_eq(duration_class_from_ns(i), borders[i]);
		at(&stage, 0, &worker, begin_ns, 0);
		at(&stage, 0, &worker, begin_ns + borders[i], 1);
		at(&stage, 0, &worker, begin_ns + 20000, 0);
		at(&stage, 0, &worker, begin_ns + 20000 + borders[i + 1] - 1, 1);
	}
	finish(&stage);
	totals = totals_of(&stage);
	for (unsigned i = 0; i < classes; i++)
		cr_expect_eq(totals.classes[i], 2, "class %u", i);
	cr_expect_eq(duration_class_from_ns(DURATION_CLASSES - 1), 10000000000000000000ULL);
	stage_clear(&stage);
}

Test(hits, a_begin_and_the_next_end_of_its_thread_are_a_time_span)
{
	Stage stage;
	DurationTotals totals;
	ProfileValues values;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	at(&stage, 0, &worker, 100, 0);
	at(&stage, 0, &other, 150, 0);
	at(&stage, 0, &worker, 1100, 1);
	at(&stage, 0, &worker, 2000, 0);
	at(&stage, 0, &worker, 2300, 1);
	at(&stage, 0, &other, 2500, 3);
	finish(&stage);
	totals = totals_of(&stage);
	values = profile_values(stage.session->profile, cell_of(&stage, "worker", 0));
	cr_expect_eq(totals.spans, 2);
	cr_expect_eq(totals.time_ns, 1300);
	cr_expect_eq(totals.time_max_ns, 1000);
	cr_expect_eq(totals.open, 1);
	cr_expect_eq(totals.not_begun, 1, "an end of another pair");
	cr_expect_eq(duration_class_from_ns(9), 1000);
	cr_expect_eq(totals.classes[9], 1, "1000 ns");
	cr_expect_eq(totals.classes[7], 1, "200 to 499 ns");
	cr_expect_eq(cell_of(&stage, "worker", 0)->events, 2);
	cr_expect_eq(values.time_ns, 1300);
	cr_expect_eq(values.time_max_ns, 1000);
	cr_expect_eq(values.sum, 10, "the values of the ends");
	cr_expect_eq(cell_of(&stage, "other", 0)->events, 0);
	cr_expect_eq(profile_totals(stage.session->profile).events, 2);
	stage_clear(&stage);
}

static EventTask thread_of(uint32_t number)
{
	return (EventTask){ .tgid = 7, .tid = 1000 + number, .start_time_ns = 5, .comm = "worker" };
}

Test(hits, threads_that_ended_leave_room_for_time_spans_of_later_ones)
{
	const uint32_t threads = 200000;
	Losses losses;
	Stage stage;

	stage_init_small(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	for (uint32_t i = 0; i < threads; i++) {
		EventTask thread = thread_of(i);

		at(&stage, 0, &thread, 100 + 10 * i, 0);
		at(&stage, 0, &thread, 105 + 10 * i, 1);
	}
	finish(&stage);
	losses = losses_of(stage.session);
	cr_expect_eq(totals_of(&stage).spans, threads);
	cr_expect_eq(losses.over_bound, 0);
	stage_clear(&stage);
}

Test(hits, begins_without_room_are_a_loss)
{
	const uint32_t threads = 20000;
	Losses losses;
	Stage stage;

	stage_init_small(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	for (uint32_t i = 0; i < threads; i++) {
		EventTask thread = thread_of(i);

		at(&stage, 0, &thread, 100 + 10 * i, 0);
	}
	finish(&stage);
	losses = losses_of(stage.session);
	cr_expect_gt(totals_of(&stage).over_bound, 0);
	cr_expect_eq(totals_of(&stage).open + totals_of(&stage).over_bound, threads);
	cr_expect_eq(losses.over_bound, totals_of(&stage).over_bound);
	cr_expect(losses_make_incomplete(stage.session, 0));
	stage_clear(&stage);
}

Test(hits, a_time_span_may_end_on_another_cpu_whose_batch_came_first)
{
	Stage stage;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	at(&stage, 1, &worker, 900, 1);
	at(&stage, 0, &worker, 100, 0);
	finish(&stage);
	cr_expect_eq(totals_of(&stage).spans, 1);
	cr_expect_eq(totals_of(&stage).time_ns, 800);
	stage_clear(&stage);
}

Test(hits, a_begin_after_a_begin_replaces_it)
{
	Stage stage;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	at(&stage, 0, &worker, 100, 0);
	at(&stage, 0, &worker, 500, 0);
	at(&stage, 0, &worker, 600, 1);
	finish(&stage);
	cr_expect_eq(totals_of(&stage).not_ended, 1);
	cr_expect_eq(totals_of(&stage).spans, 1);
	cr_expect_eq(totals_of(&stage).time_ns, 100);
	cr_expect_eq(totals_of(&stage).open, 0);
	stage_clear(&stage);
}

/* Returns the latency of each hit of the list, as text. */
static char *listed_latencies(const Session *session)
{
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < event_list_count(session->list); i++) {
		const ListedHit *hit = event_list_at(session->list, i);

		if (hit->latency_ns == LATENCY_UNKNOWN)
			g_string_append(text, "- ");
		else
			g_string_append_printf(text, "%" G_GUINT64_FORMAT " (%u) ", hit->latency_ns,
					       hit->begin);
	}
	return g_string_free(text, FALSE);
}

static void feed_columns(Stage *stage, const char *names)
{
	const InfoField columns = { KMT_FIELD_COLUMNS, 0, names };
	g_autoptr(GByteArray) batch = g_byte_array_new();

	batch_write_info(batch, &columns, 1);
	made_session_feed(stage->session, batch);
}

Test(hits, a_listed_end_knows_its_begin_in_the_same_thread)
{
	g_autofree char *latencies = NULL;
	Stage stage;

	stage_init(&stage);
	feed_columns(&stage, "time\tlatency");
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	at(&stage, 0, &worker, 100, 0);
	at(&stage, 0, &other, 100, 0);
	at(&stage, 0, &worker, 400, 1);
	at(&stage, 0, &other, 450, 1);
	/* A time span of less than a nanosecond. */
	at(&stage, 0, &worker, 500, 0);
	at(&stage, 0, &worker, 500, 1);
	at(&stage, 0, &worker, 600, 3);
	finish(&stage);
	latencies = listed_latencies(stage.session);
	cr_expect_str_eq(latencies, "- - 300 (0) 350 (1) - 0 (4) - ");
	stage_clear(&stage);
}

/* Whichever fact of a stream comes first, its hits have one counter. */
Test(hits, columns_after_the_points_count_no_hit_twice)
{
	g_autofree char *latencies = NULL;
	Stage stage;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	feed_columns(&stage, "time\tlatency");
	at(&stage, 0, &worker, 100, 0);
	at(&stage, 0, &worker, 400, 1);
	finish(&stage);
	cr_expect_eq(profile_totals(stage.session->profile).events, 1, "one time span");
	latencies = listed_latencies(stage.session);
	cr_expect_str_eq(latencies, "- 300 (0) ");
	stage_clear(&stage);
}

Test(hits, a_session_that_pairs_frees_counts_hits_once)
{
	Stage stage;

	stage_init(&stage);
	session_pair(stage.session, false);
	feed_columns(&stage, "time");
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	at(&stage, 0, &worker, 100, 0);
	at(&stage, 0, &worker, 400, 1);
	finish(&stage);
	cr_expect_eq(profile_totals(stage.session->profile).events, 2);
	cr_expect(!stage.session->list && !stage.session->durations);
	stage_clear(&stage);
}

/* Names of columns become names in JSON and CSV. */
Test(hits, a_recording_cannot_choose_what_the_names_of_columns_do)
{
	static const char *const expected[] = { "time", "a__1__b", "_1_2", "ORDER_0", NULL };
	g_autoptr(GPtrArray) stacks = g_ptr_array_new();
	const View view = { .stacks = stacks };
	HitRows *rows;
	Stage stage;

	stage_init(&stage);
	feed_columns(&stage, "time\ta\":1,\"b\t=1,2\tORDER_0");
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	at(&stage, 0, &worker, 100, 0);
	finish(&stage);
	rows = hit_rows_new(stage.session, &view, 0);
	cr_assert_not_null(rows);
	for (gsize i = 0; i < G_N_ELEMENTS(expected); i++)
		cr_expect_eq(g_strcmp0(rows->columns[i], expected[i]), 0, "%s", rows->columns[i]);
	hit_rows_free(rows);
	stage_clear(&stage);
}

Test(hits, time_spans_of_a_stream_without_heartbeats_take_bounded_memory)
{
	enum { SPANS = 1 << 17, WAITING_BYTES_MAX = MEMORY_BYTES / 16 };
	Stage stage;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	for (unsigned i = 0; i < SPANS; i++) {
		at(&stage, 0, &worker, i * 10, 0);
		at(&stage, 0, &worker, i * 10 + 5, 1);
		/* The hits that are no span yet wait. */
		cr_assert_lt((i + 1 - totals_of(&stage).spans) * 2 * sizeof(WaitingEvent),
			     WAITING_BYTES_MAX);
	}
	finish(&stage);
	cr_expect_eq(totals_of(&stage).spans, SPANS);
	stage_clear(&stage);
}

Test(hits, in_interrupts_the_cpu_is_the_thread)
{
	PointHit hit = { .time_ns = SECOND, .context = KMT_CONTEXT_SOFTIRQ };
	Stage stage;

	stage_init(&stage);
	made_session_feed_text(stage.session, KMT_BATCH_POINTS, pairs);
	add(&stage, &worker, hit);
	hit.time_ns += 40;
	hit.point = 1;
	/* The same interrupt, as if the task had changed its id meanwhile. */
	add(&stage, &other, hit);
	finish(&stage);
	cr_expect_eq(totals_of(&stage).spans, 1);
	stage_clear(&stage);
}

Test(hits, lines_of_points_that_are_not_understood_are_skipped)
{
	g_autoptr(PointList) list = point_list_new();
	static const char lines[] = "0 hit 0 a:b c\nx hit 0 y\n1 jump 0 y\n2 hit 99 y\n"
				    "3 hit 0\n4096 hit 0 y\n\n4 end 31 z\n";

	point_list_parse(list, (TextPart){ lines, strlen(lines) });
	cr_expect_str_eq(point_list_get(list, 0).name, "a:b c");
	cr_expect_null(point_list_get(list, 1).name);
	cr_expect_null(point_list_get(list, 2).name);
	cr_expect_null(point_list_get(list, 3).name);
	cr_expect_eq(point_list_get(list, 4).pair, 31);
	cr_expect_null(point_list_get(list, 9).name);
	cr_expect(point_list_has_pairs(list));
}

Test(hits, a_name_of_a_point_is_cut)
{
	g_autoptr(PointList) list = point_list_new();
	g_autofree char *name = g_strnfill(POINT_NAME_BYTES_MAX + 1, 'a');
	g_autofree char *line = g_strconcat("0 hit 0 ", name, NULL);

	point_list_parse(list, (TextPart){ line, strlen(line) });
	cr_expect_eq(strlen(point_list_get(list, 0).name), POINT_NAME_BYTES_MAX);
}
