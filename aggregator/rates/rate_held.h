/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_row.h"
#include "table/cell_filter.h"
#include "table/view_source.h"

#include <glib.h>

/* Returns a row for each slab cache (element-type RateRow) with its names and what it holds, by the
   held cells of the source that the filters (element-type CellFilter), prepared for it, keep. Its
   texts belong to the source. */
GArray *rate_held_rows(const ViewSource *source, const GArray *filters, CellFilters *prepared);
