/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a watch does about growth: a bounded recording of the cache, by another process of this
 * program (slabstack --held CACHE), its verdict, one line, and a pause for that cache. State: when
 * which cache was told of. The newest recordings are kept.
 */
#include "tools/watch.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "base/words.h"
#include "process/fork.h"
#include "tools/suite_child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum {
	PAUSE_SECONDS = 6 * 3600,      /* for a figure that was told of */
	PAUSE_UNJUDGED_SECONDS = 1800, /* ... if its recording was too short, or lost too much */
	PAUSE_OF_ALL_SECONDS = 5 * 60, /* between two recordings */
	RECORD_SECONDS = 30,
	RECORD_PERCENT_MAX = 5, /* of a CPU's time */
	RECORD_MEGABYTES_MAX = 32,
	RECORD_MEMORY_MEGABYTES = 128,
	RECORD_PATIENCE_SECONDS = 60, /* to start and to end, besides */
	RECORDINGS_KEPT = 8,
	TEXT_BYTES_MAX = 64 << 10,
	LOOK_EVERY_MS = 200,
};

struct WatchAlarm {
	const char *path;
	const sigset_t *signals;
	GHashTable *told;  /* (element-type utf8 double) by name: when */
	double recorded_s; /* when the last recording began */
	bool has_recorded;
};

WatchAlarm *watch_alarm_new(const char *path, const sigset_t *signals)
{
	WatchAlarm *alarm = g_new0(WatchAlarm, 1);

	alarm->path = path;
	alarm->signals = signals;
	alarm->told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return alarm;
}

void watch_alarm_free(WatchAlarm *alarm)
{
	if (!alarm)
		return;
	g_hash_table_unref(alarm->told);
	g_free(alarm);
}

/* The journal takes the level from the start of a line. */
void watch_say(bool is_warning, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_printerr("%s%s: %s\n",
		   !g_getenv("JOURNAL_STREAM") ? ""
		   : is_warning                ? "<4>"
					       : "<6>",
		   g_get_prgname(), text);
}

/* Recordings. */

/* Returns the start of the names of recordings: that of the watch's file without its ending. */
static char *stem_of(const WatchAlarm *alarm)
{
	gsize length = strlen(alarm->path);

	if (g_str_has_suffix(alarm->path, ".kmr"))
		length -= strlen(".kmr");
	return g_strndup(alarm->path, length);
}

