/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * What a fork needs around it. All of this may be called between fork and exec.
 *
 * A handler of the program must not run in a child, which shares the main loop's descriptors. A
 * signal must not end a child before the child is ready for it.
 */

/* Like fork(). In the child, every signal is blocked until child_signals_unblock(). */
pid_t child_signals_fork(void);

/* In the child: lets it get this signal when its parent ends, and ends it if that has ended
   already. Another user id undoes it: call this after it. */
void child_signals_end_with(pid_t parent, int number);

/* In the child: restores the default action of each signal. */
void child_signals_default(void);
void child_signals_unblock(void);

/* In a child that does not exec: closes everything that the program has open (terminal, locks,
   pipes) except these descriptors, which get new numbers; -1 stays. /dev/null replaces the standard
   files. Returns false if there are not enough descriptors. */
bool child_files_keep_only(int *fds, unsigned count);

/* In a child that will exec: no descriptor but the standard files outlives that. */
void child_files_close_at_exec(void);

/* Sleeps so long, also if signals come. */
void sleep_ms(unsigned milliseconds);

/* Waits until a process group that we started has no process left, at most patience_ms. A child of
   ours counts until it is waited for. Returns whether none is left. */
bool process_group_wait(pid_t group, unsigned patience_ms);

/* Asks such a group to end, and kills the remaining processes after patience_ms. */
void process_group_end(pid_t group, unsigned patience_ms);
