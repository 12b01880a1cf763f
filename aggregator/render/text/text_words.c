/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words that all layouts share: const tables of what counted things are called, by kind of report,
 * so that one layout serves allocations, held objects and hits; numbers with their noun; the
 * processes of a stack or report with their shares, in one line.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "table/task_name.h"

static const CountedWords words[] = {
	[COUNTS_ALLOCATIONS] = { .noun = "allocation",
				 .heading = "Allocations",
				 .of_caches = "slab allocations",
				 .column = "ALLOCATIONS" },
	[COUNTS_HITS] = { .noun = "hit", .heading = "Hits", .of_caches = "hits", .column = "HITS" },
	[COUNTS_HELD] = { .noun = "held object",
			  .heading = "Held objects",
			  .of_caches = "slab objects held,",
			  .column = "HELD",
			  .of_stack = "held" },
	[COUNTS_RECORD] = { .noun = "held object",
			    .heading = "Held objects",
			    .of_caches = "slab objects held,",
			    .column = "HELD",
			    .of_stack = "held" },
	[COUNTS_GROWTH] = { .noun = "added object",
			    .heading = "Added objects",
			    .of_caches = "slab objects added,",
			    .column = "ADDED",
			    .of_stack = "added" },
};

const char *counted_noun(const ReportModel *model)
{
	return model_counts(model) == COUNTS_HITS ? fact_text(model->facts, FACT_POINTS_NOUN)
						  : counted_words(model)->noun;
}

const CountedWords *counted_words(const ReportModel *model)
{
	return &words[model_counts(model)];
}

void append_number_of(GString *out, uint64_t count, const char *noun)
{
	append_count(out, count);
	g_string_append_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

void append_length(GString *out, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned unit = 0;

	while (ns >= 1000 && unit + 1 < G_N_ELEMENTS(units)) {
		ns /= 1000;
		unit++;
	}
	g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s", ns, units[unit]);
}

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

bool append_processes(GString *out, const GArray *processes, uint64_t allocations, guint shown_max)
{
	guint shown = MIN(processes->len, shown_max);
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
