/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies one rule: a load from the copied stack, an offset, or an expression. Each address is
 * checked against the copy.
 */
#include "code/unwind/unwind_rule.h"

#include "code/unwind/unwind_expression.h"

#include <string.h>

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
