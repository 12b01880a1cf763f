/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "process/child.h"
#include "process/child_port.h"

/*
 * The process of a FileOpener, and what is said to it. It has root's rights, if the program has
 * them, but may only open files for reading (CHILD_OPENS). It parses nothing of a file but its
 * build id.
 */
enum {
	/* To it. Each is answered by OPENER_OPENED, if nothing else is said. */
	OPENER_MAPPING = CHILD_MESSAGE_OWN, /* the body is its line (user_map_line.h) */
	OPENER_JIT_MAP,                     /* the body is the JitProcess */
	OPENER_FILE,                        /* the value is bytes_max, the body the path */
	OPENER_MAPPED, /* the body is an OpenerMapped; the answer's body is a path */
	OPENER_LOOK,   /* a place comes with it; the value: an offset; the answer: an OpenerLook */
	OPENER_TARGET, /* a socket comes with it; the body is a ChildMessage; no answer */
	OPENER_PASS,   /* a place comes with it: its file goes to the target, with that message */
	OPENER_SCAN,   /* the body is an OpenerScan; answers follow up to CHILD_MESSAGE_END */
	/* By it. */
	OPENER_OPENED,  /* the value is an errno, from OPENER_USE_SHIFT on the use; a place */
	OPENER_PROCESS, /* the process with this id is read now */
	OPENER_LINES,   /* a part of its lines */
	OPENER_DONE,    /* the value: whether it was left out */
};

enum { OPENER_USE_SHIFT = 32, OPENER_NAME_BYTES_MAX = 256 };

typedef struct {
	uint64_t time_ns;
	uint32_t with_data;
	uint32_t after; /* processes with ids up to that one are not wanted */
} OpenerScan;

typedef struct {
	uint32_t tgid;                    /* 0: its own process */
	char name[OPENER_NAME_BYTES_MAX]; /* of a file (mapped_path.h), terminated */
} OpenerMapped;

/* Its data is the root: a text. */
extern const ChildType opener_child;
