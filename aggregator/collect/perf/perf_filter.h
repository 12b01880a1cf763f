/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/kmem_points.h"
#include "record/inner_kmallocs.h"

/*
 * Returns the filter, in the kernel's words (Documentation/trace/events.rst), that lets pass every
 * event of a tracepoint that may be of one of these slab caches, as CollectRequest.caches: by name
 * where its records have that, else by the size classes of kmalloc. It may let pass others. Returns
 * NULL where there is no such filter. The caller frees it.
 */
char *perf_filter_new(const KmemPoint *point, char **caches);

/*
 * Returns a filter of the tracepoint that in addition leaves out the inner events of large
 * kmallocs: they are then neither counted by the kernel nor sampled. filter is taken over; NULL:
 * none, and returned where there is nothing to leave out. The caller frees the result.
 */
char *perf_filter_without_inner(char *filter, const KmemPoint *point, const InnerKmallocs *inner);
