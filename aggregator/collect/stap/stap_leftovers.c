/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds modules and work folders that killed runs left behind, in /sys/module and /proc. Lists
 * only; stap_start.c removes.
 */
#include "collect/stap/stap_leftovers.h"

#include "collect/stap/stap_child.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_probe_module(const char *module_folder)
{
	g_autofree char *counters =
		g_build_filename(module_folder, "parameters", "kmt_counters", NULL);

	return g_file_test(counters, G_FILE_TEST_EXISTS);
}

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

		if (is_probe_module(module))
			g_ptr_array_add(is_unused(module) && !has_process(name)
						? leftovers->modules
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
