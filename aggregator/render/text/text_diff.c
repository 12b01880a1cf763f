/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a comparison: columns for old, new, change and noise, then the lines about both
 * runs.
 */
#include "render/text/render_text.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "base/saturate.h"
#include "count/noise.h"
#include "report/many_runs.h"
#include "report/report_table.h"
#include "report/weights.h"
#include "symbols/frame_line.h"

#include <math.h>

static void append_figure(GString *out, const ReportModel *model, double figure)
{
	const Metric *rank = model->diff->rank;

	if (rank->type == VALUE_TIME_SPAN)
		append_latency(out, saturate_double(figure * NS_PER_SECOND + 0.5));
	else if (rank->type == VALUE_BYTES && model->source->human)
		append_amount(out, saturate_double(figure + 0.5), true);
	else
		append_real(out, figure);
}

static void append_sign(GString *out, double figure)
{
	if (figure != 0)
		g_string_append_c(out, figure < 0 ? '-' : '+');
}

typedef enum { OLD, NEW, CHANGE, PERCENT, NOISE, WHAT } Column;

static Value read_figure(Table *table, const TableColumn *column, guint row)
{
	const ReportModel *model = table->source;
	const DiffRows *diff = model->diff;
	const DiffFigures figures = diff_row_figures(diff, diff_rows_at(diff, row), diff->rank);
	double change = column->at == PERCENT ? figures.percent : figures.change;

	switch ((Column)column->at) {
	case OLD:
		append_figure(table->text, model, figures.before);
		break;
	case NEW:
		append_figure(table->text, model, figures.after);
		break;
	case CHANGE:
		append_sign(table->text, change);
		append_figure(table->text, model, fabs(change));
		break;
	case PERCENT:
		if (!isfinite(change))
			break;
		append_sign(table->text, change);
		append_margin(table->text, fabs(change));
		break;
	case NOISE:
		if (!isfinite(figures.noise))
			break;
		g_string_append(table->text, "+-");
		append_figure(table->text, model, figures.noise);
		break;
	case WHAT:
		g_string_append(table->text, diff_change_names[figures.what]);
	}
	return table_text(table->text);
}

#define FIGURE .type = VALUE_LABEL, .is_right = true, .read = read_figure

static const TableColumn columns[] = {
	{ .title = "OLD", FIGURE, .at = OLD },
	{ .title = "NEW", FIGURE, .at = NEW },
	{ .title = "CHANGE", FIGURE, .at = CHANGE },
	{ .title = "CHANGE%", FIGURE, .at = PERCENT },
	{ .title = "NOISE", FIGURE, .at = NOISE, .blank = "?" },
	{ .title = "", .type = VALUE_LABEL, .read = read_figure, .at = WHAT },
};

static Value read_nothing(Table *table, const TableColumn *column, guint row)
{
	(void)table;
	(void)column;
	(void)row;
	return (Value){ .known = false };
}

static const TableColumn no_label = {
	.title = "",
	.type = VALUE_LABEL,
	.is_key = true,
	.blank = "",
	.read = read_nothing,
};

/* Appends the frames below the line of a row, as both runs have them: without address and offset.
 */
static void append_stack(GString *out, const StackRows *stacks, uint32_t row)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		Frame frame = stack_rows_frame(stacks, ids[i]);

		g_string_append_c(out, ' ');
		frame_line_append_function(out, &frame);
		if (frame.inlined)
			g_string_append(out, " (inlined)");
		frame_line_append_source(out, frame.file, frame.line);
		g_string_append_c(out, '\n');
	}
	g_string_append_c(out, '\n');
}

static void append_stacks(GString *out, const ReportModel *model, guint row)
{
	const DiffRows *diff = model->diff;
	JoinSide side = diff_row_side(diff_rows_at(diff, row));
	const GroupRows *groups = diff->groups[side];
	const GroupRow *member = diff_rows_of(diff, diff_rows_at(diff, row), side);

	for (guint key = 0; groups->keys[key]; key++)
		if (dimension_is_stack(groups->keys[key]))
			append_stack(out, view_stack_rows(diff->views[side]),
				     group_rows_member(groups, member, key));
}

Table *text_table_of_diff(const ReportModel *model)
{
	const DiffRows *diff = model->diff;
	Table *table = table_new(model, NULL);

	table->count = diff->rows->len;
	table->more = diff->compared - diff->rows->len;
	table_add(table, columns, G_N_ELEMENTS(columns), TABLE_TEXT);
	report_table_add_keys(table, model, TABLE_TEXT);
	/* Sums have a label even if rows have only stacks. */
	if (table->columns->len == G_N_ELEMENTS(columns))
		table_add(table, &no_label, 1, TABLE_TEXT);
	return table;
}

static void print_table(const ReportModel *model, GString *text, FILE *out)
{
	const bool has_sums = metric_adds_up(model->diff->rank);
	const TextLayout layout = {
		.gap = 2,
		.trims = true,
		.others = has_sums,
		.all = has_sums ? "(all)" : NULL,
		.append_below = append_stacks,
		.model = model,
		.file = out,
	};
	g_autoptr(Table) table = NULL;

	if (model_is_empty(model))
		return;
	table = text_table_of_diff(model);
	append_table(text, table, &layout);
	fputc('\n', out);
}

