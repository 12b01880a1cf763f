/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How much memory the transport takes, which carries records from the kernel to this program: from
 * the start of a run to its end, whether it is used or not. Arithmetic only.
 */

/* The inputs of a plan. A megabyte has 2^20 bytes. */
typedef struct {
	uint32_t megabytes;            /* asked for, all buffers together; 0: not asked for */
	uint32_t megabytes_per_buffer; /* asked for, each buffer; 0: not asked for. It wins. */
	unsigned cpus;                 /* online */
	bool per_cpu;                  /* each CPU has a buffer; else all of them share one */
	bool power_of_two;             /* a buffer's size in megabytes has to be one */
	uint64_t available_bytes;      /* MemAvailable; 0: not known */
	uint32_t megabytes_max;        /* a buffer's, of the kernel; 0: staprun's bound alone */
} BufferRequest;

typedef struct {
	uint32_t megabytes_per_buffer;
	unsigned buffers;
	bool per_cpu;
	bool power_of_two;
	uint32_t megabytes_max; /* a buffer's */
	bool above_bound;       /* the smallest possible is more than the default may take */
	bool below_asked;       /* the largest possible is less than was asked for */
	uint64_t available_bytes;
} BufferPlan;

/*
 * The default is 16 MB for each CPU, at most 1/32 of the available memory and 1 GB in all, and at
 * least the smallest size, a megabyte for each buffer.
 *
 * Returns false with error set (G_OPTION_ERROR) when the user requests more than half of the
 * available memory; the message names the largest sensible size.
 */
bool buffer_plan_init(BufferPlan *plan, const BufferRequest *request, GError **error);

/* Returns the memory of all buffers together. */
uint64_t buffer_plan_bytes(const BufferPlan *plan);

/* Returns "512 MB (4 MB x 128 CPUs), MemAvailable 31 GB". */
char *buffer_plan_text(const BufferPlan *plan);

/* Prints on stderr how much memory the buffers will take. */
void buffer_plan_print(const BufferPlan *plan);
