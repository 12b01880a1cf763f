/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/human_bytes.h"

#include "report/numbers.h"

enum { UNIT = 1024, DIGITS_FROM = 100 };

void append_human_bytes(GString *out, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	guint unit = 0;
	double value = (double)bytes / UNIT;

	if (bytes < UNIT) {
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " B", bytes);
		return;
	}
	/* What would be shown as 1,024.0 is one of the next unit. */
	for (; value >= UNIT - 0.05 && unit + 1 < G_N_ELEMENTS(units); unit++)
		value /= UNIT;
	if (value >= DIGITS_FROM - 0.05) {
		append_count(out, (uint64_t)(value + 0.5));
	} else {
		uint64_t tenths = (uint64_t)(value * 10 + 0.5);

		g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%u", tenths / 10,
				       (unsigned)(tenths % 10));
	}
	g_string_append_printf(out, " %s", units[unit]);
}
