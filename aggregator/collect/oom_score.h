/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Who goes first when the host runs out of memory: this program and what it starts, not whoever it
 * observes. As the score is the process's, so is what is kept here; the command gets back the one
 * that this program was started with.
 */

/* Raises this process's oom_score_adj, which its children inherit. Returns false, with errno set,
   when the kernel does not let us: that is no reason not to go on. */
bool oom_score_raise(void);

/* Undoes it, for the calling process. May be called between fork and exec. */
void oom_score_restore(void);
