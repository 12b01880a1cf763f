/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run of SystemTap does first, under a lock on staprun's file: removes the modules that
 * killed runs left behind, found in /sys/module and /proc with their work folders, and remembers a
 * setting that staprun will change. stap_phases.c ends the start when the module is in use, and
 * reads its counters when staprun has ended: from a parameter in /sys, in pages by CPU, they tell
 * what was in batches that nobody read.
 */
#include "collect/stap/stap_start.h"

#include "base/escape.h"
#include "collect/stap/stap_child.h"
#include "process/fork.h"
#include "process/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Leftovers. */

static bool is_unused(const char *module_folder)
{
	g_autofree char *path = g_build_filename(module_folder, "refcnt", NULL);
	g_autofree char *count = NULL;

	return g_file_get_contents(path, &count, NULL, NULL) && g_str_equal(g_strchomp(count), "0");
}

/* Whether it is a stap or staprun that has the module's name or its file in its command line. */
static bool process_has_module(const char *pid, const char *name)
{
	g_autofree char *folder = g_build_filename("/proc", pid, NULL);
	g_autofree char *comm_path = g_build_filename(folder, "comm", NULL);
	g_autofree char *words_path = g_build_filename(folder, "cmdline", NULL);
	g_autofree char *comm = NULL;
	g_autofree char *words = NULL;
	struct stat status;
	gsize length;

	if (!g_file_get_contents(comm_path, &comm, NULL, NULL) || !g_str_has_prefix(comm, "stap"))
		return false;
	/* Reading the command line of a stranger may wait for a file system: it is in memory of
	   the process, which may be that of a file. */
	if (stat(folder, &status) || (status.st_uid && status.st_uid != geteuid()) ||
	    !g_file_get_contents(words_path, &words, &length, NULL))
		return false;
	for (const char *word = words; word < words + length; word += strlen(word) + 1) {
		g_autofree char *module = stap_module_name(word);

		if (g_str_equal(module, name))
			return true;
	}
	return false;
}

/* A run that is ending has closed its module, but removes it a moment later. */
static bool has_process(const char *name)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	const char *pid;

	while (dir && (pid = g_dir_read_name(dir))) {
		if (g_ascii_isdigit(*pid) && process_has_module(pid, name))
			return true;
	}
	return false;
}

static int by_name(gconstpointer a, gconstpointer b)
{
	return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

static void find_modules(StapLeftovers *leftovers, const char *sys_folder)
{
	g_autofree char *folder =
		g_build_filename(sys_folder ? sys_folder : "/sys", "module", NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *module = g_build_filename(folder, name, NULL);
		g_autofree char *counters =
			g_build_filename(module, "parameters", "kmt_counters", NULL);

		if (!g_file_test(counters, G_FILE_TEST_EXISTS))
			continue;
		g_ptr_array_add(is_unused(module) && !has_process(name) ? leftovers->modules
									: leftovers->live_modules,
				g_strdup(name));
	}
	/* A folder has no fixed order. */
	g_ptr_array_sort(leftovers->modules, by_name);
	g_ptr_array_sort(leftovers->live_modules, by_name);
}

StapLeftovers *stap_leftovers_find(const char *sys_folder, const ModuleCache *cache)
{
	StapLeftovers *leftovers = g_new0(StapLeftovers, 1);

	leftovers->modules = g_ptr_array_new_with_free_func(g_free);
	leftovers->live_modules = g_ptr_array_new_with_free_func(g_free);
	leftovers->work_folders =
		cache ? module_cache_abandoned(cache) : g_ptr_array_new_with_free_func(g_free);
	find_modules(leftovers, sys_folder);
	g_ptr_array_sort(leftovers->work_folders, by_name);
	return leftovers;
}

void stap_leftovers_free(StapLeftovers *leftovers)
{
	if (!leftovers)
		return;
	g_ptr_array_unref(leftovers->modules);
	g_ptr_array_unref(leftovers->live_modules);
	g_ptr_array_unref(leftovers->work_folders);
	g_free(leftovers);
}

/* Counters. */

enum {
	PAGE_BYTES = 65536,    /* sysfs returns at most one kernel page at a time */
	CPU_NUMBERS = 1 << 16, /* bound on CPU numbers */
	NUMBERS = 5,           /* in a line: the CPU and its four counters */
};

static const char walks_word[] = "walks ";

/* Returns the text starting at that CPU, or NULL. */
static char *read_page(int fd, unsigned first_cpu)
{
	g_autofree char *page = g_malloc(PAGE_BYTES);
	char text[16];
	int text_bytes = snprintf(text, sizeof(text), "%u", first_cpu);
	ssize_t length;

	/* Makes the next reading begin at that CPU. */
	if (pwrite(fd, text, (size_t)text_bytes, 0) != text_bytes)
		return NULL;
	length = pread(fd, page, PAGE_BYTES - 1, 0);
	if (length <= 0)
		return NULL;
	page[length] = '\0';
	return g_steal_pointer(&page);
}

/* Reads a number and the character that must follow it. */
static bool take_number(const char **at, char stop, uint64_t *number)
{
	char *end;

	if (!g_ascii_isdigit(**at))
		return false;
	errno = 0;
	*number = g_ascii_strtoull(*at, &end, 10);
	if (errno || *end != stop)
		return false;
	*at = end + 1;
	return true;
}

/* Reads "CPU PRODUCED REENTRANT SELF INTERRUPT\n". CPUs are in ascending order. */
static bool take_cpu(const char **at, unsigned *next_cpu, GArray *counters)
{
	uint64_t numbers[NUMBERS];
	CpuCounters cpu;

	for (int i = 0; i < NUMBERS; i++)
		if (!take_number(at, i == NUMBERS - 1 ? '\n' : ' ', &numbers[i]))
			return false;
	if (numbers[0] < *next_cpu || numbers[0] >= CPU_NUMBERS)
		return false;
	cpu = (CpuCounters){ (uint32_t)numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] };
	g_array_append_val(counters, cpu);
	*next_cpu = cpu.cpu + 1;
	return true;
}

