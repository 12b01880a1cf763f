/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of tables of groups (--by): figures, then labels; two passes, for the widths and for
 * the lines.
 */
#include "render/text/render_text.h"

#include "base/number_text.h"

#include <string.h>

enum {
	GAP = 2,           /* spaces between columns */
	LABEL_COLUMNS = 40 /* longer names are cut if columns follow */
};

typedef struct {
	const GroupRow *row; /* NULL: titles or others */
	const RowSums *sums; /* NULL: titles */
	bool others;         /* the sum of what is not shown */
} Line;

typedef struct {
	const ReportModel *model;
	MetricContext context;
	/* Shown in this order. */
	const Metric *figures[METRICS];
	guint figure_count;
	guint keys[DIMENSIONS_MAX]; /* numbers of the keys */
	guint key_count;
	glong figure_widths[METRICS];
	glong key_widths[DIMENSIONS_MAX];
	GString *cell; /* cell being built */
} Table;

glong label_width(const char *text)
{
	glong width = 0;

	for (; *text; text = g_utf8_find_next_char(text, NULL)) {
		gunichar character = g_utf8_get_char(text);

		width += g_unichar_iszerowidth(character) ? 0 : 1 + g_unichar_iswide(character);
	}
	return width;
}

/* Whether the label at that position is the last on its line. */
static bool is_last(const Table *table, const Line *line, guint place)
{
	return line->others || place + 1 == table->key_count;
}

/* A long list of names, or a path, would push the next columns off every line. */
void label_shorten(GString *label)
{
	char *cut = label->str;

	if (label_width(label->str) <= LABEL_COLUMNS)
		return;
	for (glong width = 0; width < LABEL_COLUMNS - 3; cut = g_utf8_next_char(cut))
		width += 1 + g_unichar_iswide(g_utf8_get_char(cut));
	g_string_truncate(label, (gsize)(cut - label->str));
	g_string_append(label, "...");
}

static void append_figure(const Table *table, const Metric *metric, const Value *value)
{
	if (!value->known) {
		g_string_append_c(table->cell, '-');
		return;
	}
	switch (metric->type) {
	case VALUE_SHARE:
		append_percent(table->cell, value->number, value->other);
		/* The title contains the sign. */
		g_string_truncate(table->cell, table->cell->len - strlen(" %"));
		break;
	case VALUE_PERCENT:
		append_margin(table->cell, value->percent);
		break;
	case VALUE_TIME_SPAN:
		if (metric->needs & NEEDS_TIMES)
			append_latency(table->cell, value->number);
		else
			append_seconds(table->cell, value->number);
		break;
	default:
		append_amount(table->cell, value->number,
			      metric->type == VALUE_BYTES && table->model->source->human);
	}
}

static const char *title_of(const ReportModel *model, const Metric *metric)
{
	if (metric == &metrics[METRIC_ALLOCATIONS])
		return counted_words(model)->column;
	return model->source->human && metric->title_human ? metric->title_human : metric->title;
}

static void make_figure(Table *table, const Line *line, guint place)
{
	const Metric *metric = table->figures[place];

	g_assert(place < table->figure_count);
	g_string_truncate(table->cell, 0);
	if (line->sums) {
		Value value = metric_value(metric, line->sums, &table->context);

		append_figure(table, metric, &value);
		return;
	}
	g_string_append(table->cell, title_of(table->model, metric));
}

static void append_others(const GroupRows *groups, GString *label)
{
	uint64_t others = groups->rows_before - groups->rows->len;

	g_string_append_c(label, '(');
	append_count(label, others);
	g_string_append(label, others == 1 ? " other)" : " others)");
}

static void make_label(Table *table, const Line *line, guint place)
{
	const GroupRows *groups = table->model->groups;

	g_assert(place < table->key_count);
	g_string_truncate(table->cell, 0);
	if (line->others)
		append_others(groups, table->cell);
	else if (line->row)
		group_rows_append_label(groups, line->row, table->keys[place], table->cell);
	else
		g_string_append(table->cell, groups->keys[table->keys[place]]->title);
	if (!is_last(table, line, place) && !table->model->source->details)
		label_shorten(table->cell);
}

