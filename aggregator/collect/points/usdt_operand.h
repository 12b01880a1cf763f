/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The arguments of a USDT site are a text of assembler operands, "8@%rdi -4@$5 4@-20(%rbp)": their
 * size in bytes, negative if signed, and their place (sys/sdt.h of SystemTap). The text comes from
 * the file, and is untrusted.
 */
typedef enum {
	USDT_OPERAND_REGISTER,
	USDT_OPERAND_CONSTANT,
	USDT_OPERAND_MEMORY, /* or of another form */
} UsdtOperandKind;

typedef struct {
	UsdtOperandKind kind;
	unsigned bytes; /* 1, 2, 4 or 8 */
	bool is_signed;
	int register_number; /* as in point_registers.h */
	int64_t constant;
} UsdtOperand;

/* Parses the operand of that number (1: the first). Returns false if there are fewer. */
bool usdt_operand_parse(const char *arguments, unsigned number, UsdtOperand *operand);

/* Returns the number of operands in these arguments. */
unsigned usdt_operands_count(const char *arguments);
