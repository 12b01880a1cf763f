/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a comparison: columns for old, new, change and noise, then the lines about both
 * runs. Two passes: widths, lines.
 */
#include "render/text/render_text.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "base/saturate.h"
#include "count/noise.h"
#include "report/diff_notes.h"
#include "report/weights.h"
#include "symbols/frame_line.h"

#include <math.h>
#include <string.h>

enum { GAP = 2 }; /* spaces between columns */

typedef enum {
	COLUMN_OLD,
	COLUMN_NEW,
	COLUMN_CHANGE,
	COLUMN_PERCENT,
	COLUMN_NOISE,
	COLUMN_WHAT,
	COLUMNS,
} Column;

static const char *const titles[COLUMNS] = {
	"OLD", "NEW", "CHANGE", "CHANGE%", "NOISE", "",
};

typedef struct {
	const DiffRow *row;         /* NULL: titles or sums */
	const DiffFigures *figures; /* NULL: titles */
	const char *label;          /* of sums */
} Line;

typedef struct {
	const ReportModel *model;
	const DiffRows *diff;
	glong widths[COLUMNS];
	glong key_widths[DIMENSIONS_MAX];
	GString *cell; /* cell being built */
	GString *text; /* line being built */
} Table;

static void append_figure(const Table *table, double figure)
{
	const Metric *rank = table->diff->rank;

	if (rank->type == VALUE_TIME_SPAN)
		append_latency(table->cell, saturate_double(figure * NS_PER_SECOND + 0.5));
	else if (rank->type == VALUE_BYTES && table->model->source->human)
		append_amount(table->cell, saturate_double(figure + 0.5), true);
	else
		append_real(table->cell, figure);
}

static void append_signed(const Table *table, double figure)
{
	if (figure != 0)
		g_string_append_c(table->cell, figure < 0 ? '-' : '+');
	append_figure(table, fabs(figure));
}

/* The title contains the sign "%". */
static void append_change_percent(GString *out, const DiffFigures *figures)
{
	if (!isfinite(figures->percent)) {
		g_string_append_c(out, '-');
		return;
	}
	if (figures->percent != 0)
		g_string_append_c(out, figures->percent < 0 ? '-' : '+');
	append_margin(out, fabs(figures->percent));
}

static void append_noise(const Table *table, const DiffFigures *figures)
{
	if (!isfinite(figures->noise)) {
		g_string_append_c(table->cell, '?');
		return;
	}
	g_string_append(table->cell, "+-");
	append_figure(table, figures->noise);
}

static void make_cell(const Table *table, const Line *line, Column column)
{
	const DiffFigures *figures = line->figures;

	g_assert(column < G_N_ELEMENTS(titles));
	g_string_truncate(table->cell, 0);
	if (!figures) {
		g_string_append(table->cell, titles[column]);
		return;
	}
	switch (column) {
	case COLUMN_OLD:
		append_figure(table, figures->before);
		break;
	case COLUMN_NEW:
		append_figure(table, figures->after);
		break;
	case COLUMN_CHANGE:
		append_signed(table, figures->change);
		break;
	case COLUMN_PERCENT:
		append_change_percent(table->cell, figures);
		break;
	case COLUMN_NOISE:
		append_noise(table, figures);
		break;
	default:
		g_string_append(table->cell, diff_change_names[figures->what]);
	}
}

/* Stacks have their own lines. */
static void make_label(const Table *table, const Line *line, guint key)
{
	const GroupRows *groups = table->diff->groups[JOIN_NEW];

	g_assert(table->diff->groups[0]->keys[key]);
	g_string_truncate(table->cell, 0);
	if (dimension_is_stack(groups->keys[key]))
		return;
	if (line->row) {
		JoinSide side = diff_row_side(line->row);

		group_rows_append_label(table->diff->groups[side],
					diff_rows_of(table->diff, line->row, side), key,
					table->cell);
	} else if (!line->figures) {
		g_string_append(table->cell, groups->keys[key]->title);
	}
	if (!table->model->source->details && groups->keys[key + 1])
		label_shorten(table->cell);
}

