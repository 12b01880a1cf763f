/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/stap_options.h"
#include "collect/host/stap_tool.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Compiling the probe module with stap, and keeping it: /var/cache/kmalloc-top holds what was
 * compiled before, keyed by everything that makes two modules differ.
 */

/* Everything that a module depends on. All of it is borrowed. */
typedef struct {
	unsigned events;            /* bits of ProbeKindBit: which scripts */
	const StapOptions *options; /* the user's -o, already split */
	const char *kernel_release; /* NULL: the running one */
	unsigned cpus_max;          /* possible CPUs that the emitter keeps buffers for */
	const char *sign_key;       /* NULL: not signed */
	const char *sign_cert;
	const char *script_folder;  /* NULL: the installed scripts */
	const char *cache_folder;   /* NULL: the default one */
	const char *modules_folder; /* where kernels' headers are; NULL: /lib/modules */
	int verbose;
} StapBuildRequest;

/*
 * Returns the path of a module ready for staprun, from the cache or freshly compiled, or NULL with
 * error set (one line: the reason and the remedy). Says on stderr when it has to compile. The
 * file's base name is the module's name and must stay so.
 */
char *stap_build_module(const StapTool *tool, const StapBuildRequest *request, GError **error);

/* Looks whether stap_build_module() would find the module compiled before; makes nothing. Returns
   false with error set when it would fail before compiling. */
bool stap_build_look(const StapTool *tool, const StapBuildRequest *request, bool *is_compiled,
		     GError **error);

/* --build-module: compiles into the file `output`, never from or into the cache. */
bool stap_build_module_file(const StapTool *tool, const StapBuildRequest *request,
			    const char *output, GError **error);

/* --module: checks that FILE fits this kernel build and this SystemTap runtime and observes these
   events; the error names both sides. */
bool stap_build_check_module(const StapTool *tool, const char *path, unsigned events,
			     GError **error);

/* The same for a kernel that is of that release and version. */
bool stap_build_check_module_for(const StapTool *tool, const char *path, unsigned events,
				 const char *release, const char *version, GError **error);
