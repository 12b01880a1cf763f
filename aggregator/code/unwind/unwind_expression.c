/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine with a stack of 16 values for DWARF expressions, as two tables of operations. Without
 * branches, so it ends. Runs in the worker, for the few rules that are expressions.
 */
#include "code/unwind/unwind_expression.h"

#include <dwarf.h>

enum { DEPTH_MAX = 16, WORD_BYTES = 8, WORD_BITS = 64 };

#define SIGN (1ULL << (WORD_BITS - 1))

typedef struct {
	UnwindFrame *frame;
	uint64_t values[DEPTH_MAX];
	unsigned depth;
} Machine;

static bool fail(Machine *machine)
{
	machine->frame->end = UNWIND_END_UNSUPPORTED;
	return false;
}

static bool push(Machine *machine, uint64_t value)
{
	if (machine->depth == DEPTH_MAX)
		return fail(machine);
	machine->values[machine->depth++] = value;
	return true;
}

/* Actions, as the operations ask for them. Returns false: the expression is not valid. */

static bool push_constant(Machine *machine, const Dwarf_Op *op)
{
	return push(machine, op->number);
}

static bool push_literal(Machine *machine, const Dwarf_Op *op)
{
	return push(machine, op->atom - DW_OP_lit0);
}

static bool push_register(Machine *machine, uint64_t number, uint64_t offset)
{
	if (number >= UNWIND_REGISTER_COUNT)
		return fail(machine);
	return push(machine, machine->frame->registers.values[number] + offset);
}

static bool push_register_named(Machine *machine, const Dwarf_Op *op)
{
	return push_register(machine, op->atom - DW_OP_breg0, op->number);
}

static bool push_register_numbered(Machine *machine, const Dwarf_Op *op)
{
	return push_register(machine, op->number, op->number2);
}

static bool push_cfa(Machine *machine, const Dwarf_Op *op)
{
	(void)op;
	return push(machine, machine->frame->cfa);
}

/* Pushes the value that is that far below the top. */
static bool pick_below(Machine *machine, uint64_t below)
{
	if (below >= machine->depth)
		return fail(machine);
	return push(machine, machine->values[machine->depth - 1 - below]);
}

static bool pick(Machine *machine, const Dwarf_Op *op)
{
	return pick_below(machine, op->atom == DW_OP_pick ? op->number : op->atom == DW_OP_over);
}

/* Replaces the address on the top by what the stack has there. */
static bool dereference(Machine *machine, const Dwarf_Op *op)
{
	uint64_t bytes = op->atom == DW_OP_deref_size ? op->number : WORD_BYTES;
	uint64_t *top;

	if (!machine->depth || !bytes || bytes > WORD_BYTES)
		return fail(machine);
	top = &machine->values[machine->depth - 1];
	return unwind_frame_read(machine->frame, *top, (unsigned)bytes, top);
}

static bool swap(Machine *machine, const Dwarf_Op *op)
{
	uint64_t *top;
	uint64_t below;

	(void)op;
	if (machine->depth < 2)
		return fail(machine);
	top = &machine->values[machine->depth - 1];
	below = top[-1];
	top[-1] = *top;
	*top = below;
	return true;
}

static bool drop(Machine *machine, const Dwarf_Op *op)
{
	(void)op;
	if (!machine->depth)
		return fail(machine);
	machine->depth--;
	return true;
}

static bool add_constant(Machine *machine, const Dwarf_Op *op)
{
	if (!machine->depth)
		return fail(machine);
	machine->values[machine->depth - 1] += op->number;
	return true;
}

static bool do_nothing(Machine *machine, const Dwarf_Op *op)
{
	(void)machine;
	(void)op;
	return true;
}

/* Operations on the two values on the top. */

static uint64_t add(uint64_t left, uint64_t right)
{
	return left + right;
}

static uint64_t subtract(uint64_t left, uint64_t right)
{
	return left - right;
}

static uint64_t multiply(uint64_t left, uint64_t right)
{
	return left * right;
}

static uint64_t and_bits(uint64_t left, uint64_t right)
{
	return left & right;
}

