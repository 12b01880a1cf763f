/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows mappings for any collector: records and scans become lines of the stream, and files of
 * new objects are opened. At the end of a run it has the places of user stacks named. Data: lines
 * that were not written yet, and processes that are ending.
 */
#include "collect/perf/user_watch.h"

#include "record/format.h"
#include "base/clock.h"
#include "code/elf/user_resolve.h"
#include "record/batch_writer.h"
#include "code/user/user_map_line.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OBJECT_FILES_MAX = 4096,
	OTHER_FILES = 256, /* that the program opens later: recordings, sockets of children */
	LINES_BYTES_MAX = 1 << 20,
	ENDS_LOOKED_AT = 64, /* at a time: anybody can make many such processes */
};

struct UserWatch {
	LiveRun *live;
	GString *lines;     /* taken */
	GString *written;   /* by the last user_watch_write() */
	ObjectFiles *files; /* programs and libraries in user stacks */
	/* (element-type guint32): processes whose first thread has ended, but not all others */
	GArray *ending;
	guint ends_at; /* where to look next */
	bool with_data;
	char *problems; /* that were printed; NULL: none */
};

/* Returns how many files of objects may be open, after making room for them. The unwinder has a
   second descriptor of each. */
static unsigned room_for_files(void)
{
	int first_free = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	rlim_t used = (rlim_t)MAX(first_free, 0) + OTHER_FILES;
	struct rlimit limit;

	if (first_free >= 0)
		close(first_free);
	if (first_free < 0 || getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	limit.rlim_cur = MAX(limit.rlim_cur, MIN(used + 2 * OBJECT_FILES_MAX, limit.rlim_max));
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur <= used)
		return 0;
	return (unsigned)MIN((limit.rlim_cur - used) / 2, (rlim_t)OBJECT_FILES_MAX);
}

UserWatch *user_watch_new(LiveRun *live, bool with_data)
{
	UserWatch *watch = g_new0(UserWatch, 1);

	watch->live = live;
	watch->with_data = with_data;
	watch->lines = g_string_new(NULL);
	watch->written = g_string_new(NULL);
	watch->ending = g_array_new(FALSE, FALSE, sizeof(guint32));
	watch->files = object_files_new(live->parts.session->user_objects, "", room_for_files());
	return watch;
}

void user_watch_free(UserWatch *watch)
{
	if (!watch)
		return;
	object_files_free(watch->files);
	g_free(watch->problems);
	g_string_free(watch->lines, TRUE);
	g_string_free(watch->written, TRUE);
	g_array_unref(watch->ending);
	g_free(watch);
}

void user_watch_take_mapping(UserWatch *watch, const struct perf_event_header *record,
			     int64_t clock_offset_ns)
{
	PerfMapRecord map;
	UserMapLine line = { .type = USER_MAP_MAPPED };

	if (!perf_map_record_parse(record, record + 1, record->size - sizeof(*record), &map) ||
	    !(map.is_executable || watch->with_data))
		return;
	line.time_ns = map.time_ns + (uint64_t)clock_offset_ns;
	line.tgid = map.tgid;
	line.start = map.start;
	line.length = map.bytes;
	line.file_offset = map.file_offset;
	line.file.build_id_bytes = map.build_id_bytes;
	memcpy(line.file.build_id, map.build_id, map.build_id_bytes);
	line.file.major = map.major;
	line.file.minor = map.minor;
	line.file.inode = map.inode;
	line.file.generation = map.generation;
	line.path = (TextPart){ map.path, strlen(map.path) };
	user_map_line_append(watch->lines, &line);
}

/* Returns whether it is of a whole process, and its line. */
static bool line_of(const struct PerfTaskRecord *record, UserMapLine *line)
{
	*line = (UserMapLine){ .time_ns = record->time_ns, .tgid = record->tgid };
	switch (record->kind) {
	case PERF_TASK_COMM:
		line->type = USER_MAP_EXECUTED;
		return record->is_exec;
	case PERF_TASK_FORK:
		line->type = USER_MAP_FORKED;
		line->parent_tgid = record->parent_tgid;
		return record->tgid != record->parent_tgid;
	case PERF_TASK_EXIT:
		line->type = USER_MAP_ENDED;
		return record->tgid == record->tid;
	default:
		return false;
	}
}

/* Whether the process still has other threads than its first one, which has ended: each one is a
   link of the folder of threads, beside the three that every such folder has. */
static bool has_other_threads(uint32_t tgid)
{
	enum { LINKS_OF_ONE_THREAD = 3 };
	g_autofree char *folder = g_strdup_printf("/proc/%u/task", tgid);
	struct stat status;

	return !stat(folder, &status) && status.st_nlink > LINKS_OF_ONE_THREAD;
}

