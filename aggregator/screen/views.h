/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"
#include "screen/state.h"

/* Returns the page of the current view for that width: the state line, the view, and the keys or
   the open question. The caller frees it. */
Page *views_page(const ScreenState *state, unsigned width);