static void widen(Table *table, const Line *line)
{
	const Dimension *const *keys = table->diff->groups[JOIN_NEW]->keys;

	for (Column column = 0; column < COLUMNS; column++) {
		make_cell(table, line, column);
		table->widths[column] = MAX(table->widths[column], (glong)table->cell->len);
	}
	for (guint key = 0; keys[key]; key++) {
		make_label(table, line, key);
		table->key_widths[key] = MAX(table->key_widths[key], label_width(table->cell->str));
	}
}

static void append_blanks(GString *out, glong count)
{
	g_string_append_printf(out, "%*s", (int)count, "");
}

/* Figures are at the right of their columns, words at the left. */
static void append_cells(Table *table, const Line *line)
{
	for (Column column = 0; column < COLUMNS; column++) {
		glong blanks;

		make_cell(table, line, column);
		blanks = table->widths[column] - (glong)table->cell->len;
		append_blanks(table->text, column == COLUMN_WHAT ? 0 : blanks);
		g_string_append(table->text, table->cell->str);
		append_blanks(table->text, GAP + (column == COLUMN_WHAT ? blanks : 0));
	}
}

static void append_labels(Table *table, const Line *line)
{
	const Dimension *const *keys = table->diff->groups[JOIN_NEW]->keys;

	if (line->label)
		g_string_append(table->text, line->label);
	for (guint key = 0; keys[key] && !line->label; key++) {
		if (dimension_is_stack(keys[key]))
			continue;
		make_label(table, line, key);
		g_string_append(table->text, table->cell->str);
		append_blanks(table->text,
			      table->key_widths[key] - label_width(table->cell->str) + GAP);
	}
}

static void append_line(Table *table, const Line *line)
{
	append_cells(table, line);
	append_labels(table, line);
	while (g_str_has_suffix(table->text->str, " "))
		g_string_truncate(table->text, table->text->len - 1);
	g_string_append_c(table->text, '\n');
}

/* Appends a frame as both runs have it: without address and offset. */
static void append_frame(GString *out, const Frame *frame)
{
	g_string_append_c(out, ' ');
	frame_line_append_function(out, frame);
	if (frame->inlined)
		g_string_append(out, " (inlined)");
	frame_line_append_source(out, frame->file, frame->line);
	g_string_append_c(out, '\n');
}

static void append_stack(GString *out, const StackRows *stacks, uint32_t row)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		Frame frame = stack_rows_frame(stacks, ids[i]);

		append_frame(out, &frame);
	}
	g_string_append_c(out, '\n');
}

/* Appends the frames below the line of a row. */
static void append_stacks(Table *table, const DiffRow *row)
{
	JoinSide side = diff_row_side(row);
	const GroupRows *groups = table->diff->groups[side];

	for (guint key = 0; groups->keys[key]; key++)
		if (dimension_is_stack(groups->keys[key]))
			append_stack(table->text, view_stack_rows(table->diff->views[side]),
				     group_rows_member(groups, diff_rows_of(table->diff, row, side),
						       key));
}

static void flush_text(GString *text, FILE *out)
{
	fwrite(text->str, 1, text->len, out);
	g_string_truncate(text, 0);
}

static void print_row(Table *table, const Line *line, FILE *out)
{
	append_line(table, line);
	if (line->row)
		append_stacks(table, line->row);
	flush_text(table->text, out);
}

