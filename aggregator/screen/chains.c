/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/chains.h"

#include "rank/rate_detail.h"
#include "screen/fit.h"

#include <stdlib.h>
#include <string.h>

#define PART " < "
#define ADDRESS_END " : "
#define LEFT_OUT "..." PART

/* A stack, and where it begins to differ from those that look the same. */
typedef struct {
	const RateDetailRow *stack;
	guint number;
	gsize head;        /* bytes of the label that others have, too: whole functions */
	const char *frame; /* where whole labels are equal: the line that differs; NULL: none */
} Chain;

static gint compare(gconstpointer left, gconstpointer right)
{
	const Chain *a = left, *b = right;
	int order = strcmp(a->stack->label, b->stack->label);

	order = order ? order : g_strcmp0(a->stack->frames, b->stack->frames);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool look_alike(const Chain *a, const Chain *b, unsigned width, bool utf8)
{
	g_autoptr(GString) left = g_string_new(NULL), right = g_string_new(NULL);

	fit_left(left, a->stack->label, width, utf8);
	fit_left(right, b->stack->label, width, utf8);
	return g_string_equal(left, right);
}

/* Returns the length of what two texts have in common, up to the end of the last separator. */
static gsize common_head(const char *a, const char *b, const char *separator)
{
	gsize head = 0;

	for (gsize i = 0; a[i] && a[i] == b[i]; i++)
		if (g_str_has_prefix(a + i, separator) && g_str_has_prefix(b + i, separator))
			head = i + strlen(separator);
	return head;
}

static const char *line_at(const char *frames, gsize at)
{
	return frames[at] ? frames + at : NULL;
}

static void part_two(Chain *a, Chain *b)
{
	const char *left = a->stack->frames, *right = b->stack->frames;
	gsize head = common_head(a->stack->label, b->stack->label, PART);

	a->head = MAX(a->head, head);
	b->head = MAX(b->head, head);
	if (!left || !right || !g_str_equal(a->stack->label, b->stack->label))
		return;
	head = common_head(left, right, "\n");
	a->frame = line_at(left, head);
	b->frame = line_at(right, head);
}

/* The function with its offset and module, without the address before it. */
static char *frame_text(const char *line)
{
	g_autofree char *frame = g_strndup(line, strcspn(line, "\n"));
	const char *name = strstr(frame, ADDRESS_END);

	return g_strconcat(LEFT_OUT, name ? name + strlen(ADDRESS_END) : g_strstrip(frame), NULL);
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
		chains[i] = (Chain){ .stack = &g_array_index(stacks, RateDetailRow, i),
				     .number = i };
	qsort(chains, stacks->len, sizeof(Chain), compare);
	for (guint i = 1; i < stacks->len; i++)
		if (look_alike(&chains[i - 1], &chains[i], width, utf8))
			part_two(&chains[i - 1], &chains[i]);
	for (guint i = 0; i < stacks->len; i++)
		texts[chains[i].number] = chain_text(&chains[i]);
	return texts;
}
