/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* In a child that does not exec: closes everything that the program has open (terminal, locks,
   pipes) except these descriptors, which get new numbers. /dev/null replaces the standard files. */
void child_files_keep_only(int *fds, unsigned count);

/* In a child that will exec: no descriptor but the standard files outlives that. */
void child_files_close_at_exec(void);
