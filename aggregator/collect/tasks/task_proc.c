/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads names, parents, threads and start times from /proc, with fixed buffers. Its only data are
 * the open folder and the clocks. task_lives.c calls it.
 */
#include "collect/tasks/task_proc.h"

#include "base/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
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
