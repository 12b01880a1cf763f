/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

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
