/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"
#include "screen/state.h"

/* What is behind the cache that is open: who allocates, and from where. */
void detail_view_fill(const ScreenState *state, unsigned width, Page *page);

/* Returns the number of the stack that is selected among those of the detail; 0 where there is
   none. */
guint detail_view_selected(const ScreenState *state);

/* One stack of it, whole. */
void stack_view_fill(const ScreenState *state, unsigned width, Page *page);

/*
 * Returns a line for each stack (element-type RateDetailRow), in their order, ended by NULL; the
 * caller frees it with g_strfreev(). It is the stack's label, unless another one looks the same in
 * so many columns: then what the two have in common is left out, "... < path_openat".
 */
char **chains_apart(const GArray *stacks, unsigned width, bool utf8);
