/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/facts/stap_tool.h"

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether a module can be loaded at all. Finds certain failures before a minute of compiling. /proc
 * lies below root ("": this host's). The errors are one line with the remedy.
 */

/* Whether the kernel loads modules. */
bool module_rights_of_kernel(const char *root, GError **error);

/* Whether this user and process may load modules. */
bool module_rights_of_user(const char *root, uid_t user, GError **error);

/* --module: checks that FILE fits this kernel build and this SystemTap runtime and observes these
   events. The error shows both values. */
bool module_check(const StapTool *tool, const char *path, unsigned events, GError **error);

/* The same for a kernel with that release and version. */
bool module_check_for(const StapTool *tool, const char *path, unsigned events, const char *release,
		      const char *version, GError **error);
