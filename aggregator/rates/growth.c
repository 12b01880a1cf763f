/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steady growth of figures over the last readings, by the line of Theil and Sen: integers of a few
 * hundred caches, ten readings of each. tools/watch.c sets them each minute. The limits below are
 * those at which leaks are found soon, and hours of builds are not (doc/PERFORMANCE.md).
 */
#include "rates/growth.h"

#include "base/keyed_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAIRS_MAX = GROWTH_READINGS * (GROWTH_READINGS - 1) / 2,
	PEAK_READINGS = 60, /* so long a peak is remembered, at least */
};

/* What steady growth is. */
#define RISING_MIN 0.8    /* of the pairs of readings */
#define SCATTERS_MIN 5.0  /* so much more than the figure moves beside its line */
#define RECENT_MIN 0.5    /* the median of the newest steps, compared with the slope */
#define SECONDS_MIN 0.001 /* between two readings */

static int compare_doubles(const void *a, const void *b)
{
	double of_a = *(const double *)a, of_b = *(const double *)b;

	return (of_a > of_b) - (of_a < of_b);
}

/* Sorts the numbers. */
static double median_of(double *numbers, guint count)
{
	if (!count)
		return 0;
	qsort(numbers, count, sizeof(*numbers), compare_doubles);
	return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* Returns the median slope, and in *rising the share of slopes above 0. */
static double slope_of(const double *seconds, const double *bytes, guint count, double *rising)
{
	double slopes[PAIRS_MAX];
	guint pairs = 0, up = 0;

	for (guint i = 0; i < count; i++)
		for (guint j = i + 1; j < count; j++) {
			up += bytes[j] > bytes[i];
			slopes[pairs++] =
				(bytes[j] - bytes[i]) / MAX(seconds[j] - seconds[i], SECONDS_MIN);
		}
	*rising = pairs ? (double)up / pairs : 0;
	return median_of(slopes, pairs);
}

GrowthLine growth_line(const double *seconds, const double *bytes, guint count)
{
	double offsets[GROWTH_READINGS], start;
	GrowthLine line = { 0 };

	g_assert(count <= GROWTH_READINGS);
	if (count < 2)
		return line;
	line.bytes_per_second = slope_of(seconds, bytes, count, &line.rising);
	line.bytes = line.bytes_per_second * (seconds[count - 1] - seconds[0]);
	for (guint i = 0; i < count; i++)
		offsets[i] = bytes[i] - line.bytes_per_second * seconds[i];
	start = median_of(offsets, count);
	for (guint i = 0; i < count; i++)
		offsets[i] = fabs(bytes[i] - line.bytes_per_second * seconds[i] - start);
	line.scatter_bytes = median_of(offsets, count);
	return line;
}

/* A figure: its last readings, the newest at the end. */
typedef struct {
	double bytes[GROWTH_READINGS];
	guint count;
	double noise_bytes;
	double peaks[2]; /* of the readings before these: of the last some, and of those before */
	guint of_peak;   /* readings in the first one */
	bool is_set;     /* in the open reading */
} Figure;

struct Growth {
	double seconds[GROWTH_READINGS];
	GHashTable *figures; /* (element-type utf8 Figure) */
};

Growth *growth_new(void)
{
	Growth *growth = g_new0(Growth, 1);

	growth->figures = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, g_free);
	return growth;
}

void growth_free(Growth *growth)
{
	if (!growth)
		return;
	g_hash_table_unref(growth->figures);
	g_free(growth);
}

static void push(double *numbers, double number)
{
	memmove(numbers, numbers + 1, (GROWTH_READINGS - 1) * sizeof(*numbers));
	numbers[GROWTH_READINGS - 1] = number;
}

void growth_begin(Growth *growth, double seconds)
{
	GHashTableIter iter;
	gpointer figure;

	push(growth->seconds, seconds);
	g_hash_table_iter_init(&iter, growth->figures);
	while (g_hash_table_iter_next(&iter, NULL, &figure))
		((Figure *)figure)->is_set = false;
}

