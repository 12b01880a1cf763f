/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/batch.h"
#include "record/format.h"
#include "session/recorder.h"

#include "event_batch.h"
#include "made_session.h"
#include "import/input.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "report/facts.h"
#include "session/losses.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(recorder);

enum { MEMORY_BYTES = 64 << 20, MANY = 1000 };
#define MS 1000000ULL

/* A live session with a flight recorder. */
typedef struct {
	char *folder;
	char *path;
	Session *session;
	Recorder *recorder;
	GByteArray *ends, *begins;
} Flight;

static Flight flight_new(unsigned pieces)
{
	Flight flight = {
		.folder = temporary_folder(),
		.session = session_new(MEMORY_BYTES),
		.ends = g_byte_array_new(),
		.begins = g_byte_array_new(),
	};
	RecorderPlan plan = { .bytes_max = 1, .pieces = pieces };

	plan.path = flight.path = g_build_filename(flight.folder, "r.kmr", NULL);
	flight.recorder = recorder_new(&plan, flight.session, NULL);
	cr_assert_not_null(flight.recorder);
	return flight;
}

static void flight_clear(Flight *flight)
{
	recorder_free(flight->recorder);
	session_free(flight->session);
	temporary_remove(flight->folder);
	g_byte_array_unref(flight->ends);
	g_byte_array_unref(flight->begins);
	g_free(flight->folder);
	g_free(flight->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Flight, flight_clear)

static void rotate(Flight *flight, uint64_t now_ns)
{
	const RecorderEdge edge = { now_ns, flight->ends, flight->begins };

	recorder_rotate(flight->recorder, &edge);
}

static char *piece_path(const Flight *flight, unsigned number)
{
	return g_strdup_printf("%s/r.%06u.kmr", flight->folder, number);
}

static bool has_piece(const Flight *flight, unsigned number)
{
	g_autofree char *path = piece_path(flight, number);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Returns a session with a piece alone. */
static Session *read_piece(const Flight *flight, unsigned number, bool paired)
{
	g_autofree char *path = piece_path(flight, number);
	g_autoptr(GError) error = NULL;
	Session *session = session_new(MEMORY_BYTES);

	if (paired)
		session_pair(session, false);
	input_read(path, session, &error);
	cr_assert(eq(ptr, error, NULL), "%s", error->message);
	cr_expect(not(session->cut_short), "piece %u", number);
	return session;
}

/* Sums of a session that add up. */
typedef struct {
	uint64_t events, bytes, lost;
	uint64_t by_process, by_cache, by_stack; /* checksums of the counts of each */
} Sums;

/* Of equal keys the sums add up, so that of all pieces is that of the whole. */
static uint64_t weight(const char *text)
{
	return (uint64_t)g_str_hash(text) + 1;
}

static uint64_t weight_of_stack(const Profile *profile, StackId id)
{
	uint64_t frames[KMT_STACK_DEPTH_MAX], sum = 1;
	uint32_t depth = id == STACK_ID_NONE ? 0 : profile_stack_frames(profile, id, frames);

	for (uint32_t i = 0; i < depth; i++)
		sum = sum * 31 + frames[i];
	return sum;
}

static void add_sums(Sums *sums, const Session *session)
{
	const Profile *profile = session->profile;
	Losses losses = losses_of(session);

	sums->events += profile_totals(profile).events;
	sums->lost += losses_uncounted(&losses).high;
	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);

		sums->bytes += origin->bytes_requested * cell->events;
		sums->by_process += weight(profile_task(profile, cell->task)->comm) * cell->events;
		sums->by_cache +=
			weight(profile_cache(profile, origin->cache)->name) * cell->events;
		sums->by_stack += weight_of_stack(profile, origin->stack) * cell->events;
	}
}

static void expect_same(const Sums *pieces, const Sums *whole)
{
	cr_expect(eq(u64, pieces->events, whole->events));
	cr_expect(eq(u64, pieces->bytes, whole->bytes));
	cr_expect(eq(u64, pieces->lost, whole->lost));
	cr_expect(eq(u64, pieces->by_process, whole->by_process));
	cr_expect(eq(u64, pieces->by_cache, whole->by_cache));
	cr_expect(eq(u64, pieces->by_stack, whole->by_stack));
}

/* Plays a recording as a live run. */
typedef struct {
	Flight *flight;
	uint64_t batches;       /* of events, so far */
	uint64_t every;         /* of these the recorder rotates */
	uint64_t left_out_each; /* one batch of so many is lost; 0: none */
	uint64_t now_ns;
} Player;

