/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the kernel's count of a probe's hits with the records that were read. A few numbers, no
 * table; perf_names.c begins and ends each comparison.
 */
#include "collect/slabs/slab_hits.h"

#include <glib.h>

/* A single difference may include records that are still being written. */
enum { CHECKS = 3 };

void slab_hits_reset(SlabHits *hits)
{
	hits->never_read = UINT64_MAX;
	hits->checks_left = CHECKS;
}

void slab_hits_begin(SlabHits *hits, uint64_t now_ns)
{
	hits->began_ns = now_ns;
}

void slab_hits_read(SlabHits *hits, uint64_t record_ns)
{
	if (record_ns <= hits->began_ns)
		hits->read++;
	else
		hits->read_later++;
}

SlabHitsState slab_hits_end(SlabHits *hits, const KprobeCounts *counts)
{
	uint64_t not_read = counts->hits - hits->read;
	bool is_missed = hits->missed != counts->missed;

	hits->read += hits->read_later;
	hits->read_later = 0;
	hits->missed = counts->missed;
	hits->never_read = MIN(hits->never_read, not_read);
	if (hits->checks_left)
		return --hits->checks_left ? SLAB_HITS_PENDING : SLAB_HITS_ANEW;
	if (is_missed)
		return SLAB_HITS_MISSED;
	return not_read == hits->never_read ? SLAB_HITS_READ : SLAB_HITS_PENDING;
}
