/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views of one cache and of one stack. Labels of similar stacks are shortened where they are
 * equal. Pure functions of the state.
 */
#include "screen/detail_view.h"

#include "base/number_text.h"
#include "rates/rate_detail.h"
#include "rates/rate_row.h"
#include "screen/page.h"
#include "symbols/frame_line.h"

#include <stdlib.h>
#include <string.h>

#define PART " < "
#define LEFT_OUT "..." PART

/* A stack, and where it begins to differ from similar ones. */
typedef struct {
	const RateDetailRow *stack;
	guint number;
	gsize head;         /* bytes of the label that other labels also have: whole functions */
	const Frame *frame; /* if whole labels are equal: the frame that differs; NULL: none */
} Chain;

/* Returns the index of the first frame that differs. */
static guint common_frames(const FrameList *a, const FrameList *b)
{
	guint number = 0;

	while (number < MIN(a->count, b->count) &&
	       frame_equals(&a->frames[number], &b->frames[number]))
		number++;
	return number;
}

static const Frame *frame_at(const FrameList *frames, guint number)
{
	return number < frames->count ? &frames->frames[number] : NULL;
}

/* Orders stacks by label, then by frames. */
static gint detail_view_compare(gconstpointer left, gconstpointer right)
{
	const Chain *a = left, *b = right;
	const FrameList *of_a = a->stack->frames, *of_b = b->stack->frames;
	int order = strcmp(a->stack->label, b->stack->label);
	const Frame *frame, *other;
	guint number;

	if (order)
		return order;
	number = common_frames(of_a, of_b);
	frame = frame_at(of_a, number);
	other = frame_at(of_b, number);
	order = frame && other ? frame_line_compare(frame, other) : !other - !frame;
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* Both labels have a common start, up to the end of a part. */
static void part_two(Chain *a, Chain *b)
{
	const FrameList *left = a->stack->frames, *right = b->stack->frames;
	const char *label = a->stack->label, *other = b->stack->label;
	gsize head = 0;
	guint number;

	for (gsize i = 0; label[i] && label[i] == other[i]; i++)
		if (g_str_has_prefix(label + i, PART) && g_str_has_prefix(other + i, PART))
			head = i + strlen(PART);
	a->head = MAX(a->head, head);
	b->head = MAX(b->head, head);
	if (!g_str_equal(label, other))
		return;
	number = common_frames(left, right);
	a->frame = frame_at(left, number);
	b->frame = frame_at(right, number);
}

/* Of a frame, the function with its offset and module, without the address before it. */
static char *chain_text(const Chain *chain)
{
	GString *text = g_string_new(chain->frame || chain->head ? LEFT_OUT : "");

	if (chain->frame)
		frame_line_append_symbol(text, chain->frame);
	else
		g_string_append(text, chain->stack->label + chain->head);
	return g_string_free(text, FALSE);
}

/* In alphabetical order, similar labels are neighbours. */
char **chains_apart(const GArray *stacks, unsigned width, bool utf8)
{
	g_autofree Chain *chains = g_new0(Chain, stacks->len + 1);
	char **texts = g_new0(char *, stacks->len + 1);

	for (guint i = 0; i < stacks->len; i++)
		chains[i] =
			(Chain){ .stack = &g_array_index(stacks, RateDetailRow, i), .number = i };
	qsort(chains, stacks->len, sizeof(Chain), detail_view_compare);
	for (guint i = 1; i < stacks->len; i++) {
		g_autoptr(GString) left = g_string_new(NULL), right = g_string_new(NULL);

		fit_left(left, chains[i - 1].stack->label, width, utf8);
		fit_left(right, chains[i].stack->label, width, utf8);
		if (g_string_equal(left, right))
			part_two(&chains[i - 1], &chains[i]);
	}
	for (guint i = 0; i < stacks->len; i++)
		texts[chains[i].number] = chain_text(&chains[i]);
	return texts;
}

enum {
	GROUPS_SHOWN = 5,
	LABEL_MIN = 20,
};

/* The columns after a label. Counts of a long collection need more room than an interval's. */
static const struct {
	MetricId metric;
	unsigned width;
} figures[] = {
	{ METRIC_ALLOCATIONS, 10 },
	{ METRIC_BYTES_ALLOCATED, 14 },
	{ METRIC_SHARE, 7 },
	{ METRIC_MARGIN, 4 }, /* only with estimates */
};

static unsigned figures_shown(const ScreenState *state)
{
	const unsigned all = G_N_ELEMENTS(figures);

	return state->detail && state->detail->estimated ? all : all - 1;
}

static unsigned label_width(const ScreenState *state, unsigned width)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < figures_shown(state); i++)
		taken += 1 + figures[i].width;
	return width > taken + LABEL_MIN ? width - taken : LABEL_MIN;
}

static void append_figure(GString *out, const ScreenState *state, const Metric *metric,
			  const RowSums *sums)
{
	const RateDetail *detail = state->detail;
	const MetricContext context = { .rank = rate_sort_default, .all = &detail->sums };
	Value value = metric_value(metric, sums, &context);

	switch (metric->type) {
	case VALUE_SHARE:
		g_string_append_printf(
			out, "%.1f %%",
			value.other ? (double)value.number * 100 / (double)value.other : 0);
		break;
	case VALUE_PERCENT:
		append_margin(out, value.percent);
		break;
	default:
		g_string_append(out, detail->estimated ? "~" : "");
		append_amount(out, value.number, metric->type == VALUE_BYTES && !state->is_exact);
	}
}

