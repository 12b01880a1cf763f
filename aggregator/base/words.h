/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Adds a formatted word to the arguments of a program; the array owns it. */
void words_add(GPtrArray *words, const char *format, ...) G_GNUC_PRINTF(2, 3);
