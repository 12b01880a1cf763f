/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a PointSet of a preset: finds the events of each point, binds its formulas and columns, and
 * notes what this kernel lacks. A formula bound to an event has for each name a slot that says
 * where its value comes from, and scratch space for the values: perf_hits.c evaluates it for each
 * hit. perf_run.c opens the events; stack_top.c and --check make a set to explain.
 */
#include "collect/points/point_set.h"

#include "base/unconst.h"

#include <gio/gio.h>
#include <string.h>

/* Names that every hit has. */
typedef enum {
	OF_SAMPLE, /* not one of them: a column of the event */
	OF_PROCESS,
	OF_THREAD,
	OF_CPU,
	OF_COMM,
} Origin;

static const struct {
	const char *name;
	Origin origin;
} common_names[] = {
	{ "pid", OF_PROCESS }, { "tgid", OF_PROCESS }, { "tid", OF_THREAD },
	{ "cpu", OF_CPU },     { "comm", OF_COMM },
};

/* Where the value of a slot comes from. */
typedef struct {
	Origin origin;
	PointColumn column; /* if it is OF_SAMPLE */
} Slot;

struct PointFormula {
	const Expression *expression; /* borrowed */
	guint slots_count;
	Slot *slots;             /* owned */
	ExpressionValue *values; /* owned; scratch space, one for each slot */
	uint64_t divisions_by_zero;
};

static Origin origin_of(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(common_names); i++)
		if (g_str_equal(common_names[i].name, name))
			return common_names[i].origin;
	return OF_SAMPLE;
}

/* Whether the expression uses the name as what it is, a number or a text. */
static bool point_formula_fits(const PointFormula *formula, guint slot, GError **error)
{
	const Slot *used = &formula->slots[slot];
	bool is_text = used->origin == OF_COMM ||
		       (used->origin == OF_SAMPLE && point_column_is_text(&used->column));
	guint wrong = is_text ? EXPRESSION_USES_NUMBER : EXPRESSION_USES_TEXT;

	hot_assert(slot < formula->slots_count);
	if (!(expression_name_uses(formula->expression, slot) & wrong))
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    is_text ? "\"%s\" is a text: compare it, like %s == \"text\""
			    : "\"%s\" is a number: compare it with one, like %s == 1",
		    expression_name(formula->expression, slot),
		    expression_name(formula->expression, slot));
	return false;
}

static bool bind_slot(PointFormula *formula, guint slot, const PointEvent *event, GError **error)
{
	const char *name = expression_name(formula->expression, slot);
	bool must_be_field = *name == '$';
	Slot *bound = &formula->slots[slot];
	GError *problem = NULL;

	hot_assert(slot < formula->slots_count);
	name += must_be_field;

	/* A field of the event is meant before what every hit has: sched:sched_switch has comms. */
	if (point_column_bind(&bound->column, event, name, &problem))
		return point_formula_fits(formula, slot, error);
	bound->origin = must_be_field ? OF_SAMPLE : origin_of(name);
	if (bound->origin == OF_SAMPLE) {
		g_propagate_error(error, problem);
		return false;
	}
	g_error_free(problem);
	return point_formula_fits(formula, slot, error);
}

PointFormula *point_formula_new(const Expression *expression, const PointEvent *event,
				GError **error)
{
	g_autoptr(PointFormula) formula = g_new0(PointFormula, 1);

	formula->expression = expression;
	formula->slots_count = expression_names(expression);
	formula->slots = g_new0(Slot, formula->slots_count);
	formula->values = g_new0(ExpressionValue, formula->slots_count);
	for (guint i = 0; i < formula->slots_count; i++)
		if (!bind_slot(formula, i, event, error))
			return NULL;
	return g_steal_pointer(&formula);
}

void point_formula_free(PointFormula *formula)
{
	if (!formula)
		return;
	g_free(formula->slots);
	g_free(formula->values);
	g_free(formula);
}

uint64_t point_formula_registers(const PointFormula *formula)
{
	uint64_t mask = 0;

	for (guint i = 0; i < formula->slots_count; i++)
		if (formula->slots[i].origin == OF_SAMPLE)
			mask |= point_registers_mask(&formula->slots[i].column, 1);
	return mask;
}

static ExpressionValue slot_value(const Slot *slot, const PointSample *sample,
				  const PointTask *task)
{
	ExpressionValue value = { 0 };

	switch (slot->origin) {
	case OF_PROCESS:
		value.number = task->tgid;
		break;
	case OF_THREAD:
		value.number = task->tid;
		break;
	case OF_CPU:
		value.number = task->cpu;
		break;
	case OF_COMM:
		value.text = task->comm;
		value.text_bytes = task->comm_bytes;
		break;
	default:
		point_column_read(&slot->column, sample, &value);
	}
	return value;
}

ExpressionValue point_formula_value(PointFormula *formula, const PointSample *sample,
				    const PointTask *task)
{
	for (guint i = 0; i < formula->slots_count; i++)
		formula->values[i] = slot_value(&formula->slots[i], sample, task);
	return expression_evaluate(formula->expression, formula->values,
				   &formula->divisions_by_zero);
}

/* An ExpressionFieldFind. */
static bool find_field(const char *name, ExpressionField *field, void *data)
{
	const PointFormula *formula = data;
	const Slot *slot = NULL;

	for (guint i = 0; i < formula->slots_count && !slot; i++)
		if (g_str_equal(expression_field_name(expression_name(formula->expression, i)),
				name))
			slot = &formula->slots[i];
	if (!slot || slot->origin != OF_SAMPLE || !slot->column.is_of_kernel)
		return false;
	field->is_text = point_column_is_text(&slot->column);
	field->is_signed = slot->column.field.is_signed;
	field->bytes = (uint8_t)slot->column.field.size;
	return true;
}

char *point_formula_filter(const PointFormula *formula)
{
	return expression_kernel_filter(formula->expression, find_field, unconst(formula));
}

static void set_point_free(gpointer data)
{
	SetPoint *point = data;

	point_event_free(point->event);
	point_formula_free(point->value);
	point_formula_free(point->where);
	g_clear_pointer(&point->columns, g_ptr_array_unref);
	g_clear_pointer(&point->shown, g_ptr_array_unref);
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
static const PresetValue *column_of(const Part *part, const char *column)
{
	const GPtrArray *values = part->point->values;

	for (guint i = 0; i < values->len; i++) {
		const PresetValue *value = values->pdata[i];

		if (!g_str_equal(value->column, column))
			continue;
		return value->is_at_begin == (part->role == POINT_ROLE_BEGIN) ? value : NULL;
	}
	return NULL;
}

static bool bind_columns(SetPoint *point, const Part *part, GError **error)
{
	point->columns = g_ptr_array_new_with_free_func(free_formula);
	point->shown = g_ptr_array_new();
	for (char **column = part->preset->columns; column && *column; column++) {
		PointFormula *formula = NULL;
		const PresetValue *wanted;

		if (g_strv_contains(preset_columns, *column))
			continue;
		wanted = column_of(part, *column);
		if (wanted &&
		    !point_set_bind(&formula, &wanted->formula, point->event,
				    wanted->is_optional ? NULL : error) &&
		    !wanted->is_optional)
			return false;
		g_ptr_array_add(point->columns, formula);
		g_ptr_array_add(point->shown, unconst(wanted));
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
