/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/layout.h"

#include "screen/history.h"

enum {
	NAME_MIN = 16,
	NAME_USUAL = 24,
	GAP = 1,       /* before a column */
	SPARK_GAP = 2, /* before the sparkline */
	SPARK_MIN = 10,
	SPARK_USUAL = 20,
};

/* A name is worth more than a sparkline, up to a point: what is longer is cut where the sparkline
   would have no room. */
static void share_out(Layout *layout, unsigned longest, unsigned room)
{
	unsigned wanted = CLAMP(longest, NAME_USUAL, MAX(room, NAME_USUAL));

	if (room >= NAME_USUAL + SPARK_GAP + SPARK_USUAL)
		wanted = MIN(wanted, room - SPARK_GAP - SPARK_USUAL);
	layout->name = MIN(wanted, room);
	if (room >= layout->name + SPARK_GAP + SPARK_MIN)
		layout->sparkline = MIN(room - layout->name - SPARK_GAP, HISTORY_INTERVALS);
}

unsigned layout_cell(const RateColumn *column, bool per_second)
{
	g_autoptr(GString) title = g_string_new("*");

	rate_column_append_title(title, column, per_second);
	return MAX((unsigned)column->width, (unsigned)title->len);
}

Layout layout_for(const RateColumn *const *columns, unsigned longest, unsigned width,
		  bool per_second)
{
	Layout layout = { .columns = 1 };
	unsigned taken = 0;

	for (; columns[layout.columns]; layout.columns++) {
		unsigned more = GAP + layout_cell(columns[layout.columns], per_second);

		if (taken + more + NAME_MIN > width)
			break;
		taken += more;
	}
	share_out(&layout, longest, width > taken ? width - taken : 0);
	return layout;
}
