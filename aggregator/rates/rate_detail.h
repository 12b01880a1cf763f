/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A RateDetail is what is behind one slab cache: who allocated from it, and from where. It is a
 * value: it borrows nothing, and may be given to another thread.
 */

enum { RATE_DETAIL_STACKS_MAX = 1000 };

typedef struct {
	char *label; /* escaped: of a process or cgroup; of a stack its first functions */
	RowSums sums;
	FrameList *frames; /* owned; NULL for groups */
} RateDetailRow;

typedef struct {
	char *cache;    /* its name, escaped */
	double seconds; /* since it was opened; < 0: nothing is counted yet */
	GArray *groups; /* (element-type RateDetailRow) by process or cgroup, most bytes first */
	GArray *stacks; /* (element-type RateDetailRow) the first RATE_DETAIL_STACKS_MAX, too */
	RowSums sums;   /* of all rows, those beyond the maximum among them */
	uint64_t events_lost;
	bool estimated; /* some events were sampled: the numbers are scaled up */
	char *problem;  /* why there is no more to come, one line, escaped; NULL: none */
} RateDetail;

/* What a detail is to show. Everything is borrowed. */
typedef struct {
	const char *cache;    /* its folded name, as CacheLabel has it; others do not count */
	const Dimension *key; /* of the groups; rate_detail_key() */
	const GArray *cells;  /* (element-type CellFilter): what is counted at all; NULL: all */
	double seconds;       /* as above */
	uint64_t events_lost; /* as above */
	bool estimated;       /* as above */
} RateDetailRequest;

/* Returns the key of that name that details are grouped by, "process" or "cgroup"; NULL: there is
   none. */
const Dimension *rate_detail_key(const char *name);

/* Returns the detail of what was counted so far. It takes as long as a report: all stacks of the
   profile are named. */
RateDetail *rate_detail_new(const ViewSource *source, const RateDetailRequest *request);

/* Returns one of nothing. problem may be NULL. */
RateDetail *rate_detail_empty(const char *cache, const char *problem);

void rate_detail_free(RateDetail *detail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateDetail, rate_detail_free)
