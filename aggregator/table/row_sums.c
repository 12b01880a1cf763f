/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/row_sums.h"

#include "base/saturate.h"

void row_sums_add_cell(RowSums *sums, const ProfileCell *cell, const ProfileOrigin *origin,
		       uint64_t scatter_percent)
{
	StackSummary *summary = &sums->summary;

	if (origin->free) {
		saturate_add(&summary->frees, cell->events);
		return;
	}
	saturate_add(&summary->allocations, cell->events);
	saturate_add(&summary->failed, cell->failed);
	saturate_add(&summary->bytes_requested,
		     saturate_product(cell->events, origin->bytes_requested));
	saturate_add(&summary->bytes_allocated,
		     saturate_product(cell->events, origin->bytes_allocated));
	variance_add_cell(&sums->variance, cell, origin, scatter_percent);
}

void summary_add(StackSummary *sum, const StackSummary *added)
{
	saturate_add(&sum->allocations, added->allocations);
	saturate_add(&sum->failed, added->failed);
	saturate_add(&sum->frees, added->frees);
	saturate_add(&sum->bytes_requested, added->bytes_requested);
	saturate_add(&sum->bytes_allocated, added->bytes_allocated);
}

void row_sums_add(RowSums *sums, const RowSums *added)
{
	summary_add(&sums->summary, &added->summary);
	variance_add(&sums->variance, &added->variance);
}