/* A BatchVisitor. */
static void play(const Batch *batch, void *user_data)
{
	Player *player = user_data;
	bool has_events = batch->header.kind == KMT_BATCH_EVENTS;

	player->batches += has_events;
	player->now_ns = MAX(player->now_ns, batch->header.base_time_ns + 100 * MS);
	if (!has_events || !player->left_out_each || player->batches % player->left_out_each)
		session_take_batch(player->flight->session, batch);
	if (has_events && player->batches % player->every == 0)
		rotate(player->flight, player->now_ns);
}

static void play_example(Player *player, const char *name)
{
	g_autofree char *path = g_build_filename(TEST_DATA, "../../examples", name, NULL);
	g_autoptr(Session) source = session_new(MEMORY_BYTES);

	session_add_tap(source, play, player);
	cr_assert(input_read(path, source, NULL));
	cr_assert(recorder_close(player->flight->recorder, NULL));
}

static unsigned add_pieces(const Flight *flight, Sums *sums)
{
	unsigned count = 0;

	while (has_piece(flight, count + 1)) {
		g_autoptr(Session) piece = read_piece(flight, ++count, false);

		cr_expect(symbol_store_has_symbols(piece->symbols), "piece %u", count);
		cr_expect_not_null(run_info_text(piece->info, KMT_FIELD_RELEASE));
		cr_expect_not_null(run_info_text(piece->info, KMT_FIELD_BOOT_ID));
		/* One that ends before the run begins, or has only its end, has no length. */
		cr_expect(session_length_ns(piece) || !profile_totals(piece->profile).events,
			  "piece %u", count);
		add_sums(sums, piece);
	}
	return count;
}

static void expect_sums(const char *name, uint64_t left_out_each)
{
	g_auto(Flight) flight = flight_new(MANY);
	Player player = { .flight = &flight, .every = 5, .left_out_each = left_out_each };
	Sums pieces = { 0 }, whole = { 0 };

	play_example(&player, name);
	add_sums(&whole, flight.session);
	cr_expect(lt(uint, 3, add_pieces(&flight, &pieces)));
	cr_expect(lt(u64, 0, whole.events));
	cr_expect(eq(int, whole.lost > 0, left_out_each > 0));
	expect_same(&pieces, &whole);
}

#ifdef HAVE_ZSTD
Test(recorder, the_pieces_of_a_run_add_up_to_the_run)
{
	expect_sums("mixed.kmr", 0);
	expect_sums("growth.kmr", 0);
}

Test(recorder, each_loss_is_in_one_piece)
{
	expect_sums("mixed.kmr", 7);
	/* The last batch before each cut is lost. */
	expect_sums("mixed.kmr", 5);
	/* The first one after some cuts is. */
	expect_sums("mixed.kmr", 6);
}
#endif

/* Made streams. */

static void feed(Flight *flight, GByteArray *stream)
{
	made_session_feed(flight->session, stream);
	g_byte_array_set_size(stream, 0);
}

/* Feeds one batch of a CPU with one event, if type is not 0, and a heartbeat. */
static void feed_event(Flight *flight, uint32_t cpu, uint64_t time_ns, uint8_t type,
		       uint64_t pointer, uint64_t total)
{
	static const uint32_t frames[] = { 0x81000010, 0x81000020 };
	g_autoptr(GByteArray) stream = g_byte_array_new();
	EventBatch batch = event_batch_begin(stream, cpu, (uint32_t)total, time_ns);
	uint16_t origin;

	event_batch_task(&batch, 7, "worker");
	origin = event_batch_origin(&batch, frames, 2, type == KMT_RECORD_ALLOC ? 100 : 0,
				    type == KMT_RECORD_ALLOC ? 128 : 0);
	if (type)
		event_batch_event(&batch, type, origin, 0, KMT_CONTEXT_TASK, pointer);
	event_batch_heartbeat(&batch, time_ns + 1, 0, KMT_NOT_MEASURED);
	event_batch_end(&batch, total);
	feed(flight, stream);
}

static void feed_number(Flight *flight, uint16_t id, uint64_t number)
{
	const InfoField field = { id, number, NULL };
	g_autoptr(GByteArray) stream = g_byte_array_new();

	batch_write_info(stream, &field, 1);
	feed(flight, stream);
}

static void feed_text(Flight *flight, uint8_t kind, uint32_t epoch, const char *text)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();

	batch_write_text(stream, kind, epoch, text, strlen(text));
	feed(flight, stream);
}

