/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/module_cache.h"
#include "record/batch_writer.h"

#include <glib.h>
#include <stdbool.h>

/*
 * What killed runs left on this host, and what other runs use. A loaded module is one of ours if it
 * has the parameter kmt_counters, whatever its name: --module FILE.ko may have any name.
 */
typedef struct {
	GPtrArray *modules;      /* (element-type utf8) names: loaded, without reader */
	GPtrArray *live_modules; /* (element-type utf8) names: loaded and read by another run */
	GPtrArray *work_folders; /* (element-type utf8) paths in the cache, of ended processes */
} StapLeftovers;

/*
 * Finds the leftovers; changes nothing. sys_folder NULL: /sys; cache NULL: do not look for work
 * folders.
 *
 * A module counts as live while its reader has it open, or while a SystemTap process has it in its
 * command line. For a moment, the module of a starting run has neither, so a module may be removed
 * only while no run is starting (stap_start.h).
 */
StapLeftovers *stap_leftovers_find(const char *sys_folder, const ModuleCache *cache);
void stap_leftovers_free(StapLeftovers *leftovers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapLeftovers, stap_leftovers_free)

/*
 * Reads the probe module's counters from the module itself: the content of the last batches that
 * nobody read. They can be read while the module is loaded, even if its reader was stopped or
 * killed.
 */

typedef struct {
	GArray *cpus; /* (element-type CpuCounters), owned */
	/* Stacks whose walk was compared with the kernel's, and of these with another result; 0 if
	   the module does not report them. */
	uint64_t walks_compared;
	uint64_t walks_different;
} StapCounters;

/* Returns the current counters, or NULL if they cannot be read: the module is not loaded, or has
   none. sys_folder NULL: "/sys". */
StapCounters *stap_counters_read(const char *sys_folder, const char *module_name);
void stap_counters_free(StapCounters *counters);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapCounters, stap_counters_free)

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
