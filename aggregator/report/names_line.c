/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/names_line.h"

#include "escape.h"
#include "number_text.h"

/* Pages have no cache. */
static const char *const words[CACHE_ORIGINS] = {
	[CACHE_TOLD] = "reported by the kernel",
	[CACHE_BY_SIZE] = "by size",
	[CACHE_UNKNOWN] = "unknown",
};

static void count_stack(const View *view, const ViewStack *stack, uint64_t events[CACHE_ORIGINS])
{
	const ViewSource *source = view_source(view);
	uint32_t cells;
	const uint32_t *cell_ids = view_cells(view, stack, &cells);

	for (uint32_t i = 0; i < cells; i++) {
		const ProfileCell *cell = profile_cell(source->profile, cell_ids[i]);
		const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);

		events[cache_names_of(source->caches, origin).origin] += cell->events;
	}
}

/* Returns their sum. */
static uint64_t count(const View *view, uint64_t events[CACHE_ORIGINS])
{
	uint64_t sum = 0;

	for (guint i = 0; i < view->stacks->len; i++)
		count_stack(view, g_ptr_array_index(view->stacks, i), events);
	for (int how = 0; how < CACHE_ORIGINS; how++)
		sum += words[how] ? events[how] : 0;
	return sum;
}

bool all_names_are_reported(const Report *report)
{
	uint64_t events[CACHE_ORIGINS] = { 0 };

	return count(report->view, events) == events[CACHE_TOLD];
}

void append_names_line(GString *out, const Report *report)
{
	const char *reason = run_info_text(report->session->info, KMT_FIELD_CACHES_UNKNOWN);
	const char *separator = "Names: ";
	uint64_t events[CACHE_ORIGINS] = { 0 };
	uint64_t sum = count(report->view, events);

	for (int how = 0; how < CACHE_ORIGINS; how++) {
		if (!words[how] || !events[how])
			continue;
		g_string_append(out, separator);
		append_percent(out, events[how], sum);
		g_string_append_printf(out, " %s", words[how]);
		separator = ", ";
	}
	if (!sum)
		return;
	if (reason && events[CACHE_TOLD] < sum) {
		g_string_append(out, "; not reported: ");
		escape_append(out, reason);
	}
	g_string_append_c(out, '\n');
}