static void end_run(Flight *flight, uint64_t now_ns)
{
	feed_number(flight, KMT_FIELD_WINDOW_END_NS, now_ns);
	feed_number(flight, KMT_FIELD_COMPLETE, 1);
	cr_assert(recorder_close(flight->recorder, NULL));
}

Test(recorder, the_last_pieces_stay_and_go_on_with_the_numbers_of_earlier_runs)
{
	g_auto(Flight) flight = flight_new(3);
	RecorderPlan plan = { .path = flight.path, .bytes_max = 1, .pieces = 3 };

	for (unsigned i = 1; i < 6; i++) {
		feed_event(&flight, 0, i * 1000 * MS, KMT_RECORD_ALLOC, 0x1000, i);
		rotate(&flight, i * 1000 * MS + 1);
	}
	end_run(&flight, 6000 * MS);
	for (unsigned i = 1; i <= 7; i++)
		cr_expect(eq(int, has_piece(&flight, i), i >= 4 && i <= 6), "piece %u", i);
	recorder_free(flight.recorder);
	flight.recorder = recorder_new(&plan, flight.session, NULL);
	cr_expect(g_str_has_suffix(recorder_part(flight.recorder), "/r.000007.kmr.part"));
}

Test(recorder, files_that_only_look_like_pieces_are_neither_deleted_nor_counted)
{
	static const char *const others[] = { "r.20260101.kmr", "r.0000001.kmr", "r.00001.kmr",
					      "r.18446744073709551615.kmr", "r.000001.kmr.old" };
	g_auto(Flight) flight = flight_new(2);
	RecorderPlan plan = { .path = flight.path, .bytes_max = 1, .pieces = 2 };

	recorder_discard(flight.recorder);
	recorder_free(flight.recorder);
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		temporary_write(flight.folder, others[i], "mine", 4);
	flight.recorder = recorder_new(&plan, flight.session, NULL);
	cr_assert_not_null(flight.recorder);
	for (unsigned i = 1; i < 6; i++) {
		feed_event(&flight, 0, i * 1000 * MS, KMT_RECORD_ALLOC, 0x1000, i);
		rotate(&flight, i * 1000 * MS + 1);
	}
	end_run(&flight, 6000 * MS);
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
		g_autofree char *path = g_build_filename(flight.folder, others[i], NULL);

		cr_expect(g_file_test(path, G_FILE_TEST_EXISTS), "%s", others[i]);
	}
	for (unsigned i = 1; i <= 7; i++)
		cr_expect(eq(int, has_piece(&flight, i), i >= 5 && i <= 6), "piece %u", i);
}

Test(recorder, a_piece_has_the_texts_of_what_came_before_it)
{
	g_auto(Flight) flight = flight_new(9);
	g_autoptr(Session) piece = NULL;
	UserPlace place;

	feed_text(&flight, KMT_BATCH_SYMBOLS, 0, "ffffffff81000000 T first\n");
	feed_text(&flight, KMT_BATCH_MODULES, 0, "old 4096 0xffffffffc0000000 -\n");
	feed_text(&flight, KMT_BATCH_SYMBOLS, 1, "ffffffffc1000000 t new_function\t[new]\n");
	feed_text(&flight, KMT_BATCH_MODULES, 1, "new 4096 0xffffffffc1000000 -\n");
	feed_text(&flight, KMT_BATCH_CGROUPS, 0, "5 /a.slice\n");
	feed_text(&flight, KMT_BATCH_CGROUPS, 0, "6 /b.slice\n");
	feed_text(&flight, KMT_BATCH_MAPS, 0, "m 5 10 55d000 2000 1000 8:1 abc 0 - /bin/a b\n");
	feed_text(&flight, KMT_BATCH_POINTS, 0, "0 hit 0 vmscan:mm_vmscan_kswapd_wake\n");
	feed_event(&flight, 0, 1000 * MS, KMT_RECORD_ALLOC, 0x1000, 1);
	rotate(&flight, 1001 * MS);
	end_run(&flight, 2000 * MS);
	piece = read_piece(&flight, 2, false);
	cr_expect(eq(str, run_text_of(piece->text, KMT_BATCH_CGROUPS, 0)->str,
		     "5 /a.slice\n6 /b.slice\n"));
	cr_expect(user_maps_lookup(piece->user_maps, 10, 1001 * MS, 0x55d010, &place));
	cr_expect(eq(u64, place.offset, 0x1010));
	cr_expect(symbol_store_has_symbols(piece->symbols));
	cr_expect(symbol_store_is_text(piece->symbols, 1, 0xffffffffc1000000));
	cr_expect(not(symbol_store_is_text(piece->symbols, 1, 0xffffffffc0000000)));
	cr_expect(eq(u32, point_list_count(piece->points), 1));
}

