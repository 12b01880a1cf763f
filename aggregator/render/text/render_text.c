/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "text": a table with the layout of each kind of report; that of an interval, with
 * the lines around its table, is here. renderers.c has it in its table; the other layouts are the
 * text_*.c beside it.
 */
#include "render/text/render_text.h"

#include "rates/rate_row.h"
#include "report/held_check.h"
#include "report/report_table.h"

void append_read_as_line(GString *out, const ReportModel *model)
{
	const char *own = fact_text(model->facts, FACT_READ_AS);
	const char *older = model->older ? fact_text(model->older->facts, FACT_READ_AS) : NULL;

	append_fact_line(out, model->facts, FACT_READ_AS, false);
	if (older && g_strcmp0(own, older))
		g_string_append_printf(out, "The older run was read as: %s\n", older);
}

enum { NS_PER_S = 1000000000 };

static bool shows_held(const RateLayout *layout)
{
	for (guint i = 0; layout->columns[i]; i++)
		if (layout->columns[i]->needs & NEEDS_HELD)
			return true;
	return false;
}

/* Appends the lines before all tables: the meaning of the numbers, and the coverage. */
static void rate_text_append_head(GString *out, const Facts *facts, const RateLayout *layout)
{
	g_string_append_printf(out, "Allocated in intervals of %g s%s, not memory in use.\n",
			       layout->interval_s, layout->per_second ? ", per second" : "");
	if (shows_held(layout)) {
		g_string_append_printf(out,
				       "Held: allocated since the start, not %sfreed at the end of "
				       "the interval.\n",
				       fact_text(facts, FACT_FREES_NOT_SEEN) ? "seen " : "");
		append_fact_line(out, facts, FACT_FREES_NOT_SEEN, false);
	}
	/* A terminal has no room for it. */
	if (!layout->width)
		append_covered(out, facts);
	g_string_append_c(out, '\n');
}

static void append_lost(GString *out, const RateTable *table, const RateLayout *layout)
{
	double seconds = (double)(table->end_ns - table->start_ns) / NS_PER_S;

	g_string_append_printf(out, "lost: %" G_GUINT64_FORMAT, table->events_lost.low);
	if (table->events_lost.high > table->events_lost.low)
		g_string_append_printf(out, " to %" G_GUINT64_FORMAT, table->events_lost.high);
	if (table->sampling_period > 1)
		g_string_append_printf(out, "; sampled up to 1/%u, scaled up",
				       table->sampling_period);
	if (table->walks_different)
		g_string_append_printf(out, "; stack walks that differ: %" G_GUINT64_FORMAT,
				       table->walks_different);
	if (table->names_different)
		g_string_append_printf(out, "; cache names that differ: %" G_GUINT64_FORMAT,
				       table->names_different);
	if (seconds < layout->interval_s - 0.0005)
		g_string_append_printf(out, "; %.3f s only", seconds);
	if (table->partial)
		g_string_append(out,
				"; partial: a CPU was late, its events count in the next interval");
	g_string_append(out, "\n\n");
}

/* Nothing is said of a run whose frees are all seen, as far as anybody knows. */
static void append_held_doubt(GString *out, const RateTable *table, const Facts *facts)
{
	const GArray *compared = table->held_compared;
	const char *separator = "Not paired: ";
	bool misses_frees = fact_text(facts, FACT_FREES_NOT_SEEN) || held_check_fails(compared);

	for (guint i = 0; compared && i < compared->len; i++)
		misses_frees |= g_array_index(compared, HeldCheckRow, i).misses_frees;
	if (misses_frees)
		append_held_compared(out, compared);
	for (guint i = 0; i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);

		if (!(row->lacks & NEEDS_HELD))
			continue;
		g_string_append_printf(out, "%s%s", separator, row->label);
		separator = ", ";
	}
	if (*separator == ',')
		g_string_append(out, " (too many frees not seen): left out\n");
}

void rate_text_append(GString *out, const RateTable *rates, const Facts *facts,
		      const RateLayout *layout)
{
	const IntervalSource interval = { .table = rates, .layout = layout };
	g_autoptr(Table) table = interval_table_new(&interval, TABLE_TEXT);
	const TextLayout how = { .gap = 1, .terminal = layout->width, .all = "" };
	g_autoptr(GDateTime) end =
		rates->realtime_ns
			? g_date_time_new_from_unix_local((gint64)(rates->realtime_ns / NS_PER_S))
			: NULL;
	g_autofree char *time = end ? g_date_time_format(end, "%H:%M:%S") : NULL;

	g_string_append_printf(out, "%s loadavg: %s\n\n", time ? time : "--:--:--",
			       rates->load_average ? rates->load_average : "not recorded");
	append_table(out, table, &how);
	if (rate_net_is_shown(layout->columns))
		rate_net_append_reasons(out, rates, "\n");
	if (shows_held(layout) && !(rates->sum.lacks & NEEDS_HELD))
		append_held_doubt(out, rates, facts);
	append_lost(out, rates, layout);
}

static void print_slab_caches(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_watch_line(text, &model->slab->watch);
	append_slab_table(text, &model->slab->table, model->verdict);
	fwrite(text->str, 1, text->len, out);
}

static void print_interval(const ReportModel *model, FILE *out)
{
	const IntervalSource *interval = model->interval;
	g_autoptr(GString) text = g_string_new(NULL);

	if (interval->is_first && !model->source->quiet)
		rate_text_append_head(text, model->facts, interval->layout);
	rate_text_append(text, interval->table, model->facts, interval->layout);
	fwrite(text->str, 1, text->len, out);
}

static void (*const print[])(const ReportModel *model, FILE *out) = {
	[REPORT_STACKS] = text_print_stacks,      [REPORT_SLABSTACK] = text_print_slabstack,
	[REPORT_SLAB_CACHES] = print_slab_caches, [REPORT_INFO] = text_print_info,
	[REPORT_INTERVAL] = print_interval,       [REPORT_DIFF] = text_print_diff,
};

void render_text(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!model->interval || model->interval->is_first)
		append_read_as_line(text, model);
	fwrite(text->str, 1, text->len, out);
	if (model->source->fits && (model->kind == REPORT_STACKS ||
				    model->kind == REPORT_SLABSTACK || model->kind == REPORT_DIFF))
		text_print_fitted(model, out);
	else
		print[model->kind](model, out);
}