static bool is_shown(const Metric *metric, const MetricContext *context)
{
	if (metric->type == VALUE_SHARE && !metric_adds_up(context->rank))
		return false;
	return metric->uses & METRIC_REPORTS && metric_is_known(metric, context->lacks) &&
	       (!metric->if_any || metric_figure(metric, context->all)) &&
	       (!metric->if_run || context->rank->of_run);
}

static void choose_columns(Table *table)
{
	const Dimension *const *keys = table->model->groups->keys;

	for (MetricId id = 0; id < METRICS; id++)
		if (is_shown(&metrics[id], &table->context))
			table->figures[table->figure_count++] = &metrics[id];
	/* Labels of many lines come last. */
	for (int lines = false; lines <= true; lines++)
		for (guint i = 0; keys[i]; i++)
			if ((keys[i]->compare != NULL) == lines)
				table->keys[table->key_count++] = i;
}

static void widen(Table *table, const Line *line, FILE *out)
{
	(void)out;
	for (guint i = 0; i < table->figure_count; i++) {
		make_figure(table, line, i);
		table->figure_widths[i] = MAX(table->figure_widths[i], (glong)table->cell->len);
	}
	for (guint i = 0; !is_last(table, line, i); i++) {
		make_label(table, line, i);
		table->key_widths[i] = MAX(table->key_widths[i], label_width(table->cell->str));
	}
}

static void put_blanks(glong count, FILE *out)
{
	fprintf(out, "%*s", (int)count, "");
}

/* Indents the later lines like the first line. */
static void put_last(const char *label, glong indentation, FILE *out)
{
	const char *end = strchr(label, '\n');

	for (; end && end[1]; end = strchr(label, '\n')) {
		fwrite(label, 1, (size_t)(end + 1 - label), out);
		put_blanks(indentation, out);
		label = end + 1;
	}
	fputs(label, out);
	if (!end)
		fputc('\n', out);
}

static void put_line(Table *table, const Line *line, FILE *out)
{
	glong indentation = 0;

	for (guint i = 0; i < table->figure_count; i++) {
		make_figure(table, line, i);
		put_blanks(table->figure_widths[i] - (glong)table->cell->len, out);
		fputs(table->cell->str, out);
		put_blanks(GAP, out);
		indentation += table->figure_widths[i] + GAP;
	}
	for (guint i = 0; i < table->key_count; i++) {
		make_label(table, line, i);
		if (is_last(table, line, i)) {
			put_last(table->cell->str, indentation, out);
			return;
		}
		fputs(table->cell->str, out);
		put_blanks(table->key_widths[i] - label_width(table->cell->str) + GAP, out);
		indentation += table->key_widths[i] + GAP;
	}
}

static void each_line(Table *table, void (*what)(Table *table, const Line *line, FILE *out),
		      FILE *out)
{
	const GroupRows *groups = table->model->groups;

	what(table, &(Line){ .row = NULL }, out);
	for (guint i = 0; i < groups->rows->len; i++) {
		const GroupRow *row = &g_array_index(groups->rows, GroupRow, i);

		what(table, &(Line){ .row = row, .sums = &row->sums }, out);
	}
	if (groups->rows->len < groups->rows_before)
		what(table, &(Line){ .sums = &groups->others, .others = true }, out);
}

void text_print_table(const ReportModel *model, FILE *out)
{
	Table table = { .model = model, .context = model_metric_context(model) };

	if (!model->groups->rows->len)
		return;
	table.cell = g_string_new(NULL);
	choose_columns(&table);
	each_line(&table, widen, out);
	each_line(&table, put_line, out);
	fputc('\n', out);
	g_string_free(table.cell, TRUE);
}
