/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/clock.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Numbers in reports, the same in every locale and time zone. */

/* Appends "1,234,567". */
void append_count(GString *out, uint64_t count);

/* Appends an amount of bytes, "1,536"; if human, with two or three significant digits and the unit:
   "999 B", "1.5 KiB", "132 GiB". */
void append_amount(GString *out, uint64_t bytes, bool human);

/* Appends a change in bytes, formatted like append_amount(): "+1,536", if human "+1.4 MiB"; no sign
   for 0. */
void append_change(GString *out, double bytes, bool human);

/* Appends a number with three significant digits, from 100 on without decimals, as a whole
   number always is: "0.0123", "12.3", "1,235". */
void append_real(GString *out, double number);

/* Appends part in percent of whole: "61 %", "1.2 %", "0.05 %", "<0.01 %", "0 %". */
void append_percent(GString *out, uint64_t part, uint64_t whole);

/* Appends a margin in percent without its sign: "120", "3.1", "0.05"; "0" only if exact. */
void append_margin(GString *out, double percent);

/* Appends "12.345 s", cut to whole ms. */
void append_seconds(GString *out, uint64_t ns);

/* Appends how long something took: below two minutes like append_seconds(), longer ones rounded in
   the largest unit of which they have two: "51 min", "47 h", "12 days". */
void append_elapsed(GString *out, uint64_t ns);

/* Appends a short time with at most four digits, "9999 ns", "85 us", "120 ms"; longer ones like
   append_seconds(). */
void append_latency(GString *out, uint64_t ns);

/* Appends a time, in ns since 1970, as "2026-11-21T03:39:19Z". */
void append_time(GString *out, uint64_t realtime_ns);
