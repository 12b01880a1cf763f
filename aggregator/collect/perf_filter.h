/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/kmem_points.h"

/*
 * Returns the filter, in the kernel's words (Documentation/trace/events.rst), that lets pass every
 * event of a tracepoint that may be of one of these slab caches, as CollectRequest.caches: by name
 * where its records have that, else by the size classes of kmalloc. It may let pass others. Returns
 * NULL where there is no such filter. The caller frees it.
 */
char *perf_filter_new(const KmemPoint *point, char **caches);
