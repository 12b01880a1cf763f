/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * Bounds the memory of a live run beyond the transport's buffers. staprun becomes stapio once the
 * module is loaded. stapio queues unread data, since SystemTap 5.0 without a bound. This program's
 * tables have bounds; the symbols of loaded and unloaded modules have none.
 */
typedef struct {
	const char *root;      /* folder of /proc; "": this host's */
	uint64_t bytes_max;    /* --max-memory; 0: no bound */
	unsigned cpus;         /* stapio has one thread for each */
	pid_t stapio;          /* our child; 0: none */
	uint64_t buffer_bytes; /* of the transport, mapped into this program */
} MemoryWatch;

/*
 * Returns the memory of a process in bytes, resident or swapped out: the host would get this much
 * back if the process ended. Reads /proc below root ("": this host's). Returns 0 if the process is
 * gone.
 */
uint64_t process_memory(const char *root, pid_t pid);

/* Returns a line that names what uses too much memory now, or NULL. The caller frees it. */
char *memory_watch_problem(const MemoryWatch *watch);
