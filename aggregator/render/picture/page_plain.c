/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the page in words, made by the text renderer's functions: facts, warnings, title,
 * and the first stacks for readers without scripts.
 */
#include "render/picture/page_plain.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "render/picture/page_strings.h"
#include "render/text/render_text.h"

enum { PLAIN_STACKS = 20 };

/* Takes what it needs of a text; returns it as lines. */
static char **split_lines(const GString *text)
{
	gsize end = text->len && text->str[text->len - 1] == '\n' ? text->len - 1 : text->len;

	text->str[end] = '\0';
	return g_strsplit(text->str, "\n", -1);
}

char **page_lines(const ReportModel *model)
{
	g_autoptr(GString) text = g_string_new(NULL);
	ReportSource source = *model->source;
	ReportModel detailed = *model;

	source.details = true;
	detailed.source = &source;
	if (model->kind == REPORT_SLAB_CACHES) {
		append_run_line(&detailed, text);
		return split_lines(text);
	}
	append_read_as_line(text, &detailed);
	append_memory_line(text, &detailed);
	append_other_caches_lines(&detailed, text);
	append_facts(&detailed, text);
	return split_lines(text);
}

char **page_growth(const ReportModel *model)
{
	g_autoptr(GString) text = g_string_new(NULL);

	/* Readings of /proc/slabinfo are compared with a run, not with a record of the kernel. */
	if (model->slab && model->slab->growth.query && model_counts(model) < COUNTS_RECORD)
		append_growth_lines(text, &model->slab->growth);
	return split_lines(text);
}

/* Lines that are there only if something is amiss. */
static FactLineOfRun *const warnings[] = { append_sampling_line, append_full_line,
					   append_bpf_line };

/* Facts that are known only then. */
static const FactId warning_facts[] = { FACT_POINTS_MISSING, FACT_ENDED_EARLY };

bool page_is_complete(const ReportModel *model)
{
	return facts_have_no_loss(model->facts) && !fact_number(model->facts, FACT_LOSS_IS_UNKNOWN);
}

bool page_loss_is_small(const ReportModel *model)
{
	return facts_loss_is_small(model->facts, model->source->loss_percent_max);
}

static void append_losses(GString *text, const ReportModel *model)
{
	if (!page_is_complete(model) && !page_loss_is_small(model))
		append_lost_line(text, model->facts);
	if (!model->older || page_is_complete(model->older) || page_loss_is_small(model->older))
		return;
	g_string_append(text, "The older run: ");
	append_lost_line(text, model->older->facts);
}

char **page_warnings(const ReportModel *model)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const Facts *facts = model->facts;

	append_losses(text, model);
	for (gsize i = 0; i < G_N_ELEMENTS(warnings); i++)
		warnings[i](text, facts);
	append_fact_line(text, facts, FACT_NO_MEMORY_FOR, false);
	append_fact_line(text, facts, FACT_UNKNOWN_PARTS, false);
	if (fact_number(facts, FACT_WALKS_DIFFERENT))
		append_walks_line(text, facts);
	if (fact_number(facts, FACT_NAMES_DIFFERENT))
		append_compared_names_line(text, facts);
	for (gsize i = 0; i < G_N_ELEMENTS(warning_facts); i++)
		append_fact_line(text, facts, warning_facts[i], false);
	return split_lines(text);
}

void page_append_caches(const ReportModel *model, GString *out)
{
	enum { NAMES_MAX = 3 };
	const CacheQuery *query = model->source->caches;
	const GPtrArray *names = query ? cache_query_matched(query) : NULL;

	for (guint i = 0; names && i < MIN(names->len, NAMES_MAX); i++) {
		g_string_append(out, i ? ", " : " of ");
		escape_append(out, names->pdata[i]);
	}
	if (names && names->len > NAMES_MAX) {
		g_string_append(out, " and ");
		append_number_of(out, names->len - NAMES_MAX, "other cache");
	}
}

void page_append_title(const ReportModel *model, GString *out)
{
	const char *host = fact_text(model->facts, FACT_HOST);
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_append_printf(text, "%s: ", model->source->command);
	if (model->kind == REPORT_SLAB_CACHES)
		g_string_append(text, "Memory and slab caches");
	else if (model_counts(model) == COUNTS_HITS &&
		 fact_is_known(model->facts, FACT_POINTS_TITLE))
		escape_append(text, fact_text(model->facts, FACT_POINTS_TITLE));
	else
		g_string_append(text, counted_words(model)->heading);
	if (fact_number(model->facts, FACT_HELD_IS_PEAK))
		g_string_append(text, " at the peak");
	page_append_caches(model, text);
	if (host) {
		g_string_append(text, " on ");
		escape_append(text, host);
	}
	if (model->older)
		g_string_append(text, ", compared with an older run");
	page_append_text(out, text->str);
}

static void append_stacks(const ReportModel *model, GString *text)
{
	const Metric *rank = view_rank(model->source->options);
	const GPtrArray *stacks = model->view->stacks;

	for (guint i = 0; i < MIN(stacks->len, PLAIN_STACKS); i++) {
		const ViewStack *stack = g_ptr_array_index(stacks, i);

		append_number_of(text, stack->sums.summary.allocations, counted_noun(model));
		append_sampled(text, &stack->sums);
		if (metric_adds_up(rank)) {
			g_string_append(text, ", ");
			append_percent(text, metric_figure(rank, &stack->sums),
				       metric_figure(rank, model_all_sums(model)));
			g_string_append_printf(text, " of all %s", rank->member);
		}
		g_string_append(text, ":\n");
		view_append_text(model->view, stack, text);
		g_string_append_c(text, '\n');
	}
	if (stacks->len > PLAIN_STACKS) {
		append_number_of(text, stacks->len - PLAIN_STACKS, "more stack");
		g_string_append(text, "\n");
	}
}

/* The answer of a report: all memory and its caches, or how caches grew, and stacks. */
static void append_answer(const ReportModel *model, GString *text)
{
	g_auto(GStrv) growth = page_growth(model);
	g_autofree char *first = g_strjoinv("\n", growth);

	if (model->kind == REPORT_SLAB_CACHES) {
		append_slab_table(text, &model->slab->table, model->verdict);
		g_string_append_c(text, '\n');
		return;
	}
	append_verdict(text, model->verdict, 0);
	g_string_append(text, first);
	if (*first)
		g_string_append(text, "\n\n");
	/* Those of a comparison have no order. */
	if (!model->diff)
		append_stacks(model, text);
}

void page_append_plain(const ReportModel *model, GString *out)
{
	g_auto(GStrv) lines = page_lines(model);
	g_autofree char *facts = g_strjoinv("\n", lines);
	g_autoptr(GString) text = g_string_new(NULL);

	append_answer(model, text);
	g_string_append_printf(text, "%s\n", facts);
	page_append_text(out, text->str);
}
