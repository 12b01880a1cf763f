/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Where the kernel describes its tracepoints, of which those of the group kmem matter here. */

/* Returns the path of the folder events/kmem where it is mounted and this user can read it, else
   NULL; the caller frees it. /proc/mounts lies below root ("": this host's), as do the places that
   it names. Nothing gets mounted by looking. */
char *tracefs_find_kmem(const char *root);

/* The same for one that is mounted where this user cannot read it. */
char *tracefs_find_unreadable_kmem(const char *root);

/* Opens that folder, which the caller closes: where it is mounted, else, on this host, by mounting
   it where nobody else sees it. Neither this process' mounts nor those of others change, and
   nothing is left behind. Returns -1 with error set. */
int tracefs_open_kmem(const char *root, GError **error);

/* Opens it in a process that from here on has mounts of its own, and allocates nothing. Returns -1
   with errno set. */
int tracefs_open_kmem_alone(void);
