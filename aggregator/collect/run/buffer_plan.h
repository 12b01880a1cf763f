/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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
