/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * UserSpans contains what was mapped in a process, by address and time. Mappings arrive in any
 * order. A mapping replaces what was at its addresses, from its time on; nothing else ends it, as
 * the kernel does not report unmapping.
 *
 * The table is sorted by address. Mappings are cut where others begin and end, so that spans have
 * either the same addresses or none in common; those with the same addresses are sorted by time.
 */
typedef struct {
	uint64_t start, end; /* addresses; the end is the first address behind */
	uint64_t from_ns;    /* until the next span of these addresses */
	uint64_t last_ns;    /* when it was last reported; what came between is not kept */
	uint64_t to_offset;  /* add it to an address for the place in the object, modulo 2^64 */
	uint32_t object;
} UserSpan;

typedef GArray UserSpans; /* (element-type UserSpan) */

/* Returns an empty list; free it with g_array_unref(). */
UserSpans *user_spans_new(void);

/* Adds a mapping, which has one time in from_ns and last_ns. Returns false, and changes nothing, if
   the table could become longer than spans_max. */
bool user_spans_add(UserSpans *spans, const UserSpan *mapping, guint spans_max);

/* Returns what was mapped at an address, at a time; NULL: nothing. Valid until the next change. */
const UserSpan *user_spans_find(const UserSpans *spans, uint64_t address, uint64_t time_ns);

/* Forgets what nobody finds who asks for this time or later ones, and what was last reported before
   begin_ns. */
void user_spans_forget(UserSpans *spans, uint64_t time_ns, uint64_t begin_ns);
