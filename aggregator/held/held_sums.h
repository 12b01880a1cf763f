/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/saturate.h"

#include <glib.h>
#include <stdbool.h>

/* What pairing found out about the objects of a row. All 0: allocations were not paired. */
typedef struct {
	uint64_t allocated;       /* in the run, held or not */
	uint64_t bytes_requested; /* by these; sums of cells only */
	uint64_t bytes_allocated; /* ... */
	uint64_t freed;
	uint64_t freed_early;  /* of these: after a short life */
	uint64_t freed_apart;  /* ... on a different CPU */
	uint64_t recycled;     /* frees not seen: the address was allocated again */
	uint64_t doubtful;     /* held, but a free may have been lost */
	uint64_t peak_objects; /* held when most memory was held */
	uint64_t peak_bytes;
	uint64_t oldest_ns;    /* age of the oldest held object */
	uint64_t youngest_ns;  /* ... and of the youngest; both 0: nothing is held */
	bool some_ageless;     /* the ages of some held objects are not known */
	uint64_t scale;        /* objects that one object that was followed stands for, at most */
	double peak_variance;  /* of peak_bytes, if they are an estimate */
	double bytes_variance; /* of bytes_allocated */
	double waste_variance; /* of the bytes that were allocated, but not requested */
} HeldSums;

/* Whether the ages of all objects of a row are known. */
static inline bool held_sums_have_ages(const HeldSums *sums)
{
	return sums->oldest_ns && !sums->some_ageless;
}

static inline void held_sums_add(HeldSums *sum, const HeldSums *added)
{
	saturate_add(&sum->allocated, added->allocated);
	saturate_add(&sum->bytes_requested, added->bytes_requested);
	saturate_add(&sum->bytes_allocated, added->bytes_allocated);
	saturate_add(&sum->freed, added->freed);
	saturate_add(&sum->freed_early, added->freed_early);
	saturate_add(&sum->freed_apart, added->freed_apart);
	saturate_add(&sum->recycled, added->recycled);
	saturate_add(&sum->doubtful, added->doubtful);
	saturate_add(&sum->peak_objects, added->peak_objects);
	saturate_add(&sum->peak_bytes, added->peak_bytes);
	sum->scale = MAX(sum->scale, added->scale);
	sum->peak_variance += added->peak_variance;
	sum->bytes_variance += added->bytes_variance;
	sum->waste_variance += added->waste_variance;
	sum->some_ageless |= added->some_ageless;
	if (!added->oldest_ns)
		return;
	sum->youngest_ns =
		sum->oldest_ns ? MIN(sum->youngest_ns, added->youngest_ns) : added->youngest_ns;
	sum->oldest_ns = MAX(sum->oldest_ns, added->oldest_ns);
}