Test(recorder, facts_that_are_counted_from_the_start_begin_at_0_in_each_piece)
{
	static const uint64_t after[] = { 30, 70, 70 }, in_piece[] = { 30, 40, 0 };
	g_auto(Flight) flight = flight_new(9);

	for (unsigned i = 0; i < 3; i++) {
		feed_event(&flight, 0, (i + 1) * 1000 * MS, KMT_RECORD_ALLOC, 0x1000, i + 1);
		feed_number(&flight, KMT_FIELD_UNTRACED_NS, after[i]);
		if (i < 2)
			rotate(&flight, (i + 1) * 1000 * MS + 1);
	}
	end_run(&flight, 4000 * MS);
	for (unsigned i = 0; i < 3; i++) {
		g_autoptr(Session) piece = read_piece(&flight, i + 1, false);

		cr_expect(eq(u64, losses_of(piece).untraced_ns, in_piece[i]), "piece %u", i + 1);
	}
}

static void expect_held(const Flight *flight, unsigned number, uint64_t allocated, uint64_t freed)
{
	g_autoptr(Session) piece = read_piece(flight, number, true);
	PairingTotals totals = pairing_totals(piece->pairing);

	cr_expect(eq(u64, totals.allocated, allocated), "piece %u", number);
	cr_expect(eq(u64, totals.freed, freed), "piece %u", number);
}

/* CPU 1 is late: what it sends after the cut is older than what CPU 0 sent before it. */
Test(recorder, pieces_for_pairing_show_no_object_as_held_whose_free_is_in_the_other_piece)
{
	g_auto(Flight) flight = flight_new(9);

	feed_number(&flight, KMT_FIELD_HELD, 1);
	feed_number(&flight, KMT_FIELD_WINDOW_START_NS, 900 * MS);
	feed_event(&flight, 0, 1000 * MS, KMT_RECORD_ALLOC, 0x1000, 1);
	feed_event(&flight, 1, 1000 * MS, 0, 0, 0);
	feed_event(&flight, 0, 1500 * MS, KMT_RECORD_ALLOC, 0x2000, 2);
	feed_event(&flight, 0, 1600 * MS, KMT_RECORD_FREE, 0x3000, 3);
	rotate(&flight, 1700 * MS);
	cr_expect(not(recorder_is_due(flight.recorder, 1700 * MS)));
	/* The free of what CPU 0 allocated, and the allocation of what it freed. */
	feed_event(&flight, 1, 1590 * MS, KMT_RECORD_ALLOC, 0x3000, 1);
	feed_event(&flight, 1, 1650 * MS, KMT_RECORD_FREE, 0x2000, 2);
	feed_event(&flight, 0, 1800 * MS, 0, 0, 3);
	feed_event(&flight, 1, 1800 * MS, 0, 0, 2);
	cr_expect(recorder_is_due(flight.recorder, 1900 * MS));
	rotate(&flight, 1900 * MS);
	feed_event(&flight, 1, 1890 * MS, KMT_RECORD_ALLOC, 0x5000, 3);
	feed_event(&flight, 0, 2000 * MS, KMT_RECORD_FREE, 0x1000, 4);
	feed_event(&flight, 0, 2100 * MS, KMT_RECORD_ALLOC, 0x4000, 5);
	end_run(&flight, 2500 * MS);
	expect_held(&flight, 1, 3, 2);
	expect_held(&flight, 2, 1, 0);
}

Test(recorder, a_piece_that_cannot_be_created_leaves_the_open_one)
{
	g_auto(Flight) flight = flight_new(2);
	g_autofree char *second = piece_path(&flight, 2);

	feed_event(&flight, 0, 1000 * MS, KMT_RECORD_ALLOC, 0x1000, 1);
	/* As another program would. */
	cr_assert(g_file_set_contents(second, "mine", 4, NULL));
	rotate(&flight, 1001 * MS);
	cr_assert_not_null(recorder_problem(flight.recorder));
	cr_expect_not_null(strstr(recorder_problem(flight.recorder), "exists already"));
	cr_expect(not(recorder_is_due(flight.recorder, 1002 * MS)));
	feed_event(&flight, 0, 1500 * MS, KMT_RECORD_ALLOC, 0x2000, 2);
	end_run(&flight, 2000 * MS);
	{
		g_autoptr(Session) piece = read_piece(&flight, 1, false);

		cr_expect(eq(u64, profile_totals(piece->profile).events, 2));
	}
}

