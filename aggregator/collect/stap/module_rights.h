/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

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
