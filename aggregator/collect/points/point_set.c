/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a PointSet of a preset: finds the events of each point, binds its formulas and columns, and
 * notes what this kernel lacks. perf_run.c opens what it finds; stack_top.c and --check make one to
 * explain.
 */
#include "collect/points/point_set.h"

#include "base/hot_assert.h"

#include <gio/gio.h>
#include <string.h>

static void set_point_free(gpointer data)
{
	SetPoint *point = data;

	point_event_free(point->event);
	point_formula_free(point->value);
	point_formula_free(point->where);
	g_clear_pointer(&point->columns, g_ptr_array_unref);
	g_free(point->filter);
	g_free(point);
}

void point_set_free(PointSet *set)
{
	if (!set)
		return;
	g_ptr_array_unref(set->points);
	g_free(set->missing);
	g_free(set);
}

/* A part of a preset's point: its only probe, or one of its two ends. */
typedef struct {
	const Preset *preset;
	const PresetPoint *point;
	const GPtrArray *alternatives; /* (element-type ProbeSpec) */
	PointRole role;
	uint8_t pair;
} Part;

/* Returns the events of the first alternative that this kernel has; NULL with error set: none. The
   error is about the first one. */
static GPtrArray *find_events(const PointHost *host, const GPtrArray *alternatives, GError **error)
{
	GError *first = NULL;

	for (guint i = 0; i < alternatives->len; i++) {
		GPtrArray *events =
			point_events_find(host, alternatives->pdata[i], first ? NULL : &first);

		if (!events)
			continue;
		g_clear_error(&first);
		return events;
	}
	g_propagate_error(error, first);
	return NULL;
}

static bool point_set_bind(PointFormula **bound, const PresetFormula *formula,
			   const PointEvent *event, GError **error)
{
	if (!formula->expression)
		return true;
	*bound = point_formula_new(formula->expression, event, error);
	if (!*bound)
		g_prefix_error(error, "'%s': ", formula->text);
	return *bound;
}

/* What the hits of a point are worth, and its name in a report. */
typedef struct {
	const PresetFormula *formula;
	const char *name;
} Worth;

/* The weight, else the first value that its event always has. */
static Worth worth_of(const Part *part)
{
	const PresetPoint *point = part->point;

	if (point->weight.expression)
		return (Worth){ &point->weight, point->weight.text };
	for (guint i = 0; i < point->values->len; i++) {
		const PresetValue *value = point->values->pdata[i];

		if (!value->is_at_begin && !value->is_optional)
			return (Worth){ &value->formula, value->column };
	}
	return (Worth){ &point->weight, NULL };
}

static void free_formula(gpointer formula)
{
	point_formula_free(formula);
}

/* A column of a pair is of its begin or of its end. */
static const PresetFormula *column_of(const Part *part, const char *column, bool *is_optional)
{
	const GPtrArray *values = part->point->values;

	for (guint i = 0; i < values->len; i++) {
		const PresetValue *value = values->pdata[i];

		if (!g_str_equal(value->column, column))
			continue;
		if (value->is_at_begin != (part->role == POINT_ROLE_BEGIN))
			return NULL;
		*is_optional = value->is_optional;
		return &value->formula;
	}
	return NULL;
}

static bool bind_columns(SetPoint *point, const Part *part, GError **error)
{
	point->columns = g_ptr_array_new_with_free_func(free_formula);
	for (char **column = part->preset->columns; column && *column; column++) {
		PointFormula *formula = NULL;
		const PresetFormula *wanted;
		bool is_optional = false;

		if (g_strv_contains(preset_columns, *column))
			continue;
		wanted = column_of(part, *column, &is_optional);
		if (wanted &&
		    !point_set_bind(&formula, wanted, point->event, is_optional ? NULL : error) &&
		    !is_optional)
			return false;
		g_ptr_array_add(point->columns, formula);
	}
	return true;
}

