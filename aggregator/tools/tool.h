/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/tool_description.h"

#include <stdbool.h>

/*
 * Opens /dev/null for those of stdin, stdout and stderr that are closed. Otherwise a file opened
 * later gets such a number, and output for the terminal goes there. Reading and writing still fail.
 * Call this first; returns false with errno set.
 */
bool standard_files_hold(void);

/* Files that a run opens at the same time, rounded up; perf events request more if possible. */
enum { FILES_NEEDED = 32 };

/* Whether this many files can be open; raises the limit if permitted. With fewer, libraries end the
   program without a message from us. */
bool standard_files_leave_room(void);

/* As losses_remedy(), with remedies for this host if the session is of this host. */
const char *tool_loss_remedy(const Session *session, const Options *options);

/* Whether what was read (-i) contains what the options ask for. Returns false with error set if it
   would give a wrong ranking: it cannot be paired, or is a sample of addresses. */
bool tool_can_show(const Options *options, const Session *session, GError **error);

/* Returns a session for what the options show. Threads are kept apart only if they are shown. */
Session *tool_session_new(const Options *options);

/* Reads the file of -i, or the record of --import. Returns false with error set, also if the
   requested part lies after the end of the file. */
bool tool_read_input(Options *options, Session *session, GError **error);

/* With --held, adds the last filters: what others drop is not named. Nobody gave them, and they
   have their own lines. */
void tool_leave_out_unpaired(Options *options);

/* The main() of a command. Returns its ExitStatus. */
int tool_main(const Tool *tool, int argc, char **argv);
