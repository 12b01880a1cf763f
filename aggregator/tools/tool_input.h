/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/tool_description.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>

/* Whether what was read (-i) contains what the options ask for. Returns false with error set if it
   would give a wrong ranking: it cannot be paired, or is a sample of addresses. */
bool tool_can_show(const Options *options, const Session *session, GError **error);

/* Whether the report is that of all caches: of this host, or of the recording of a watch. */
bool tool_shows_caches(const Options *options, const Session *session);

/* Returns a session for what the options show. Threads are kept apart only if they are shown. */
Session *tool_session_new(const Options *options);

/* Reads the file of -i, or the record of --import. Returns false with error set, also if the
   requested part lies after the end of the file. */
bool tool_read_input(Options *options, Session *session, GError **error);

/* Whether the events of an input have times. Returns false with error set if not. */
bool tool_has_times(const InputOptions *input, const Session *session, GError **error);

/* With --held, adds the last filters: what others drop is not named. Nobody gave them, and they
   have their own lines. */
void tool_leave_out_unpaired(Options *options);

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
