/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * When the host runs out of memory, the kernel kills this program and its children first, not the
 * processes that it observes. The score belongs to the process, so the saved one is a global; the
 * command gets back the score that this program was started with.
 */

/* Raises this process's oom_score_adj, which its children inherit. Returns false, with errno set,
   when the kernel does not let us: that is no reason not to go on. */
bool oom_score_raise(void);

/* Undoes it, for the calling process. May be called between fork and exec. */
void oom_score_restore(void);
