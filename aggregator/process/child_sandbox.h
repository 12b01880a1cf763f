/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * What protects the host from a process that opens or reads hostile files, should a file take it
 * over. All of it lasts until the process ends. A step that the host refuses is an error: the
 * process must not go on.
 */

/* What the process may do with files. */
typedef enum {
	CHILD_READS, /* only read descriptors that it has */
	/* Open and list any file for reading, with root's rights if the program has them. It cannot
	   write, start a program, or act on other processes. */
	CHILD_OPENS,
	CHILD_PROBES, /* The same, and open perf events. */
} ChildRights;

/* Memory that such a process may have in addition to what it has already: that of the program. */
typedef struct {
	uint64_t address_space_bytes; /* with files that it maps */
	uint64_t data_bytes;          /* without; since Linux 4.7 */
} ChildLimits;

/* Chooses the user id of the processes: one that no user has and no process of this host. Call this
   in the program, before it forks. */
void child_sandbox_choose_user(void);

/*
 * Two steps in the process: gives up root, all capabilities that the rights do not need, and
 * becoming anybody else by running a file; then no new processes or files, bounded memory, and only
 * those system calls that the rights need. Others fail with EPERM. A program that is not root keeps
 * its user. Each returns NULL, or the step that the host refused, with errno set.
 */
const char *child_sandbox_drop_privileges(ChildRights rights);
const char *child_sandbox_close(ChildRights rights, const ChildLimits *limits);

/* Restricts this process to the system calls of its rights; others fail with EPERM, and calls in
   the numbers of another machine, such as of 32 bits, end it. Returns false with errno set if the
   kernel refuses the filter, or there is none for this machine. */
bool call_filter_set(ChildRights rights);
