/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_functions.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * The file /tmp/perf-PID.map, in which a process names the code that it generates (node
 * --perf-basic-prof, Java with perf-map-agent, Python -X perf): lines "START BYTES NAME", with
 * hexadecimal addresses. PID and /tmp are those of the process's own namespaces. The file must
 * belong to the user of the process, or to root: /tmp is everybody's.
 */

/* A process that generates code. Ask for it while the process runs. */
typedef struct {
	uint32_t tgid;
	uint32_t tgid_inside;   /* in its own namespace */
	uid_t user;             /* who runs it */
	uint32_t user_is_known; /* and tgid_inside: 0: only tgid */
} JitProcess;

/* Returns false if the process has ended. /proc lies below root ("": this host's). */
bool jit_process_find(JitProcess *process, const char *root, uint32_t tgid);

/* Opens the file of the process; once it has ended, where it is for a process of the host. Returns
   the descriptor, which the caller closes; -1: there is none, or it is somebody else's. */
int jit_map_open(const JitProcess *process, const char *root);

/* Returns the functions in an open file, sorted, by address. Of code that replaced other code at
   its address, the last line counts. At most 256 MB are read. */
ElfFunctions *jit_map_read(int descriptor);