/* The mappings of a process are needed until its last thread ends. */
void user_watch_take_task(UserWatch *watch, const struct PerfTaskRecord *record)
{
	UserMapLine line;

	if (!line_of(record, &line))
		return;
	if (line.type == USER_MAP_ENDED && has_other_threads(line.tgid)) {
		g_array_append_val(watch->ending, line.tgid);
		return;
	}
	for (guint i = watch->ending->len; i-- > 0;)
		if (g_array_index(watch->ending, guint32, i) == line.tgid)
			g_array_remove_index_fast(watch->ending, i);
	user_map_line_append(watch->lines, &line);
}

/* Takes the ends of processes whose first thread ended before the others. */
static void take_late_ends(UserWatch *watch)
{
	GArray *ending = watch->ending;

	for (guint i = 0; i < ENDS_LOOKED_AT && ending->len; i++) {
		guint at = watch->ends_at++ % ending->len;
		UserMapLine line = { .type = USER_MAP_ENDED, .time_ns = clock_monotonic_ns() };
		g_autofree char *folder = NULL;

		line.tgid = g_array_index(ending, guint32, at);
		folder = g_strdup_printf("/proc/%u", line.tgid);
		if (!access(folder, F_OK))
			continue;
		user_map_line_append(watch->lines, &line);
		g_array_remove_index_fast(ending, at);
	}
}

/* What a scan does with the lines. */
typedef struct {
	UserWatch *watch;
	void (*write)(void *user_data);
	void *user_data;
} Scan;

/* A FileOpenerTaker. */
static void take_lines(const char *lines, size_t bytes, void *user_data)
{
	const Scan *scan = user_data;

	g_string_append_len(scan->watch->lines, lines, (gssize)bytes);
	if (scan->watch->lines->len >= LINES_BYTES_MAX)
		scan->write(scan->user_data);
}

void user_watch_scan(UserWatch *watch, uint64_t since_ns, void (*write)(void *user_data),
		     void *user_data)
{
	Scan scan = { watch, write, user_data };

	file_opener_scan(object_files_opener(watch->files), since_ns, watch->with_data, take_lines,
			 &scan);
}

TextPart user_watch_write(UserWatch *watch)
{
	GString *lines = watch->lines;

	take_late_ends(watch);
	watch->lines = watch->written;
	watch->written = lines;
	g_string_truncate(watch->lines, 0);
	if (!lines->len)
		return (TextPart){ lines->str, 0 };
	batch_write_text(watch->live->batches, KMT_BATCH_MAPS, 0, lines->str, lines->len);
	live_run_feed(watch->live);
	object_files_see_lines(watch->files, (TextPart){ lines->str, lines->len });
	return (TextPart){ lines->str, lines->len };
}

/* Returns all places of user stacks, callers at the call before their return address. */
static GArray *places_of(const Profile *profile)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(UserPlace));
	uint32_t stacks = stack_table_count(profile_stacks(profile));
	UserPlace stack[KMT_STACK_DEPTH_MAX];

	for (StackId id = 0; id < stacks; id++) {
		uint32_t count = profile_stack_places(profile, id, stack);

		for (uint32_t i = 1; i < count; i++)
			stack[i].offset--;
		g_array_append_vals(places, stack, count);
	}
	return places;
}

/* Says what has no names, once. */
static void write_problems(UserWatch *watch)
{
	g_autofree char *problems = object_files_problems(watch->files);

	if (!problems || !g_strcmp0(problems, watch->problems))
		return;
	g_printerr("%s: user stacks: %s\n", g_get_prgname(), problems);
	run_facts_write_text(watch->live->batches, KMT_FIELD_USER_NAMES_MISSING, problems);
	live_run_feed(watch->live);
	g_free(watch->problems);
	watch->problems = g_steal_pointer(&problems);
}

void user_watch_name(UserWatch *watch)
{
	const Session *session = watch->live->parts.session;
	g_autoptr(GArray) places = places_of(session->profile);
	g_autoptr(GString) lines = g_string_new(NULL);

	user_resolve(lines, session->user_objects, watch->files,
		     (const UserPlace *)(const void *)places->data, places->len);
	write_problems(watch);
	if (!lines->len)
		return;
	batch_write_text(watch->live->batches, KMT_BATCH_USER_SYMBOLS, 0, lines->str, lines->len);
	live_run_feed(watch->live);
}

FileOpener *user_watch_opener(const UserWatch *watch)
{
	return object_files_opener(watch->files);
}

const ObjectFiles *user_watch_files(const UserWatch *watch)
{
	return watch->files;
}
