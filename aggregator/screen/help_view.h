/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"
#include "screen/state.h"

/* What the keys do. */
void help_view_fill(const ScreenState *state, unsigned width, Page *page);

/* Returns the hints for the keys of the view that is shown, as many as there is room for; the
   caller frees it. */
char *help_view_hints(const ScreenState *state, unsigned width);
