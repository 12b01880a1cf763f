/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"
#include "screen/state.h"

/* All caches of an interval, or of all intervals so far. */

/* Returns the rows that are shown, sorted; their texts are borrowed (element-type RateRow). */
GArray *table_view_rows(const ScreenState *state);

/* Returns the number of the row that is selected among those shown. */
guint table_view_selected(const ScreenState *state, const GArray *rows);

void table_view_fill(const ScreenState *state, unsigned width, Page *page);
