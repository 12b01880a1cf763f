/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * Bounds the memory of a live run beyond the transport's buffers. stapio, which staprun becomes
 * once the module is loaded, queues what was not read yet, from SystemTap 5.0 on without a bound of
 * its own. This program's tables have bounds; the symbols of modules that come and go have none.
 */
typedef struct {
	const char *root;      /* of /proc; "": this host's */
	uint64_t bytes_max;    /* --max-memory; 0: nothing is bounded */
	unsigned cpus;         /* each has a thread of stapio */
	pid_t stapio;          /* our child; 0: there is none */
	uint64_t buffer_bytes; /* of the transport, mapped into this program */
} MemoryWatch;

/*
 * Returns the memory that a process holds, resident or swapped out, in bytes: what the host would
 * get back if it ended. Read from /proc below root ("": this host's); 0 when it is gone.
 */
uint64_t process_memory(const char *root, pid_t pid);

/* Returns what holds too much memory now, in a line, or NULL. The caller frees it. */
char *memory_watch_problem(const MemoryWatch *watch);