/* Reads lines of CPUs, then "more\n" or "end\n". Before the end there is "walks COMPARED
   DIFFERENT\n", which older modules do not have. Returns whether the page is complete. Sets *more
   if another one follows. */
static bool take_page(const char *page, unsigned *next_cpu, bool *more, StapCounters *counters)
{
	while (g_ascii_isdigit(*page))
		if (!take_cpu(&page, next_cpu, counters->cpus))
			return false;
	*more = g_str_equal(page, "more\n");
	if (*more)
		return true;
	if (g_str_has_prefix(page, walks_word)) {
		page += strlen(walks_word);
		if (!take_number(&page, ' ', &counters->walks_compared) ||
		    !take_number(&page, '\n', &counters->walks_different))
			return false;
	}
	return g_str_equal(page, "end\n");
}

static bool take_all(int fd, StapCounters *counters)
{
	unsigned next_cpu = 0;
	bool more = true;

	while (more) {
		unsigned first_cpu = next_cpu;
		g_autofree char *page = read_page(fd, first_cpu);

		if (!page || !take_page(page, &next_cpu, &more, counters))
			return false;
		/* A page without CPUs that requests another page would cause an endless loop. */
		if (more && next_cpu == first_cpu)
			return false;
	}
	return true;
}

StapCounters *stap_counters_read(const char *sys_folder, const char *module_name)
{
	g_autofree char *path = g_build_filename(sys_folder ? sys_folder : "/sys", "module",
						 module_name, "parameters", "kmt_counters", NULL);
	g_autoptr(StapCounters) counters = g_new0(StapCounters, 1);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	bool whole;

	counters->cpus = g_array_new(FALSE, FALSE, sizeof(CpuCounters));
	whole = fd >= 0 && take_all(fd, counters);
	if (fd >= 0)
		close(fd);
	return whole ? g_steal_pointer(&counters) : NULL;
}

void stap_counters_free(StapCounters *counters)
{
	if (!counters)
		return;
	g_array_unref(counters->cpus);
	g_free(counters);
}

/* The start. */

enum {
	/* For a removal by another run. Any user who may read staprun can hold the lock longer. */
	LOCK_PATIENCE_MS = 3000,
	LOCK_EVERY_MS = 20,
	KPTR_RESTRICT_STAPRUN = 1, /* the highest value at which staprun can read addresses */
};

static void remove_leftovers(const char *staprun, const char *sys_folder)
{
	g_autoptr(StapLeftovers) left = stap_leftovers_find(sys_folder, NULL);

	for (guint i = 0; i < left->modules->len; i++) {
		const char *name = g_ptr_array_index(left->modules, i);
		g_autoptr(GString) shown = g_string_new(NULL);

		escape_append(shown, name);
		if (stap_module_unload(staprun, sys_folder, name))
			g_printerr("%s: removed the module %s of a run that is gone\n",
				   g_get_prgname(), shown->str);
		else
			g_printerr("%s: the module %s of a run that is gone is still loaded: "
				   "remove it with '%s -d %s'\n",
				   g_get_prgname(), shown->str, staprun, shown->str);
	}
}

static bool try_lock(int fd, int operation)
{
	int result;

	do
		result = flock(fd, operation | LOCK_NB);
	while (result && errno == EINTR);
	return !result;
}

static WatchdogItem kptr_item(const StapStart *start)
{
	return (WatchdogItem){ .kind = WATCHDOG_SETTING,
			       .path = start->kptr_path,
			       .text = start->kptr_restrict };
}

/* Remembers the setting if staprun will lower it. */
static void note_kptr_restrict(StapStart *start, const char *proc_root)
{
	g_autofree char *text = NULL;
	WatchdogItem item;

	start->kptr_path = g_strconcat(proc_root, "/proc/sys/kernel/kptr_restrict", NULL);
	if (!g_file_get_contents(start->kptr_path, &text, NULL, NULL) ||
	    g_ascii_strtoll(text, NULL, 10) <= KPTR_RESTRICT_STAPRUN)
		return;
	start->kptr_restrict = g_steal_pointer(&text);
	item = kptr_item(start);
	watchdog_add(&item);
}

StapStart stap_start_begin(const char *staprun, const char *sys_folder, const char *proc_root)
{
	StapStart start = { .lock = open(staprun, O_RDONLY | O_CLOEXEC) };

	note_kptr_restrict(&start, proc_root);
	if (start.lock < 0)
		return start;
	if (try_lock(start.lock, LOCK_EX)) {
		remove_leftovers(staprun, sys_folder);
		/* The change is not atomic: another run may have taken the lock in between. */
		start.alone = try_lock(start.lock, LOCK_SH);
	}
	if (start.alone)
		return start;
	/* The run goes on without the lock if it cannot get it. */
	for (int waited_ms = 0; waited_ms < LOCK_PATIENCE_MS && !try_lock(start.lock, LOCK_SH);
	     waited_ms += LOCK_EVERY_MS)
		sleep_ms(LOCK_EVERY_MS);
	return start;
}

void stap_start_end(StapStart *start)
{
	WatchdogItem item = kptr_item(start);

	if (item.text) {
		setting_write(item.path, item.text);
		watchdog_withdraw(&item);
	}
	g_clear_pointer(&start->kptr_restrict, g_free);
	g_clear_pointer(&start->kptr_path, g_free);
	if (start->lock >= 0)
		close(start->lock);
	start->lock = -1;
}