/* The thread that finds out ends when nobody asks for a problem any more. */
Test(recorder, an_oldest_piece_that_cannot_be_deleted_is_an_error_of_the_end)
{
	g_auto(Flight) flight = flight_new(2);
	g_autofree char *first = piece_path(&flight, 1);
	g_autoptr(GError) error = NULL;

	feed_event(&flight, 0, 1000 * MS, KMT_RECORD_ALLOC, 0x1000, 1);
	rotate(&flight, 1001 * MS);
	while (!has_piece(&flight, 1))
		g_usleep(1000);
	cr_assert(eq(int, unlink(first), 0));
	cr_assert(eq(int, mkdir(first, 0700), 0));
	feed_event(&flight, 0, 1500 * MS, KMT_RECORD_ALLOC, 0x2000, 2);
	rotate(&flight, 1501 * MS);
	cr_expect(not(recorder_close(flight.recorder, &error)));
	cr_assert_not_null(error);
	cr_expect_not_null(strstr(error->message, "the oldest piece cannot be deleted"));
	cr_expect(has_piece(&flight, 2));
	cr_expect(has_piece(&flight, 3), "the newest is complete");
}

Test(recorder, the_open_piece_of_a_killed_run_is_readable_from_its_start_on)
{
	g_auto(Flight) flight = flight_new(2);
	g_autoptr(Session) part = session_new(MEMORY_BYTES);

	feed_text(&flight, KMT_BATCH_SYMBOLS, 0, "ffffffff81000000 T first\n");
	feed_event(&flight, 0, 1000 * MS, KMT_RECORD_ALLOC, 0x1000, 1);
	rotate(&flight, 1001 * MS);
	cr_assert(input_read(recorder_part(flight.recorder), part, NULL));
	cr_expect(part->cut_short);
	cr_expect(symbol_store_has_symbols(part->symbols));
}

/* Returns how long the report of a piece says that it is. */
static uint64_t printed_length_ns(const Flight *flight, unsigned number)
{
	g_autoptr(Session) piece = read_piece(flight, number, false);
	g_autoptr(Facts) facts = facts_new(piece, true);

	return fact_number(facts, FACT_DURATION);
}

Test(recorder, the_lengths_of_the_pieces_add_up_to_that_of_the_run)
{
	g_auto(Flight) flight = flight_new(MANY);
	uint64_t sum_ns = 0;

	feed_number(&flight, KMT_FIELD_RUN_START_NS, 1000 * MS);
	feed_number(&flight, KMT_FIELD_WINDOW_START_NS, 1000 * MS);
	for (unsigned i = 1; i <= 3; i++) {
		feed_event(&flight, 0, (1000 + 100 * i - 20) * MS, KMT_RECORD_ALLOC, 0x1000, i);
		rotate(&flight, (1000 + 100 * i) * MS);
	}
	end_run(&flight, 1350 * MS);
	for (unsigned i = 1; i <= 4; i++)
		sum_ns += printed_length_ns(&flight, i);
	cr_expect(eq(u64, sum_ns, 350 * MS));
}

Test(recorder, a_piece_ends_by_its_size_or_its_time)
{
	g_auto(Flight) flight = flight_new(2);
	RecorderPlan plan = {
		.path = flight.path, .bytes_max = UINT64_MAX, .pieces = 2, .piece_ns = 1000 * MS
	};

	feed_event(&flight, 0, 1000 * MS, KMT_RECORD_ALLOC, 0x1000, 1);
	cr_expect(not(recorder_is_due(flight.recorder, 1001 * MS)), "nothing is written yet");
	rotate(&flight, 1001 * MS);
	cr_expect(not(recorder_is_due(flight.recorder, 1001 * MS)), "only the state is");
	recorder_free(flight.recorder);
	flight.recorder = recorder_new(&plan, flight.session, NULL);
	cr_expect(not(recorder_is_due(flight.recorder, 5000 * MS)));
	cr_expect(not(recorder_is_due(flight.recorder, 5999 * MS)));
	cr_expect(recorder_is_due(flight.recorder, 6000 * MS));
	/* A piece that ends late does not make the later ones late. */
	rotate(&flight, 6080 * MS);
	cr_expect(not(recorder_is_due(flight.recorder, 6999 * MS)));
	cr_expect(recorder_is_due(flight.recorder, 7000 * MS));
}