/* Remembers how high the figure was before its last readings. */
static void note_peak(Figure *figure)
{
	if (figure->count < GROWTH_READINGS)
		return;
	if (++figure->of_peak > PEAK_READINGS) {
		figure->peaks[1] = figure->peaks[0];
		figure->peaks[0] = 0;
		figure->of_peak = 0;
	}
	figure->peaks[0] = MAX(figure->peaks[0], figure->bytes[0]);
}

void growth_set(Growth *growth, const char *name, double bytes, double noise_bytes)
{
	Figure *figure = g_hash_table_lookup(growth->figures, name);

	if (!figure) {
		figure = g_new0(Figure, 1);
		g_hash_table_insert(growth->figures, g_strdup(name), figure);
	}
	note_peak(figure);
	push(figure->bytes, bytes);
	figure->count = MIN(figure->count + 1, GROWTH_READINGS);
	figure->noise_bytes = noise_bytes;
	figure->is_set = true;
}

static gboolean is_unset(gpointer name, gpointer figure, gpointer user_data)
{
	(void)name;
	(void)user_data;
	return !((Figure *)figure)->is_set;
}

void growth_end(Growth *growth)
{
	g_hash_table_foreach_remove(growth->figures, is_unset, NULL);
}

/* Growth that only comes back to where the figure was before is none. */
static bool is_above_peak(const Figure *figure)
{
	double last[] = { figure->bytes[GROWTH_READINGS - 3], figure->bytes[GROWTH_READINGS - 2],
			  figure->bytes[GROWTH_READINGS - 1] };
	double peak = MAX(figure->peaks[0], figure->peaks[1]);

	for (guint i = 0; i < GROWTH_READINGS / 2; i++)
		peak = MAX(peak, figure->bytes[i]);
	return median_of(last, G_N_ELEMENTS(last)) > peak;
}

/* Growth that has ended is none: most of the newest steps rise, and the newest reading is no low
   one. */
static bool is_growing(const Growth *growth, const Figure *figure, const GrowthLine *line)
{
	enum { STEPS = GROWTH_READINGS / 2 };
	double copy[GROWTH_READINGS], steps[STEPS];

	memcpy(copy, figure->bytes, sizeof(copy));
	for (guint i = 0; i < STEPS; i++) {
		guint at = GROWTH_READINGS - STEPS + i;

		steps[i] = (figure->bytes[at] - figure->bytes[at - 1]) /
			   MAX(growth->seconds[at] - growth->seconds[at - 1], SECONDS_MIN);
	}
	return median_of(steps, STEPS) >= line->bytes_per_second * RECENT_MIN &&
	       figure->bytes[GROWTH_READINGS - 1] > median_of(copy, GROWTH_READINGS);
}

static bool is_steady(const Growth *growth, const Figure *figure, const GrowthLine *line)
{
	return figure->count == GROWTH_READINGS && line->rising >= RISING_MIN &&
	       line->bytes > figure->noise_bytes &&
	       line->bytes > SCATTERS_MIN * line->scatter_bytes && is_above_peak(figure) &&
	       is_growing(growth, figure, line);
}

/* Returns the number of the last reading that is the lowest: growth began there. */
static guint lowest_of(const Figure *figure)
{
	guint lowest = 0;

	for (guint i = 1; i < GROWTH_READINGS; i++)
		if (figure->bytes[i] <= figure->bytes[lowest])
			lowest = i;
	return lowest;
}

static int compare_found(const void *a, const void *b)
{
	const GrowthFound *of_a = a, *of_b = b;

	return -compare_doubles(&of_a->line.bytes_per_second, &of_b->line.bytes_per_second);
}

GArray *growth_found(const Growth *growth)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(GrowthFound));
	GHashTableIter iter;
	gpointer name, value;

	g_hash_table_iter_init(&iter, growth->figures);
	while (g_hash_table_iter_next(&iter, &name, &value)) {
		const Figure *figure = value;
		const GrowthFound one = {
			.name = name,
			.line = growth_line(growth->seconds, figure->bytes, GROWTH_READINGS),
			.since_s = growth->seconds[lowest_of(figure)],
			.to_bytes = figure->bytes[GROWTH_READINGS - 1],
		};

		if (is_steady(growth, figure, &one.line))
			g_array_append_val(found, one);
	}
	g_array_sort(found, compare_found);
	return found;
}
