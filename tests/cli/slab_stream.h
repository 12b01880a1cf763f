/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Appends a run that knows the slab caches of its events, and what /proc/slabinfo said. With
   is_part it recorded some caches only, and knows none of some events. */
void slab_stream(GByteArray *stream, bool is_part);

/* Appends two readings of a host, of v1 or v2 cgroups, without a run. */
void overview_stream(GByteArray *stream, bool is_v1);
