/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The lines of a `maps` batch: what happened to the address spaces of processes.
 *
 *	m TIME TGID START LENGTH OFFSET MAJOR:MINOR INODE GENERATION BUILDID|- PATH
 *	f TIME TGID PARENT_TGID
 *	x TIME TGID
 *	e TIME TGID
 *
 * Times, process ids and device numbers are decimal, all other numbers hexadecimal. Times are ns of
 * CLOCK_MONOTONIC. Only executable mappings have lines. A path reaches to the line's end; a line
 * end in it is written \012, as in /proc/PID/maps.
 */
typedef enum {
	USER_MAP_MAPPED,   /* m: an executable mapping, which replaces what was at its addresses */
	USER_MAP_FORKED,   /* f: a process with the mappings of its parent; not a thread */
	USER_MAP_EXECUTED, /* x: all mappings of earlier times are gone */
	USER_MAP_ENDED,    /* e: the process ended */
} UserMapType;

enum { USER_BUILD_ID_BYTES_MAX = 20, USER_PATH_BYTES_MAX = 4096 };

/* What identifies a mapped file, as far as it is known. */
typedef struct {
	uint8_t build_id[USER_BUILD_ID_BYTES_MAX];
	uint8_t build_id_bytes; /* 0: unknown */
	uint32_t major, minor;  /* of the device */
	uint64_t inode;         /* 0: unknown, or not a file */
	uint64_t generation;    /* of the inode; 0: unknown */
} UserFileId;

typedef struct {
	UserMapType type;
	uint64_t time_ns;
	uint32_t tgid;
	uint32_t parent_tgid; /* of a fork; all else is of mappings */
	uint64_t start, length;
	uint64_t file_offset;
	UserFileId file;
	TextPart path; /* borrowed; as the kernel reports it */
} UserMapLine;

/* Parses a line without its end. Returns false if it is not valid. The path points into the line.
 */
bool user_map_line_parse(TextPart text, UserMapLine *line);

/* Appends a line with its end. A path longer than USER_PATH_BYTES_MAX is cut. */
void user_map_line_append(GString *out, const UserMapLine *line);

/* Returns the build id as text (build_id.h), owned by the caller; NULL: unknown. */
char *user_build_id_text(const UserFileId *file);

/* Parses a build id that fills the whole part, of either case. Returns false if it is none. */
bool user_build_id_parse(TextPart text, UserFileId *file);
