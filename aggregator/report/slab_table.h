/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/slabinfo.h"

#include <glib.h>
#include <stdint.h>

/* Two readings of /proc/slabinfo of one host, and the time between them. Borrowed. */
typedef struct {
	const Slabinfo *start;
	const Slabinfo *end;
	uint64_t span_ns; /* 0: not known */
} SlabSpan;

enum { SLAB_TABLE_ROWS = 20 };

/*
 * Appends the slab caches, what grows most first: CACHE IN-USE SIZE CHANGE/s. SIZE is the memory of
 * all slabs of a cache, CHANGE/s how much its objects in use grew or shrank. Caches beyond rows_max
 * are counted in a line, and the last line says what to do next.
 */
void append_slab_table(GString *out, const SlabSpan *span, guint rows_max);
