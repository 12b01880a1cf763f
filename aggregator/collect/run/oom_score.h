/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Makes the kernel kill this program and its children first when the host runs out of memory, not
 * the observed processes. The saved score is a global because it belongs to the process. The
 * command gets back the program's original score.
 */

/* Raises this process's oom_score_adj, which its children inherit. Returns false with errno set if
   the kernel refuses; the run can continue without it. */
bool oom_score_raise(void);

/* Restores the original score of the calling process. May be called between fork and exec. */
void oom_score_restore(void);
