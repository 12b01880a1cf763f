/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/history.h"

#include "base/clock.h"
#include "fake_host.h"
#include "leaks.h"
#include "made_session.h"
#include "record/batch_writer.h"
#include "record/format.h"
#include "record/history_file.h"
#include "record/recording.h"
#include "session/session.h"
#include "session/watch_log.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(history);

enum { PLENTY = 64 << 20, MINUTE_S = 60 };

static const HistoryBound wide = { 1000, 64 << 20 };

static TextPart part_of(const char *text)
{
	return (TextPart){ text, strlen(text) };
}

/* Expects the text that a state has after a stream's changes. */
static void expect_text(const HistoryLines *lines, uint8_t kind, const char *wanted)
{
	GString *text = history_lines_text(lines, kind);

	cr_assert_not_null(text);
	cr_expect_str_eq(text->str, wanted, "%s", text->str);
	g_string_free(text, TRUE);
}

static char *changes_as_text(const HistoryLines *changes)
{
	g_autoptr(GByteArray) out = g_byte_array_new();
	const uint8_t *text;
	guint at;

	history_lines_write(changes, out, 0);
	if (!out->len)
		return g_strdup("");
	at = sizeof(struct KmtBatchHeader) + sizeof(struct KmtText);
	text = out->data + at;
	return g_strndup((const char *)text, out->len - at - sizeof(struct KmtBatchTrailer));
}

static void expect_changes(HistoryLines *state, uint8_t kind, const char *text, const char *wanted)
{
	g_autoptr(HistoryLines) changes = history_lines_new();
	g_autofree char *written = NULL;

	history_lines_compare(state, kind, part_of(text), changes);
	written = changes_as_text(changes);
	cr_expect_str_eq(written, wanted, "%s", written);
	history_lines_add(state, changes);
}

#define BEHIND " : tunables 0 0 0 : slabdata 0 3 0\n"

Test(history, only_lines_that_changed_are_written)
{
	g_autoptr(HistoryLines) state = history_lines_new();

	expect_changes(state, KMT_BATCH_MEMORY, "free_bytes 5\nslab_bytes 6\n",
		       "0 free_bytes 5\n1 slab_bytes 6\n");
	expect_changes(state, KMT_BATCH_MEMORY, "free_bytes 5\nslab_bytes 7\n", "1 slab_bytes 7\n");
	expect_changes(state, KMT_BATCH_MEMORY, "slab_bytes 7\nfree_bytes 5\n", "");
	expect_text(state, KMT_BATCH_MEMORY, "free_bytes 5\nslab_bytes 7\n");
}

/* Names may have blanks. Our lines about sheaves are only in the readings of names. */
Test(history, caches_come_and_go)
{
	g_autoptr(HistoryLines) state = history_lines_new();

	expect_changes(state, KMT_BATCH_SLABINFO,
		       "my cache 1 2 3 4 5" BEHIND "dentry 1 2 3 4 5" BEHIND
		       "# sheaves: 9 dentry\n",
		       "0 my cache 1 2 3 4 5" BEHIND "1 dentry 1 2 3 4 5" BEHIND
		       "2 # sheaves: 9 dentry\n");
	expect_changes(state, KMT_BATCH_SLABINFO, "dentry 1 2 3 4 5" BEHIND, "0 \n");
	expect_changes(state, KMT_BATCH_SLABINFO, "filp 7 7 3 4 5" BEHIND "dentry 2 2 3 4 5" BEHIND,
		       "0 filp 7 7 3 4 5" BEHIND "1 dentry 2 2 3 4 5" BEHIND);
	expect_text(state, KMT_BATCH_SLABINFO,
		    "filp 7 7 3 4 5" BEHIND "dentry 2 2 3 4 5" BEHIND "# sheaves: 9 dentry\n");
}

Test(history, a_damaged_text_changes_nothing_else)
{
	g_autoptr(HistoryLines) state = history_lines_new();

	history_lines_apply(state, KMT_BATCH_MEMORY,
			    part_of("0 free_bytes 1\nx free_bytes 2\n99999999 a 1\n-1 b\n\n7\n"));
	expect_text(state, KMT_BATCH_MEMORY, "free_bytes 1\n");
}

/* Readings of a made host. */

