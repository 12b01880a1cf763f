/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/module_cache.h"

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
 * Returns what there is; changes nothing. /sys lies below root ("": this host's); cache NULL: do
 * not look for work folders.
 *
 * The module of a run that is just starting is not read yet: who removes one must make sure of
 * that first, for instance by looking again. SystemTap takes a reference on the module as long
 * as its reader has it open; where the kernel does not count them a module counts as live.
 */
StapLeftovers *stap_leftovers_find(const char *root, const ModuleCache *cache);
void stap_leftovers_free(StapLeftovers *leftovers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapLeftovers, stap_leftovers_free)
