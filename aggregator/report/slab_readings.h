/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/slab_growth.h"
#include "report/source.h"

/* What a stream has of /proc/slabinfo, at its start and at its end. */
typedef struct {
	SlabGrowth growth; /* of the caches that were asked for, with what was traced of them */
	SlabTable table;   /* of all caches: as many rows as the options say, or SLAB_TABLE_ROWS */
	/* Private: what these borrow. */
	Slabinfo *start;
	Slabinfo *end;
	Reclaimable *reclaimable;
	GArray *traced;
	char **recorded;
} SlabReadings;

/* Returns the readings of a source's session, with its growth where caches are asked for. The
   source must outlive the result, which slab_readings_free() frees. */
SlabReadings *slab_readings_new(const ReportSource *source);
void slab_readings_free(SlabReadings *readings);
