/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/watch_charts.h"

#include "base/clock.h"
#include "fake_host.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "record/format.h"
#include "record/history_file.h"
#include "record/recording.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(watch_charts);

enum { READINGS = 1000, MINUTE_S = 60, PAGE_BYTES = 4096, LARGE_CACHES = 30, LATE = 500 };

static TextPart part_of(const GString *text)
{
	return (TextPart){ text->str, text->len };
}

/* A cache whose slabs are so many pages. */
static void append_cache(GString *text, const char *name, int number, int slabs)
{
	g_string_append_printf(text, "%s%d %d %d 4096 1 1 : tunables 0 0 0 : slabdata %d %d 0\n",
			       name, number, slabs, slabs, slabs, slabs);
}

/* Large caches that stay, a small one that grows by a page a minute, and one that comes late. */
static void add_minute(HistoryFile *file, int minute)
{
	g_autoptr(HistoryLines) changes = history_lines_new();
	g_autoptr(GString) slabs = g_string_new(NULL);
	g_autoptr(GString) memory = g_string_new(NULL);
	g_autoptr(GString) facts = g_string_new(NULL);
	const HistoryLines *state = history_file_state(file);

	for (int i = 0; i < LARGE_CACHES; i++)
		append_cache(slabs, "large-", i, 5000 + i);
	append_cache(slabs, "leak-", 0, 1 + minute);
	if (minute >= LATE)
		append_cache(slabs, "late-", 0, 9000);
	g_string_printf(memory, "total_bytes 1000000000\nfree_bytes %d\n", 500000000 - minute);
	g_string_printf(facts, HISTORY_REALTIME " %" G_GUINT64_FORMAT "\n" HISTORY_BOOT " one\n",
			(uint64_t)(1000000 + minute * MINUTE_S) * NS_PER_SECOND);
	history_lines_compare(state, KMT_BATCH_INFO, part_of(facts), changes);
	history_lines_compare(state, KMT_BATCH_SLABINFO, part_of(slabs), changes);
	history_lines_compare(state, KMT_BATCH_MEMORY, part_of(memory), changes);
	cr_assert(history_file_add(file, changes, (uint64_t)(minute + 1) * MINUTE_S * NS_PER_SECOND,
				   NULL));
}

/* A RecordingSink. */
static void feed_session(const void *bytes, size_t length, void *session)
{
	session_feed(session, bytes, length);
}

static Session *session_of(const char *path)
{
	Session *session = session_new(64 << 20);
	g_autoptr(RecordingReader) reader = NULL;
	g_autofree char *bytes = NULL;
	gsize length;

	cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
	if (recording_recognises(bytes, length)) {
		reader = recording_reader_new(feed_session, session, NULL);
		recording_reader_feed(reader, bytes, length);
	} else {
		session_feed(session, bytes, length);
	}
	session_finish(session);
	return session;
}

static const WatchSeries *series_of(const WatchChart *chart, const char *name)
{
	for (guint i = 0; i < chart->series->len; i++) {
		const WatchSeries *series = chart->series->pdata[i];

		if (g_str_equal(series->name, name))
			return series;
	}
	return NULL;
}

static double value_at(const WatchSeries *series, guint index)
{
	return g_array_index(series->values, double, index);
}

Test(watch_charts, series_are_the_largest_and_those_that_grow)
{
	static const HistoryBound wide = { 2 * READINGS, 64 << 20 };
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *path = g_build_filename(root, "watch.kmr", NULL);
	g_autoptr(GByteArray) facts = g_byte_array_new();
	const InfoField page_bytes = { KMT_FIELD_PAGE_BYTES, PAGE_BYTES, NULL };
	HistoryFile *file;
	const WatchSeries *leak, *late, *free_memory;

	batch_write_info(facts, &page_bytes, 1);
	file = history_file_open(path, wide, facts, NULL);
	cr_assert_not_null(file);
	for (int minute = 0; minute < READINGS; minute++)
		add_minute(file, minute);
	history_file_free(file);
	g_autoptr(Session) session = session_of(path);
	cr_assert_not_null(session->watch);
	g_autoptr(WatchCharts) charts = watch_charts_new(session->watch, PAGE_BYTES);
	const WatchChart *caches = &charts->charts[WATCH_CACHES];
	guint last = charts->times->len - 1;

	cr_assert(charts->times->len > WATCH_POINTS / 2 && charts->times->len <= WATCH_POINTS + 1,
		  "%u", charts->times->len);
	cr_expect(eq(u32, caches->series->len, 2 * WATCH_SERIES));
	for (guint i = 0; i < caches->series->len; i++)
		cr_expect(eq(u32, ((WatchSeries *)caches->series->pdata[i])->values->len,
			     charts->times->len));
	leak = series_of(caches, "leak-0");
	late = series_of(caches, "late-0");
	cr_assert(leak && late);
	cr_expect(value_at(leak, last) == (double)READINGS * PAGE_BYTES);
	cr_expect(value_at(leak, 0) < 4.0 * PAGE_BYTES);
	cr_expect(isnan(value_at(late, 0)) && value_at(late, last) == 9000.0 * PAGE_BYTES);
	free_memory = series_of(&charts->charts[WATCH_BALANCE], "free");
	cr_assert_not_null(free_memory);
	cr_expect(value_at(free_memory, last) == 500000000 - (READINGS - 1));
}