/* Calls a function for each line: titles, rows, and the sums of others and of all. */
static void each_line(Table *table, void (*what)(Table *table, const Line *line, FILE *out),
		      FILE *out)
{
	const DiffRows *diff = table->diff;
	const DiffFigures others = diff_row_figures(diff, &diff->of_others, diff->rank);
	const DiffFigures all = diff_row_figures(diff, &diff->of_all, diff->rank);
	g_autoptr(GString) label = g_string_new("(");

	what(table, &(Line){ .figures = NULL }, out);
	for (guint i = 0; i < diff->rows->len; i++) {
		const DiffRow *row = &g_array_index(diff->rows, DiffRow, i);
		const DiffFigures figures = diff_row_figures(diff, row, diff->rank);

		what(table, &(Line){ .row = row, .figures = &figures }, out);
	}
	append_number_of(label, diff->compared - diff->rows->len, "other");
	g_string_append_c(label, ')');
	if (diff->compared > diff->rows->len && metric_adds_up(diff->rank))
		what(table, &(Line){ .figures = &others, .label = label->str }, out);
	if (metric_adds_up(diff->rank))
		what(table, &(Line){ .figures = &all, .label = "(all)" }, out);
}

static void widen_line(Table *table, const Line *line, FILE *out)
{
	(void)out;
	widen(table, line);
}

static void print_table(const ReportModel *model, FILE *out)
{
	Table table = { .model = model, .diff = model->diff };

	if (model_is_empty(model))
		return;
	table.cell = g_string_new(NULL);
	table.text = g_string_new(NULL);
	each_line(&table, widen_line, out);
	each_line(&table, print_row, out);
	fputc('\n', out);
	g_string_free(table.cell, TRUE);
	g_string_free(table.text, TRUE);
}

/* Appends what the metric counts: "allocations", "bytes allocated". */
static void append_counted(GString *out, const ReportModel *model)
{
	const Metric *rank = model->diff->rank;
	g_autoptr(GArray) weights = weights_new(model);

	/* The largest of several has no weight. */
	if (!metric_adds_up(rank)) {
		g_string_append(out, rank->name);
		return;
	}
	g_string_append(out, g_array_index(weights, Weight, weights_rank(weights, model)).title);
}

static void append_unit(GString *out, const ReportModel *model)
{
	DiffPer per = diff_rows_per(model->diff, model->diff->rank);

	append_counted(out, model);
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

static void append_changed(GString *out, const DiffRows *diff)
{
	if (diff->exceeding) {
		append_rows(out, "Changed beyond noise: ", diff->exceeding, diff->compared);
		g_string_append_c(out, '\n');
	}
	if (diff->unclear) {
		append_rows(out, "Unclear: ", diff->unclear, diff->compared);
		g_string_append(out, "; independent events would not change so much, but these "
				     "came in too few bursts, or at unknown times: observe longer, "
				     "or repeat the command in a run\n");
	}
	if (!diff->exceeding && !diff->unclear)
		g_string_append(out, "Nothing changed beyond noise.\n");
}

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
	append_noise_line(out, diff);
	append_changed(out, diff);
}

static void append_half_known(GString *out, const ReportModel *model)
{
	const GPtrArray *modules = model->diff->half_known;

	for (guint i = 0; i < modules->len; i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "Source lines of one run only: ",
				       (const char *)modules->pdata[i]);
	if (modules->len)
		g_string_append(out, "; functions that were inlined there are not compared\n");
}

static void append_notes(GString *out, const ReportModel *model)
{
	g_autoptr(GArray) notes = diff_notes_new(model->older->facts, model->facts);

	for (guint i = 0; i < notes->len; i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "Recorded differently: ",
				       fact_kinds[g_array_index(notes, FactId, i)].id);
	if (notes->len)
		g_string_append(out, "; rows may differ for that reason\n");
	append_half_known(out, model);
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

void text_print_diff(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_append(text, "Compared: ");
	append_unit(text, model);
	g_string_append(text, "; the largest change comes first\n\n");
	flush_text(text, out);
	print_table(model, out);
	append_noise_lines(text, model);
	append_notes(text, model);
	append_run(text, model->older, "Old");
	append_run(text, model, "New");
	flush_text(text, out);
}
