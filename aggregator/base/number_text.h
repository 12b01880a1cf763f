/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Numbers as reports print them, the same in every locale and time zone. */

/* Appends "1,234,567". */
void append_count(GString *out, uint64_t count);

/* Appends an amount of bytes; for people two or three digits that count, and the unit: "1,536", or
   "999 B", "1.5 KiB", "132 GiB". */
void append_amount(GString *out, uint64_t bytes, bool human);

/* Appends how many bytes something grew or shrank by, as append_amount() has them: "+1,536", for
   people "+1.4 MiB"; no sign where nothing changed. */
void append_change(GString *out, double bytes, bool human);

/* Appends the share that part has of whole: "61 %", "1.2 %", "0.05 %", "<0.01 %", "0 %". */
void append_percent(GString *out, uint64_t part, uint64_t whole);

/* Appends a margin in percent without its sign: "120", "3.1", "0.05"; "0" only for what is exact.
 */
void append_margin(GString *out, double percent);

enum { NS_PER_MS = 1000000 };

/* Appends "12.345 s", cut to whole ms. */
void append_seconds(GString *out, uint64_t ns);

/* Appends an instant, in ns since 1970, as "2026-11-21T03:39:19Z". */
void append_time(GString *out, uint64_t realtime_ns);
