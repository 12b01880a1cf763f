/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Fills the places of those of stdin, stdout and stderr that are closed. Otherwise a file that is
 * opened later gets such a number, and with it what is meant for a terminal. Reading and writing
 * fail there as before. To be called first of all; returns false with errno set.
 */
bool standard_files_hold(void);

/* What a run opens at once, rounded up; perf events ask for more where they can. */
enum { FILES_NEEDED = 32 };

/* Whether so many files may be open, raising the limit where that is allowed. Below it libraries
   end the program without a word of ours. */
bool standard_files_leave_room(void);
