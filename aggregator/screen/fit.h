/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Text that fits into columns of a terminal. What the terminal cannot show, or shows in no column
 * of its own, is appended as "?"; without utf8 that is all but ASCII.
 */

/* Appends as much of the text as fits; one that is cut ends with "~". Returns the columns taken. */
unsigned fit_cut(GString *out, const char *text, unsigned width, bool utf8);

/* The same, filled with spaces to the width: behind the text, or before it. */
void fit_left(GString *out, const char *text, unsigned width, bool utf8);
void fit_right(GString *out, const char *text, unsigned width, bool utf8);

/* The same as fit_right() for a whole number, "~108,408,299"; one that does not fit is shown
   without separators, or in thousands, "~108M", rather than cut. */
void fit_number(GString *out, const char *text, unsigned width, bool utf8);

/* Returns how many columns the whole text takes. */
unsigned fit_columns(const char *text, bool utf8);
