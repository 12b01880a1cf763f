/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/drops.h"

#include "escape.h"
#include "number_text.h"

/* How a report names a filter and what it dropped. */
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

/* Appends "-e 'tcp_'", as it was given. */
static void append_option(GString *out, const FilterDrop *drop)
{
	const DropWords *words = words_of(drop);

	g_string_append_printf(out, "%s %s", words->shown, words->quoted ? "'" : "");
	escape_append(out, drop->argument);
	g_string_append(out, words->quoted ? "'" : "");
}

/* The filters of stacks come first, then those of the groups that stacks make. */
static const FilterDrop *drop_at(const Report *report, guint index)
{
	guint of_stacks = report->view->drops->len;

	return index < of_stacks
		       ? &g_array_index(report->view->drops, FilterDrop, index)
		       : &g_array_index(report->groups->drops, FilterDrop, index - of_stacks);
}

/* All filters that were given; the top, which comes last, only where there was one. */
static guint drops_given(const Report *report)
{
	guint of_groups = report->groups ? report->groups->drops->len : 0;

	return report->view->drops->len + of_groups - (report->options->top == UINT64_MAX);
}

guint drops_effective(const Report *report)
{
	guint effective = 0;

	for (guint i = 0; i < drops_given(report); i++)
		effective += drop_at(report, i)->rows > 0;
	return effective;
}

/* Filters of the table drop its rows; those that come before it drop stacks. */
static void append_dropped(GString *out, const Report *report, guint index)
{
	const char *what = index < report->view->drops->len ? "stack" : report->group_noun;
	uint64_t rows = drop_at(report, index)->rows;

	append_count(out, rows);
	g_string_append_printf(out, " %s%s", what, rows == 1 ? "" : "s");
}

static void append_drop(const Report *report, GString *out, guint index)
{
	const FilterDrop *drop = drop_at(report, index);

	append_dropped(out, report, index);
	g_string_append(out, " by ");
	append_option(out, drop);
	g_string_append(out, " (");
	if (report->details) {
		append_count(out, drop->allocations);
		g_string_append(out, drop->allocations == 1 ? " allocation, " : " allocations, ");
	}
	append_percent(out, drop->allocations, report->view->before.allocations);
	g_string_append_c(out, ')');
}

void append_dropped_line(const Report *report, GString *out)
{
	const char *separator = "Dropped: ";

	if (!report->details && !drops_effective(report))
		return;
	for (guint i = 0; i < drops_given(report); i++) {
		if (!report->details && !drop_at(report, i)->rows)
			continue;
		g_string_append(out, separator);
		append_drop(report, out, i);
		separator = ", ";
	}
	if (drops_given(report))
		g_string_append_c(out, '\n');
}

bool nothing_is_left(const Report *report)
{
	return !(report->groups ? report->groups->rows->len : report->view->stacks->len);
}

static void append_reasons(const Report *report, GString *out)
{
	append_count(out, report->view->stacks_before);
	g_string_append(out, report->view->stacks_before == 1 ? " stack seen" : " stacks seen");
	for (guint i = 0; i < drops_given(report); i++) {
		if (!drop_at(report, i)->rows)
			continue;
		g_string_append(out, ", ");
		append_option(out, drop_at(report, i));
		g_string_append(out, " dropped ");
		append_dropped(out, report, i);
	}
}

/* One option that is given several times is named once: its filters follow each other. */
static void append_remedies(const Report *report, GString *out)
{
	const char *separator = "; use ";
	const DropWords *last = NULL;

	for (guint i = 0; i < drops_given(report); i++) {
		const DropWords *words = words_of(drop_at(report, i));

		if (!drop_at(report, i)->rows || words == last)
			continue;
		g_string_append_printf(out, "%s%s", separator, words->remedy);
		separator = " or ";
		last = words;
	}
	g_string_append(out, " to see more");
}

void append_nothing_left_line(const Report *report, GString *out)
{
	if (!nothing_is_left(report))
		return;
	g_string_append(out, "Nothing left: ");
	if (report->view->stacks_before) {
		append_reasons(report, out);
		append_remedies(report, out);
	} else if (report->view->left_out) {
		append_count(out, report->view->left_out);
		g_string_append(out, report->view->left_out == 1
					     ? " allocation seen, but left out"
					     : " allocations seen, but all left out");
	} else {
		g_string_append(out, report->session->imported
					     ? "no stack was found in the input"
					     : "no allocation was seen; a longer run or a wider "
					       "scope would show more");
	}
	g_string_append_c(out, '\n');
}
