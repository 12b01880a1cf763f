/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <sys/types.h>

/* Signals around a fork. A handler of the program must not run in a child, which shares the main
   loop's descriptors. A signal must not end a child before the child is ready for it. */

/* Like fork(). In the child, every signal is blocked until child_signals_unblock(). */
pid_t child_signals_fork(void);

/* In the child: restores the default action of each signal. */
void child_signals_default(void);
void child_signals_unblock(void);
