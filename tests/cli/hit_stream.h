/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Appends streams of hits of probe points, with kernel and user stacks, of a made host:
   hit_stream(): two kinds of hits that have a value, in pages; other_hit_stream(): another run of
   the same probes; span_stream(): the begins and ends of time spans. */
void hit_stream(GByteArray *stream);

/* The same, of a run that was ranked and grouped so. */
void viewed_hit_stream(GByteArray *stream, const char *rank, const char *keys);
void other_hit_stream(GByteArray *stream);
void span_stream(GByteArray *stream);
