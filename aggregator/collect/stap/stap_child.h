/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * StapChild is a running staprun and its output pipes. It has its own process group, so that the
 * terminal's Ctrl-C does not reach it. It ends when this program ends.
 */
typedef struct {
	pid_t pid;
	int stdout_fd; /* both non-blocking */
	int stderr_fd;
} StapChild;

/* Starts the argument vector. Returns false with error set. */
bool stap_child_start(StapChild *child, char **argv, GError **error);

/* Closes the pipes. */
void stap_child_close(StapChild *child);

/* Returns the name of the module in a file: the file's base name without ".ko". */
char *stap_module_name(const char *path);

/* Returns the name that staprun -R, running as pid, gives a module of that name. */
char *stap_module_renamed(const char *name, pid_t pid);

/* Returns the /sys folder of a loaded module of that name. sys_folder NULL: /sys. */
char *stap_module_folder(const char *sys_folder, const char *name);

/* Whether the kernel has loaded a module of that name. */
bool stap_module_is_loaded(const char *sys_folder, const char *name);

/* Makes staprun remove a module that is unused or will be soon. Returns whether it was removed. */
bool stap_module_unload(const char *staprun, const char *sys_folder, const char *name);
