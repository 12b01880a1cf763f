/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of kmalloc-top: the banner, "This path seen N times:" with its details, and totals in
 * the Perl tool's words. Of hits: the list of them, and the lines about time spans with their
 * lengths and about user stacks, which text_facts.c calls.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "report/report_table.h"

/* Hits of probe points. */

/* Appends ", 3 text", unless the number is 0. */
static void append_counted(GString *out, uint64_t count, const char *text)
{
	if (!count)
		return;
	g_string_append(out, ", ");
	append_count(out, count);
	g_string_append_printf(out, " %s", text);
}

void append_spans_line(const ReportModel *model, GString *out)
{
	const Facts *facts = model->facts;

	if (!fact_is_known(facts, FACT_SPANS))
		return;
	g_string_append(out, "Time: ");
	append_number_of(out, fact_number(facts, FACT_SPANS), counted_noun(model));
	g_string_append(out, ", ");
	append_latency(out, fact_number(facts, FACT_SPANS_TIME));
	g_string_append(out, " in all, at most ");
	append_latency(out, fact_number(facts, FACT_SPANS_TIME_MAX));
	append_counted(out, fact_number(facts, FACT_SPANS_OPEN), "not ended yet");
	append_counted(out, fact_number(facts, FACT_SPANS_NOT_BEGUN), "without a begin");
	append_counted(out, fact_number(facts, FACT_SPANS_NOT_ENDED), "without an end");
	g_string_append_c(out, '\n');
}

static void append_class(GString *out, const DurationTotals *spans, unsigned class, uint64_t most)
{
	g_assert(class < G_N_ELEMENTS(spans->classes));
	enum { BAR_MAX = 40, LENGTH_WIDTH = 7, COUNT_WIDTH = 12 };
	g_autoptr(GString) length = g_string_new(NULL);
	g_autoptr(GString) count = g_string_new(NULL);
	unsigned bar = (unsigned)((double)spans->classes[class] * BAR_MAX / (double)most);

	append_length(length, duration_class_from_ns(class));
	append_count(count, spans->classes[class]);
	g_string_append_printf(out, "%*s %*s |", LENGTH_WIDTH, length->str, COUNT_WIDTH,
			       count->str);
	for (unsigned i = 0; i < MAX(bar, spans->classes[class] > 0); i++)
		g_string_append_c(out, '#');
	g_string_append_c(out, '\n');
}

void append_lengths(const ReportModel *model, GString *out)
{
	const DurationTotals *spans = &model->spans;
	unsigned first = 0, last = DURATION_CLASSES - 1;
	uint64_t most = 1;

	if (!spans->spans)
		return;
	while (!spans->classes[first])
		first++;
	while (!spans->classes[last])
		last--;
	for (unsigned class = first; class <= last; class ++)
		most = MAX(most, spans->classes[class]);
	g_string_append_printf(out, "Lengths of the %ss, from:\n", counted_noun(model));
	for (unsigned class = first; class <= last; class ++)
		append_class(out, spans, class, most);
	g_string_append_c(out, '\n');
}

/* Programs without frame pointers give short stacks. */
#define ENOUGH 0.9

void append_user_stacks_line(const ReportModel *model, GString *out)
{
	uint64_t all = fact_number(model->facts, FACT_USER_STACKS);
	uint64_t whole = fact_number(model->facts, FACT_USER_STACKS_WHOLE);
	uint64_t copy_bytes = fact_number(model->facts, FACT_USER_STACK_BYTES);

	if (!all)
		return;
	g_string_append(out, "User stacks: ");
	append_percent(out, whole, all);
	g_string_append(out, " reach the start of the program or thread");
	/* How they were walked, and how more of them would reach the start. */
	if (copy_bytes) {
		g_string_append(out, ", by CFI from copies of ");
		append_count(out, copy_bytes);
		g_string_append(out, " bytes");
		append_counted(out, fact_number(model->facts, FACT_NOT_UNWOUND), "not unwound");
	} else if ((double)whole < ENOUGH * (double)all) {
		g_string_append(out, ", by frame pointers (--user-stacks=dwarf needs none)");
	}
	g_string_append_c(out, '\n');
}

