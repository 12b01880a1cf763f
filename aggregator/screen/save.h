/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Writes a text into a new file that only its owner can read; one that exists is not touched.
   Returns false with error set. */
bool save_text(const char *path, const char *text, GError **error);
