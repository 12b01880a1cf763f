/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Appends a run of which little is known: its kernel hid the symbols, BPF programs held back
   events, it ended early, its command was killed, and a sum is too large for a number. */
void limited_stream(GByteArray *stream);

/* Appends a run of more tasks, slab caches and modules than the smallest --max-memory has room
   for. */
void crowded_stream(GByteArray *stream);

/* Appends eight seconds in which slab caches come, go and return: more than counters have labels.
 */
void changing_stream(GByteArray *stream);
