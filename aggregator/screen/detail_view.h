/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"
#include "screen/state.h"

/* Shows the open cache: which processes or cgroups allocate, and from where. */
void detail_view_fill(const ScreenState *state, unsigned width, Page *page);

/* Returns the index of the selected stack in the detail; 0: none. */
guint detail_view_selected(const ScreenState *state);

/* Shows one complete stack of the detail. */
void stack_view_fill(const ScreenState *state, unsigned width, Page *page);

/*
 * Returns a line for each stack (element-type RateDetailRow), in their order, NULL-terminated; the
 * caller frees it with g_strfreev(). The line is the stack's label. If another label looks the same
 * within that width, the common part is left out: "... < path_openat".
 */
char **chains_apart(const GArray *stacks, unsigned width, bool utf8);
