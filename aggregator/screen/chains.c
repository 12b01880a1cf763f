/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/chains.h"

#include "rates/rate_detail.h"
#include "screen/fit.h"
#include "symbols/frame_line.h"

#include <stdlib.h>
#include <string.h>

#define PART " < "
#define LEFT_OUT "..." PART

/* A stack, and where it begins to differ from those that look the same. */
typedef struct {
	const RateDetailRow *stack;
	guint number;
	gsize head;         /* bytes of the label that others have, too: whole functions */
	const Frame *frame; /* where whole labels are equal: the one that differs; NULL: none */
} Chain;

/* Returns the number of the first frame that differs. */
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

/* Orders stacks by their frames. */
static int compare_frames(const FrameList *a, const FrameList *b)
{
	guint number = common_frames(a, b);
	const Frame *left = frame_at(a, number), *right = frame_at(b, number);

	return left && right ? frame_line_compare(left, right) : (left != NULL) - (right != NULL);
}

static gint compare(gconstpointer left, gconstpointer right)
{
	const Chain *a = left, *b = right;
	int order = strcmp(a->stack->label, b->stack->label);

	order = order ? order : compare_frames(a->stack->frames, b->stack->frames);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool look_alike(const Chain *a, const Chain *b, unsigned width, bool utf8)
{
	g_autoptr(GString) left = g_string_new(NULL), right = g_string_new(NULL);

	fit_left(left, a->stack->label, width, utf8);
	fit_left(right, b->stack->label, width, utf8);
	return g_string_equal(left, right);
}

/* Returns the length of what two labels have in common, up to the end of a part. */
static gsize common_head(const char *a, const char *b)
{
	gsize head = 0;

	for (gsize i = 0; a[i] && a[i] == b[i]; i++)
		if (g_str_has_prefix(a + i, PART) && g_str_has_prefix(b + i, PART))
			head = i + strlen(PART);
	return head;
}

static void part_two(Chain *a, Chain *b)
{
	const FrameList *left = a->stack->frames, *right = b->stack->frames;
	gsize head = common_head(a->stack->label, b->stack->label);
	guint number;

	a->head = MAX(a->head, head);
	b->head = MAX(b->head, head);
	if (!g_str_equal(a->stack->label, b->stack->label))
		return;
	number = common_frames(left, right);
	a->frame = frame_at(left, number);
	b->frame = frame_at(right, number);
}

/* The function with its offset and module, without the address before it. */
static char *frame_text(const Frame *frame)
{
	GString *text = g_string_new(LEFT_OUT);

	frame_line_append_symbol(text, frame);
	return g_string_free(text, FALSE);
}

static char *chain_text(const Chain *chain)
{
	if (chain->frame)
		return frame_text(chain->frame);
	return g_strconcat(chain->head ? LEFT_OUT : "", chain->stack->label + chain->head, NULL);
}

/* What looks alike has neighbours in alphabetical order. */
char **chains_apart(const GArray *stacks, unsigned width, bool utf8)
{
	g_autofree Chain *chains = g_new0(Chain, stacks->len + 1);
	char **texts = g_new0(char *, stacks->len + 1);

	for (guint i = 0; i < stacks->len; i++)
		chains[i] =
			(Chain){ .stack = &g_array_index(stacks, RateDetailRow, i), .number = i };
	qsort(chains, stacks->len, sizeof(Chain), compare);
	for (guint i = 1; i < stacks->len; i++)
		if (look_alike(&chains[i - 1], &chains[i], width, utf8))
			part_two(&chains[i - 1], &chains[i]);
	for (guint i = 0; i < stacks->len; i++)
		texts[chains[i].number] = chain_text(&chains[i]);
	return texts;
}