/* Returns the changes up to a reading: the number of objects is that of the minute. */
static HistoryLines *reading_of(const HistoryLines *state, int minute, const char *boot)
{
	HistoryLines *changes = history_lines_new();
	g_autofree char *facts =
		g_strdup_printf(HISTORY_REALTIME " %" G_GUINT64_FORMAT "\n" HISTORY_BOOT " %s\n",
				(uint64_t)(1000000 + minute * MINUTE_S) * NS_PER_SECOND, boot);
	g_autofree char *slabs = g_strdup_printf(
		"dentry %d 99 192 21 1" BEHIND "filp %d 99 256 16 1" BEHIND, minute, minute / 100);

	history_lines_compare(state, KMT_BATCH_INFO, part_of(facts), changes);
	history_lines_compare(state, KMT_BATCH_SLABINFO, part_of(slabs), changes);
	return changes;
}

static bool add_minute(HistoryFile *file, int minute, const char *boot, GError **error)
{
	g_autoptr(HistoryLines) changes = reading_of(history_file_state(file), minute, boot);

	return history_file_add(file, changes, (uint64_t)(minute + 1) * MINUTE_S * NS_PER_SECOND,
				error);
}

static HistoryFile *file_open(const char *path, HistoryBound bound)
{
	g_autoptr(GByteArray) facts = g_byte_array_new();
	const InfoField fields[] = { { KMT_FIELD_PAGE_BYTES, 4096, NULL } };
	g_autoptr(GError) error = NULL;
	HistoryFile *file;

	batch_write_info(facts, fields, G_N_ELEMENTS(fields));
	file = history_file_open(path, bound, facts, &error);
	cr_assert_not_null(file, "%s", error ? error->message : "");
	return file;
}

static void add_minutes(HistoryFile *file, int from, int to)
{
	g_autoptr(GError) error = NULL;

	for (int minute = from; minute < to; minute++)
		cr_assert(add_minute(file, minute, "boot-1", &error), "%s",
			  error ? error->message : "");
}

typedef struct {
	GArray *minutes; /* (element-type int): by the clock on the wall */
	GArray *times;   /* (element-type HistoryTime) */
} Seen;

/* Each reading has the numbers of its minute, whatever was left out before it. */
static void see(const HistoryTime *time, const HistoryLines *changes, const HistoryLines *state,
		void *user_data)
{
	Seen *seen = user_data;
	int minute = (int)(time->realtime_ns / NS_PER_SECOND - 1000000) / MINUTE_S;
	g_autofree char *wanted = g_strdup_printf(
		"dentry %d 99 192 21 1" BEHIND "filp %d 99 256 16 1" BEHIND, minute, minute / 100);

	(void)changes;
	expect_text(state, KMT_BATCH_SLABINFO, wanted);
	g_array_append_val(seen->minutes, minute);
	g_array_append_val(seen->times, *time);
}

/* A RecordingSink. */
static void feed_session(const void *bytes, size_t length, void *session)
{
	session_feed(session, bytes, length);
}

static Session *read_file(const char *path)
{
	Session *session = session_new(PLENTY);
	g_autoptr(GError) error = NULL;
	g_autofree char *bytes = NULL;
	gsize length;
	g_autoptr(RecordingReader) reader = NULL;

	cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
	if (recording_recognises(bytes, length)) {
		reader = recording_reader_new(feed_session, session, &error);
		recording_reader_feed(reader, bytes, length);
	} else {
		session_feed(session, bytes, length);
	}
	session_finish(session);
	return session;
}

static Seen see_file(const char *path)
{
	Seen seen = { g_array_new(FALSE, FALSE, sizeof(int)),
		      g_array_new(FALSE, FALSE, sizeof(HistoryTime)) };
	g_autoptr(Session) session = read_file(path);

	if (session->watch)
		watch_log_visit(session->watch, see, &seen);
	return seen;
}

static void seen_clear(Seen *seen)
{
	g_array_unref(seen->minutes);
	g_array_unref(seen->times);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Seen, seen_clear)

static int minute_at(const Seen *seen, guint index)
{
	return g_array_index(seen->minutes, int, index);
}

static uint64_t bytes_of(const char *path)
{
	struct stat status;

	cr_assert_eq(stat(path, &status), 0);
	return (uint64_t)status.st_size;
}

