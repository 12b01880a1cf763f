/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/run_names.h"
#include "session/session.h"

/* Returns a text that is the same for the same run, though it is read from another file, and
   another one for each piece of a run. path: what the session was read from. The caller frees the
   text. */
char *run_identity(const Session *session, const char *path);

/* Adds the run of a session to the names, by what its stream says. path: as above. Returns its
   number. */
uint32_t run_identity_add(RunNames *names, const Session *session, const char *path);
