/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/import.h"
#include "session/session.h"

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

/*
 * Reads a whole file ("-": standard input) into the session and ends its stream. The format is
 * recognised by content: native stream, recording, or one of the import types. A truncated or
 * damaged file is read as far as possible (session->cut_short). Returns false with error set if
 * nothing could be read. SIGINT and SIGTERM end the input early, unless the caller handles them:
 * the session then contains the data read so far.
 */
bool input_read(const char *path, Session *session, GError **error);

/* The same of a file that was found in a folder. It must be a regular one: a pipe there would be
   waited for. */
bool input_read_found(const char *path, Session *session, GError **error);

/*
 * Reads only the facts of a regular file's run into info, without its events, so that its end is
 * known before it is read. Does nothing for other formats, and for files that can be read once
 * only.
 */
void input_read_info(const char *path, RunInfo *info);

/* Whether SIGINT or SIGTERM has ended an input, for a sink that waits. */
bool input_is_interrupted(void);

/* Former handlers of SIGINT and SIGTERM. */
enum { INPUT_INTERRUPTS = 2 };
typedef struct {
	struct sigaction before[INPUT_INTERRUPTS];
} InputInterrupts;

/* Lets these signals end the input also between several files, until it is undone. */
InputInterrupts input_interrupts_catch(void);
void input_interrupts_clear(InputInterrupts *caught);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(InputInterrupts, input_interrupts_clear)

/*
 * Like input_read(), for a text of this format, and without ending the stream: several inputs may
 * follow each other. is_found: as input_read_found(). An interrupt sets session->enough.
 */
bool input_read_text(const char *path, bool is_found, const ImportType *type, Session *session,
		     GError **error);
