/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/code_objects.h"

#include <glib.h>

/*
 * DebugFiles finds files that may have the debug data of an object: in the folders of --debuginfo,
 * and where distributions install them. Whether a file has the right build id is found out by who
 * reads it.
 */
typedef struct DebugFiles DebugFiles;

/* What is looked for. */
typedef struct {
	CodeKind kind;
	const char *name;     /* of a module; the path of a program */
	const char *build_id; /* hexadecimal */
} DebugFileWanted;

/* folders: files or folders of --debuginfo, NULL-terminated, in their order; NULL: none. release:
   of the recorded kernel; NULL: unknown. All other paths lie below root ("": this host's).
   Everything is copied. */
DebugFiles *debug_files_new(const char *const *folders, const char *release, const char *root);
void debug_files_free(DebugFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebugFiles, debug_files_free)

/* Returns the paths that may be the file that a debug file refers to (dwz), likewise. name: the
   path in the debug file, untrusted: only folders with debug files are searched, and that of the
   debug file itself. */
char **debug_files_find_supplement(DebugFiles *files, const char *debug_file, const char *name,
				   const char *build_id);

/* Returns the paths that may be the file, best first; the caller frees the list with
   g_strfreev(). They may be anything, and that of the program itself
   need not exist. */
char **debug_files_find(DebugFiles *files, const DebugFileWanted *wanted);
