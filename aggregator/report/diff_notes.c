/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table of facts that must be equal for two runs to be comparable; returns those that
 * differ.
 */
#include "report/diff_notes.h"

#include <string.h>

/* What decides which events, and how much of their stacks, a run has. */
static const FactId compared[] = {
	FACT_EVENTS,          FACT_RECORDED_CACHES, FACT_POINTS_MISSING,
	FACT_STACK_DEPTH,     FACT_USER_DEPTH,      FACT_SCOPE,
	FACT_WITH_INTERRUPTS, FACT_SELF_INCLUDED,   FACT_COUNTED_TWICE_ABOVE,
};

/* Frees are not compared. */
static bool has_all(char *const *list, char *const *words)
{
	for (; words && *words; words++)
		if (!g_str_equal(*words, "free") &&
		    !(list && g_strv_contains((const char *const *)list, *words)))
			return false;
	return true;
}

static bool is_equal(FactId id, const Value *a, const Value *b)
{
	switch (fact_kinds[id].type) {
	case VALUE_LIST:
		return !a->list == !b->list && has_all(a->list, b->list) &&
		       has_all(b->list, a->list);
	case VALUE_TEXT:
		return !g_strcmp0(a->text, b->text);
	default:
		return a->number == b->number;
	}
}

GArray *diff_notes_new(const Facts *older, const Facts *newer)
{
	GArray *notes = g_array_new(FALSE, FALSE, sizeof(FactId));

	for (gsize i = 0; i < G_N_ELEMENTS(compared); i++) {
		FactId id = compared[i];

		if (!is_equal(id, &older->values[id], &newer->values[id]))
			g_array_append_val(notes, id);
	}
	return notes;
}
