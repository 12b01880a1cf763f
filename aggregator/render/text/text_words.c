/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counted things are called, by kind of report: const tables of words. So one layout serves
 * allocations, held objects and hits.
 */
#include "render/text/render_text.h"

#include "base/number_text.h"

static const CountedWords words[] = {
	[COUNTS_ALLOCATIONS] = { .noun = "allocation",
				 .heading = "Allocations",
				 .of_caches = "slab allocations",
				 .column = "ALLOCATIONS" },
	[COUNTS_HITS] = { .noun = "hit", .heading = "Hits", .of_caches = "hits", .column = "HITS" },
	[COUNTS_HELD] = { .noun = "held object",
			  .heading = "Held objects",
			  .of_caches = "slab objects held,",
			  .column = "HELD",
			  .of_stack = "held" },
	[COUNTS_RECORD] = { .noun = "held object",
			    .heading = "Held objects",
			    .of_caches = "slab objects held,",
			    .column = "HELD",
			    .of_stack = "held" },
	[COUNTS_GROWTH] = { .noun = "added object",
			    .heading = "Added objects",
			    .of_caches = "slab objects added,",
			    .column = "ADDED",
			    .of_stack = "added" },
};

const char *counted_noun(const ReportModel *model)
{
	return model_counts(model) == COUNTS_HITS ? fact_text(model->facts, FACT_POINTS_NOUN)
						  : counted_words(model)->noun;
}

const CountedWords *counted_words(const ReportModel *model)
{
	return &words[model_counts(model)];
}

void append_number_of(GString *out, uint64_t count, const char *noun)
{
	append_count(out, count);
	g_string_append_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

void append_length(GString *out, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned unit = 0;

	while (ns >= 1000 && unit + 1 < G_N_ELEMENTS(units)) {
		ns /= 1000;
		unit++;
	}
	g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s", ns, units[unit]);
}
