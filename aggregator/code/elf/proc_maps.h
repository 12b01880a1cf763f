/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define MAPPED_PATH_LIBC "libc"

/*
 * Returns the path, from here, of the first file of this name that a process has mapped as code;
 * MAPPED_PATH_LIBC: of the C library; also if it was deleted, or is in another mount namespace.
 * process: its folder in /proc. At most 32 MB are read. Returns NULL if there is none; the caller
 * frees it.
 *
 * Only for the process that opens files: the kernel lets a reader wait for the mappings while the
 * process itself waits for a file system, and looks at paths of strangers.
 */
char *mapped_path_find(const char *process, const char *name);

/* What is read of one process, and what is written about it, at most. Servers with a thread for
   each connection have 1 MB of each; a process of a stranger may have 250 MB. */
enum { PROC_MAPS_READ_MAX = 32 << 20, PROC_MAPS_BYTES_MAX = 8 << 20 };

/* A reading of what is mapped. /proc lies below root ("": this host's). */
typedef struct {
	const char *root;
	/* When the recording began, in ns: each line gets this time, so it counts for all events.
	 */
	uint64_t time_ns;
	bool with_data; /* not only executable mappings */
	uint32_t after; /* processes with ids up to this one are not read */
	/* Called before a process is read, and after it with lines of a `maps` batch
	   (user_map_line.h), which are borrowed. A process that has more than can be read is left
	   out: it has no lines. */
	void (*begin)(uint32_t tgid, void *user_data);
	void (*end)(TextPart lines, bool is_left_out, void *user_data);
	void *user_data;
} ProcMapsRequest;

/*
 * Reads what is mapped in all processes, in the order of their ids. Build ids are read from the
 * files, each file once. Processes that cannot be read are left out; returns how many could be.
 */
unsigned proc_maps_read(const ProcMapsRequest *request);
