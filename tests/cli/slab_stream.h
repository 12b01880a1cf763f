/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Appends a run that knows the slab caches of its events, and what /proc/slabinfo said. */
void slab_stream(GByteArray *stream);
