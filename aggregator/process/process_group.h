/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Ends a process group that we started, as a whole. All of this may be called between fork and
   exec. */

/* Sleeps so long, also if signals come. */
void sleep_ms(unsigned milliseconds);

/* Waits until the group has no process left, at most patience_ms. A child of ours counts until it
   is waited for. Returns whether none is left. */
bool process_group_wait(pid_t group, unsigned patience_ms);

/* Asks the whole group to end, and kills the remaining processes after patience_ms. */
void process_group_end(pid_t group, unsigned patience_ms);
