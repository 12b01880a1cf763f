/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * Nearest finds the names that somebody may have meant who wrote another: those that contain it,
 * then those that begin with something few letters away. Case does not matter.
 */
typedef struct Nearest Nearest;

Nearest *nearest_new(const char *wanted);
void nearest_free(Nearest *nearest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Nearest, nearest_free)

/* Considers one name, borrowed until the end, by how it could have been written; one that is far
   away is forgotten. */
void nearest_offer(Nearest *nearest, const char *name, const char *written);

/* Appends the nearest names, escaped, separated by ", ", the best first, at most 5. Returns how
   many they are. */
guint nearest_append(Nearest *nearest, GString *out);
