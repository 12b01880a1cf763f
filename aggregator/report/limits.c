/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/limits.h"

static const char *const part_names[MEMORY_PARTS] = {
	[MEMORY_SYMBOLS] = "symbols",
	[MEMORY_TEXTS] = "names of slab caches and cgroups",
	[MEMORY_CPUS] = "counters of CPUs",
	[MEMORY_REPORT] = "lines of stacks",
};

bool report_left_out_for_memory(const Session *session)
{
	return memory_budget_is_full(session->memory);
}

void append_memory_bound_line(GString *out, const Session *session)
{
	const char *separator = "Memory: no room for ";

	if (!report_left_out_for_memory(session))
		return;
	for (int part = 0; part < MEMORY_PARTS; part++) {
		if (!session->memory->full[part] || !part_names[part])
			continue;
		g_string_append_printf(out, "%s%s", separator, part_names[part]);
		separator = ", ";
	}
	g_string_append(out, ": use a larger --max-memory\n");
}

static bool is_saturated(const StackSummary *sum)
{
	return sum->allocations == UINT64_MAX || sum->bytes_requested == UINT64_MAX ||
	       sum->bytes_allocated == UINT64_MAX;
}

void append_saturated_line(const Report *report, GString *out)
{
	const View *view = report->view;

	if (is_saturated(&view->before) || view->frees == UINT64_MAX ||
	    view->failed_before == UINT64_MAX || view->left_out == UINT64_MAX)
		g_string_append_printf(out, "Too large: %" G_GUINT64_FORMAT " is shown for all "
					    "above\n",
				       UINT64_MAX);
}
