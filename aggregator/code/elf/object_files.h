/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/file_opener.h"
#include "code/user/user_objects.h"

#include <glib.h>
#include <stdint.h>

/*
 * ObjectFiles keeps the files of objects open from the first sight of a mapping, so that functions
 * can be named after the process has ended and the file is deleted. Only names that are asked for
 * are read, and files that are open cost almost nothing; but they keep their file systems mounted.
 */
typedef struct ObjectFiles ObjectFiles;

/* Returns a table without files; it keeps at most files_max open, and one more while that is read.
   The objects are borrowed. /proc and all paths lie below root ("": this host's). */
ObjectFiles *object_files_new(const UserObjects *objects, const char *root, unsigned files_max);
void object_files_free(ObjectFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ObjectFiles, object_files_free)

/* Opens the file of a mapping if that object has none yet, unless too many are open. Call it for
   each mapping as early as possible, after its object is known. */
void object_files_see(ObjectFiles *files, const UserMapLine *mapping);

/* The same for all mappings of a text of a `maps` batch. When files take too long, those behind
   them are left for object_files_find(). */
void object_files_see_lines(ObjectFiles *files, TextPart lines);

/* Returns the place of an object's file, borrowed until the next call: looks for it once more,
   as far as it can be found without its process. -1: there is none. */
int object_files_find(ObjectFiles *files, uint32_t object);

/* Whether the name of a place in an object is to be looked up: the first time, and again after
   object_files_find() saw that the file changed (generated code). Notes that this is done. */
bool object_files_is_new(ObjectFiles *files, uint32_t object, uint64_t offset);

/* Names of an object could not be read: they are not asked for again. Takes the problem. */
void object_files_fail(ObjectFiles *files, uint32_t object, char *problem);

/* Returns a text of what was left out so far, for people, owned by the caller; NULL: nothing. */
char *object_files_problems(const ObjectFiles *files);

/* Returns what opens the files, borrowed. */
FileOpener *object_files_opener(const ObjectFiles *files);

/* Returns the place (trusted_file.h) of an object's file, borrowed until the next call; -1: there
   is none. */
int object_files_descriptor(const ObjectFiles *files, uint32_t object);
