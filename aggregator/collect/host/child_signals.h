/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <sys/types.h>

/* Signals around a fork: no handler of the program may run in a child, which shares the main loop's
   descriptors, and none may end a child before it is ready for it. */

/* As fork(); in the child every signal is blocked until child_signals_unblock(). */
pid_t child_signals_fork(void);

/* In the child: what each signal does is the default again. */
void child_signals_default(void);
void child_signals_unblock(void);
