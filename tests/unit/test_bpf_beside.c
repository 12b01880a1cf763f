/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/bpf_beside.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(bpf_beside);

#define RESULT(number)                                                                             \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = (number)         \
	}
#define RESULT32(number)                                                                           \
	{                                                                                          \
		.code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = (number)           \
	}
#define OTHER(number)                                                                              \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = (number)         \
	}
#define COPY                                                                                       \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .src_reg = BPF_REG_6, .imm = 1                \
	}
#define JUMP(distance)                                                                             \
	{                                                                                          \
		.code = BPF_JMP | BPF_JA, .off = (distance)                                        \
	}
#define LONG_JUMP(distance)                                                                        \
	{                                                                                          \
		.code = BPF_JMP32 | BPF_JA, .imm = (distance)                                      \
	}
#define IF(distance)                                                                               \
	{                                                                                          \
		.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_1, .off = (distance)         \
	}
#define IF32(distance)                                                                             \
	{                                                                                          \
		.code = BPF_JMP32 | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_1, .off = (distance)       \
	}
#define CALL(number)                                                                               \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .imm = (number)                                        \
	}
#define EXIT                                                                                       \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}
enum { LENGTH_MAX = 6 };

static const struct {
	const char *name;
	struct bpf_insn program[LENGTH_MAX];
	uint32_t count;
	bool passes;
} programs[] = {
	{ "1", { RESULT(1), EXIT }, 2, true },
	{ "1, 32 bits", { RESULT32(1), EXIT }, 2, true },
	{ "-1", { RESULT(-1), EXIT }, 2, true },
	{ "0", { RESULT(0), EXIT }, 2, false },
	{ "another register", { OTHER(1), EXIT }, 2, false },
	{ "what a register has", { COPY, EXIT }, 2, false },
	{ "two exits", { IF(2), RESULT(1), EXIT, RESULT(2), EXIT }, 5, true },
	{ "0 at one of them", { IF(2), RESULT(1), EXIT, RESULT(0), EXIT }, 5, false },
	{ "a jump to the result", { RESULT(0), IF(1), OTHER(1), RESULT(1), EXIT }, 5, true },
	{ "a jump past the result", { RESULT(0), IF(2), OTHER(1), RESULT(1), EXIT }, 5, false },
	{ "... of 32 bits", { RESULT(0), IF32(2), OTHER(1), RESULT(1), EXIT }, 5, false },
	{ "... always", { RESULT(0), JUMP(1), RESULT(1), EXIT }, 4, false },
	{ "... far", { RESULT(0), LONG_JUMP(1), RESULT(1), EXIT }, 4, false },
	{ "... back", { RESULT(1), EXIT, RESULT(0), JUMP(-3) }, 4, false },
	{ "a helper", { CALL(6), RESULT(1), EXIT }, 3, true },
	{ "another program", { CALL(BPF_FUNC_tail_call), RESULT(1), EXIT }, 3, false },
	{ "an exit only", { EXIT }, 1, false },
	{ "no exit", { RESULT(1) }, 1, false },
	{ "nothing", { EXIT }, 0, false },
};

Test(bpf_beside, only_constants_other_than_0_let_all_events_pass)
{
	for (size_t i = 0; i < G_N_ELEMENTS(programs); i++)
		cr_expect_eq(bpf_beside_lets_pass(programs[i].program, programs[i].count),
			     programs[i].passes, "%s", programs[i].name);
}
