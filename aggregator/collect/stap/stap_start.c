/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run of SystemTap does first, under a lock on staprun's file: removes leftovers, and
 * remembers a setting that staprun will change. stap_phases.c ends it when the module is in use.
 */
#include "collect/stap/stap_start.h"

#include "process/process_group.h"
#include "base/setting.h"
#include "collect/stap/stap_child.h"
#include "collect/stap/stap_leftovers.h"
#include "process/watchdog.h"
#include "base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum {
	/* For a removal by another run. Any user who may read staprun can hold the lock longer. */
	LOCK_PATIENCE_MS = 3000,
	LOCK_EVERY_MS = 20,
	KPTR_RESTRICT_STAPRUN = 1, /* the highest value at which staprun can read addresses */
};

static void remove_leftover(const char *staprun, const char *sys_folder, const char *name)
{
	g_autoptr(GString) shown = g_string_new(NULL);

	escape_append(shown, name);
	if (stap_module_unload(staprun, sys_folder, name))
		g_printerr("%s: removed the module %s of a run that is gone\n", g_get_prgname(),
			   shown->str);
	else
		g_printerr("%s: the module %s of a run that is gone is still loaded: "
			   "remove it with '%s -d %s'\n",
			   g_get_prgname(), shown->str, staprun, shown->str);
}

static void remove_leftovers(const char *staprun, const char *sys_folder)
{
	g_autoptr(StapLeftovers) left = stap_leftovers_find(sys_folder, NULL);

	for (guint i = 0; i < left->modules->len; i++)
		remove_leftover(staprun, sys_folder, g_ptr_array_index(left->modules, i));
}

static bool try_lock(int fd, int operation)
{
	int result;

	do
		result = flock(fd, operation | LOCK_NB);
	while (result && errno == EINTR);
	return !result;
}

/* Continues without the lock if it cannot get it. */
static void lock_shared(int fd)
{
	for (int waited_ms = 0; waited_ms < LOCK_PATIENCE_MS; waited_ms += LOCK_EVERY_MS) {
		if (try_lock(fd, LOCK_SH))
			return;
		sleep_ms(LOCK_EVERY_MS);
	}
}

/* Returns the text of the setting if staprun will lower it, else NULL. */
static char *kptr_restrict_to_keep(const char *path)
{
	char *text = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL) &&
	    g_ascii_strtoll(text, NULL, 10) > KPTR_RESTRICT_STAPRUN)
		return text;
	g_free(text);
	return NULL;
}

static WatchdogItem kptr_item(const StapStart *start)
{
	return (WatchdogItem){ .kind = WATCHDOG_SETTING,
			       .path = start->kptr_path,
			       .text = start->kptr_restrict };
}

static void note_kptr_restrict(StapStart *start, const char *proc_root)
{
	WatchdogItem item;

	start->kptr_path = g_strconcat(proc_root, "/proc/sys/kernel/kptr_restrict", NULL);
	start->kptr_restrict = kptr_restrict_to_keep(start->kptr_path);
	item = kptr_item(start);
	if (item.text)
		watchdog_add(&item);
}

static void restore_kptr_restrict(StapStart *start)
{
	WatchdogItem item = kptr_item(start);

	if (item.text) {
		setting_write(item.path, item.text);
		watchdog_withdraw(&item);
	}
	g_clear_pointer(&start->kptr_restrict, g_free);
	g_clear_pointer(&start->kptr_path, g_free);
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
	if (!start.alone)
		lock_shared(start.lock);
	return start;
}

void stap_start_end(StapStart *start)
{
	restore_kptr_restrict(start);
	if (start->lock >= 0)
		close(start->lock);
	start->lock = -1;
}
