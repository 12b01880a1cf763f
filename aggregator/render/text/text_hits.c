/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines about hits: time spans with their lengths, user stacks, and the list of hits. text_stacks.c
 * and text_facts.c call it.
 */
#include "render/text/render_text.h"

#include "base/number_text.h"
#include "report/report_table.h"

/* Lines about hits of probe points. */

/* Appends ", 3 text", unless the number is 0. */
static void append_part(GString *out, uint64_t count, const char *text)
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
	append_part(out, fact_number(facts, FACT_SPANS_OPEN), "not ended yet");
	append_part(out, fact_number(facts, FACT_SPANS_NOT_BEGUN), "without a begin");
	append_part(out, fact_number(facts, FACT_SPANS_NOT_ENDED), "without an end");
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
		append_part(out, fact_number(model->facts, FACT_NOT_UNWOUND), "not unwound");
	} else if ((double)whole < ENOUGH * (double)all) {
		g_string_append(out, ", by frame pointers (--user-stacks=dwarf needs none)");
	}
	g_string_append_c(out, '\n');
}

/* Lists. */

static void append_stack(GString *out, const ReportModel *model, guint row)
{
	hit_rows_append_stack(model->hits, row, out);
}

void text_print_hits(const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_TEXT);
	g_autoptr(GString) text = g_string_new(NULL);
	uint64_t dropped = model->hits->dropped;
	const TextLayout layout = { .gap = 2,
				    .trims = true,
				    .append_below = model->source->details ? append_stack : NULL,
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
