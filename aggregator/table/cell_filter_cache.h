/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "table/cell_filter.h"

/* Keeps the counters of slab caches that are asked for. Its argument is a CacheQuery that was
   resolved for the host of the stream. */
extern const CellFilterType cell_filter_cache;

/* Keeps the others, and those whose cache is not known. */
extern const CellFilterType cell_filter_cache_excluded;

/* Whether any of the filters (element-type CellFilter) picks tasks, whatever their caches; NULL:
   there are none. */
bool cell_filters_pick_tasks(const GArray *filters);