/* The kernel may leave out hits only if nobody needs to know that there was one. */
static bool bind_formulas(SetPoint *point, const Part *part, GError **error)
{
	bool is_begin = part->role == POINT_ROLE_BEGIN;
	const PresetFormula *where = is_begin ? &part->point->begin_where : &part->point->where;

	if (!point_set_bind(&point->where, where, point->event, error))
		return false;
	if (point->where && part->role == POINT_ROLE_HIT)
		point->filter = point_formula_filter(point->where);
	if (!is_begin &&
	    !point_set_bind(&point->value, worth_of(part).formula, point->event, error))
		return false;
	return part->preset->view != PRESET_LIST || bind_columns(point, part, error);
}

static uint64_t registers_of(const SetPoint *point)
{
	uint64_t mask = (point->value ? point_formula_registers(point->value) : 0) |
			(point->where ? point_formula_registers(point->where) : 0);

	for (guint i = 0; point->columns && i < point->columns->len; i++)
		if (point->columns->pdata[i])
			mask |= point_formula_registers(point->columns->pdata[i]);
	return mask;
}

static bool add_point(PointSet *set, const Part *part, PointEvent *event, GError **error)
{
	SetPoint *point = g_new0(SetPoint, 1);

	point->event = event;
	point->name = part->role == POINT_ROLE_HIT ? event->name : part->point->name;
	point->role = part->role;
	point->pair = part->pair;
	g_ptr_array_add(set->points, point);
	set->has_pairs |= part->role != POINT_ROLE_HIT;
	set->by_address |=
		event->has_address && part->preset->by && strstr(part->preset->by, "mapping");
	if (!bind_formulas(point, part, error))
		return false;
	set->registers |= registers_of(point);
	if (point->value)
		set->value_name = worth_of(part).name;
	if (set->points->len < POINTS_MAX)
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
		    "more than %d probe points: use narrower patterns", POINTS_MAX - 1);
	return false;
}

/* Takes the events. */
static bool add_events(PointSet *set, const Part *part, GPtrArray *events, GError **error)
{
	g_ptr_array_set_free_func(events, NULL);
	for (guint i = 0; i < events->len; i++) {
		if (add_point(set, part, events->pdata[i], error))
			continue;
		while (++i < events->len)
			point_event_free(events->pdata[i]);
		g_ptr_array_unref(events);
		return false;
	}
	g_ptr_array_unref(events);
	return true;
}

/* Keeps why a point is missing; the run goes on with the others. */
static void note_missing(PointSet *set, const PresetPoint *point, const GError *problem)
{
	GString *text = g_string_new(set->missing);

	g_string_append_printf(text, "%s%s", text->len ? "; " : "", problem->message);
	if (point->missing)
		g_string_append_printf(text, " (%s)", point->missing);
	g_free(set->missing);
	set->missing = g_string_free(text, FALSE);
}

/* Both ends of a pair are found before one is added. */
static bool add_preset_point(PointSet *set, const PointHost *host, const Preset *preset,
			     uint8_t number, GError **error)
{
	const PresetPoint *point = preset->points->pdata[number];
	Part end = { preset, point, point->probe, POINT_ROLE_HIT, number };
	g_autoptr(GError) problem = NULL;
	GPtrArray *begins = NULL, *ends = find_events(host, point->probe, &problem);

	hot_assert(number < preset->points->len);
	if (ends && point->begin)
		begins = find_events(host, point->begin, &problem);
	if (problem) {
		note_missing(set, point, problem);
		g_clear_pointer(&ends, g_ptr_array_unref);
		return true;
	}
	if (begins) {
		const Part begin = { preset, point, point->begin, POINT_ROLE_BEGIN, number };

		end.role = POINT_ROLE_END;
		if (!add_events(set, &begin, begins, error)) {
			g_ptr_array_unref(ends);
			return false;
		}
	}
	return add_events(set, &end, ends, error);
}

PointSet *point_set_find(const PointHost *host, const Preset *preset, GError **error)
{
	g_autoptr(PointSet) set = g_new0(PointSet, 1);

	set->points = g_ptr_array_new_with_free_func(set_point_free);
	for (guint i = 0; i < MIN(preset->points->len, POINT_PAIRS_MAX); i++)
		if (!add_preset_point(set, host, preset, (uint8_t)i, error))
			return NULL;
	if (set->points->len)
		return g_steal_pointer(&set);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s",
		    set->missing ? set->missing : "no probe point");
	return NULL;
}
