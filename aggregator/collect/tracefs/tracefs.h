/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Finds the kernel's descriptions of its tracepoints. Only the group kmem matters here. */

/* Returns the path of the folder events/kmem if it is mounted and this user can read it, else NULL.
   The caller frees it. /proc/mounts and the mount points lie below root ("": this host's). Mounts
   nothing. */
char *tracefs_find_kmem(const char *root);

/* The same for a folder that is mounted where this user cannot read it. */
char *tracefs_find_unreadable_kmem(const char *root);

/* Opens that folder; the caller closes it. If it is not mounted, mounts it in a private namespace
   (this host only). Neither this process' mounts nor those of others change, and nothing is left
   behind. Returns -1 with error set. */
int tracefs_open_kmem(const char *root, GError **error);

/* Opens it in a process that gets its own mount namespace; allocates nothing. Returns -1 with errno
   set. */
int tracefs_open_kmem_alone(void);
