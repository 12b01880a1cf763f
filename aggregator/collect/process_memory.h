/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * Memory that processes hold, resident or swapped out, in bytes: what the host would get back if
 * they ended. Read from /proc below root ("": this host's).
 */

/* Returns that of a process; 0 when it is gone. */
uint64_t process_memory(const char *root, pid_t pid);

/* Returns that of a process's children together. */
uint64_t process_memory_children(const char *root, pid_t parent);