Test(history, a_file_has_all_its_readings)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autoptr(HistoryFile) file = file_open(path, wide);
	g_auto(Seen) seen = { 0 };

	add_minutes(file, 0, 500);
	seen = see_file(path);
	cr_assert_eq(seen.minutes->len, 500);
	for (guint i = 0; i < 500; i++)
		cr_expect_eq(minute_at(&seen, i), (int)i);
}

Test(history, a_file_keeps_its_bound_and_thins_the_oldest)
{
	const HistoryBound narrow = { 200, 64 << 20 };
	enum { MINUTES = 5000, GAP_MAX = 150 };
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autoptr(HistoryFile) file = file_open(path, narrow);
	g_auto(Seen) seen = { 0 };
	guint newest = 0;

	add_minutes(file, 0, MINUTES);
	seen = see_file(path);
	cr_expect(seen.minutes->len >= 150 && seen.minutes->len <= 200, "%u", seen.minutes->len);
	cr_expect_eq(seen.minutes->len, history_file_readings(file));
	/* The first reading is still there, the last ones are whole, and no gap is wide. */
	cr_expect_eq(minute_at(&seen, 0), 0);
	for (guint i = 1; i < seen.minutes->len; i++) {
		int gap = minute_at(&seen, i) - minute_at(&seen, i - 1);

		cr_expect(gap >= 1 && gap <= GAP_MAX, "%d before minute %d", gap,
			  minute_at(&seen, i));
		newest += minute_at(&seen, i) >= MINUTES - 10;
	}
	cr_expect_eq(newest, 10);
}

Test(history, a_file_has_no_more_bytes_than_its_bound)
{
	const HistoryBound small = { 100000, 60000 };
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autoptr(HistoryFile) file = file_open(path, small);
	uint64_t most = 0;

	for (int minute = 0; minute < 3000; minute++) {
		add_minutes(file, minute, minute + 1);
		most = MAX(most, bytes_of(path));
	}
	cr_expect(lt(u64, most, 61000));
	cr_expect(lt(u32, 100, history_file_readings(file)));
}

Test(history, a_file_goes_on_after_a_restart_and_a_torn_end)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	HistoryFile *file = file_open(path, wide);
	g_auto(Seen) seen = { 0 };

	add_minutes(file, 0, 20);
	history_file_free(file);
	cr_assert_eq(truncate(path, (off_t)bytes_of(path) - 5), 0);
	fake_host_write(root, "watch.kmr.part", "left by a crash");
	file = file_open(path, wide);
	cr_expect_geq(history_file_readings(file), 19);
	add_minutes(file, 30, 40);
	history_file_free(file);
	seen = see_file(path);
	cr_expect_geq(seen.minutes->len, 29);
	cr_expect_eq(minute_at(&seen, seen.minutes->len - 1), 39);
}

Test(history, a_file_that_is_written_or_of_another_kind_is_refused)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autofree char *other = g_build_filename(root, "other", NULL);
	g_autofree char *text = NULL;
	g_autoptr(HistoryFile) file = file_open(path, wide);
	g_autoptr(GByteArray) facts = g_byte_array_new();
	g_autoptr(GError) busy = NULL;
	g_autoptr(GError) foreign = NULL;

	add_minutes(file, 0, 2);
	cr_expect_null(history_file_open(path, wide, facts, &busy));
	cr_expect_not_null(strstr(busy->message, "another watch writes it"), "%s", busy->message);
	fake_host_write(root, "other", "a letter");
	cr_expect_null(history_file_open(other, wide, facts, &foreign));
	cr_expect_not_null(strstr(foreign->message, "not the recording of a watch"), "%s",
			   foreign->message);
	text = fake_host_read(root, "other");
	cr_expect_str_eq(text, "a letter");
}

Test(history, what_a_full_disk_refused_comes_with_the_next_reading)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autoptr(HistoryFile) file = file_open(path, wide);
	struct rlimit none, all;
	g_autoptr(GError) error = NULL;
	g_auto(Seen) seen = { 0 };

	add_minutes(file, 0, 5);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &all);
	none = (struct rlimit){ bytes_of(path) + 10, all.rlim_max };
	setrlimit(RLIMIT_FSIZE, &none);
	cr_expect_not(add_minute(file, 250, "boot-1", &error));
	setrlimit(RLIMIT_FSIZE, &all);
	cr_assert_not_null(error);
	cr_expect_eq(bytes_of(path), (uint64_t)none.rlim_cur - 10);
	add_minutes(file, 251, 253);
	seen = see_file(path);
	cr_assert_eq(seen.minutes->len, 7);
	cr_expect_eq(minute_at(&seen, 6), 252);
}

