/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Which slab caches a run is about: the names on the command line are looked up among those of a
 * host or a recording. From then on only allocations from these count. Without any name, all do.
 * Those that are excluded are looked up in the same way.
 *
 * Each returns false with error set, one line, where there is no such cache.
 */

/* Before a live run: among the caches of this host; the kernel is given their names. */
bool cache_choice_of_host(Options *options, GError **error);

/* How much of a stream was read. */
typedef enum { CACHES_OF_ALL, CACHES_SO_FAR } CacheChoicePart;

/* Among the caches of a stream; where it does not list them, among those that its events came from,
   or, where it was not read to its end, as they are given. */
bool cache_choice_of_stream(Options *options, const Session *session, CacheChoicePart part,
			    GError **error);
