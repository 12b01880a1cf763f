/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/* Has each event of a native stream stand for so many, as --sample would. scatter_percent: what the
   stream says of the scatter; 0: nothing. */
void sample_stream(GByteArray *stream, uint32_t period, uint64_t scatter_percent);

/* The same, but for the events of CPU 0, as if all other CPUs had been throttled. */
void throttle_stream(GByteArray *stream, uint32_t period);
