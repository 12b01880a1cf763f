/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Probe modules of runs that are gone together with their watchdog. A live module is used by its
 * stapio, except from its insertion until stapio opens it. So a run holds a lock while it starts,
 * and a run removes leftovers only while no other run is starting.
 *
 * The lock is staprun's own executable: it is always there, and nothing is left behind.
 */

/* A run's start, while it lasts. */
typedef struct {
	int lock;            /* descriptor; -1: none, or not any more */
	bool alone;          /* when it began, no other run was starting */
	char *kptr_path;     /* of the setting kernel.kptr_restrict, owned */
	char *kptr_restrict; /* its text where staprun would lower it, owned; NULL: it does not */
} StapStart;

/* Begins a start: removes leftovers, and says so on stderr, unless somebody else is starting, who
   may already have a module. End it when the probes are live or have failed.

   staprun lowers kernel.kptr_restrict from 2 to 1 to read the kernel's addresses, and leaves it so
   (staprun.c, tweak_kptr_restrict(), SystemTap 4.4 to 5.6): the end of the start, or the watchdog,
   puts the host's value back. proc_root is what has /proc: "" is this host. */
StapStart stap_start_begin(const char *staprun, const char *sys_folder, const char *proc_root);
void stap_start_end(StapStart *start);
