/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A RateDetail shows the allocations of one slab cache: by whom, and from where. It borrows nothing
 * and may be passed to another thread.
 */

enum { RATE_DETAIL_STACKS_MAX = 1000 };

typedef struct {
	char *label; /* escaped: a process or cgroup, or the first functions of a stack */
	RowSums sums;
	FrameList *frames; /* owned; NULL for groups */
} RateDetailRow;

typedef struct {
	char *cache;    /* its name, escaped */
	double seconds; /* since it was opened; < 0: nothing counted yet */
	GArray *groups; /* (element-type RateDetailRow) by process or cgroup, most bytes first */
	GArray *stacks; /* (element-type RateDetailRow) most bytes first, at most
			   RATE_DETAIL_STACKS_MAX */
	RowSums sums;   /* of all rows, including those above the maximum */
	uint64_t events_lost;
	uint64_t walks_different; /* walks of stacks that differed from the kernel's */
	uint64_t names_different; /* names of slab caches that differed from the probes' */
	bool estimated;           /* some events were sampled: the numbers are estimates */
	char *problem;            /* why nothing more will come, one line, escaped; NULL: none */
} RateDetail;

/* The contents of a detail. Everything is borrowed. */
typedef struct {
	const char *cache;        /* its folded name, as in CacheLabel; other caches do not count */
	const Dimension *key;     /* of the groups; rate_detail_key() */
	const GArray *cells;      /* (element-type CellFilter): select what counts; NULL: all */
	double seconds;           /* as above */
	uint64_t events_lost;     /* as above */
	uint64_t walks_different; /* as above */
	uint64_t names_different; /* as above */
	bool estimated;           /* as above */
} RateDetailRequest;

/* Returns the grouping key with this name, "process" or "cgroup", or NULL. */
const Dimension *rate_detail_key(const char *name);

/* Returns the detail of everything counted so far. This takes as long as a report: it names all
   stacks of the profile. */
RateDetail *rate_detail_new(const ViewSource *source, const RateDetailRequest *request);

/* Returns an empty detail. problem may be NULL. */
RateDetail *rate_detail_empty(const char *cache, const char *problem);

/* Frees it, and all that it owns. */
void rate_detail_free(RateDetail *detail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateDetail, rate_detail_free)
