/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * Nearest suggests names for an unknown name: names that contain it, then names that begin with
 * something a few letters different. Case does not matter.
 */
typedef struct Nearest Nearest;

/* Returns a new one; free it with nearest_free(). */
Nearest *nearest_new(const char *wanted);
void nearest_free(Nearest *nearest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Nearest, nearest_free)

/* Adds a candidate, borrowed until the end. written: its spelling to compare with. Distant names
   are dropped. */
void nearest_offer(Nearest *nearest, const char *name, const char *written);

/* Appends the nearest names, escaped, separated by ", ", best first, at most 5. Returns their
   number. */
guint nearest_append(Nearest *nearest, GString *out);

/* Returns "did you mean A, B? " for an unknown name, or "" if none of the list is near: names that
   are separated by commas. The caller frees it. */
char *nearest_did_you_mean(const char *wanted, const char *list);
