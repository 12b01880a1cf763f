/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up the times of objects over the cells of a row or of all rows. text_held.c, render_json.c
 * and page_data.c ask; nothing is kept.
 */
#include "table/view_times.h"

static void add_stack(const View *view, const ViewStack *stack, HeldTimes *times)
{
	const ViewSource *source = view_source(view);
	uint32_t count;
	const uint32_t *cells = view_cells(view, stack, &count);

	for (uint32_t i = 0; i < count; i++)
		held_cells_add_times(source->held_cells,
				     held_cells_at(source->held_cells, cells[i]), times);
}

HeldTimes view_times(const View *view, const ViewStack *stack)
{
	HeldTimes times = { 0 };

	if (!view_source(view)->held_cells)
		return times;
	if (stack)
		add_stack(view, stack, &times);
	for (guint i = 0; !stack && i < view->stacks->len; i++)
		add_stack(view, g_ptr_array_index(view->stacks, i), &times);
	return times;
}
