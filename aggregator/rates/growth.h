/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Growth finds what has grown steadily over the last readings: figures by name, with a slope that
 * one spike or step does not move.
 */
typedef struct Growth Growth;

enum { GROWTH_READINGS = 10 };

/* The line through some readings of a figure. */
typedef struct {
	double bytes_per_second; /* the median of the slopes between all pairs of readings */
	double bytes;            /* by which the line rises from the first to the last */
	double scatter_bytes;    /* the median distance from it */
	double rising;           /* the share of the pairs whose later reading is higher */
} GrowthLine;

/* Returns that line; times in seconds, rising. */
GrowthLine growth_line(const double *seconds, const double *bytes, guint count);

/* A figure that has grown. */
typedef struct {
	const char *name; /* borrowed until the next reading */
	GrowthLine line;
	double since_s;  /* when the growth began, or the oldest reading that is known */
	double to_bytes; /* the last reading */
} GrowthFound;

/* Returns a table without figures; free it with growth_free(). */
Growth *growth_new(void);
void growth_free(Growth *growth);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Growth, growth_free)

/* Begins a reading, at that time on a clock that only goes on. */
void growth_begin(Growth *growth, double seconds);

/* Sets a figure of it. noise: by how much it may change without a reason. */
void growth_set(Growth *growth, const char *name, double bytes, double noise_bytes);

/* Ends it: figures that it lacks are forgotten. */
void growth_end(Growth *growth);

/* Returns the figures that have grown steadily, the fastest first (element-type GrowthFound). The
   caller unrefs it. */
GArray *growth_found(const Growth *growth);
