/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/user/user_map_line.h"

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * UserObjects is the table of distinct executable objects: programs, libraries, the vdso, and the
 * generated code of a process. A number means the same object in all processes.
 */
typedef struct UserObjects UserObjects;

/* The number of an address outside executable mappings. Objects have numbers from 1 on. */
enum { USER_OBJECT_UNKNOWN = 0 };

typedef enum {
	USER_OBJECT_FILE,      /* places are offsets in the file */
	USER_OBJECT_SPECIAL,   /* of the kernel, "[vdso]": places are offsets in the mapping */
	USER_OBJECT_GENERATED, /* by a process, while it runs: places are addresses */
} UserObjectType;

/* An object. Everything is borrowed from the table. */
typedef struct {
	UserObjectType type;
	/* In lines of `user_symbols`: one word that identifies the object in a recording. */
	const char *key;
	const char *path; /* of its first mapping, as the kernel reported it; not escaped */
	UserFileId file;
	uint32_t tgid; /* of the process that generated it */
} UserObject;

/* Returns a table that takes at most this many bytes, about. */
UserObjects *user_objects_new(size_t bytes_max);
void user_objects_free(UserObjects *objects);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UserObjects, user_objects_free)

/* Returns the type of the object that this line maps. */
UserObjectType user_object_type(const UserMapLine *mapping);

/*
 * Returns the number of the object that this line maps, a new one if it is not known. Two lines
 * have the same file if their build ids are equal; or else, if one of them lacks the build id, if
 * device, inode and (where both have it) generation are. Returns USER_OBJECT_UNKNOWN if the table
 * is full.
 */
uint32_t user_objects_intern(UserObjects *objects, const UserMapLine *mapping);

/* The same without adding anything; USER_OBJECT_UNKNOWN: it is not known. */
uint32_t user_objects_find_mapping(const UserObjects *objects, const UserMapLine *mapping);

/* Returns the number of the object with this key; USER_OBJECT_UNKNOWN: none. */
uint32_t user_objects_find(const UserObjects *objects, TextPart key);

/* Returns an object; NULL: there is no such number. It stays valid until the next intern. */
const UserObject *user_objects_get(const UserObjects *objects, uint32_t number);

/* Returns the highest number. */
uint32_t user_objects_count(const UserObjects *objects);
