/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_rows.h"

/*
 * DiffBursts measures by how much figures of rows differ between runs of the same load: from how
 * unevenly events came within a run. A run is cut into blocks of time, equally long, and the
 * variance of a row's figure in them is that of the whole, as far as blocks are independent. It
 * contains sampling. A load that trends has a large one. Of held objects, what a block adds to them
 * counts: allocations without frees.
 */
typedef struct DiffBursts DiffBursts;

/* With fewer blocks nothing is measured. */
enum { DIFF_BLOCKS_MIN = 7 };

/* A run. Everything is borrowed for the call. */
typedef struct {
	const View *view;
	const GroupRows *groups;
	/* By GroupRow.number: the row of the comparison; or GROUP_ROWS_NONE. */
	const uint32_t *numbers;
	uint64_t start_ns; /* of what was observed; 0: not known */
	uint64_t end_ns;
} DiffBlocksOf;

/* Where a row of a comparison is. */
typedef enum { DIFF_LEFT_OUT, DIFF_SHOWN, DIFF_OTHER } DiffPlace;

/* places: (element-type guint8) the DiffPlace of each row. The sums of the others, and of all that
   are not left out, follow the rows. Free it with diff_bursts_free(). */
DiffBursts *diff_bursts_new(const DiffBlocksOf *run, const GByteArray *places);
void diff_bursts_free(DiffBursts *bursts);

/* Returns the number of blocks; 0: nothing was measured. */
uint32_t diff_bursts_blocks(const DiffBursts *bursts);

/* Whether a figure was measured. */
bool diff_bursts_know(const DiffBursts *bursts, BlockFigure figure);

/* Returns the variance of such a figure in a row; those of the others and of all have the numbers
   rows and rows + 1. */
double diff_bursts_variance(const DiffBursts *bursts, uint32_t row, BlockFigure figure);
