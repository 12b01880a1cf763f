/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

/* Returns a text that is the same for the same run, though it is read from another file, and
   another one for each piece of a run. path: what the session was read from. The caller frees the
   text. */
char *run_identity(const Session *session, const char *path);
