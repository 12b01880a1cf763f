/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/kernel_headers.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Pairs of SystemTap and kernel that do not compile as shipped, and what helps. Recognised by what
 * the runtime and the headers contain: distributions backport.
 *
 * To add one: a line in the table of stap_workarounds.c, a test.
 */

/* Where a compile takes place. Everything is borrowed. */
typedef struct {
	const KernelHeaders *headers;
	const char *stap;    /* the program: the text of its tracepoint queries is in it */
	const char *runtime; /* folder of SystemTap's runtime */
	const char *version; /* of SystemTap, with the distribution's */
} StapSite;

typedef struct StapWorkaround StapWorkaround;

/* Returns the work-arounds this pair needs (element-type StapWorkaround, static); free the array.
 */
GPtrArray *stap_workarounds_find(const StapSite *site);

/* Printed with -v, and part of a module's key. */
const char *stap_workaround_name(const StapWorkaround *workaround);

/*
 * Prepares them: adds words for stap's command line to argv and, where one is needed, keeps a
 * patched copy of the runtime below the folder home. Its path stays, because stap's own cache
 * depends on it. work_folder is private and on the same file system. Returns false with error set
 * when a text to replace was not found.
 */
bool stap_workarounds_apply(const GPtrArray *workarounds, const StapSite *site, const char *home,
			    const char *work_folder, GPtrArray *argv, GError **error);
