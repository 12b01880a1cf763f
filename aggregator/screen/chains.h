/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Returns a line for each stack (element-type RateDetailRow), in their order, ended by NULL; the
 * caller frees it with g_strfreev(). It is the stack's label, unless another one looks the same in
 * so many columns: then what the two have in common is left out, "... < path_openat".
 */
char **chains_apart(const GArray *stacks, unsigned width, bool utf8);
