/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A formula bound to one event: for each name a slot that says where its value comes from, and
 * scratch space for the values. perf_hits.c evaluates it for each hit; its filter goes to the
 * kernel.
 */
#include "collect/points/point_set.h"

#include "base/hot_assert.h"
#include "base/unconst.h"

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
