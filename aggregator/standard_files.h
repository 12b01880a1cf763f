/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Takes the place of whichever of stdin, stdout and stderr is closed, so that no file that is
 * opened later gets its number, and with it what is meant for a terminal. Reading and writing fail
 * there as before. To be called first of all; returns false when it cannot be done, errno says why.
 */
bool standard_files_hold(void);
