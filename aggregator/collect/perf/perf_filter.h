/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tracefs/kmem_points.h"
#include "record/inner_kmallocs.h"

/*
 * Returns a kernel filter (Documentation/trace/events.rst) that accepts every event of a tracepoint
 * that may belong to one of these slab caches (as CollectRequest.caches). It selects by name if the
 * records contain it, else by the size classes of kmalloc. It may accept other events, too. Returns
 * NULL if no such filter exists. The caller frees it.
 */
char *perf_filter_new(const KmemPoint *point, char **caches);

/*
 * The same for a free of objects that are paired. Any function may free an object of the caches, so
 * only frees that name another cache are rejected; and only if the allocations of all points in the
 * list (element-type KmemPoint) are filtered by name, too: else what other caches free would look
 * held.
 */
char *perf_filter_of_free(const GPtrArray *points, const KmemPoint *point, char **caches);

/*
 * Returns the filter extended to select objects by the bits of their addresses, at that level of
 * kmt_address_is_taken_by_bits(), at most KMT_PARITY_LEVELS. filter is borrowed; NULL: none.
 * Returns NULL if the record of the point does not have the address as one number. The caller frees
 * it.
 */
char *perf_filter_by_bits(const char *filter, const KmemPoint *point, uint64_t seed,
			  unsigned level);

/*
 * Returns the filter extended to reject inner events of large kmallocs. The kernel then neither
 * counts nor samples them. Takes ownership of filter (NULL: none), and returns it unchanged if
 * there is nothing to reject. The caller frees the result.
 */
char *perf_filter_without_inner(char *filter, const KmemPoint *point, const InnerKmallocs *inner);