/* Lists. */

static void append_hit_stack(GString *out, const ReportModel *model, guint row)
{
	hit_rows_append_stack(model->hits, row, out);
}

static void text_print_hits(const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_TEXT);
	g_autoptr(GString) text = g_string_new(NULL);
	uint64_t dropped = model->hits->dropped;
	const TextLayout layout = { .gap = 2,
				    .trims = true,
				    .append_below =
					    model->source->details ? append_hit_stack : NULL,
				    .model = model,
				    .file = out };

	append_table(text, table, &layout);
	if (table->more)
		g_string_append_printf(text, "(%" G_GUINT64_FORMAT " more)\n", table->more);
	if (dropped)
		g_string_append_printf(text,
				       "(%" G_GUINT64_FORMAT
				       " more are counted, but not listed: raise --max-memory)\n",
				       dropped);
	g_string_append_c(text, '\n');
	fwrite(text->str, 1, text->len, out);
}

/* Stacks. */

/* Shows "tcp_,,udp" as "tcp_|udp": empty items exclude nothing. */
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

static void append_banner(const ReportModel *model, GString *text)
{
	const ViewOptions *options = model->source->options;
	const char *rows = model->groups ? "rows" : "stacks";
	const char *minimum = "1";

	for (guint i = 0; options->filters && i < options->filters->len; i++) {
		const Filter *filter = g_ptr_array_index(options->filters, i);

		if (g_str_equal(filter->type->option, "min-count"))
			minimum = filter->argument;
	}
	if (model->source->exclude)
		append_exclude_banner(text, model->source->exclude);
	if (options->top != UINT64_MAX)
		g_string_append_printf(text, "Will print only the top %" G_GUINT64_FORMAT " %s.\n",
				       options->top, rows);
	g_string_append_printf(text, "Will print %s with counts >= ", rows);
	escape_append(text, minimum);
	g_string_append(text, ".\n\n");
}

static void append_details(const ReportModel *model, const ViewStack *stack, GString *text)
{
	g_autoptr(GArray) processes = view_processes(model->view, stack);
	gsize start;

	if (model_has_bytes(model))
		append_bytes(text, model, &stack->sums);
	start = text->len;
	g_string_append(text, "processes: ");
	if (append_processes(text, processes, stack->sums.summary.allocations, PROCESSES_SHOWN))
		g_string_append_c(text, '\n');
	else
		g_string_truncate(text, start);
}

void append_hits(const ReportModel *model, const HitSums *hits, GString *text)
{
	unsigned lacks = model_metric_context(model).lacks;
	const char *unit = fact_text(model->facts, FACT_VALUE_UNIT);

	if (!(lacks & NEEDS_TIMES)) {
		g_string_append(text, ", ");
		append_latency(text, hits->time_ns);
		g_string_append(text, " in all, at most ");
		append_latency(text, hits->time_max_ns);
	}
	if (lacks & NEEDS_VALUES && lacks & NEEDS_BYTE_VALUES)
		return;
	g_string_append(text, ", ");
	append_amount(text, (uint64_t)MAX(hits->value, 0),
		      !(lacks & NEEDS_BYTE_VALUES) && model->source->human);
	g_string_append_printf(text, " %s", unit ? unit : fact_text(model->facts, FACT_VALUE_NAME));
}

/* The Perl tool's words do not apply to page and slab cache events. */
static bool counts_kmallocs_only(const ReportModel *model)
{
	char **kinds = model->facts->values[FACT_EVENTS].list;

	if (model_counts(model) != COUNTS_ALLOCATIONS)
		return false;
	for (char **kind = kinds; kind && *kind; kind++)
		if (!g_str_equal(*kind, "kmalloc") && !g_str_equal(*kind, "free"))
			return false;
	return true;
}

