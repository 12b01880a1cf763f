/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/facts/stap_tool.h"
#include "collect/run/run_memory.h"
#include "collect/run/collector.h"
#include "collect/stap/stap_options.h"
#include "collect/stap/stap_points.h"
#include "record/inner_kmallocs.h"

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* The inputs for the size of the transport's buffers. Everything is borrowed. */
typedef struct {
	const StapTool *tool; /* since 4.5 every CPU has a buffer; earlier releases have one */
	const StapOptions *options; /* -o "-s N" sets the size of each buffer; NULL: none */
	uint32_t megabytes;         /* --buffer sets the size of all together; 0: not given */
	unsigned cpus;              /* online */
	uint64_t available_bytes;   /* from host_memory_available() */
} StapBuffers;

/* Plans the buffers. As buffer_plan_init(). */
bool stap_arguments_plan_buffers(BufferPlan *plan, const StapBuffers *buffers, GError **error);

/* The inputs for staprun's arguments, in addition to the request. Everything is borrowed. */
typedef struct {
	const StapTool *tool;
	const BufferPlan *buffers;
	const char *module_path;
	bool rename;                /* -R: the module's name is already in use */
	pid_t target;               /* the command, or 0 */
	const InnerKmallocs *inner; /* events that the emitter skips; NULL: none */
	const StapPoints *points;   /* the module's probe points; NULL: none */
} StapArguments;

/* Returns the argument vector: staprun, its options, the module, the module's parameters. */
char **stap_arguments_new(const StapArguments *arguments, const CollectRequest *request);

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