static uint64_t or_bits(uint64_t left, uint64_t right)
{
	return left | right;
}

static uint64_t differ_bits(uint64_t left, uint64_t right)
{
	return left ^ right;
}

/* Shifts by more than the width give 0, or the sign. */
static uint64_t shift_left(uint64_t left, uint64_t right)
{
	return right < WORD_BITS ? left << right : 0;
}

static uint64_t shift_right(uint64_t left, uint64_t right)
{
	return right < WORD_BITS ? left >> right : 0;
}

static uint64_t shift_right_signed(uint64_t left, uint64_t right)
{
	uint64_t sign = left >> (WORD_BITS - 1) ? UINT64_MAX : 0;

	if (!right)
		return left;
	return right < WORD_BITS ? left >> right | sign << (WORD_BITS - right) : sign;
}

static uint64_t is_equal(uint64_t left, uint64_t right)
{
	return left == right;
}

static uint64_t is_different(uint64_t left, uint64_t right)
{
	return left != right;
}

/* Comparisons are signed: as those of numbers with their signs flipped. */
static uint64_t is_less(uint64_t left, uint64_t right)
{
	return (left ^ SIGN) < (right ^ SIGN);
}

static uint64_t is_greater(uint64_t left, uint64_t right)
{
	return is_less(right, left);
}

static uint64_t is_at_most(uint64_t left, uint64_t right)
{
	return !is_less(right, left);
}

static uint64_t is_at_least(uint64_t left, uint64_t right)
{
	return !is_less(left, right);
}

static uint64_t (*const operations[UINT8_MAX + 1])(uint64_t left, uint64_t right) = {
	[DW_OP_plus] = add,       [DW_OP_minus] = subtract,  [DW_OP_mul] = multiply,
	[DW_OP_and] = and_bits,   [DW_OP_or] = or_bits,      [DW_OP_xor] = differ_bits,
	[DW_OP_shl] = shift_left, [DW_OP_shr] = shift_right, [DW_OP_shra] = shift_right_signed,
	[DW_OP_eq] = is_equal,    [DW_OP_ne] = is_different, [DW_OP_lt] = is_less,
	[DW_OP_le] = is_at_most,  [DW_OP_gt] = is_greater,   [DW_OP_ge] = is_at_least,
};

static bool operate(Machine *machine, const Dwarf_Op *op)
{
	uint64_t *top;

	if (!operations[op->atom] || machine->depth < 2)
		return fail(machine);
	top = &machine->values[--machine->depth - 1];
	*top = operations[op->atom](top[0], top[1]);
	return true;
}

/* All others are operations on two values, or not supported: branches, divisions, other memory. */
static bool (*const actions[UINT8_MAX + 1])(Machine *machine, const Dwarf_Op *op) = {
	[DW_OP_addr] = push_constant,
	[DW_OP_const1u... DW_OP_consts] = push_constant,
	[DW_OP_lit0... DW_OP_lit31] = push_literal,
	[DW_OP_breg0... DW_OP_breg31] = push_register_named,
	[DW_OP_bregx] = push_register_numbered,
	[DW_OP_call_frame_cfa] = push_cfa,
	[DW_OP_dup] = pick,
	[DW_OP_over] = pick,
	[DW_OP_pick] = pick,
	[DW_OP_deref] = dereference,
	[DW_OP_deref_size] = dereference,
	[DW_OP_swap] = swap,
	[DW_OP_drop] = drop,
	[DW_OP_plus_uconst] = add_constant,
	[DW_OP_nop] = do_nothing,
	[DW_OP_stack_value] = do_nothing,
};

static bool run(Machine *machine, const Dwarf_Op *op)
{
	return actions[op->atom] ? actions[op->atom](machine, op) : operate(machine, op);
}

bool unwind_expression_evaluate(const Dwarf_Op *ops, size_t op_count, UnwindFrame *frame,
				uint64_t *value)
{
	Machine machine = { .frame = frame };

	for (size_t i = 0; i < op_count; i++)
		if (!run(&machine, &ops[i]))
			return false;
	if (!machine.depth)
		return fail(&machine);
	*value = machine.values[machine.depth - 1];
	return true;
}
