/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Removes probe modules of runs that were killed together with their watchdog. The stapio of a live
 * module uses it, except between its insertion and the moment when stapio opens it. So a run holds
 * a lock while it starts, and removes leftovers only while no other run is starting.
 *
 * The lock is on staprun's own executable: it always exists, and nothing is left behind.
 */

/* The state of a run's start. */
typedef struct {
	int lock;            /* descriptor; -1: none */
	bool alone;          /* no other run was starting when it began */
	char *kptr_path;     /* of the setting kernel.kptr_restrict, owned */
	char *kptr_restrict; /* its text if staprun would lower it, owned; NULL: it would not */
} StapStart;

/* Begins a start: removes leftovers, and prints that on stderr, unless another run is starting,
   which may already have loaded its module. End it when the probes are live or have failed.

   staprun lowers kernel.kptr_restrict from 2 to 1 to read the kernel's addresses, and does not
   restore it (staprun.c, tweak_kptr_restrict(), SystemTap 4.4 to 5.6). The end of the start, or the
   watchdog, restores the host's value. proc_root: folder of /proc; "": this host. */
StapStart stap_start_begin(const char *staprun, const char *sys_folder, const char *proc_root);
void stap_start_end(StapStart *start);
