/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of --info: a table of facts with labels, completeness, losses, and files with code.
 * render_text.c calls it.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"

#include <string.h>

static const char not_known[] = "not known";

/* A longer name moves the rest of its line. */
enum { CODE_WIDTH_MAX = 40 };

static void append_label(GString *out, const char *label)
{
	g_string_append_printf(out, "%-14s", label);
}

static void append_kernel(const Facts *facts, GString *out)
{
	static const FactId parts[] = { FACT_RELEASE, FACT_ARCH, FACT_VERSION };
	gsize start;

	append_label(out, "Kernel:");
	start = out->len;
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		if (!fact_is_known(facts, parts[i]))
			continue;
		g_string_append(out, out->len > start ? ", " : "");
		escape_append(out, fact_text(facts, parts[i]));
	}
	g_string_append(out, out->len > start ? "" : not_known);
	g_string_append_c(out, '\n');
}

static void append_run(const Facts *facts, GString *out)
{
	append_label(out, "Start:");
	if (fact_is_known(facts, FACT_RUN_START_TIME))
		append_time(out, fact_number(facts, FACT_RUN_START_TIME));
	else
		g_string_append(out, not_known);
	g_string_append_c(out, '\n');
	append_label(out, "Duration:");
	if (fact_is_known(facts, FACT_RUN_DURATION))
		append_seconds(out, fact_number(facts, FACT_RUN_DURATION));
	else
		g_string_append(out, not_known);
	g_string_append_c(out, '\n');
}

static void append_line(GString *out, const char *label, const char *text)
{
	append_label(out, label);
	escape_append(out, text && *text ? text : not_known);
	g_string_append_c(out, '\n');
}

static void append_number(GString *out, const char *label, uint64_t number)
{
	append_label(out, label);
	append_count(out, number);
	g_string_append_c(out, '\n');
}

static void append_cpus(const Facts *facts, GString *out)
{
	uint64_t cpus = fact_is_known(facts, FACT_CPUS_ONLINE)
				? fact_number(facts, FACT_CPUS_ONLINE)
				: fact_number(facts, FACT_CPUS_SEEN);

	if (cpus)
		append_number(out, "CPUs:", cpus);
	else
		append_line(out, "CPUs:", NULL);
}

static const char *what_is_missing(const Facts *facts)
{
	if (fact_range(facts, FACT_LOST_MEMORY_BOUND).high ||
	    fact_number(facts, FACT_OF_OTHER_TASKS) || fact_number(facts, FACT_OF_OTHER_CACHES) ||
	    fact_number(facts, FACT_LOST_USER_LINES))
		return "no, a table was full";
	if (fact_is_known(facts, FACT_BPF_BLIND))
		return "no, BPF programs held back events";
	if (fact_number(facts, FACT_UNTRACED) && !fact_range(facts, FACT_LOST).high)
		return "no, a CPU was not traced for a time";
	if (fact_number(facts, FACT_UNREADABLE_USER_LINES))
		return "no, parts of user stacks could not be read";
	if (!facts_have_no_loss(facts))
		return "no, events were lost";
	if (fact_number(facts, FACT_UNKNOWN_PARTS))
		return "no, it has parts of a newer version";
	return fact_number(facts, FACT_LOSS_IS_UNKNOWN) ? not_known : "yes";
}

static void append_completeness(const Facts *facts, GString *out)
{
	append_label(out, "Complete:");
	if (fact_number(facts, FACT_CUT_SHORT)) {
		g_string_append(out, "no, it was cut short or is damaged");
	} else if (fact_is_known(facts, FACT_ENDED_EARLY)) {
		g_string_append(out, "no, ended early: ");
		escape_append(out, fact_text(facts, FACT_ENDED_EARLY));
	} else {
		g_string_append(out, what_is_missing(facts));
	}
	g_string_append_c(out, '\n');
}

static const struct {
	const char *label;
	FactId id;
	bool rare; /* most recordings do not have it */
} texts[] = {
	{ "Boot:", FACT_BOOT_ID, false },
	{ "Collector:", FACT_COLLECTOR, false },
	{ "Program:", FACT_PROGRAM, false },
	{ "Command line:", FACT_COMMAND_LINE, false },
	{ "Scope:", FACT_SCOPE, false },
	{ "Observed:", FACT_EVENTS, false },
	{ "Title:", FACT_POINTS_TITLE, true },
	{ "Values:", FACT_VALUE_NAME, true },
	{ "Not observed:", FACT_POINTS_MISSING, true },
	{ "Covered:", FACT_COVERED, false },
	{ "Not recorded:", FACT_NOT_RECORDED, true },
	{ "Clock:", FACT_CLOCK, true },
};

