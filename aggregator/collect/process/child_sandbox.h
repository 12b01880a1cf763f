/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * What protects the host from a process that reads hostile files, should one of them take it over.
 * All of it lasts until the process ends, and its children inherit it.
 */

/* Gives up root, all capabilities, and becoming anybody else by running a file. What the host does
   not allow is left out: then the user had not much to give up. */
void child_sandbox_drop_privileges(void);

/* Memory that such a process may have besides what it has already: that of the program. */
typedef struct {
	uint64_t address_space_bytes; /* with files that it maps */
	uint64_t data_bytes;          /* without; since Linux 4.7 */
} ChildLimits;

/* Then: no new processes or files, bounded memory, and on x86-64 and AArch64 only those system
   calls that reading open files and a socket needs. Others fail with EPERM. */
void child_sandbox_close(const ChildLimits *limits);
