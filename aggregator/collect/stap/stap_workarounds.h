/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/kernel_headers.h"

#include <glib.h>
#include <stdbool.h>

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