/* Returns a name that sorts by time: "/var/lib/slabstack/watch-20261128T140310Z-kmalloc-64.kmr". */
static char *recording_path(const WatchAlarm *alarm, const char *cache)
{
	g_autofree char *stem = stem_of(alarm);
	g_autofree char *name = g_strdup(cache);
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *time = g_date_time_format(now, "%Y%m%dT%H%M%SZ");

	g_strcanon(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.", '_');
	return g_strdup_printf("%s-%s-%s.kmr", stem, time, name);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether a file's name is one that recording_path() makes, or was left by a killed run. */
static bool is_recording(const char *name, const char *stem)
{
	const char *time = name + strlen(stem) + 1;

	return g_str_has_prefix(name, stem) && name[strlen(stem)] == '-' &&
	       strspn(time, "0123456789T") == strlen("20261128T140310") &&
	       g_str_has_prefix(time + strlen("20261128T140310"), "Z-") &&
	       (g_str_has_suffix(name, ".kmr") || g_str_has_suffix(name, ".kmr.part"));
}

/* Removes the oldest recordings, so that there is room for one more. */
static void make_room(const WatchAlarm *alarm)
{
	g_autofree char *path = stem_of(alarm);
	g_autofree char *folder = g_path_get_dirname(path);
	g_autofree char *stem = g_path_get_basename(path);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
	const char *name;

	while (files && (name = g_dir_read_name(files)))
		if (is_recording(name, stem))
			g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, compare_names);
	for (guint i = 0; i + RECORDINGS_KEPT <= names->len; i++) {
		g_autofree char *file = g_build_filename(folder, names->pdata[i], NULL);

		g_unlink(file);
	}
}

/* The child. */

typedef struct {
	char *text;    /* owned: its report */
	char *problem; /* owned: why it failed; NULL: it did not */
	bool stopped;  /* a signal came */
} Recorded;

static char **arguments_of(const char *cache, const char *path)
{
	GPtrArray *words = g_ptr_array_new();

	words_add(words, "%s", g_get_prgname());
	words_add(words, "--held");
	words_add(words, "--quiet");
	words_add(words, "--duration=%d", RECORD_SECONDS);
	words_add(words, "--max-overhead=%d", RECORD_PERCENT_MAX);
	words_add(words, "--max-memory=%d", RECORD_MEMORY_MEGABYTES);
	words_add(words, "--record=%s", path);
	words_add(words, "--record-max=%dM", RECORD_MEGABYTES_MAX);
	words_add(words, "--sort=held-bytes");
	words_add(words, "--top=1");
	words_add(words, "%s", cache);
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}

/* Reads what the child writes until it ends, the time is over, or a signal comes. */
static void read_child(SuiteChild *child, const sigset_t *signals, Recorded *recorded)
{
	double end_s = (double)g_get_monotonic_time() / G_USEC_PER_SEC + RECORD_SECONDS +
		       RECORD_PATIENCE_SECONDS;
	GString *text = g_string_new(NULL);
	struct pollfd pipe = { .fd = suite_child_stdout(child), .events = POLLIN };
	char chunk[4096];
	ssize_t got = 1;

	while (got && (double)g_get_monotonic_time() / G_USEC_PER_SEC < end_s) {
		recorded->stopped = watch_wait(0.001, signals);
		if (recorded->stopped)
			break;
		if (poll(&pipe, 1, LOOK_EVERY_MS) <= 0)
			continue;
		got = read(pipe.fd, chunk, sizeof(chunk));
		if (got > 0 && text->len < TEXT_BYTES_MAX)
			g_string_append_len(text, chunk, got);
		else if (got < 0)
			got = errno == EINTR;
	}
	recorded->text = g_string_free(text, FALSE);
}

static Recorded record_cache(const WatchAlarm *alarm, const char *cache, const char *path)
{
	const SuiteRequest request = { 0 };
	g_auto(GStrv) arguments = arguments_of(cache, path);
	g_autoptr(SuiteChild) child = NULL;
	g_autoptr(GError) error = NULL;
	Recorded recorded = { 0 };

	child = suite_child_start(&request, arguments, true, &error);
	if (!child) {
		recorded.text = g_strdup("");
		recorded.problem = g_strdup(error->message);
		return recorded;
	}
	read_child(child, alarm->signals, &recorded);
	if (!suite_child_wait(child, 1000 * !recorded.stopped))
		suite_child_interrupt(child);
	if (suite_child_wait(child, RECORD_PATIENCE_SECONDS * 100))
		recorded.problem = suite_child_problem(child);
	else
		recorded.problem = g_strdup("it did not end in time");
	return recorded;
}

/* The line. */

#define VERDICT "Verdict: "
#define VERDICT_MORE "         " /* a sentence is wrapped */

char *watch_finding(const char *report)
{
	g_auto(GStrv) lines = g_strsplit(report, "\n", -1);
	GString *finding = g_string_new(NULL);
	char **at = lines;

	while (*at && !g_str_has_prefix(*at, VERDICT))
		at++;
	for (bool is_first = true; *at && (is_first || g_str_has_prefix(*at, VERDICT_MORE)); at++) {
		g_string_append_printf(finding, "%s%s", is_first ? "" : " ", g_strchug(*at));
		is_first = false;
	}
	if (finding->len)
		return g_string_free(finding, FALSE);
	for (at = lines; *at && !g_str_has_prefix(*at, "Number of ");)
		at++;
	if (*at && at[1])
		g_string_append(finding, g_strdelimit(at[1], "\t", ' '));
	return g_string_free(finding, FALSE);
}

static void append_growth(GString *line, const GrowthFound *found, double now_s)
{
	double since_s = now_s - found->since_s;
	uint64_t realtime_ns = clock_ns(CLOCK_REALTIME);

	escape_append(line, found->name);
	g_string_append(line, " grows by ");
	append_amount(line, (uint64_t)MAX(found->line.bytes_per_second * 60, 0), true);
	g_string_append(line, " a minute since ");
	append_time(line, realtime_ns - (uint64_t)(MAX(since_s, 0) * NS_PER_SECOND));
	g_string_append(line, ", to ");
	append_amount(line, (uint64_t)MAX(found->to_bytes, 0), true);
}

static void pause_figure(WatchAlarm *alarm, const char *name, double told_s)
{
	g_hash_table_replace(alarm->told, g_strdup(name), g_memdup(&told_s, sizeof(told_s)));
}

/* Returns whether the watch goes on. */
static bool tell_of_cache(WatchAlarm *alarm, const GrowthFound *found, double now_s)
{
	g_autofree char *path = recording_path(alarm, found->name);
	g_autoptr(GString) line = g_string_new(NULL);
	g_autofree char *finding = NULL;
	Recorded recorded;

	append_growth(line, found, now_s);
	make_room(alarm);
	recorded = record_cache(alarm, found->name, path);
	if (recorded.problem)
		g_string_append_printf(line, "; it was not recorded: %s", recorded.problem);
	finding = watch_finding(recorded.text);
	if (g_str_has_prefix(finding, VERDICT "none."))
		pause_figure(alarm, found->name, now_s - PAUSE_SECONDS + PAUSE_UNJUDGED_SECONDS);
	/* The line goes on. */
	if (g_str_has_suffix(finding, "."))
		finding[strlen(finding) - 1] = '\0';
	if (*finding)
		g_string_append_printf(line, "; %s", finding);
	if (!access(path, F_OK))
		g_string_append_printf(line, "; see slabstack --held -i %s", path);
	watch_say(true, "%s", line->str);
	g_free(recorded.text);
	g_free(recorded.problem);
	return !recorded.stopped;
}

static void tell_of_rest(const GrowthFound *found, double now_s)
{
	g_autoptr(GString) line = g_string_new(NULL);

	append_growth(line, found, now_s);
	watch_say(true, "%s; find it with kmalloc-top --held --events=page -d 30", line->str);
}

/* Whether a figure, or any, was told of a short time ago. */
static bool is_paused(const WatchAlarm *alarm, const char *name, double now_s)
{
	const double *told_s = g_hash_table_lookup(alarm->told, name);

	if (alarm->has_recorded && now_s - alarm->recorded_s < PAUSE_OF_ALL_SECONDS)
		return true;
	return told_s && now_s - *told_s < PAUSE_SECONDS;
}

bool watch_alarm_tell(WatchAlarm *alarm, const GArray *found, double now_s)
{
	for (guint i = 0; i < found->len; i++) {
		const GrowthFound *one = &g_array_index(found, GrowthFound, i);

		if (is_paused(alarm, one->name, now_s))
			continue;
		pause_figure(alarm, one->name, now_s);
		if (g_str_equal(one->name, WATCH_NO_COUNTER)) {
			tell_of_rest(one, now_s);
			continue;
		}
		alarm->recorded_s = now_s;
		alarm->has_recorded = true;
		return tell_of_cache(alarm, one, now_s);
	}
	return true;
}
