/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_rule.h"

/*
 * Evaluates a DWARF expression (DWARF 5, section 2.5), as CFI of signal frames, PLTs and
 * hand-written code has them. Expressions have no branches here, so they end. Returns false with
 * frame->end set.
 */
bool unwind_expression_evaluate(const Dwarf_Op *ops, size_t op_count, UnwindFrame *frame,
				uint64_t *value);
