/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include "escape.h"
#include "report/facts.h"
#include "report/group_table.h"
#include "number_text.h"
#include "report/sampling.h"

/* Writes what was appended, and empties it for the next part. */
static void flush_text(GString *text, FILE *out)
{
	fwrite(text->str, 1, text->len, out);
	g_string_truncate(text, 0);
}

/* "tcp_,,udp" is shown as "tcp_|udp": empty items exclude nothing. */
static void append_exclude_banner(GString *text, const char *list)
{
	g_auto(GStrv) items = g_strsplit(list, ",", -1);
	const char *separator = "Will exclude stacks containing: ";

	for (char **item = items; *item; item++) {
		if (!**item)
			continue;
		g_string_append(text, separator);
		escape_append(text, *item);
		separator = "|";
	}
	if (*separator == '|')
		g_string_append_c(text, '\n');
}

/* Returns the argument of -m, or what holds without it. */
static const char *minimum_of(const ViewOptions *options)
{
	const char *minimum = "1";

	for (guint i = 0; options->filters && i < options->filters->len; i++) {
		const Filter *filter = g_ptr_array_index(options->filters, i);

		if (g_str_equal(filter->type->option, "min-count"))
			minimum = filter->argument;
	}
	return minimum;
}

static void append_banner(const Report *report, GString *text)
{
	const char *rows = report->groups ? "rows" : "stacks";

	if (report->exclude)
		append_exclude_banner(text, report->exclude);
	if (report->options->top != UINT64_MAX)
		g_string_append_printf(text, "Will print only the top %" G_GUINT64_FORMAT " %s.\n",
				       report->options->top, rows);
	g_string_append_printf(text, "Will print %s with counts >= ", rows);
	escape_append(text, minimum_of(report->options));
	g_string_append(text, ".\n\n");
}

static void append_details(const Report *report, const ViewStack *stack, GString *text)
{
	g_autoptr(GArray) processes = view_processes(report->view, stack);
	gsize start;

	if (bytes_are_known(report)) {
		g_string_append(text, "bytes: ");
		append_bytes(text, report, &stack->summary);
		g_string_append_printf(text, "; failed %" G_GUINT64_FORMAT "\n", stack->failed);
	}
	start = text->len;
	g_string_append(text, "processes: ");
	if (append_processes(text, processes, stack->summary.allocations))
		g_string_append_c(text, '\n');
	else
		g_string_truncate(text, start);
}

static void append_stack(const Report *report, const ViewStack *stack, GString *text)
{
	g_string_append_printf(text, "This path seen %" G_GUINT64_FORMAT " times",
			       stack->summary.allocations);
	append_sampled(text, &stack->variance, stack->summary.allocations);
	g_string_append(text, ":\n");
	view_append_text(report->view, stack, text);
	if (report->details)
		append_details(report, stack, text);
	g_string_append_c(text, '\n');
}

/* As Perl prints it, in every locale. */
static void append_share(GString *text, uint64_t part, uint64_t whole)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];
	double percent = whole ? (double)part * 100 / (double)whole : 0;

	g_string_append(text, g_ascii_formatd(buffer, sizeof(buffer), "%.15g", percent));
}

static void append_row_numbers(const GroupRows *groups, GString *text)
{
	g_string_append_printf(text, "Num rows before filtering: %" G_GUINT64_FORMAT "\n",
			       groups->rows_before);
	g_string_append_printf(text, "Num rows after filtering: %u\n", groups->rows->len);
}

/* Of page and slab cache events, the Perl tool's words would be wrong. */
static bool counts_kmallocs_only(const Report *report)
{
	const char *events = run_info_text(report->session->info, KMT_FIELD_EVENTS);
	g_auto(GStrv) kinds = g_strsplit(events ? events : "kmalloc", ",", -1);

	for (char **kind = kinds; *kind; kind++)
		if (!g_str_equal(*kind, "kmalloc") && !g_str_equal(*kind, "free"))
			return false;
	return true;
}

static void append_kmallocs(const Report *report, uint64_t shown, GString *text)
{
	uint64_t all = report->view->before.allocations;

	g_string_append_printf(text, "Total kmallocs (before filtering): %" G_GUINT64_FORMAT "\n",
			       all);
	g_string_append_printf(text, "Total kmallocs (after filtering): %" G_GUINT64_FORMAT "\n",
			       shown);
	g_string_append(text, report->groups ? "The filter rows have " : "The filter stacks have ");
	if (report->groups)
		append_percent(text, shown, all);
	else
		append_share(text, shown, all);
	g_string_append(text, " of the total kmallocs\n");
}

static void append_allocations(const Report *report, uint64_t shown, GString *text)
{
	uint64_t all = report->view->before.allocations;

	g_string_append(text, "Total allocations (before filtering): ");
	append_count(text, all);
	g_string_append(text, "\nTotal allocations (after filtering): ");
	append_count(text, shown);
	g_string_append(text,
			report->groups ? "\nThe filter rows have " : "\nThe filter stacks have ");
	append_percent(text, shown, all);
	g_string_append(text, " of the total allocations\n");
}

static void append_summary(const Report *report, GString *text)
{
	const View *view = report->view;

	g_string_append_printf(text, "Num stacks before filtering: %" G_GUINT64_FORMAT "\n",
			       view->stacks_before);
	g_string_append_printf(text, "Num stacks after filtering: %" G_GUINT64_FORMAT "\n",
			       view->stacks_after);
	if (report->groups)
		append_row_numbers(report->groups, text);
	if (counts_kmallocs_only(report))
		append_kmallocs(report, shown_sums(report)->allocations, text);
	else
		append_allocations(report, shown_sums(report)->allocations, text);
}

static void print_stacks(const Report *report, GString *text, FILE *out)
{
	for (guint i = 0; i < report->view->stacks->len; i++) {
		append_stack(report, g_ptr_array_index(report->view->stacks, i), text);
		flush_text(text, out);
	}
}

/* Returns the groups that the options ask for, or NULL; the caller frees them. */
static GroupRows *group(const Report *report)
{
	if (!report->options->by[0])
		return NULL;
	return group_rows_new(report->view, report->options, report->details);
}

void report_print_text(const Report *wanted, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GroupRows) groups = group(wanted);
	Report report = *wanted;

	report.groups = groups;
	report.group_noun = "row";
	if (!report.quiet)
		append_banner(&report, text);
	flush_text(text, out);
	if (groups)
		group_table_print(&report, out);
	else
		print_stacks(&report, text, out);
	append_summary(&report, text);
	append_facts(&report, text);
	flush_text(text, out);
}
