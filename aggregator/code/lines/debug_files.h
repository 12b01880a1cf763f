/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/code_objects.h"

#include <glib.h>
#include <stdbool.h>

/* Fetches debuginfo from servers (debuginfod), by build id, into the user's cache. */
typedef struct DebuginfodClient DebuginfodClient;

/* Whether this build can fetch. */
bool debuginfod_client_is_built(void);

/* url: of the server; "": those of the variable DEBUGINFOD_URLS. Returns NULL with error set if
   there is none, or this build cannot fetch. */
DebuginfodClient *debuginfod_client_new(const char *url, bool shows_progress, GError **error);
void debuginfod_client_free(DebuginfodClient *client);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebuginfodClient, debuginfod_client_free)

/* Returns the path of the debuginfo of a build id (hexadecimal), owned by the caller; NULL: no
   server has it. *problem, owned by the caller, says what else went wrong; NULL: nothing. name: of
   the object, for messages about the progress. Takes at
   most 5 minutes and 4 GB, unless the environment has DEBUGINFOD_MAXTIME or DEBUGINFOD_MAXSIZE; a
   signal ends it (stop_signal.h). */
char *debuginfod_client_fetch(DebuginfodClient *client, const char *build_id, const char *name,
			      char **problem);

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
