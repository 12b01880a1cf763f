/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"
#include "screen/state.h"

/* Returns the page of the view that is shown, for so many columns: the state line, the view, and
   the keys or the question that is asked. The caller frees it. */
Page *views_page(const ScreenState *state, unsigned width);