/* sums: of a row; NULL: for the titles. */
static char *line_of(const ScreenState *state, unsigned width, const char *label,
		     const RowSums *sums)
{
	GString *line = g_string_new(NULL);

	fit_left(line, label, label_width(state, width), state->utf8);
	for (unsigned i = 0; i < figures_shown(state); i++) {
		const Metric *metric = &metrics[figures[i].metric];
		g_autoptr(GString) text = g_string_new(sums ? NULL : metric->title_short);

		if (sums)
			append_figure(text, state, metric, sums);
		g_string_append_c(line, ' ');
		fit_number(line, text->str, figures[i].width, state->utf8);
	}
	return g_string_free(line, FALSE);
}

static void append_total_margin(GString *line, const RateDetail *detail)
{
	double margin = metric_margin(rate_sort_default, &detail->sums);

	if (!detail->estimated || margin <= 0)
		return;
	g_string_append(line, " (+-");
	append_margin(line, margin);
	g_string_append(line, " %)");
}

static char *detail_view_heading(const ScreenState *state)
{
	const RateDetail *detail = state->detail;
	const bool from_start = state->options->behind_from_start;
	const char *mark = detail && detail->estimated ? "~" : "";
	GString *line = g_string_new(state->open_label);

	if (!detail || detail->seconds < 0) {
		g_string_append(line, " | starting a collection with stacks of this cache alone");
		return g_string_free(line, FALSE);
	}
	if (from_start)
		g_string_append_printf(line, " | of the first %.1f s | ", detail->seconds);
	else
		g_string_append_printf(line, " | since opened %.0f s ago | ", detail->seconds);
	g_string_append(line, mark);
	append_count(line, detail->sums.summary.allocations);
	g_string_append_printf(line, " allocations, %s", mark);
	append_amount(line, detail->sums.summary.bytes_allocated, !state->is_exact);
	g_string_append(line, state->is_exact ? " bytes" : "");
	append_total_margin(line, detail);
	g_string_append(line, " | lost ");
	append_count(line, detail->events_lost);
	if (detail->walks_different) {
		g_string_append(line, " | stack walks that differ: ");
		append_count(line, detail->walks_different);
	}
	if (detail->names_different) {
		g_string_append(line, " | cache names that differ: ");
		append_count(line, detail->names_different);
	}
	return g_string_free(line, FALSE);
}

static void add_groups(const ScreenState *state, unsigned width, Page *page)
{
	const GArray *groups = state->detail->groups;
	guint shown = MIN(groups->len, GROUPS_SHOWN);

	page_add(page->head, LOOK_TITLE,
		 line_of(state, width, rate_detail_key(state_groups[state->group])->title, NULL));
	for (guint i = 0; i < shown; i++) {
		const RateDetailRow *row = &g_array_index(groups, RateDetailRow, i);

		page_add(page->head, LOOK_PLAIN, line_of(state, width, row->label, &row->sums));
	}
	if (groups->len > shown)
		page_add(page->head, LOOK_PLAIN,
			 g_strdup_printf("and %u more", groups->len - shown));
}

guint detail_view_selected(const ScreenState *state)
{
	const GArray *stacks = state->detail ? state->detail->stacks : NULL;

	for (guint i = 0; stacks && state->stack_frames && i < stacks->len; i++)
		if (frame_list_equals(g_array_index(stacks, RateDetailRow, i).frames,
				      state->stack_frames))
			return i;
	return stacks && stacks->len ? MIN(state->detail_row, stacks->len - 1) : 0;
}

void detail_view_fill(const ScreenState *state, unsigned width, Page *page)
{
	const RateDetail *detail = state->detail;
	g_auto(GStrv) labels = NULL;

	page_add(page->head, LOOK_PLAIN, detail_view_heading(state));
	if (detail && detail->problem)
		page_add(page->head, LOOK_SAYING, g_strdup(detail->problem));
	if (!detail || detail->seconds < 0)
		return;
	add_groups(state, width, page);
	page_add(page->head, LOOK_TITLE,
		 line_of(state, width, "STACK (Enter shows it whole)", NULL));
	labels = chains_apart(detail->stacks, label_width(state, width), state->utf8);
	for (guint i = 0; i < detail->stacks->len; i++)
		page_add(page->body, LOOK_PLAIN,
			 line_of(state, width, labels[i],
				 &g_array_index(detail->stacks, RateDetailRow, i).sums));
	if (detail->stacks->len)
		page->selected = (int)detail_view_selected(state);
}

/* The stack may have dropped out of the list; it is still shown. */
void stack_view_fill(const ScreenState *state, unsigned width, Page *page)
{
	const GArray *stacks = state->detail ? state->detail->stacks : NULL;
	const FrameList *stack = state->stack_frames;
	guint number = detail_view_selected(state);
	const RateDetailRow *row = NULL;

	if (stacks && number < stacks->len)
		row = &g_array_index(stacks, RateDetailRow, number);
	if (row && !frame_list_equals(row->frames, stack))
		row = NULL;
	page_add(page->head, LOOK_PLAIN, detail_view_heading(state));
	page_add(page->head, LOOK_TITLE, line_of(state, width, "STACK", NULL));
	page_add(page->head, LOOK_PLAIN,
		 row ? line_of(state, width, row->label, &row->sums)
		     : g_strdup(state->stack_label));
	for (guint i = 0; stack && i < stack->count; i++) {
		GString *line = g_string_new(NULL);

		frame_line_append(line, &stack->frames[i]);
		page_add(page->body, LOOK_PLAIN, g_string_free(line, FALSE));
	}
	if (page->body->len)
		page->selected = (int)MIN(state->stack_line, page->body->len - 1);
}
