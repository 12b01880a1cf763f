/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/host_memory_use.h"

#include <stdbool.h>

/* What a host's memory was used for at two instants. Borrowed. */
typedef struct {
	HostMemoryUse start;
	HostMemoryUse end;
	uint64_t span_ns; /* between them; 0: not known */
} MemorySpan;

/* Appends "Memory: available 15.1 GiB (-13.0 MiB/s), slab unreclaimable 190 MiB, ...", broken into
   lines of 80 columns; nothing where nothing is known. It is a sentence, and so for people. */
void append_memory_line(GString *out, const MemorySpan *span);
