/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "code/user/user_maps.h"
#include "code/user/user_objects.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * UserNames contains the functions at the places of a recording, from lines of `user_symbols`
 * batches. A place without a name has no line. It also contains the executable segments of objects:
 * where their debug data have the code of a place.
 *
 *	s OBJECTKEY OFFSET NAME_OFFSET BYTES NAME
 *	v OBJECTKEY OFFSET BYTES ADDRESS
 *
 * Numbers are hexadecimal; the name reaches to the line's end.
 */
typedef struct UserNames UserNames;

enum { USER_NAME_BYTES_MAX = 4096, USER_SEGMENTS_MAX = 4096 };

/* A part of a file with code, and its address as in the file's symbols. */
typedef struct {
	uint64_t offset, bytes;
	uint64_t address;
} UserSegment;

/* The function at a place. */
typedef struct {
	const char *name; /* as in the file, perhaps mangled; "puts@plt"; not escaped */
	uint64_t offset;  /* of the place in the function */
	uint64_t bytes;   /* of the function; 0: unknown */
} UserName;

/* Returns an empty table that takes at most this many bytes, about. The objects are borrowed: those
   of the recording, which the lines refer to. */
UserNames *user_names_new(const UserObjects *objects, size_t bytes_max);
void user_names_free(UserNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UserNames, user_names_free)

/* Adds a line without its end, or all lines of a text. The first line of a place counts. */
void user_names_parse_line(UserNames *names, TextPart line);
void user_names_parse(UserNames *names, TextPart lines);

/* Finds the function at a place. Returns false if it is not known. The name lives as long as names.
 */
bool user_names_find(const UserNames *names, UserPlace place, UserName *name);

/* Finds the address of a place as in the symbols of its file. Returns false if it is not known. */
bool user_names_address(const UserNames *names, UserPlace place, uint64_t *address);

/* Returns how many lines were not understood, and how many found no room. */
uint64_t user_names_invalid(const UserNames *names);
uint64_t user_names_dropped(const UserNames *names);

/* Returns the memory in use, in bytes, about. */
size_t user_names_memory(const UserNames *names);

/* Appends the line of a segment with its end. */
void user_segment_line_append(GString *out, const char *object_key, const UserSegment *segment);

/* Appends the line of a name with its end. A longer name than USER_NAME_BYTES_MAX is cut, and a
   line end in it becomes '?'. */
void user_name_line_append(GString *out, const char *object_key, uint64_t place_offset,
			   const UserName *name);
