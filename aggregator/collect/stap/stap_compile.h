/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* One run of stap. Everything is borrowed. */
typedef struct {
	char **argv;                /* stap and its arguments */
	const char *folder;         /* working folder, also for temporary files */
	const char *home;           /* folder of stap's own cache */
	const char *kernel_release; /* for messages */
	const char *stap_version;   /* for messages */
	/* (element-type utf8): functions of the kernel that the script probes by name; NULL: none.
	   SystemTap knows functions by System.map, which some distributions do not ship: stap then
	   sees one with these names, in a mount namespace of its own. */
	const GPtrArray *functions;
	int verbose;
} StapCompile;

/*
 * Runs stap to its end; prints on stderr if it takes long. Returns false with error set if stap
 * failed (reason and remedy), or SIGINT, SIGTERM or SIGHUP came, which ends stap and its children.
 * *poisoned: whether --poison-cache may help.
 */
bool stap_compile_run(const StapCompile *compile, bool *poisoned, GError **error);
