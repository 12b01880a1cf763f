/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "text": a table with the layout of each kind of report. renderers.c has it in its
 * table; the layouts are the text_*.c beside it.
 */
#include "render/text/render_text.h"

void append_read_as_line(GString *out, const ReportModel *model)
{
	const char *own = fact_text(model->facts, FACT_READ_AS);
	const char *older = model->older ? fact_text(model->older->facts, FACT_READ_AS) : NULL;

	append_fact_line(out, model->facts, FACT_READ_AS, false);
	if (older && g_strcmp0(own, older))
		g_string_append_printf(out, "The older run was read as: %s\n", older);
}

static void print_slab_caches(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_slab_table(text, &model->slab->table);
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
	print[model->kind](model, out);
}
