/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The slab caches of a run: looks up the names of the command line among those of a host or a
 * recording. Afterwards only allocations from these caches count. Without names, all count.
 * Excluded names are looked up in the same way.
 *
 * The functions return false with error set (one line) if there is no such cache.
 */

/* Before a live run: among the caches of this host. The kernel side gets their names. */
bool cache_choice_of_host(Options *options, GError **error);

/* The part of a stream that was read. */
typedef enum { CACHES_OF_ALL, CACHES_SO_FAR } CacheChoicePart;

/* Among the caches of a stream. If it does not list them, among those of its events or, if it was
   not read to its end, as given. */
bool cache_choice_of_stream(Options *options, const Session *session, CacheChoicePart part,
			    GError **error);
