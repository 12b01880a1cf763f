/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Fits text into columns of a terminal. Characters that the terminal cannot show, or that have no
 * column of their own, become "?"; without utf8, all except ASCII.
 */

/* Appends as much of the text as fits; a cut text ends with "~". Returns the columns used. */
unsigned fit_cut(GString *out, const char *text, unsigned width, bool utf8);

/* The same, padded with spaces to the width, after the text (left) or before it (right). */
void fit_left(GString *out, const char *text, unsigned width, bool utf8);
void fit_right(GString *out, const char *text, unsigned width, bool utf8);

/* Like fit_right(), for a whole number, "~108,408,299". A number that does not fit is shown without
   separators or in thousands, "~108M", and not cut. */
void fit_number(GString *out, const char *text, unsigned width, bool utf8);

/* Returns the number of columns of the whole text. */
unsigned fit_columns(const char *text, bool utf8);
