/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/slabstack_text.h"

#include "escape.h"
#include "rank/cell_filter_cache.h"
#include "report/facts.h"
#include "report/group_table.h"
#include "number_text.h"
#include "report/sampling.h"
#include "report/slab_readings.h"

/* The keys of a block, by their place in SLABSTACK_BLOCKS. */
enum { BLOCK_PROCESS, BLOCK_CACHE, BLOCK_STACK };

/* Writes what was appended, and empties it for the next part. */
static void flush_text(GString *text, FILE *out)
{
	fwrite(text->str, 1, text->len, out);
	g_string_truncate(text, 0);
}

/* Appends "\t+-3.1 %" of what processes are ranked by; nothing where it is exact. */
static void append_margin_figure(GString *text, const SortKey *key, const GroupRow *row)
{
	double margin = margin_percent(key->variance(&row->variance), key->value(&row->summary));

	if (margin <= 0)
		return;
	g_string_append(text, "\t+-");
	append_margin(text, margin);
	g_string_append(text, " %");
}

/* ":\t12\t384 bytes\t3.1 %": name and count are where slab.stp has them. The share is that of what
   processes are ranked by. */
static void append_figures(const Report *report, const GroupRows *rows, const GroupRow *row,
			   GString *text)
{
	const SortKey *key = view_sort_key(report->options);

	g_string_append_printf(text, ":\t%" G_GUINT64_FORMAT "\t", row->summary.allocations);
	if (bytes_are_known(report)) {
		append_amount(text, row->summary.bytes_allocated, report->human);
		g_string_append(text, report->human ? "\t" : " bytes\t");
	}
	append_percent(text, key->value(&row->summary), key->value(&rows->before.summary));
	append_margin_figure(text, key, row);
	g_string_append_c(text, '\n');
}

static void append_processes_of(const Report *report, const GroupRows *rows, GString *text)
{
	uint64_t others = rows->rows_before - rows->rows->len;

	for (guint i = 0; i < rows->rows->len; i++) {
		const GroupRow *row = &g_array_index(rows->rows, GroupRow, i);

		group_rows_append_label(rows, row, 0, text);
		append_figures(report, rows, row, text);
	}
	if (!others)
		return;
	g_string_append_c(text, '(');
	append_count(text, others);
	g_string_append(text, others == 1 ? " other)" : " others)");
	append_figures(report, rows, &rows->others, text);
}

/* All of them but those beyond the top: -m and --min-bytes are about blocks. */
static void print_processes(const Report *report, FILE *out)
{
	ViewOptions options = { .sort = report->options->sort, .top = report->options->top };
	g_autoptr(GroupRows) rows = NULL;
	g_autoptr(GString) text = g_string_new("Number of ");

	group_keys_parse("process", options.by, NULL);
	rows = group_rows_new(report->view, &options, report->details);
	if (report->caches_asked) {
		escape_append(text, report->caches_asked);
		g_string_append_c(text, ' ');
	}
	g_string_append(text, "slab allocations by process\n");
	append_processes_of(report, rows, text);
	g_string_append_c(text, '\n');
	flush_text(text, out);
}

static void append_details(const Report *report, const GroupRow *row, GString *text)
{
	if (!bytes_are_known(report))
		return;
	g_string_append(text, "bytes: ");
	append_bytes(text, report, &row->summary);
	g_string_append_printf(text, "; failed %" G_GUINT64_FORMAT "\n", row->failed);
}

static void append_block(const Report *report, const GroupRow *row, GString *text)
{
	g_string_append(text, "Exec: ");
	group_rows_append_label(report->groups, row, BLOCK_PROCESS, text);
	g_string_append(text, " Name: ");
	group_rows_append_label(report->groups, row, BLOCK_CACHE, text);
	g_string_append_printf(text, "  Count: %" G_GUINT64_FORMAT, row->summary.allocations);
	append_sampled(text, &row->variance, row->summary.allocations);
	g_string_append_c(text, '\n');
	group_rows_append_label(report->groups, row, BLOCK_STACK, text);
	if (report->details)
		append_details(report, row, text);
	g_string_append_c(text, '\n');
}

static void print_blocks(const Report *report, FILE *out)
{
	const GArray *rows = report->groups->rows;
	g_autoptr(GString) text = g_string_new("Backtrace of processes when allocating\n\n");

	for (guint i = 0; i < rows->len; i++) {
		append_block(report, &g_array_index(rows, GroupRow, i), text);
		flush_text(text, out);
	}
	flush_text(text, out);
}

/* Allocations from caches that were not asked for, which the kernel side let through; and those
   that may be of one that was. */
static void append_left_out(const Report *report, GString *text)
{
	const char *reason = run_info_text(report->session->info, KMT_FIELD_CACHES_UNKNOWN);

	for (guint i = 0; i < report->view->left_out_by->len; i++) {
		const ViewLeftOut *left_out =
			&g_array_index(report->view->left_out_by, ViewLeftOut, i);

		if (!g_str_equal(left_out->option, cell_filter_cache.option) ||
		    !left_out->allocations)
			continue;
		g_string_append(text, "Allocations from other caches, left out: ");
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

static void append_summary(const Report *report, GString *text)
{
	uint64_t shown = shown_sums(report)->allocations;
	uint64_t all = report->view->before.allocations;

	g_string_append(text, "Allocations: ");
	append_count(text, shown);
	if (shown != all) {
		g_string_append(text, " of ");
		append_count(text, all);
		g_string_append(text, " (");
		append_percent(text, shown, all);
		g_string_append_c(text, ')');
	}
	g_string_append_c(text, '\n');
	append_left_out(report, text);
}

static bool has_blocks(const Report *report)
{
	const GroupKey *blocks[GROUP_KEYS_MAX + 1] = { NULL };
	guint i = 0;

	group_keys_parse(SLABSTACK_BLOCKS, blocks, NULL);
	while (blocks[i] && blocks[i] == report->options->by[i])
		i++;
	return !blocks[i] && !report->options->by[i];
}

void report_print_slabstack(const Report *wanted, FILE *out)
{
	g_autoptr(GroupRows) groups =
		group_rows_new(wanted->view, wanted->options, wanted->details);
	g_autoptr(GString) text = g_string_new(NULL);
	Report report = *wanted;

	report.groups = groups;
	report.group_noun = has_blocks(&report) ? "block" : "row";
	append_growth_of_report(text, &report);
	if (text->len)
		g_string_append_c(text, '\n');
	flush_text(text, out);
	if (!has_blocks(&report)) {
		group_table_print(&report, out);
	} else if (groups->rows_before) {
		print_processes(&report, out);
		print_blocks(&report, out);
	}
	append_summary(&report, text);
	append_facts(&report, text);
	flush_text(text, out);
}
