/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/module_cache.h"

#include <glib.h>

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
