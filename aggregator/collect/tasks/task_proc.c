/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of a task. From /proc, read with fixed buffers: name, parent, threads, start
 * time. The cgroup of its process, by the mounted hierarchies, which are read once; ids of cgroups
 * are those of the kernel: the file handle of the folder. The name of a new task, from its
 * tracepoint, whose format file is parsed once. The task table and cgroup_paths.c ask;
 * perf_events.c opens the tracepoint, perf_read.c passes what it reads to the task table.
 */
#include "collect/tasks/task_proc.h"

#include "base/clock.h"
#include "collect/tracefs/tracepoint_format.h"

#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name in /proc has at most 64 bytes; stat has at most 52 numbers of 20 digits. */
enum { PATH_BYTES = 48, COMM_TEXT_BYTES = 128, STAT_TEXT_BYTES = 2048 };

/* include/linux/sched.h, the same in every kernel since 2.6.36. */
enum { PF_WQ_WORKER = 0x20 };

/* Field numbers of /proc/PID/stat in proc(5). */
enum { STAT_NAME = 2, STAT_PPID = 4, STAT_FLAGS = 9, STAT_THREADS = 20, STAT_START = 22 };

void task_proc_open(TaskProc *proc, const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc", NULL);
	/* Read one directly after the other, so that the difference is 0 or the time asleep. */
	uint64_t monotonic_ns = clock_monotonic_ns();
	uint64_t apart_ns = clock_ns(CLOCK_BOOTTIME) - monotonic_ns;

	proc->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	proc->ns_per_tick = NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
	proc->asleep_ns = apart_ns - apart_ns % NS_PER_MS;
}

void task_proc_close(TaskProc *proc)
{
	if (proc->folder >= 0)
		close(proc->folder);
}

