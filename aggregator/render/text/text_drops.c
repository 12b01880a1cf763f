/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What filters dropped, and why nothing is left, with the options that would show more, by a const
 * table of words.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"

/* How a report names a filter and the rows that it dropped. */
typedef struct {
	const char *option; /* of the FilterDrop */
	const char *shown;
	const char *remedy;
	bool quoted;
} DropWords;

static const DropWords drop_words[] = {
	{ "min-count", "-m", "a lower -m", false },
	{ "min-bytes", "--min-bytes", "a lower --min-bytes", false },
	{ "exclude", "-e", "a narrower -e", true },
	{ "exclude-regex", "--exclude-regex", "a narrower --exclude-regex", true },
	{ "include", "-I", "a wider -I", true },
	{ "include-regex", "--include-regex", "a wider --include-regex", true },
	{ "top", "-t", "a higher -t", false },
	{ NULL, NULL, NULL, false },
};

static const DropWords *words_of(const FilterDrop *drop)
{
	const DropWords *words = drop_words;

	while (words->option && !g_str_equal(words->option, drop->option))
		words++;
	g_assert(words->option);
	return words;
}

/* Appends "-e 'tcp_'", as given. */
static void append_option(GString *out, const FilterDrop *drop)
{
	const DropWords *words = words_of(drop);

	g_string_append_printf(out, "%s %s", words->shown, words->quoted ? "'" : "");
	escape_append(out, drop->argument);
	g_string_append(out, words->quoted ? "'" : "");
}

guint drops_effective(const ReportModel *model)
{
	guint effective = 0;

	for (guint i = 0; i < model_drop_count(model); i++)
		effective += model_drop(model, i)->rows > 0;
	return effective;
}

/* Filters of the table drop rows; the filters before it drop stacks. */
static void append_dropped(GString *out, const ReportModel *model, guint index)
{
	const char *what = model_drop_is_of_stacks(model, index) ? "stack" : model->group_noun;
	uint64_t rows = model_drop(model, index)->rows;

	append_count(out, rows);
	g_string_append_printf(out, " %s%s", what, rows == 1 ? "" : "s");
}

void append_dropped_line(const ReportModel *model, GString *out)
{
	const char *separator = "Dropped: ";
	const uint64_t all = fact_number(model->facts, FACT_ALLOCATIONS_BEFORE);
	const bool details = model->source->details;

	for (guint i = 0; i < model_drop_count(model); i++) {
		const FilterDrop *drop = model_drop(model, i);

		if (!details && !drop->rows)
			continue;
		g_string_append(out, separator);
		append_dropped(out, model, i);
		g_string_append(out, " by ");
		append_option(out, drop);
		g_string_append(out, " (");
		if (details) {
			append_number_of(out, drop->allocations, counted_noun(model));
			g_string_append(out, ", ");
		}
		append_percent(out, drop->allocations, all);
		g_string_append_c(out, ')');
		separator = ", ";
	}
	if (*separator == ',')
		g_string_append_c(out, '\n');
}

static void append_reasons(const ReportModel *model, GString *out)
{
	uint64_t stacks = fact_number(model->facts, FACT_STACKS_BEFORE);

	append_count(out, stacks);
	g_string_append(out, stacks == 1 ? " stack seen" : " stacks seen");
	for (guint i = 0; i < model_drop_count(model); i++) {
		if (!model_drop(model, i)->rows)
			continue;
		g_string_append(out, ", ");
		append_option(out, model_drop(model, i));
		g_string_append(out, " dropped ");
		append_dropped(out, model, i);
	}
}

/* An option that is given several times is named once: its filters are adjacent. */
static void append_remedies(const ReportModel *model, GString *out)
{
	const char *separator = "; use ";
	const DropWords *last = NULL;

	for (guint i = 0; i < model_drop_count(model); i++) {
		const DropWords *words = words_of(model_drop(model, i));

		if (!model_drop(model, i)->rows || words == last)
			continue;
		g_string_append_printf(out, "%s%s", separator, words->remedy);
		separator = " or ";
		last = words;
	}
	g_string_append(out, " to see more");
}

void append_nothing_left_line(const ReportModel *model, GString *out)
{
	uint64_t stacks = fact_number(model->facts, FACT_STACKS_BEFORE);
	uint64_t left_out = fact_number(model->facts, FACT_ALLOCATIONS_LEFT_OUT);

	if (!model_is_empty(model))
		return;
	g_string_append(out, "Nothing left: ");
	if (fact_number(model->facts, FACT_HELD_ALLOCATED) && !drops_effective(model)) {
		/* Objects were allocated, and no filter dropped them. */
		g_string_append(out, "nothing of what was allocated is held");
		if (fact_number(model->facts, FACT_HELD_MIN_AGE))
			g_string_append(out, " for so long; use a shorter --min-age to see more");
	} else if (stacks) {
		append_reasons(model, out);
		append_remedies(model, out);
	} else if (left_out) {
		append_number_of(out, left_out, counted_noun(model));
		g_string_append_printf(out, " seen, but %sleft out", left_out == 1 ? "" : "all ");
	} else if (fact_number(model->facts, FACT_IMPORTED)) {
		g_string_append(out, "no stack was found in the input");
	} else {
		g_string_append_printf(
			out, "no %s was seen; a longer run or a wider scope would show more",
			model_counts(model) == COUNTS_HITS ? counted_noun(model) : "allocation");
	}
	g_string_append_c(out, '\n');
}
