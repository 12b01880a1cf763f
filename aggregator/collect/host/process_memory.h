/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * Returns the memory that a process holds, resident or swapped out, in bytes: what the host would
 * get back if it ended. Read from /proc below root ("": this host's); 0 when it is gone.
 */
uint64_t process_memory(const char *root, pid_t pid);
