/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* One run of stap. Everything is borrowed. */
typedef struct {
	char **argv;                /* stap and its words */
	const char *folder;         /* to run in; also its temporary files' */
	const char *home;           /* where it keeps its own cache */
	const char *kernel_release; /* for messages */
	const char *stap_version;   /* likewise */
	int verbose;
} StapCompile;

/*
 * Runs stap to its end; shows on stderr that it takes long when it does. Returns false with error
 * set: stap failed (reason and remedy), or SIGINT, SIGTERM or SIGHUP came, which ends stap and all
 * that it started. *poisoned: whether --poison-cache may help.
 */
bool stap_compile_run(const StapCompile *compile, bool *poisoned, GError **error);
