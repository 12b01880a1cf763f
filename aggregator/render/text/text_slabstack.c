/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of slabstack: blocks for each process or cache, with figures in the positions of
 * slab.stp, and the summary.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "table/cell_filter.h"

/* Appends "\toldest 34.0 s\tfreed 12 of 1,013"; nothing if allocations were not paired. */
static void append_held_figures(GString *text, const HeldSums *held)
{
	if (!held->allocated)
		return;
	if (held_sums_have_ages(held)) {
		g_string_append(text, "\toldest ");
		append_seconds(text, held->oldest_ns);
	}
	g_string_append(text, "\tfreed ");
	append_count(text, held->freed);
	g_string_append(text, " of ");
	append_count(text, held->allocated);
}

/* Appends ":\t12\t384 bytes\t3.1 %": name and count in the positions of slab.stp. Share and margin,
   "\t+-3.1 %", are of the metric that ranks processes; "-": its figures have no sum. */
static void append_figures(const ReportModel *model, const GroupRows *rows, const RowSums *sums,
			   GString *text)
{
	const Metric *rank = view_rank(model->source->options);
	double margin = metric_margin(rank, sums);

	g_string_append_printf(text, ":\t%" G_GUINT64_FORMAT "\t", sums->summary.allocations);
	if (model_has_bytes(model)) {
		append_amount(text, sums->summary.bytes_allocated, model->source->human);
		g_string_append(text, model->source->human ? "\t" : " bytes\t");
	}
	if (metric_adds_up(rank))
		append_percent(text, metric_figure(rank, sums), metric_figure(rank, &rows->before));
	else
		g_string_append_c(text, '-');
	if (margin > 0) {
		g_string_append(text, "\t+-");
		append_margin(text, margin);
		g_string_append(text, " %");
	}
	append_held_figures(text, &sums->held);
	g_string_append_c(text, '\n');
}

static void append_processes_of(const ReportModel *model, const GroupRows *rows, GString *text)
{
	uint64_t others = rows->rows_before - rows->rows->len;

	for (guint i = 0; i < rows->rows->len; i++) {
		const GroupRow *row = &g_array_index(rows->rows, GroupRow, i);

		group_rows_append_label(rows, row, 0, text);
		append_figures(model, rows, &row->sums, text);
	}
	if (!others)
		return;
	g_string_append_c(text, '(');
	append_count(text, others);
	g_string_append(text, others == 1 ? " other)" : " others)");
	append_figures(model, rows, &rows->others, text);
}

/* Prints all processes. Those that -m, --min-bytes and the top leave out are the others. */
static void print_processes(const ReportModel *model, FILE *out)
{
	ViewOptions options = { .filters = model->source->options->filters,
				.sort = model->source->options->sort,
				.top = model->source->options->top };
	g_autoptr(GroupRows) rows = NULL;
	g_autoptr(GString) text = g_string_new("Number of ");

	dimensions_parse("process", false, options.by, NULL);
	rows = group_rows_new(model->view, &options, model->source->details);
	if (model->source->caches_asked) {
		escape_append(text, model->source->caches_asked);
		g_string_append_c(text, ' ');
	}
	g_string_append_printf(text, "%s by process\n", counted_words(model)->of_caches);
	append_processes_of(model, rows, text);
	g_string_append_c(text, '\n');
	flush_text(text, out);
}

static void print_blocks(const ReportModel *model, FILE *out)
{
	const GArray *rows = model->groups->rows;
	g_autoptr(GString) text = g_string_new("Backtrace of processes when allocating\n\n");

	for (guint i = 0; i < rows->len; i++) {
		const GroupRow *row = &g_array_index(rows, GroupRow, i);

		g_string_append(text, "Exec: ");
		group_rows_append_label(model->groups, row, BLOCK_PROCESS, text);
		g_string_append(text, " Name: ");
		group_rows_append_label(model->groups, row, BLOCK_CACHE, text);
		g_string_append_printf(text, "  Count: %" G_GUINT64_FORMAT,
				       row->sums.summary.allocations);
		append_sampled(text, &row->sums);
		g_string_append_c(text, '\n');
		group_rows_append_label(model->groups, row, BLOCK_STACK, text);
		if (model->source->details && model_has_bytes(model))
			append_bytes(text, model, &row->sums);
		g_string_append_c(text, '\n');
		flush_text(text, out);
	}
	flush_text(text, out);
}

void append_other_caches_lines(const ReportModel *model, GString *text)
{
	const char *reason = fact_text(model->facts, FACT_NAMES_REASON);

	for (guint i = 0; i < model->view->left_out_by->len; i++) {
		const ViewLeftOut *left_out =
			&g_array_index(model->view->left_out_by, ViewLeftOut, i);

		if (!g_str_equal(left_out->option, cell_filter_cache.option) ||
		    !left_out->allocations)
			continue;
		g_string_append_printf(
			text, "%s from other caches, left out: ", counted_words(model)->heading);
		append_count(text, left_out->allocations);
		if (left_out->remark)
			g_string_append_printf(text, "; %s", left_out->remark);
		if (left_out->remark && reason) {
			g_string_append(text, ": ");
			escape_append(text, reason);
		}
		g_string_append_c(text, '\n');
	}
}

static void append_summary(const ReportModel *model, GString *text)
{
	uint64_t shown = fact_number(model->facts, FACT_ALLOCATIONS);
	uint64_t all = fact_number(model->facts, FACT_ALLOCATIONS_BEFORE);

	g_string_append_printf(text, "%s: ", counted_words(model)->heading);
	append_count(text, shown);
	if (shown != all) {
		g_string_append(text, " of ");
		append_count(text, all);
		g_string_append(text, " (");
		append_percent(text, shown, all);
		g_string_append_c(text, ')');
	}
	g_string_append_c(text, '\n');
	append_other_caches_lines(model, text);
}

void text_print_slabstack(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_memory_line(text, model);
	/* Readings of /proc/slabinfo are compared with a run, not with a record of the kernel. */
	if (model->slab && model_counts(model) < COUNTS_RECORD)
		append_growth_lines(text, &model->slab->growth);
	if (text->len)
		g_string_append_c(text, '\n');
	append_verdict(text, model->verdict, model->source->terminal.columns);
	flush_text(text, out);
	if (!model->has_blocks) {
		text_print_groups(model, out);
	} else if (model->groups->rows_before) {
		print_processes(model, out);
		print_blocks(model, out);
	}
	append_summary(model, text);
	append_facts(model, text);
	flush_text(text, out);
}
