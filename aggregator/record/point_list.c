/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe points of a stream in an array by number, parsed from untrusted lines. The collector
 * writes these lines, the session reads them; durations.c takes roles and pairs from it, reports
 * the names.
 */
#include "record/point_list.h"

#include "base/hot_assert.h"

#include <string.h>

struct PointList {
	GArray *points; /* (element-type ListedPoint), owned */
	bool has_pairs;
};

static const char *const role_names[] = {
	[POINT_ROLE_HIT] = "hit",
	[POINT_ROLE_BEGIN] = "begin",
	[POINT_ROLE_END] = "end",
};

static void clear_point(gpointer data)
{
	ListedPoint *point = data;

	g_free(point->name);
}

PointList *point_list_new(void)
{
	PointList *list = g_new0(PointList, 1);

	list->points = g_array_new(FALSE, TRUE, sizeof(ListedPoint));
	g_array_set_clear_func(list->points, clear_point);
	return list;
}

void point_list_free(PointList *list)
{
	if (!list)
		return;
	g_array_unref(list->points);
	g_free(list);
}

static bool parse_role(TextPart word, PointRole *role)
{
	for (size_t i = 0; i < G_N_ELEMENTS(role_names); i++) {
		if (text_part_is(word, role_names[i])) {
			*role = (PointRole)i;
			return true;
		}
	}
	return false;
}

static bool parse_number(TextPart *rest, uint64_t end, uint64_t *number)
{
	return text_part_decimal(text_part_next_word(rest), number) && *number < end;
}

void point_list_parse(PointList *list, TextPart lines)
{
	TextPart line;

	while (text_part_next_line(&lines, &line)) {
		uint64_t number, pair;
		ListedPoint *point;
		PointRole role;

		if (!parse_number(&line, POINTS_MAX, &number) ||
		    !parse_role(text_part_next_word(&line), &role) ||
		    !parse_number(&line, POINT_PAIRS_MAX, &pair) || line.length < 2)
			continue;
		if (number >= list->points->len)
			g_array_set_size(list->points, (guint)number + 1);
		point = &g_array_index(list->points, ListedPoint, number);
		g_free(point->name);
		*point = (ListedPoint){
			g_strndup(line.text + 1, MIN(line.length - 1, POINT_NAME_BYTES_MAX)),
			role,
			(uint8_t)pair,
		};
		list->has_pairs |= role != POINT_ROLE_HIT;
	}
}

ListedPoint point_list_get(const PointList *list, uint16_t number)
{
	if (number >= list->points->len)
		return (ListedPoint){ 0 };
	return g_array_index(list->points, ListedPoint, number);
}

uint32_t point_list_count(const PointList *list)
{
	return list->points->len;
}

bool point_list_has_pairs(const PointList *list)
{
	return list->has_pairs;
}

void point_list_append_line(GString *out, uint16_t number, PointRole role, uint8_t pair,
			    const char *name)
{
	hot_assert(role < G_N_ELEMENTS(role_names));
	g_string_append_printf(out, "%u %s %u %s\n", number, role_names[role], pair, name);
}
