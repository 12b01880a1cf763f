/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Takes the place of whichever of stdin, stdout and stderr is closed, so that no file that is
 * opened later gets its number, and with it what is meant for a terminal. Reading and writing fail
 * there as before. To be called first of all; returns false when it cannot be done, errno says why.
 */
bool standard_files_hold(void);

/* What a run opens at once, rounded up; perf events ask for more where they can. */
enum { FILES_NEEDED = 32 };

/* Whether so many files may be open, raising the limit where that is allowed. Below it libraries
   end the program without a word of ours. */
bool standard_files_leave_room(void);
