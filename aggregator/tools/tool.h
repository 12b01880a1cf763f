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

/* The main() of a command. Returns its ExitStatus. */
int tool_main(const Tool *tool, int argc, char **argv);
