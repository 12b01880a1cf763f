/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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