/* A boot starts its clock anew; somebody may set back that on the wall. */
Test(history, the_axis_goes_on_over_boots_and_changes_of_the_clock)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autoptr(HistoryFile) file = file_open(path, wide);
	static const struct {
		int minute;
		int clock;
		const char *boot;
		int wanted; /* minutes on the axis */
		unsigned wanted_boot;
	} readings[] = {
		{ 100, 50, "a", 0, 0 }, { 101, 51, "a", 1, 0 }, { 40, 52, "a", 2, 0 },
		{ 41, 53, "a", 3, 0 },  { 61, 1, "b", 23, 1 },  { 62, 2, "b", 24, 1 },
	};
	g_auto(Seen) seen = { 0 };

	for (gsize i = 0; i < G_N_ELEMENTS(readings); i++) {
		g_autoptr(HistoryLines) changes =
			reading_of(history_file_state(file), readings[i].minute, readings[i].boot);

		bool is_added = history_file_add(
			file, changes, (uint64_t)readings[i].clock * MINUTE_S * NS_PER_SECOND,
			NULL);

		cr_assert(is_added);
	}
	seen = see_file(path);
	cr_assert_eq(seen.times->len, G_N_ELEMENTS(readings));
	for (gsize i = 0; i < G_N_ELEMENTS(readings); i++) {
		const HistoryTime *time = &g_array_index(seen.times, HistoryTime, i);
		const HistoryTime *first = &g_array_index(seen.times, HistoryTime, 0);

		uint64_t minutes = (time->at_ns - first->at_ns) / NS_PER_SECOND / MINUTE_S;

		cr_expect(eq(u64, minutes, (uint64_t)readings[i].wanted));
		cr_expect(eq(uint, time->boot, readings[i].wanted_boot));
	}
}

/* Returns the text of a reading of the overview. */
static const char *slabs_of(const Session *session, uint32_t reading)
{
	return run_text_of(session->text, KMT_BATCH_SLABINFO, reading)->str;
}

Test(history, a_session_compares_the_ends_of_the_newest_boot)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autoptr(HistoryFile) file = file_open(path, wide);
	g_autoptr(Session) session = NULL;
	WatchSpan span;

	add_minutes(file, 0, 10);
	for (int minute = 20; minute < 25; minute++)
		cr_assert(add_minute(file, minute, "boot-2", NULL));
	session = read_file(path);
	cr_expect(g_str_has_prefix(slabs_of(session, KMT_READING_START), "dentry 20 "));
	cr_expect(g_str_has_prefix(slabs_of(session, KMT_READING_END), "dentry 24 "));
	span = watch_log_span(session->watch);
	cr_expect_eq(span.readings, 15);
	cr_expect_eq(span.last.boot, 1);
	cr_expect_eq(run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END) -
			     run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_START),
		     4ULL * MINUTE_S * NS_PER_SECOND);
}

Test(history, four_weeks_of_minutes_stay_dense_where_they_are_new)
{
	enum { MINUTES = 4 * 7 * 24 * 60, KEPT = 1500 };
	g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(GArray) stays = NULL;
	guint of_last_hour = 0, of_first_week = 0, kept = 0;

	for (guint i = 0; i < MINUTES / 10; i++) {
		uint64_t at_ns = (uint64_t)i * 10 * MINUTE_S * NS_PER_SECOND;

		g_array_append_val(times, at_ns);
	}
	stays = history_choose(times, KEPT);
	for (guint i = 0; i < stays->len; i++) {
		if (!g_array_index(stays, bool, i))
			continue;
		kept++;
		of_first_week += i < stays->len / 4;
		of_last_hour += i >= stays->len - 6;
	}
	cr_expect_eq(kept, KEPT);
	cr_expect_eq(g_array_index(stays, bool, 0), true);
	cr_expect_eq(g_array_index(stays, bool, stays->len - 1), true);
	cr_expect_eq(of_last_hour, 6);
	cr_expect(of_first_week > 150, "%u", of_first_week);
}
