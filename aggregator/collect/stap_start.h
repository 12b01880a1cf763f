/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Probe modules of runs that are gone, watchdog and all. A live one is used by its stapio, but for
 * the moment from its insertion until stapio opens it. So a run holds a lock while it starts, and
 * leftovers are removed only by who knows that nobody is starting.
 *
 * The lock is staprun's own executable: it is always there, and nothing is left behind.
 */

/* A run's start, while it lasts. */
typedef struct {
	int lock;   /* descriptor; -1: none, or not any more */
	bool alone; /* when it began, no other run was starting */
} StapStart;

/* Begins a start: removes leftovers, and says so on stderr, unless somebody else is starting, who
   may already have a module. End it when the probes are live or have failed. */
StapStart stap_start_begin(const char *staprun, const char *sys_folder);
void stap_start_end(StapStart *start);
