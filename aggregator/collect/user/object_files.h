/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/user/elf_functions.h"
#include "user/user_objects.h"

#include <glib.h>
#include <stdint.h>

/*
 * ObjectFiles keeps the files of objects open from the first sight of a mapping, so that functions
 * can be named after the process has ended and the file is deleted. Only names that are asked for
 * are read, and files that are open cost almost nothing; but they keep their file systems mounted.
 */
typedef struct ObjectFiles ObjectFiles;

/* Returns a table without files; it keeps at most files_max open. The objects are borrowed. /proc
   and all paths lie below root ("": this host's). */
ObjectFiles *object_files_new(const UserObjects *objects, const char *root, unsigned files_max);
void object_files_free(ObjectFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ObjectFiles, object_files_free)

/* Opens the file of a mapping if that object has none yet. If no more files may be open, reads its
   functions at once. Call it for each mapping as early as possible, after its object is known. */
void object_files_see(ObjectFiles *files, const UserMapLine *mapping);

/* The same for all mappings of a text of a `maps` batch. */
void object_files_see_lines(ObjectFiles *files, TextPart lines);

/* Returns the functions of an object, which are read once; NULL: unknown. They stay valid until the
   next call. */
const ElfFunctions *object_files_functions(ObjectFiles *files, uint32_t object);

/* Returns the descriptor of an object's file, borrowed until the next call; -1: none is open. */
int object_files_descriptor(const ObjectFiles *files, uint32_t object);

/* Returns how many files are open, and how many objects have no file although they should. */
unsigned object_files_open_count(const ObjectFiles *files);
unsigned object_files_missing(const ObjectFiles *files);
