/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* In a child that does not exec: closes everything that the program has open (terminal, locks,
   pipes) except these descriptors, which get new numbers; -1 stays. /dev/null replaces the standard
   files. Returns false if there are not enough descriptors. */
bool child_files_keep_only(int *fds, unsigned count);

/* In a child that will exec: no descriptor but the standard files outlives that. */
void child_files_close_at_exec(void);
