/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Appends a run of 1.1 s on two CPUs, of which one speaks later than the other and loses events;
   with the clocks and the load average of each half second. blind: some frees name no cache. held:
   as recorded with --held. */
void rate_stream(GByteArray *stream, bool blind, bool held);
