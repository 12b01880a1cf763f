/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/facts/stap_tool.h"
#include "collect/run/collector.h"
#include "collect/stap/kernel_headers.h"
#include "collect/stap/stap_options.h"
#include "collect/stap/stap_points.h"

#include <glib.h>
#include <stdbool.h>

/* The script's file name in the compile folder. */
#define STAP_SCRIPT_FILE "kmalloc-top.stp"

/* The script that observes some events, and the tapset to compile it with. */
typedef struct {
	char *text; /* the common part, then one part per event */
	char *tapset_folder;
	char *tapset_text; /* all files of the tapset: part of a module's key */
} StapScript;

/* Returns the script for these events (bits of ProbeKindBit) and points (NULL: none), or NULL with
   error set. folder NULL: the folder of the installed scripts. */
StapScript *stap_script_read(const char *folder, unsigned events, const StapPoints *points,
			     GError **error);
void stap_script_free(StapScript *script);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapScript, stap_script_free)

/*
 * Pairs of SystemTap and kernel that do not compile as shipped, and their fixes. They are
 * recognised by the content of the runtime and the headers, because distributions backport.
 *
 * To add one, add a line to the table of stap_workarounds.c and a test.
 */

/* Where a compile takes place. Everything is borrowed. */
typedef struct {
	const KernelHeaders *headers;
	const char *stap;    /* the program; it contains the text of its tracepoint queries */
	const char *runtime; /* folder of SystemTap's runtime */
	const char *version; /* of SystemTap, including the distribution's part */
} StapSite;

typedef struct StapWorkaround StapWorkaround;

/* Returns the work-arounds that this pair needs (element-type StapWorkaround, static); free the
   array. */
GPtrArray *stap_workarounds_find(const StapSite *site);

/* Printed with -v, and part of a module's key. */
const char *stap_workaround_name(const StapWorkaround *workaround);

/*
 * Prepares the work-arounds: appends words for stap's command line to argv and, if needed, makes a
 * patched copy of the runtime below the folder home. The copy's path never changes, because stap's
 * own cache depends on it. work_folder is private and on the same filesystem. Returns false with
 * error set if a text to replace was not found.
 */
bool stap_workarounds_apply(const GPtrArray *workarounds, const StapSite *site, const char *home,
			    const char *work_folder, GPtrArray *argv, GError **error);

/* One run of stap. Everything is borrowed. */
typedef struct {
	char **argv;                /* stap and its arguments */
	const char *folder;         /* working folder, also for temporary files */
	const char *home;           /* folder of stap's own cache */
	const char *kernel_release; /* for messages */
	const char *stap_version;   /* for messages */
	/* (element-type utf8): functions of the kernel that the script probes by name; NULL: none.
	   SystemTap knows functions by System.map, which some distributions do not ship: stap then
	   sees one with these names, in a mount namespace of its own. */
	const GPtrArray *functions;
	int verbose;
} StapCompile;

/*
 * Runs stap to its end; prints on stderr if it takes long. Returns false with error set if stap
 * failed (reason and remedy), or SIGINT, SIGTERM or SIGHUP came, which ends stap and its children.
 * *poisoned: whether --poison-cache may help.
 */
bool stap_compile_run(const StapCompile *compile, bool *poisoned, GError **error);

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
