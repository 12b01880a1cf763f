/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Appends one character for each value, the higher the fuller, by what the largest of them is.
   Nothing is a space, and anything at all is more than that. */
void sparkline_append(GString *out, const double *values, unsigned count, bool utf8);
