/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * PointList knows the probe points of a stream, from the lines of its `points` batches:
 *
 *	NUMBER ROLE PAIR NAME
 *
 * NUMBER and PAIR are decimal; ROLE is hit, begin or end. Begins and ends with the same PAIR are
 *the ends of one kind of time span. The name reaches to the line's end:
 *"vmscan:mm_vmscan_kswapd_wake".
 */
typedef struct PointList PointList;

/* What a hit of a point means. */
typedef enum {
	POINT_ROLE_HIT,   /* an event of its own */
	POINT_ROLE_BEGIN, /* the begin of a time span of its thread ... */
	POINT_ROLE_END,   /* ... and its end */
} PointRole;

enum {
	POINTS_MAX = 4096, /* of a stream */
	POINT_PAIRS_MAX = 32,
	POINT_NAME_BYTES_MAX = 1024, /* longer names are cut */
};

typedef struct {
	char *name; /* not escaped; NULL: the stream does not have this point */
	PointRole role;
	uint8_t pair;
} ListedPoint;

/* Returns a new one; free it with point_list_free(). */
PointList *point_list_new(void);
void point_list_free(PointList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PointList, point_list_free)

/* Adds all lines of a text. Lines that are not understood are skipped. */
void point_list_parse(PointList *list, TextPart lines);

/* Returns a point by its number; one without name if there is none. */
ListedPoint point_list_get(const PointList *list, uint16_t number);

/* Returns the number of points: the highest number + 1. */
uint32_t point_list_count(const PointList *list);

/* Whether the points are the ends of time spans. */
bool point_list_has_pairs(const PointList *list);

/* Appends a line with its end. */
void point_list_append_line(GString *out, uint16_t number, PointRole role, uint8_t pair,
			    const char *name);
