/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/sparkline.h"

enum { LEVELS = 8 };

static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii[] = { " ", "_", ".", "-", "=", "+", "*", "%", "#" };

G_STATIC_ASSERT(G_N_ELEMENTS(blocks) == LEVELS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(ascii) == LEVELS + 1);

void sparkline_append(GString *out, const double *values, unsigned count, bool utf8)
{
	double largest = 0;

	for (unsigned i = 0; i < count; i++)
		largest = MAX(largest, values[i]);
	for (unsigned i = 0; i < count; i++) {
		unsigned level = 0;

		if (values[i] > 0)
			level = CLAMP((unsigned)(values[i] / largest * LEVELS + 0.5), 1, LEVELS);
		g_string_append(out, utf8 ? blocks[level] : ascii[level]);
	}
}