/* Appends what the metric counts, and per what: "allocations per second", "bytes allocated of each
   run". */
static void append_unit(GString *out, const ReportModel *model)
{
	const Metric *rank = model->diff->rank;
	DiffPer per = diff_rows_per(model->diff, rank);
	g_autoptr(GArray) weights = weights_new(model);

	/* The largest of several has no weight. */
	g_string_append(out,
			metric_adds_up(rank)
				? g_array_index(weights, Weight, weights_rank(weights, model)).title
				: rank->name);
	g_string_append(out, diff_units[per].words);
	if (per == DIFF_PER_EVENTS)
		g_string_append_printf(out, " %ss", counted_noun(model));
	if (per == DIFF_PER_RUN)
		g_string_append(out, " of each run");
}

/* Appends the conditions under which the noise of all rows holds. */
static void append_noise_line(GString *out, const DiffRows *diff)
{
	bool is_measured = diff->errors_measured > 0;
	char errors[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(errors, sizeof(errors), "%.2f",
			is_measured ? diff->errors_measured : diff->errors);
	g_string_append(out, is_measured ? "Noise: what chance changes, by how unevenly events "
					   "came in parts of each run"
					 : "Noise: what chance changes at least, if events are "
					   "independent; how unevenly they came is not known");
	g_string_append(out, " (95 %, two-sided, of ");
	append_number_of(out, diff->compared, "row");
	g_string_append_printf(out, " together: %s standard errors each)", errors);
	if (is_measured)
		g_string_append_printf(out,
				       "; one of %d reports of a steady load has a row beyond it",
				       NOISE_REPORTS);
	g_string_append_c(out, '\n');
}

static void append_rows(GString *out, const char *label, uint64_t rows, uint64_t compared)
{
	g_string_append(out, label);
	append_number_of(out, rows, "row");
	g_string_append(out, " of ");
	append_count(out, compared);
}

static const char unclear_reason[] =
	"; independent events would not change so much, but these came in too few bursts, or at "
	"unknown times";

static void append_noise_lines(GString *out, const ReportModel *model)
{
	const DiffRows *diff = model->diff;

	if (!diff->compared) {
		g_string_append(out, "Nothing is left to compare.\n");
		return;
	}
	if (!diff_rows_know_noise(diff)) {
		g_string_append_printf(out, "Noise: not known of -s %s\n", diff->rank->name);
		return;
	}
	/* On a terminal, rows are worth more than how their noise was computed. */
	if (!model->source->fits)
		append_noise_line(out, diff);
	if (diff->exceeding) {
		append_rows(out, "Changed beyond noise: ", diff->exceeding, diff->compared);
		g_string_append_c(out, '\n');
	}
	if (diff->unclear) {
		append_rows(out, "Unclear: ", diff->unclear, diff->compared);
		g_string_append(out, model->source->fits ? "" : unclear_reason);
		g_string_append(out, ": observe longer, or repeat the command in a run\n");
	}
	if (!diff->exceeding && !diff->unclear)
		g_string_append(out, "Nothing changed beyond noise.\n");
}

static void append_notes(GString *out, const ReportModel *model)
{
	g_autoptr(GArray) notes = diff_notes_new(model->older->facts, model->facts);
	const GPtrArray *modules = model->diff->half_known;

	for (guint i = 0; i < notes->len; i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "Recorded differently: ",
				       fact_kinds[g_array_index(notes, FactId, i)].id);
	if (notes->len)
		g_string_append(out, "; rows may differ for that reason\n");
	for (guint i = 0; i < modules->len; i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "Source lines of one run only: ",
				       (const char *)modules->pdata[i]);
	if (modules->len)
		g_string_append(out, "; functions that were inlined there are not compared\n");
}

/* Appends the lines about a run, indented below its name. */
static void append_run(GString *out, const ReportModel *model, const char *title)
{
	g_autoptr(GString) facts = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;

	g_string_append_printf(out, "%s: ", title);
	escape_append(out, model->source->input ? model->source->input : "this run");
	g_string_append_c(out, '\n');
	append_facts(model, facts);
	lines = g_strsplit(facts->str, "\n", -1);
	for (char **line = lines; *line && **line; line++)
		g_string_append_printf(out, "  %s\n", *line);
}

void append_diff_head(GString *out, const ReportModel *model)
{
	g_string_append(out, "Compared: ");
	append_unit(out, model);
	g_string_append(out, "; the largest change comes first\n\n");
}

void append_diff_lines(GString *out, const ReportModel *model)
{
	append_noise_lines(out, model);
	append_notes(out, model);
	append_run(out, model->older, "Old");
	append_run(out, model, "New");
}

void text_print_diff(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_diff_head(text, model);
	flush_text(text, out);
	print_table(model, text, out);
	append_diff_lines(text, model);
	flush_text(text, out);
}
