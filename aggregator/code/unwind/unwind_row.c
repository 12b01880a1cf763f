/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a row of rules from what libdw decodes, once for each address, and applies it: one step of
 * a walk. Worker only.
 */
#include "code/unwind/unwind_row.h"

#include <dwarf.h>
#include <glib.h>

enum {
	ROOM = 3,           /* operations that dwarf_frame_register() stores in ours */
	OPS_MAX = 1 << 10,  /* of an expression; real ones have about ten */
	OFFSET_OPS_MAX = 3, /* CFA, plus the offset, and whether it is a value */
};

static bool is_named_register(const Dwarf_Op *op)
{
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

/* Reads "register + offset", what nearly all code has. */
static bool read_register_offset(const Dwarf_Op *op, UnwindRule *rule)
{
	uint64_t from = is_named_register(op) ? (uint64_t)op->atom - DW_OP_breg0 : op->number;

	if ((!is_named_register(op) && op->atom != DW_OP_bregx) || from >= UNWIND_REGISTER_COUNT)
		return false;
	rule->type = UNWIND_RULE_REGISTER;
	rule->from = (uint8_t)from;
	rule->offset = (int64_t)(is_named_register(op) ? op->number : op->number2);
	return true;
}

static bool read_expression(const Dwarf_Op *ops, size_t count, UnwindRuleType type,
			    UnwindRule *rule)
{
	if (count > OPS_MAX)
		return false;
	rule->type = (uint8_t)type;
	rule->op_count = (uint16_t)count;
	rule->ops = ops;
	return true;
}

static bool read_cfa(Dwarf_Frame *frame, UnwindRule *rule)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) || !count)
		return false;
	if (count == 1 && read_register_offset(ops, rule))
		return true;
	/* The one operation of "register + offset" belongs to the frame; expressions do not. */
	return (count > 1 || ops->atom != DW_OP_bregx) &&
	       read_expression(ops, count, UNWIND_RULE_BY_CODE, rule);
}

/* Reads rules that libdw made of an offset: "CFA + offset", saved there or itself the value. */
static bool read_cfa_offset(const Dwarf_Op *ops, size_t count, UnwindRule *rule)
{
	bool has_offset = count > 1 && ops[1].atom == DW_OP_plus_uconst;
	bool is_value = ops[count - 1].atom == DW_OP_stack_value;

	if (ops->atom != DW_OP_call_frame_cfa || count != 1U + has_offset + is_value)
		return false;
	rule->type = is_value ? UNWIND_RULE_CFA : UNWIND_RULE_SAVED;
	rule->offset = has_offset ? (int64_t)ops[1].number : 0;
	return true;
}

/* Reads the name of a register that has the value. */
static bool read_register(const Dwarf_Op *op, UnwindRule *rule)
{
	bool is_named = op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31;
	uint64_t from = is_named ? (uint64_t)op->atom - DW_OP_reg0 : op->number;

	if ((!is_named && op->atom != DW_OP_regx) || from >= UNWIND_REGISTER_COUNT)
		return false;
	rule->type = UNWIND_RULE_REGISTER;
	rule->from = (uint8_t)from;
	rule->offset = 0;
	return true;
}

/* Reads what dwarf_frame_register() found. The operations of offsets and registers are in room,
   those of expressions belong to libdw. */
static bool read_rule(const Dwarf_Op *ops, size_t count, const Dwarf_Op *room, UnwindRule *rule)
{
	bool is_value = ops[count - 1].atom == DW_OP_stack_value;

	if (count == 1 && read_register(ops, rule))
		return true;
	if (count <= OFFSET_OPS_MAX && read_cfa_offset(ops, count, rule))
		return true;
	return ops != room &&
	       read_expression(ops, count,
			       is_value ? UNWIND_RULE_BY_CODE : UNWIND_RULE_SAVED_BY_CODE, rule);
}

/*
 * Reads the rule of a register into the row, unless it keeps its value. A value that the caller
 * cannot get back ("undefined") is kept, too: correct CFI does not use it, and libdw says this of
 * registers without a rule.
 */
static bool add_rule(UnwindRow *row, Dwarf_Frame *frame, int number)
{
	UnwindRule *rule = &row->rules[row->rule_count];
	Dwarf_Op room[ROOM];
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, room, &ops, &count))
		return false;
	if (!count) {
		row->is_start |= ops && number == UNWIND_RETURN;
		return true;
	}
	if (!read_rule(ops, count, room, rule))
		return false;
	rule->target = (uint8_t)number;
	/* The caller's stack pointer is the CFA anyway. */
	if (number != UNWIND_SP || rule->type != UNWIND_RULE_CFA || rule->offset)
		row->rule_count++;
	return true;
}

UnwindRow *unwind_row_new(Dwarf_Frame *frame)
{
	g_autofree UnwindRow *row =
		g_malloc0(sizeof(*row) + UNWIND_RULE_REGISTERS * sizeof(UnwindRule));
	bool is_signal;
	size_t bytes;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != UNWIND_RETURN)
		return NULL;
	row->is_signal = is_signal;
	if (!read_cfa(frame, &row->cfa))
		return NULL;
	for (int number = 0; number < UNWIND_RULE_REGISTERS; number++)
		if (!add_rule(row, frame, number))
			return NULL;
	bytes = unwind_row_bytes(row);
	return g_realloc(g_steal_pointer(&row), bytes);
}

/* Calls push the return address on x86-64, and leave it in a register elsewhere. */
UnwindRow *unwind_row_new_entry(void)
{
	const bool is_pushed = UNWIND_RETURN == UNWIND_PC;
	const int64_t pushed_bytes = is_pushed ? 8 : 0;
	UnwindRow *row = g_malloc0(sizeof(*row) + (is_pushed ? 1 : 0) * sizeof(UnwindRule));

	row->cfa = (UnwindRule){ .type = UNWIND_RULE_REGISTER,
				 .from = UNWIND_SP,
				 .offset = pushed_bytes };
	row->rule_count = is_pushed;
	if (is_pushed)
		row->rules[0] = (UnwindRule){ .type = UNWIND_RULE_SAVED,
					      .target = UNWIND_RETURN,
					      .offset = -pushed_bytes };
	return row;
}

size_t unwind_row_bytes(const UnwindRow *row)
{
	return sizeof(*row) + row->rule_count * sizeof(UnwindRule);
}

/* Code has taken from the stack what is below the stack pointer: the register has its value again.
   Compilers do not say so in CFI, as they need not. */
static bool is_popped(const UnwindRule *rule, const UnwindFrame *frame)
{
	return rule->type == UNWIND_RULE_SAVED &&
	       frame->cfa + (uint64_t)rule->offset < frame->registers.values[UNWIND_SP];
}

bool unwind_row_step(const UnwindRow *row, UnwindFrame *frame)
{
	UnwindRegisters caller = frame->registers;

	if (!unwind_rule_apply(&row->cfa, frame, &frame->cfa))
		return false;
	caller.values[UNWIND_SP] = frame->cfa;
	for (unsigned i = 0; i < row->rule_count; i++) {
		const UnwindRule *rule = &row->rules[i];

		if (!is_popped(rule, frame) &&
		    !unwind_rule_apply(rule, frame, &caller.values[rule->target]))
			return false;
	}
	frame->registers = caller;
	return true;
}