static void append_texts(const Facts *facts, GString *out)
{
	/* Only allocators have paths that are covered. */
	bool is_of_points = fact_is_known(facts, FACT_POINTS_NOUN);

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		const Value *value = &facts->values[texts[i].id];
		g_autofree char *list = value->list ? g_strjoinv(",", value->list) : NULL;

		if (value->known ||
		    (!texts[i].rare && !(is_of_points && texts[i].id == FACT_COVERED)))
			append_line(out, texts[i].label, list ? list : value->text);
	}
}

static void append_caches(const Facts *facts, GString *out)
{
	char **recorded = facts->values[FACT_RECORDED_CACHES].list;
	g_autofree char *names = recorded ? g_strjoinv(", ", recorded) : NULL;

	if (!names)
		return;
	append_label(out, "Caches:");
	escape_append(out, names);
	g_string_append(out, "; of others not all allocations\n");
}

/* Appends nothing if nothing was compared. */
static void append_compared(const Facts *facts, const char *label, FactId compared,
			    FactId different, GString *out)
{
	if (!fact_is_known(facts, compared) && !fact_number(facts, different))
		return;
	append_label(out, label);
	append_count(out, fact_number(facts, compared));
	g_string_append(out, " compared, ");
	append_count(out, fact_number(facts, different));
	g_string_append(out, " different\n");
}

static void append_comparisons(const Facts *facts, GString *out)
{
	append_compared(facts, "Stack walks:", FACT_WALKS_COMPARED, FACT_WALKS_DIFFERENT, out);
	if (fact_is_known(facts, FACT_KERNEL_WALKS)) {
		append_label(out, "Stack walks:");
		g_string_append(out, "the kernel's (");
		escape_append(out, fact_text(facts, FACT_KERNEL_WALKS));
		g_string_append(out, ")\n");
	}
	append_compared(facts, "Cache names:", FACT_NAMES_COMPARED, FACT_NAMES_DIFFERENT, out);
}

static void append_losses(const Facts *facts, GString *out)
{
	append_label(out, "Lost:");
	if (fact_number(facts, FACT_LOSS_IS_UNKNOWN) && facts_have_no_loss(facts))
		g_string_append(out, not_known);
	else
		append_range(out, fact_range(facts, FACT_LOST));
	g_string_append_c(out, '\n');
	if (!fact_number(facts, FACT_UNTRACED))
		return;
	append_label(out, "Unknown:");
	append_untraced(out, facts);
	g_string_append_c(out, '\n');
}

/* Where the kernel and the programs were loaded need not be known. */
static void append_code_row(GString *out, const CodeRow *row, int width)
{
	g_autoptr(GString) name = g_string_new(row->is_section ? "  " : "");

	escape_append(name, row->name);
	g_string_append_printf(out, "%-*s  %-40s  ", width, name->str,
			       row->build_id     ? row->build_id
			       : row->is_section ? ""
						 : "-");
	if (row->address)
		g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x\n", row->address);
	else
		g_string_append(out, "-\n");
}

/* The sections of modules are details. */
static void append_code(GString *out, const GArray *rows, bool details)
{
	gsize longest = strlen("Code");
	int width;

	if (!rows->len)
		return;
	for (guint i = 0; i < rows->len; i++)
		longest = MAX(longest, strlen(g_array_index(rows, CodeRow, i).name) + 2);
	width = (int)MIN(longest, CODE_WIDTH_MAX);
	g_string_append_printf(out, "\n%-*s  %-40s  %s\n", width, "Code", "Build id", "Loaded at");
	for (guint i = 0; i < rows->len; i++) {
		const CodeRow *row = &g_array_index(rows, CodeRow, i);

		if (details || !row->is_section)
			append_code_row(out, row, width);
	}
}

void text_print_info(const ReportModel *model, FILE *out)
{
	const Facts *facts = model->facts;
	g_autoptr(GString) text = g_string_new(NULL), memory = g_string_new(NULL);

	if (model->source->show_host)
		append_line(text, "Host:", fact_text(facts, FACT_HOST));
	append_kernel(facts, text);
	append_cpus(facts, text);
	append_run(facts, text);
	append_memory_state(memory, facts);
	if (memory->len)
		append_line(text, "Memory:", memory->str);
	append_texts(facts, text);
	append_caches(facts, text);
	append_number(text, "Events:", fact_number(facts, FACT_EVENTS_COUNTED));
	if (fact_number(facts, FACT_EVENTS_PASSED_OVER))
		append_number(text, "Passed over:", fact_number(facts, FACT_EVENTS_PASSED_OVER));
	append_number(text, "Stacks:", fact_number(facts, FACT_STACKS_COUNTED));
	append_comparisons(facts, text);
	append_losses(facts, text);
	append_completeness(facts, text);
	append_code(text, model->code, model->source->details);
	fputs(text->str, out);
}
