/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * StapChild is a running staprun with the pipes it writes to. It has a process group of its own,
 * so that the terminal's Ctrl-C does not reach it, and ends when this program does.
 */
typedef struct {
	pid_t pid;
	int stdout_fd; /* non-blocking, as is the next */
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

/* Returns the folder that a loaded module of that name has. sys_folder NULL: /sys. */
char *stap_module_folder(const char *sys_folder, const char *name);

/* Whether the kernel has a module of that name. */
bool stap_module_is_loaded(const char *sys_folder, const char *name);

/* Has staprun remove a module that nobody uses, or will not for much longer. Returns whether it is
   gone. */
bool stap_module_unload(const char *staprun, const char *sys_folder, const char *name);
