/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* What was started in a process group of its own ends as one. All of this may be called between
   fork and exec. */

void sleep_ms(unsigned milliseconds);

/* Waits until no process of the group is left, at most so long. A child of ours counts until it was
   waited for. Returns whether none is left. */
bool process_group_wait(pid_t group, unsigned patience_ms);

/* Asks all of the group to end, and ends by force what is left after that time. */
void process_group_end(pid_t group, unsigned patience_ms);
