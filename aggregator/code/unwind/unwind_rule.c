/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies one rule: a load from the copied stack, an offset, or an expression. Each address is
 * checked against the copy. Also the registers of perf's samples, for sampling as well
 * (perf_hits.c), and the machine for expressions.
 */
#include "code/unwind/unwind_rule.h"

#include <dwarf.h>
#include <linux/perf_event.h>
#include <string.h>

/*
 * Tables by machine: DWARF numbers of perf's registers, and which of them a sample must have.
 * Sampling and the walk use the same table.
 */

/* The DWARF number of each value, in the order of perf's numbers. */
#if defined(__x86_64__)

/* ax, bx, cx, dx, si, di, bp, sp, ip; r8 to r15. Between them are flags and segments. */
static const uint64_t mask = 0x1ff | 0xffULL << 16;
static const uint8_t numbers[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };

#elif defined(__aarch64__)

/* x0 to x30, sp, pc: the same order. */
static const uint64_t mask = 0x1ffffffffULL;
static const uint8_t numbers[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

#else

static const uint64_t mask;
static const uint8_t numbers[UNWIND_REGISTER_COUNT];

#endif

uint64_t unwind_registers_mask(void)
{
	return mask;
}

unsigned unwind_registers_in_sample(void)
{
	return mask ? UNWIND_REGISTER_COUNT : 0;
}

bool unwind_registers_read(uint64_t abi, const uint64_t *values, UnwindRegisters *registers)
{
	if (abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (unsigned i = 0; i < unwind_registers_in_sample(); i++)
		registers->values[numbers[i]] = values[i];
	return mask != 0;
}

/*
 * A machine with a stack of 16 values for DWARF expressions, as two tables of operations. Without
 * branches, so it ends. Runs in the worker, for the few rules that are expressions.
 */

enum { DEPTH_MAX = 16, WORD_BYTES = 8, WORD_BITS = 64 };

#define SIGN (1ULL << (WORD_BITS - 1))

typedef struct {
	UnwindFrame *frame;
	uint64_t values[DEPTH_MAX];
	unsigned depth;
} Machine;

static bool machine_fail(Machine *machine)
{
	machine->frame->end = UNWIND_END_UNSUPPORTED;
	return false;
}

static bool machine_push(Machine *machine, uint64_t value)
{
	if (machine->depth == DEPTH_MAX)
		return machine_fail(machine);
	machine->values[machine->depth++] = value;
	return true;
}

/* Actions, as the operations ask for them. Returns false: the expression is not valid. */

static bool push_constant(Machine *machine, const Dwarf_Op *op)
{
	return machine_push(machine, op->number);
}

static bool push_literal(Machine *machine, const Dwarf_Op *op)
{
	return machine_push(machine, op->atom - DW_OP_lit0);
}

static bool push_register(Machine *machine, uint64_t number, uint64_t offset)
{
	if (number >= UNWIND_REGISTER_COUNT)
		return machine_fail(machine);
	return machine_push(machine, machine->frame->registers.values[number] + offset);
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
	return machine_push(machine, machine->frame->cfa);
}

/* Pushes the value that is that far below the top. */
static bool machine_pick(Machine *machine, const Dwarf_Op *op)
{
	uint64_t below = op->atom == DW_OP_pick ? op->number : op->atom == DW_OP_over;

	if (below >= machine->depth)
		return machine_fail(machine);
	return machine_push(machine, machine->values[machine->depth - 1 - below]);
}

/* Replaces the address on the top by what the stack has there. */
static bool machine_dereference(Machine *machine, const Dwarf_Op *op)
{
	uint64_t bytes = op->atom == DW_OP_deref_size ? op->number : WORD_BYTES;
	uint64_t *top;

	if (!machine->depth || !bytes || bytes > WORD_BYTES)
		return machine_fail(machine);
	top = &machine->values[machine->depth - 1];
	return unwind_frame_read(machine->frame, *top, (unsigned)bytes, top);
}

static bool machine_swap(Machine *machine, const Dwarf_Op *op)
{
	uint64_t *top;
	uint64_t below;

	(void)op;
	if (machine->depth < 2)
		return machine_fail(machine);
	top = &machine->values[machine->depth - 1];
	below = top[-1];
	top[-1] = *top;
	*top = below;
	return true;
}

static bool machine_drop(Machine *machine, const Dwarf_Op *op)
{
	(void)op;
	if (!machine->depth)
		return machine_fail(machine);
	machine->depth--;
	return true;
}

static bool add_constant(Machine *machine, const Dwarf_Op *op)
{
	if (!machine->depth)
		return machine_fail(machine);
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

static uint64_t machine_add(uint64_t left, uint64_t right)
{
	return left + right;
}

static uint64_t machine_subtract(uint64_t left, uint64_t right)
{
	return left - right;
}

static uint64_t machine_multiply(uint64_t left, uint64_t right)
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
	[DW_OP_plus] = machine_add,
	[DW_OP_minus] = machine_subtract,
	[DW_OP_mul] = machine_multiply,
	[DW_OP_and] = and_bits,
	[DW_OP_or] = or_bits,
	[DW_OP_xor] = differ_bits,
	[DW_OP_shl] = shift_left,
	[DW_OP_shr] = shift_right,
	[DW_OP_shra] = shift_right_signed,
	[DW_OP_eq] = is_equal,
	[DW_OP_ne] = is_different,
	[DW_OP_lt] = is_less,
	[DW_OP_le] = is_at_most,
	[DW_OP_gt] = is_greater,
	[DW_OP_ge] = is_at_least,
};

static bool machine_operate(Machine *machine, const Dwarf_Op *op)
{
	uint64_t *top;

	if (!operations[op->atom] || machine->depth < 2)
		return machine_fail(machine);
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
	[DW_OP_dup] = machine_pick,
	[DW_OP_over] = machine_pick,
	[DW_OP_pick] = machine_pick,
	[DW_OP_deref] = machine_dereference,
	[DW_OP_deref_size] = machine_dereference,
	[DW_OP_swap] = machine_swap,
	[DW_OP_drop] = machine_drop,
	[DW_OP_plus_uconst] = add_constant,
	[DW_OP_nop] = do_nothing,
	[DW_OP_stack_value] = do_nothing,
};

/*
 * Evaluates a DWARF expression (DWARF 5, section 2.5), as CFI of signal frames, PLTs and
 * hand-written code has them. Expressions have no branches here, so they end. Returns false with
 * frame->end set.
 */
static bool unwind_expression_evaluate(const Dwarf_Op *ops, size_t op_count, UnwindFrame *frame,
				       uint64_t *value)
{
	Machine machine = { .frame = frame };

	for (size_t i = 0; i < op_count; i++) {
		const Dwarf_Op *op = &ops[i];

		if (!(actions[op->atom] ? actions[op->atom] : machine_operate)(&machine, op))
			return false;
	}
	if (!machine.depth)
		return machine_fail(&machine);
	*value = machine.values[machine.depth - 1];
	return true;
}

/* Stacks are smaller. A word further away was not cut off: its address is wrong. */
#define STACK_BYTES_MAX (1ULL << 30)

bool unwind_frame_read(UnwindFrame *frame, uint64_t address, unsigned bytes, uint64_t *word)
{
	const UnwindCopy *copy = &frame->copy;
	/* Modulo 2^64: an address below the copy is far behind it. */
	uint64_t offset = address - copy->address;

	if (offset >= copy->size || copy->size - offset < bytes) {
		frame->end = offset < STACK_BYTES_MAX ? UNWIND_END_COPY : UNWIND_END_DAMAGED;
		return false;
	}
	*word = 0;
	memcpy(word, copy->bytes + offset, bytes);
	return true;
}

bool unwind_rule_apply(const UnwindRule *rule, UnwindFrame *frame, uint64_t *value)
{
	switch ((UnwindRuleType)rule->type) {
	case UNWIND_RULE_SAVED:
		return unwind_frame_read(frame, frame->cfa + (uint64_t)rule->offset, 8, value);
	case UNWIND_RULE_CFA:
		*value = frame->cfa + (uint64_t)rule->offset;
		return true;
	case UNWIND_RULE_REGISTER:
		*value = frame->registers.values[rule->from] + (uint64_t)rule->offset;
		return true;
	case UNWIND_RULE_SAVED_BY_CODE:
		return unwind_expression_evaluate(rule->ops, rule->op_count, frame, value) &&
		       unwind_frame_read(frame, *value, 8, value);
	case UNWIND_RULE_BY_CODE:
		return unwind_expression_evaluate(rule->ops, rule->op_count, frame, value);
	}
	frame->end = UNWIND_END_UNSUPPORTED;
	return false;
}
