/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a stack or report with their shares, in one line. text_stacks.c and text_facts.c
 * call it.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "table/comm_fold.h"
#include "table/context_name.h"
#include "base/number_text.h"

enum { PROCESSES_SHOWN = 5 };

static bool is_unknown(const ViewProcess *process)
{
	return process->context == KMT_CONTEXT_TASK && !process->tgid && !*process->comm;
}

static void append_process(GString *out, const ViewProcess *process)
{
	if (process->context != KMT_CONTEXT_TASK) {
		g_string_append_printf(out, "[%s]", context_name(process->context));
	} else if (is_unknown(process)) {
		g_string_append(out, "[unknown]");
	} else if (process->processes > 1) {
		escape_append_len(out, process->comm, comm_folded_length(process->comm));
		g_string_append(out, " (");
		append_count(out, process->processes);
		g_string_append(out, " processes)");
	} else {
		escape_append(out, process->comm);
	}
	/* Pid 0: idle CPUs, each with its own name. */
	if (process->tgid)
		g_string_append_printf(out, "[%u]", process->tgid);
}

static bool any_is_known(const GArray *processes)
{
	for (guint i = 0; i < processes->len; i++)
		if (!is_unknown(&g_array_index(processes, ViewProcess, i)))
			return true;
	return false;
}

bool append_processes(GString *out, const GArray *processes, uint64_t allocations)
{
	guint shown = MIN(processes->len, PROCESSES_SHOWN);
	guint others = processes->len - shown;
	uint64_t rest = allocations;

	if (!any_is_known(processes))
		return false;
	for (guint i = 0; i < shown; i++) {
		const ViewProcess *process = &g_array_index(processes, ViewProcess, i);

		g_string_append(out, i ? ", " : "");
		append_process(out, process);
		g_string_append_c(out, ' ');
		append_percent(out, process->allocations, allocations);
		rest -= process->allocations;
	}
	if (others) {
		g_string_append(out, ", ");
		append_count(out, others);
		g_string_append(out, others == 1 ? " other " : " others ");
		append_percent(out, rest, allocations);
	}
	return true;
}
