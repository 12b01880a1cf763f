/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/module_cache.h"

#include <glib.h>

/*
 * What runs that were killed left on this host, and what other runs have in use. A loaded module is
 * one of ours when it has the parameter kmt_counters, whatever its name: --module FILE.ko may be
 * called anything.
 */
typedef struct {
	GPtrArray *modules;      /* (element-type utf8) names: loaded, and nobody reads them */
	GPtrArray *live_modules; /* (element-type utf8) names: loaded and read, by another run */
	GPtrArray
		*work_folders; /* (element-type utf8) paths in the cache, of processes long gone */
} StapLeftovers;

/*
 * Returns what there is; changes nothing. sys_folder NULL: /sys; cache NULL: do not look for work
 * folders.
 *
 * A module counts as live while its reader has it open, or a process of SystemTap is named after
 * it. The module of a run that is just starting has neither for a moment: it may be removed only
 * while no run is starting (stap_start.h).
 */
StapLeftovers *stap_leftovers_find(const char *sys_folder, const ModuleCache *cache);
void stap_leftovers_free(StapLeftovers *leftovers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapLeftovers, stap_leftovers_free)
