/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <sys/types.h>

/* Signals around a fork. A handler of the program must not run in a child, which shares the main
   loop's descriptors. A signal must not end a child before the child is ready for it. */

/* Like fork(). In the child, every signal is blocked until child_signals_unblock(). */
pid_t child_signals_fork(void);

/* In the child: lets it get this signal when its parent ends, and ends it if that has ended
   already. Another user id undoes it: call this after it. */
void child_signals_end_with(pid_t parent, int number);

/* In the child: restores the default action of each signal. */
void child_signals_default(void);
void child_signals_unblock(void);
