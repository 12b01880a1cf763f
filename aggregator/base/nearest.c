/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Candidates for "did you mean", with their edit distances to the unknown name. Offered one by one,
 * sorted at the end. Names of slab caches, probe points, columns and presets are looked up so; the
 * work for each name is bounded.
 */
#include "base/nearest.h"

#include "base/escape.h"

#include <string.h>

enum {
	SHOWN_MAX = 5,
	NAME_BYTES_MAX = 128, /* limits the work; names of slab caches have some 30 bytes */
};

typedef struct {
	guint edits; /* to a prefix of the name; 0: the name contains the wanted text */
	guint edits_to_all;
	const char *name;
} Candidate;

struct Nearest {
	char *wanted; /* in lower case */
	GArray *candidates;
};

Nearest *nearest_new(const char *wanted)
{
	Nearest *nearest = g_new0(Nearest, 1);

	nearest->wanted = g_ascii_strdown(wanted, (gssize)MIN(strlen(wanted), NAME_BYTES_MAX));
	nearest->candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
	return nearest;
}

void nearest_free(Nearest *nearest)
{
	if (!nearest)
		return;
	g_free(nearest->wanted);
	g_array_unref(nearest->candidates);
	g_free(nearest);
}

/* Counts insertions, deletions, replacements, and exchanges of neighbours, row by row
   (Damerau-Levenshtein). The last row has the edit distances to all prefixes of the name. */
static void count_edits(const char *a, const char *b, Candidate *candidate)
{
	guint rows[3][NAME_BYTES_MAX + 1];
	guint *row = rows[0], *last = rows[1], *last_but_one = rows[2];
	size_t b_bytes = strlen(b);

	for (guint at = 0; at <= b_bytes; at++)
		row[at] = at;
	for (guint line = 1; *a; a++, line++) {
		guint *oldest = last_but_one;

		last_but_one = last;
		last = row;
		row = oldest;
		row[0] = line;
		for (size_t at = 1; at <= b_bytes; at++) {
			guint replaced = last[at - 1] + (*a != b[at - 1]);

			row[at] = MIN(replaced, MIN(last[at], row[at - 1]) + 1);
			if (line > 1 && at > 1 && *a == b[at - 2] && a[-1] == b[at - 1])
				row[at] = MIN(row[at], last_but_one[at - 2] + 1);
		}
	}
	candidate->edits_to_all = candidate->edits = row[b_bytes];
	for (size_t at = 0; at < b_bytes; at++)
		candidate->edits = MIN(candidate->edits, row[at]);
}

void nearest_offer(Nearest *nearest, const char *name, const char *written)
{
	g_autofree char *lower = g_ascii_strdown(written, -1);
	const size_t letters = strlen(nearest->wanted);
	Candidate candidate = { .name = name };

	if (strlen(lower) > NAME_BYTES_MAX)
		return;
	count_edits(nearest->wanted, lower, &candidate);
	if (strstr(lower, nearest->wanted))
		candidate.edits = 0;
	/* A single letter is similar to nothing. */
	if (letters > 1 && candidate.edits <= MAX(letters / 3, 1))
		g_array_append_val(nearest->candidates, candidate);
}

static int nearest_compare(const void *a, const void *b)
{
	const Candidate *of_a = a, *of_b = b;

	if (of_a->edits != of_b->edits)
		return of_a->edits < of_b->edits ? -1 : 1;
	if (of_a->edits_to_all != of_b->edits_to_all)
		return of_a->edits_to_all < of_b->edits_to_all ? -1 : 1;
	return strcmp(of_a->name, of_b->name);
}

guint nearest_append(Nearest *nearest, GString *out)
{
	guint shown = MIN(nearest->candidates->len, SHOWN_MAX);

	g_array_sort(nearest->candidates, nearest_compare);
	for (guint i = 0; i < shown; i++) {
		g_string_append(out, i ? ", " : "");
		escape_append(out, g_array_index(nearest->candidates, Candidate, i).name);
	}
	return shown;
}

char *nearest_did_you_mean(const char *wanted, const char *list)
{
	g_autoptr(Nearest) nearest = nearest_new(wanted);
	g_auto(GStrv) names = g_strsplit_set(list, ", ", -1);
	GString *hint = g_string_new("did you mean ");

	for (char **name = names; *name && *wanted; name++)
		if (**name)
			nearest_offer(nearest, *name, *name);
	if (nearest_append(nearest, hint))
		g_string_append(hint, "? ");
	else
		g_string_truncate(hint, 0);
	return g_string_free(hint, FALSE);
}