/* The report of the Perl tool has numbers without separators. */
static void append_number(GString *text, const ReportModel *model, const char *name, FactId id)
{
	uint64_t number = fact_number(model->facts, id);

	g_string_append_printf(text, "%s: ", name);
	if (counts_kmallocs_only(model) && !model->groups)
		g_string_append_printf(text, "%" G_GUINT64_FORMAT, number);
	else
		append_count(text, number);
	g_string_append_c(text, '\n');
}

/* Appends the totals in the Perl tool's words, and the share in the format of Perl. */
static void append_kmallocs(const ReportModel *model, GString *text)
{
	uint64_t shown = fact_number(model->facts, FACT_ALLOCATIONS);
	uint64_t all = fact_number(model->facts, FACT_ALLOCATIONS_BEFORE);
	char share[G_ASCII_DTOSTR_BUF_SIZE];

	append_number(text, model, "Total kmallocs (before filtering)", FACT_ALLOCATIONS_BEFORE);
	append_number(text, model, "Total kmallocs (after filtering)", FACT_ALLOCATIONS);
	g_string_append(text, model->groups ? "The filter rows have " : "The filter stacks have ");
	g_ascii_formatd(share, sizeof(share), "%.15g", all ? (double)shown * 100 / (double)all : 0);
	if (model->groups)
		append_percent(text, shown, all);
	else
		g_string_append(text, share);
	g_string_append(text, " of the total kmallocs\n");
}

static void append_totals(const ReportModel *model, GString *text)
{
	const char *noun = counted_noun(model);
	uint64_t shown = fact_number(model->facts, FACT_ALLOCATIONS);
	uint64_t all = fact_number(model->facts, FACT_ALLOCATIONS_BEFORE);

	g_string_append_printf(text, "Total %ss (before filtering): ", noun);
	append_count(text, all);
	g_string_append_printf(text, "\nTotal %ss (after filtering): ", noun);
	append_count(text, shown);
	g_string_append(text,
			model->groups ? "\nThe filter rows have " : "\nThe filter stacks have ");
	append_percent(text, shown, all);
	g_string_append_printf(text, " of the total %ss\n", noun);
}

static void append_summary(const ReportModel *model, GString *text)
{
	append_number(text, model, "Num stacks before filtering", FACT_STACKS_BEFORE);
	append_number(text, model, "Num stacks after filtering", FACT_STACKS_AFTER);
	if (model->groups) {
		append_number(text, model, "Num rows before filtering", FACT_ROWS_BEFORE);
		append_number(text, model, "Num rows after filtering", FACT_ROWS_AFTER);
	}
	if (counts_kmallocs_only(model))
		append_kmallocs(model, text);
	else
		append_totals(model, text);
}

static void print_stacks(const ReportModel *model, GString *text, FILE *out)
{
	for (guint i = 0; i < model->view->stacks->len; i++) {
		const ViewStack *stack = g_ptr_array_index(model->view->stacks, i);

		if (counted_words(model)->of_stack) {
			append_held_stack(text, model, stack);
		} else {
			g_string_append_printf(text, "This path seen %" G_GUINT64_FORMAT " times",
					       stack->sums.summary.allocations);
			append_sampled(text, &stack->sums);
			if (model_counts(model) == COUNTS_HITS)
				append_hits(model, &stack->sums.hits, text);
			g_string_append(text, ":\n");
		}
		view_append_text(model->view, stack, text);
		if (model->source->details)
			append_details(model, stack, text);
		g_string_append_c(text, '\n');
		flush_text(text, out);
	}
}

void text_print_stacks(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_memory_line(text, model);
	if (text->len)
		g_string_append_c(text, '\n');
	append_verdict(text, model->verdict, model->source->terminal.columns);
	if (!model->source->quiet && !model->hits)
		append_banner(model, text);
	flush_text(text, out);
	if (model->groups)
		text_print_groups(model, out);
	else if (model->hits)
		text_print_hits(model, out);
	else
		print_stacks(model, text, out);
	append_lengths(model, text);
	if (!model->hits)
		append_summary(model, text);
	append_facts(model, text);
	flush_text(text, out);
}
