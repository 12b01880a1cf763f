/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * How much memory the transport of records from the kernel to this program takes. It takes it for
 * the whole run, used or not. Arithmetic only.
 */

/* The inputs of a plan. A megabyte has 2^20 bytes. */
typedef struct {
	uint32_t megabytes;            /* requested for all buffers together; 0: not requested */
	uint32_t megabytes_per_buffer; /* requested for each buffer, has precedence; 0: not
					  requested */
	unsigned cpus;                 /* online */
	bool per_cpu;                  /* each CPU has a buffer; else all CPUs share one */
	bool power_of_two;             /* a buffer's size in megabytes must be a power of two */
	uint64_t available_bytes;      /* MemAvailable; 0: unknown */
	uint32_t megabytes_max;        /* the kernel's bound on a buffer; 0: only staprun's bound */
} BufferRequest;

typedef struct {
	uint32_t megabytes_per_buffer;
	unsigned buffers;
	bool per_cpu;
	bool power_of_two;
	uint32_t megabytes_max; /* of a buffer */
	bool above_bound;       /* the smallest possible size is above the default's bound */
	bool below_asked;       /* the largest possible size is below the requested one */
	uint64_t available_bytes;
	uint64_t slab_bytes; /* of all buffers for the ends of slabs, beside the others; 0: none */
} BufferPlan;

/*
 * The default is 16 MB for each CPU, at most 1/32 of the available memory and 1 GB in total, and at
 * least the smallest size: a megabyte for each buffer.
 *
 * Returns false with error set (G_OPTION_ERROR) if the user requests more than half of the
 * available memory; the message contains the largest sensible size.
 */
bool buffer_plan_init(BufferPlan *plan, const BufferRequest *request, GError **error);

/* Returns the memory of all buffers together, without slab_bytes. */
uint64_t buffer_plan_bytes(const BufferPlan *plan);

/* Returns "512 MB (4 MB x 128 CPUs), MemAvailable 31 GB", and slab_bytes if there are any. */
char *buffer_plan_text(const BufferPlan *plan);

/* Prints on stderr how much memory the buffers will take. */
void buffer_plan_print(const BufferPlan *plan);

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

/*
 * Makes the kernel kill this program and its children first when the host runs out of memory, not
 * the observed processes. The saved score is a global because it belongs to the process. The
 * command gets back the program's original score.
 */

/* Raises this process's oom_score_adj, which its children inherit. Returns false with errno set if
   the kernel refuses; the run can continue without it. */
bool oom_score_raise(void);

/* Restores the original score of the calling process. May be called between fork and exec. */
void oom_score_restore(void);