/* Reads the start of a file as text. Returns its length; 0: the task has ended. */
static size_t read_text(const TaskProc *proc, const char *path, char *text, size_t text_bytes)
{
	int fd = openat(proc->folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return 0;
	length = read(fd, text, text_bytes - 1);
	close(fd);
	text[MAX(length, 0)] = '\0';
	return (size_t)MAX(length, 0);
}

static bool parse_stat(const TaskProc *proc, const char *text, TaskProcess *process)
{
	/* The fields after the name contain no bracket, but the name may. */
	const char *at = strrchr(text, ')');
	uint64_t fields[STAT_START + 1] = { 0 }, since_boot_ns;
	int field = STAT_NAME;

	while (field < STAT_START && at && (at = strchr(at, ' ')))
		fields[++field] = g_ascii_strtoull(++at, NULL, 10);
	if (field < STAT_START)
		return false;
	process->is_over = strchr("ZXx", strrchr(text, ')')[2]);
	process->parent_tgid = (uint32_t)fields[STAT_PPID];
	process->threads = (uint32_t)fields[STAT_THREADS];
	process->is_worker = fields[STAT_FLAGS] & PF_WQ_WORKER;
	/* If the host slept after the task began, CLOCK_MONOTONIC may have no such time. */
	since_boot_ns = fields[STAT_START] * proc->ns_per_tick;
	process->start_time_ns =
		since_boot_ns > proc->asleep_ns ? since_boot_ns - proc->asleep_ns : 1;
	return true;
}

bool task_proc_process(const TaskProc *proc, uint32_t tgid, TaskProcess *process)
{
	char path[PATH_BYTES], text[STAT_TEXT_BYTES];

	snprintf(path, sizeof(path), "%u/stat", tgid);
	return read_text(proc, path, text, sizeof(text)) && parse_stat(proc, text, process);
}

bool task_proc_comm(const TaskProc *proc, uint32_t tid, bool is_worker, char comm[KMT_COMM_BYTES])
{
	char path[PATH_BYTES], text[COMM_TEXT_BYTES];
	size_t length;

	snprintf(path, sizeof(path), "%u/comm", tid);
	length = read_text(proc, path, text, sizeof(text));
	if (!length)
		return false;
	if (text[length - 1] == '\n')
		text[--length] = '\0';
	/* The kernel's name of "kworker/0:1-events" is "kworker/0:1". A rescuer's own name may
	   contain a dash. */
	if (is_worker && g_str_has_prefix(text, "kworker/") &&
	    !g_str_has_prefix(text, "kworker/R-"))
		length = strcspn(text, "+-");
	memset(comm, 0, KMT_COMM_BYTES);
	memcpy(comm, text, MIN(length, KMT_COMM_BYTES - 1));
	return true;
}

static void visit_numbers(const TaskProc *proc, const char *path, TaskProcVisit visit,
			  void *user_data)
{
	int fd = openat(proc->folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (g_ascii_isdigit(*entry->d_name))
			visit((uint32_t)g_ascii_strtoull(entry->d_name, NULL, 10), user_data);
	if (dir)
		closedir(dir);
}

void task_proc_each_process(const TaskProc *proc, TaskProcVisit visit, void *user_data)
{
	visit_numbers(proc, ".", visit, user_data);
}

void task_proc_each_thread(const TaskProc *proc, uint32_t tgid, TaskProcVisit visit,
			   void *user_data)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%u/task", tgid);
	visit_numbers(proc, path, visit, user_data);
}

/* Cgroups. */

/* Where a hierarchy is mounted. */
typedef struct {
	char *folder; /* owned; NULL: not mounted */
	char *top;    /* owned: the cgroup that is mounted there, usually "/" */
} Hierarchy;

struct TaskCgroups {
	char *root;
	Hierarchy v2;
	Hierarchy memory; /* v1 */
};

/* Whether a comma-separated list contains a word. */
static bool task_cgroup_lists(const char *list, const char *word)
{
	g_auto(GStrv) words = g_strsplit(list, ",", -1);

	return g_strv_contains((const char *const *)words, word);
}

static void hierarchy_set(Hierarchy *hierarchy, const char *root, const char *top,
			  const char *folder)
{
	g_autofree char *plain_folder = g_strcompress(folder);

	if (hierarchy->folder)
		return;
	hierarchy->folder = g_strconcat(root, plain_folder, NULL);
	hierarchy->top = g_strcompress(top);
}

static void hierarchy_clear(Hierarchy *hierarchy)
{
	g_free(hierarchy->folder);
	g_free(hierarchy->top);
}

/* Parses a line of mountinfo. The later fields are counted from the dash, because the number of
   optional fields before it varies. */
static void take_mount(TaskCgroups *cgroups, const char *line)
{
	enum { TOP = 3, FOLDER = 4, WORDS = 6 };
	enum { TYPE, SOURCE, OPTIONS, WORDS_BEHIND };
	const char *dash = strstr(line, " - ");
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	g_auto(GStrv) behind = g_strsplit(dash ? dash + 3 : "", " ", -1);

	if (g_strv_length(words) < WORDS || g_strv_length(behind) < WORDS_BEHIND)
		return;
	if (g_str_equal(behind[TYPE], "cgroup2"))
		hierarchy_set(&cgroups->v2, cgroups->root, words[TOP], words[FOLDER]);
	else if (g_str_equal(behind[TYPE], "cgroup") &&
		 task_cgroup_lists(behind[OPTIONS], "memory"))
		hierarchy_set(&cgroups->memory, cgroups->root, words[TOP], words[FOLDER]);
}

static char **read_lines(const char *root, const char *path)
{
	g_autofree char *whole_path = g_strconcat(root, path, NULL);
	g_autofree char *text = NULL;

	g_file_get_contents(whole_path, &text, NULL, NULL);
	return g_strsplit(text ? text : "", "\n", -1);
}

TaskCgroups *task_cgroups_new(const char *root)
{
	TaskCgroups *cgroups = g_new0(TaskCgroups, 1);
	g_auto(GStrv) lines = read_lines(root, "/proc/self/mountinfo");

	cgroups->root = g_strdup(root);
	for (char **line = lines; *line; line++)
		take_mount(cgroups, *line);
	return cgroups;
}

void task_cgroups_free(TaskCgroups *cgroups)
{
	if (!cgroups)
		return;
	hierarchy_clear(&cgroups->v2);
	hierarchy_clear(&cgroups->memory);
	g_free(cgroups->root);
	g_free(cgroups);
}

/* The kernel's id is the content of the folder's file handle. Before 5.5, st_ino is its lower half,
   and the only source if there are no handles. */
uint64_t task_cgroup_folder_id(const char *folder)
{
	struct {
		struct file_handle head;
		unsigned char bytes[MAX_HANDLE_SZ];
	} handle = { .head.handle_bytes = MAX_HANDLE_SZ };
	uint64_t id = 0;
	struct stat status;
	int mount;

	if (!name_to_handle_at(AT_FDCWD, folder, &handle.head, &mount, 0) &&
	    handle.head.handle_bytes == sizeof(id))
		memcpy(&id, handle.head.f_handle, sizeof(id));
	else if (!stat(folder, &status))
		id = status.st_ino;
	return id;
}

/* Returns the id of the cgroup with this path; 0: it is not below the cgroup that is mounted. Paths
   that lead out of a cgroup namespace begin with "/..". */
static uint64_t id_of(const Hierarchy *hierarchy, const char *path)
{
	size_t length = hierarchy->top ? strlen(hierarchy->top) : 0;
	g_autofree char *folder = NULL;

	if (!hierarchy->folder)
		return 0;
	if (!g_str_equal(hierarchy->top, "/")) {
		if (!g_str_has_prefix(path, hierarchy->top) ||
		    (path[length] && path[length] != '/'))
			return 0;
		path += length;
	}
	if (g_str_has_prefix(path, "/../") || g_str_equal(path, "/.."))
		return 0;
	folder = g_strconcat(hierarchy->folder, path, NULL);
	return task_cgroup_folder_id(folder);
}

/* Returns the path in the line "NUMBER:CONTROLLERS:PATH" that is that of v2, "0::/PATH", or of the
   v1 hierarchy with the controller; NULL: there is none. */
static const char *path_among(char **lines, const char *controller)
{
	for (char **line = lines; *line; line++) {
		g_auto(GStrv) parts = g_strsplit(*line, ":", 3);

		if (g_strv_length(parts) < 3)
			continue;
		if (controller ? task_cgroup_lists(parts[1], controller)
			       : g_str_has_prefix(*line, "0::"))
			return *line + strlen(parts[0]) + strlen(parts[1]) + 2;
	}
	return NULL;
}

/* The cgroup that a process is in. */
typedef struct {
	const Hierarchy *hierarchy; /* NULL: unknown */
	char *path;                 /* owned: below the root of the hierarchy */
} Place;

static void place_clear(Place *place)
{
	g_free(place->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Place, place_clear)

static Place place_of(const TaskCgroups *cgroups, uint32_t tgid)
{
	g_autofree char *file = g_strdup_printf("/proc/%u/cgroup", tgid);
	g_auto(GStrv) lines = read_lines(cgroups->root, file);
	const char *v2 = path_among(lines, NULL), *memory = path_among(lines, "memory");

	if (v2 && (!g_str_equal(v2, "/") || !memory))
		return (Place){ &cgroups->v2, g_strdup(v2) };
	return (Place){ memory ? &cgroups->memory : NULL, g_strdup(memory) };
}

uint64_t task_cgroups_of(const TaskCgroups *cgroups, uint32_t tgid)
{
	g_auto(Place) place = place_of(cgroups, tgid);

	return place.hierarchy ? id_of(place.hierarchy, place.path) : 0;
}

char *task_cgroups_path_of(const TaskCgroups *cgroups, uint32_t tgid, uint64_t id)
{
	g_auto(Place) place = place_of(cgroups, tgid);

	if (!place.hierarchy || id_of(place.hierarchy, place.path) != id)
		return NULL;
	return g_steal_pointer(&place.path);
}

TaskCgroupMount task_cgroups_mount(const TaskCgroups *cgroups, TaskCgroupHierarchy hierarchy)
{
	const Hierarchy *found = hierarchy == TASK_CGROUP_V2 ? &cgroups->v2 : &cgroups->memory;

	return (TaskCgroupMount){ found->folder, found->top };
}

char *task_cgroup_path_below(TaskCgroupMount mount, const char *below)
{
	const char *top = g_str_equal(mount.top, "/") ? "" : mount.top;

	return *top || *below ? g_strconcat(top, below, NULL) : g_strdup("/");
}

uint64_t task_cgroups_outermost(const TaskCgroups *cgroups)
{
	return id_of(cgroups->memory.folder ? &cgroups->memory : &cgroups->v2, "/");
}

bool task_cgroups_of_v1(const TaskCgroups *cgroups)
{
	return cgroups->memory.folder;
}

bool task_cgroups_agree(const TaskCgroups *cgroups, uint64_t sample_id)
{
	return sample_id != TASK_CGROUP_ROOT_ID || !cgroups->memory.folder;
}

bool task_cgroup_sample_is_usable(const char *root)
{
	g_auto(GStrv) lines = read_lines(root, "/proc/self/cgroup");

	return path_among(lines, NULL) && !path_among(lines, "perf_event");
}

/* Births. */

/* include/uapi/linux/sched.h, the same in every kernel. */
enum { THREAD_FLAG = 0x10000 };

struct TaskBirths {
	TracepointFormat *format; /* owned */
	const TracepointField *pid;
	const TracepointField *comm;
	const TracepointField *clone_flags;
};

TaskBirths *task_births_open(int kmem_folder_fd)
{
	g_autofree char *text = g_malloc(TRACEPOINT_FORMAT_BYTES_MAX);
	ssize_t length = tracepoint_format_read(kmem_folder_fd, "../task/task_newtask", text,
						TRACEPOINT_FORMAT_BYTES_MAX);
	g_autoptr(TaskBirths) births = g_new0(TaskBirths, 1);

	births->format = length > 0 ? tracepoint_format_parse(text, (size_t)length, NULL) : NULL;
	if (!births->format)
		return NULL;
	births->pid = tracepoint_format_lookup(births->format, "pid");
	births->comm = tracepoint_format_lookup(births->format, "comm");
	births->clone_flags = tracepoint_format_lookup(births->format, "clone_flags");
	if (!births->pid || !births->comm || !births->clone_flags ||
	    births->comm->size != KMT_COMM_BYTES)
		return NULL;
	return g_steal_pointer(&births);
}

void task_births_free(TaskBirths *births)
{
	if (!births)
		return;
	tracepoint_format_free(births->format);
	g_free(births);
}

uint16_t task_births_id(const TaskBirths *births)
{
	return births->format->id;
}

bool task_births_read(const TaskBirths *births, const uint8_t *raw, uint32_t raw_bytes,
		      TaskBirth *birth)
{
	uint64_t pid, clone_flags;

	if (raw_bytes < sizeof(uint16_t) || load_u16(raw, false) != births->format->id ||
	    (uint32_t)births->comm->offset + KMT_COMM_BYTES > raw_bytes ||
	    !tracepoint_field_number(births->pid, raw, raw_bytes, &pid) ||
	    !tracepoint_field_number(births->clone_flags, raw, raw_bytes, &clone_flags))
		return false;
	*birth = (TaskBirth){ .tid = (uint32_t)pid, .is_thread = clone_flags & THREAD_FLAG };
	memcpy(birth->comm, raw + births->comm->offset, KMT_COMM_BYTES);
	return true;
}
