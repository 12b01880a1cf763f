/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/process/child.h"
#include "collect/process/child_port.h"

/*
 * The process of a FileOpener, and what is said to it. It has root's rights, if the program has
 * them, but may only open files for reading (CHILD_OPENS). It parses nothing of a file but its
 * build id.
 */
enum {
	/* To it. Each but a scan is answered by OPENER_OPENED. */
	OPENER_MAPPING = CHILD_MESSAGE_OWN, /* the body is its line (user_map_line.h) */
	OPENER_JIT_MAP,                     /* the body is the JitProcess */
	OPENER_FILE,                        /* the value is bytes_max, the body the path */
	OPENER_SCAN, /* the body is an OpenerScan; answers follow up to CHILD_MESSAGE_END */
	/* By it. */
	OPENER_OPENED, /* the value is an errno, from OPENER_USE_SHIFT on the use; or with a file */
	OPENER_PROCESS, /* the process with this id is read now */
	OPENER_LINES,   /* a part of its lines */
	OPENER_DONE,    /* the value: whether it was left out */
};

enum { OPENER_USE_SHIFT = 32 };

typedef struct {
	uint64_t time_ns;
	uint32_t with_data;
	uint32_t after; /* processes with ids up to that one are not wanted */
} OpenerScan;

/* Its data is the root: a text. */
extern const ChildType opener_child;
