/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"
#include "collect/stap/stap_options.h"
#include "collect/stap/stap_points.h"
#include "collect/facts/stap_tool.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Compiles the probe module with stap and caches it. /var/cache/kmalloc-top contains earlier
 * modules, keyed by everything that makes two modules differ.
 */

/* Everything that a module depends on. Borrowed. */
typedef struct {
	unsigned events;            /* bits of ProbeKindBit: select the scripts */
	const StapPoints *points;   /* probe points to observe; NULL: none */
	const StapOptions *options; /* the user's -o, already split */
	const char *kernel_release; /* NULL: the running one */
	unsigned cpus_max;          /* possible CPUs; the emitter has a buffer for each */
	const char *sign_key;       /* NULL: not signed */
	const char *sign_cert;
	const char *script_folder;  /* NULL: the installed scripts */
	const char *cache_folder;   /* NULL: the default one */
	const char *modules_folder; /* parent folder of kernel headers; NULL: /lib/modules */
	int verbose;
} StapBuildRequest;

/* Returns the events that a module needs for the request: bits of ProbeKindBit. */
unsigned stap_build_events(const CollectRequest *request);

/*
 * Returns the path of a module ready for staprun, from the cache or newly compiled, or NULL with
 * error set (one line: the reason and the remedy). Prints on stderr when it has to compile. The
 * file's base name is the module's name and must not change.
 */
char *stap_build_module(const StapTool *tool, const StapBuildRequest *request, GError **error);

/* Checks whether stap_build_module() would find the module in the cache; creates nothing. Returns
   false with error set if it would fail before compiling. */
bool stap_build_look(const StapTool *tool, const StapBuildRequest *request, bool *is_compiled,
		     GError **error);

/* --build-module: compiles into the file `output`, without using the cache. */
bool stap_build_module_file(const StapTool *tool, const StapBuildRequest *request,
			    const char *output, GError **error);

/* --module: checks that FILE fits this kernel build and this SystemTap runtime and observes these
   events. The error shows both values. */
bool stap_build_check_module(const StapTool *tool, const char *path, unsigned events,
			     GError **error);

/* The same for a kernel with that release and version. */
bool stap_build_check_module_for(const StapTool *tool, const char *path, unsigned events,
				 const char *release, const char *version, GError **error);
