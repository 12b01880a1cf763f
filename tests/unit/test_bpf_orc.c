/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/bpf/bpf_orc.h"

#include "collect/bpf/bpf_walk.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(bpf_orc);

/* A kernel's memory with tables, and entries for places in its code, each 16 bytes apart. */
#define TEXT UINT64_C(0xffffffff81000000)
#define IPS UINT64_C(0xffffffff82000000)

enum { PLACE_BYTES = 16 };

enum { R_UNDEFINED, R_PREV_SP, R_BP = 4, R_SP, R_BP_INDIRECT = 8, R_SP_INDIRECT };
enum { T_UNDEFINED, T_END, T_CALL, T_REGS, T_REGS_PARTIAL, SIGNAL = 8 };

typedef struct {
	int16_t sp_offset, bp_offset;
	uint8_t registers, type;
} Entry;
#define ENTRY(sp, sp_at, bp, bp_at, type)                                                          \
	{                                                                                          \
		sp_at, bp_at, (sp) | (bp) << 4, type                                               \
	}

static const Entry entries[] = {
	ENTRY(R_SP, 8, R_UNDEFINED, 0, T_CALL),
	ENTRY(R_SP, 48, R_PREV_SP, -16, T_CALL),
	ENTRY(R_BP, 16, R_PREV_SP, -16, T_CALL),
	ENTRY(R_BP_INDIRECT, -40, R_BP, 0, T_CALL),
	ENTRY(R_SP_INDIRECT, 8, R_UNDEFINED, 0, T_CALL),
	ENTRY(R_SP, 0, R_UNDEFINED, 0, T_REGS | SIGNAL),
	ENTRY(R_UNDEFINED, 0, R_UNDEFINED, 0, T_END),
	ENTRY(R_UNDEFINED, 0, R_UNDEFINED, 0, T_UNDEFINED),
	ENTRY(R_SP, 0, R_UNDEFINED, 0, T_REGS_PARTIAL | SIGNAL),
	ENTRY(R_SP, -8, R_UNDEFINED, 0, T_CALL),
	ENTRY(R_SP, 8, R_BP, 8, T_CALL),
	ENTRY(R_SP, 8, R_UNDEFINED, 0, T_CALL | SIGNAL),
};

enum { COUNT = sizeof(entries) / sizeof(*entries) };

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff810000c0 T _etext\n"
			      "ffffffffc0000000 T __start_orc_unwind\t[other]\n"
			      "ffffffff82000000 R __start_orc_unwind_ip\n"
			      "ffffffff82000030 R __stop_orc_unwind_ip\n"
			      "ffffffff82000030 R __start_orc_unwind\n";

static bool read_memory(void *user_data, uint64_t address, void *to, size_t bytes)
{
	struct {
		int32_t ips[COUNT];
		Entry entries[COUNT];
	} memory;
	bool *is_readable = user_data;

	G_STATIC_ASSERT(sizeof(Entry) == 6 && sizeof(memory.ips) == 0x30);
	for (unsigned i = 0; i < COUNT; i++)
		memory.ips[i] = (int32_t)(TEXT + i * PLACE_BYTES - (IPS + i * sizeof(int32_t)));
	memcpy(memory.entries, entries, sizeof(entries));
	cr_assert(address >= IPS && address + bytes <= IPS + sizeof(memory));
	memcpy(to, (const uint8_t *)&memory + (address - IPS), bytes);
	return *is_readable;
}

static OrcTables *read_tables(const char *text, bool is_readable, const char **problem)
{
	return orc_tables_read(text, strlen(text), read_memory, &is_readable, problem);
}

static uint64_t rule(unsigned kind, uint64_t distance, uint64_t saved)
{
	return (uint64_t)kind << 60 | saved << 48 | distance << 32;
}

static uint64_t rule_at(const OrcTables *orc, unsigned place)
{
	return orc_tables_rule(orc, TEXT + place * PLACE_BYTES + 5, false);
}

Test(bpf_orc, makes_the_kernels_steps)
{
	const char *problem;
	g_autoptr(OrcTables) orc = read_tables(symbols, true, &problem);
	const uint64_t unknown = rule(KMT_BPF_STEP_UNKNOWN, 0, 0);

	cr_assert(orc, "%s", problem);
	cr_expect_eq(rule_at(orc, 0), rule(KMT_BPF_STEP_SP, 8, 0));
	cr_expect_eq(rule_at(orc, 1), rule(KMT_BPF_STEP_SP, 48, 8));
	cr_expect_eq(rule_at(orc, 2), rule(KMT_BPF_STEP_BP, 8, 8));
	cr_expect_eq(rule_at(orc, 3), rule(KMT_BPF_STEP_BP_SAVED, 0x800 - 40, 0x800));
	cr_expect_eq(rule_at(orc, 4), rule(KMT_BPF_STEP_SP_SAVED, 0, 0));
	cr_expect_eq(rule_at(orc, 5), rule(KMT_BPF_STEP_REGS, 8, 0));
	cr_expect_eq(rule_at(orc, 6), rule(KMT_BPF_STEP_END, 0, 0));
	for (unsigned i = 7; i < COUNT; i++)
		cr_expect_eq(rule_at(orc, i), unknown, "entry %u", i);
}

Test(bpf_orc, a_return_address_belongs_to_the_code_before_it)
{
	const char *problem;
	g_autoptr(OrcTables) orc = read_tables(symbols, true, &problem);

	cr_assert(orc);
	cr_expect_eq(orc_tables_rule(orc, TEXT + PLACE_BYTES, false), rule_at(orc, 0));
	cr_expect_eq(orc_tables_rule(orc, TEXT + PLACE_BYTES, true), rule_at(orc, 1));
}

Test(bpf_orc, knows_nothing_outside_of_the_kernel)
{
	const char *problem;
	g_autoptr(OrcTables) orc = read_tables(symbols, true, &problem);
	const uint64_t unknown = rule(KMT_BPF_STEP_UNKNOWN, 0, 0);

	cr_assert(orc);
	cr_expect_eq(orc_tables_rule(orc, TEXT, false), unknown);
	cr_expect_eq(orc_tables_rule(orc, TEXT + COUNT * PLACE_BYTES, true), unknown);
	cr_expect_eq(orc_tables_rule(orc, 0, false), unknown);
	cr_expect_eq(orc_tables_rule(orc, UINT64_C(0xffffffffc0001000), false), unknown);
}

Test(bpf_orc, says_what_is_missing)
{
	static const char hidden[] = "0000000000000000 T _stext\n"
				     "0000000000000000 R __start_orc_unwind_ip\n";
	const char *problem = NULL;

	cr_expect_null(read_tables(hidden, true, &problem));
	cr_expect_str_eq(problem, "the kernel's symbols do not show its ORC tables");
	cr_expect_null(read_tables("", true, &problem));
	cr_expect_null(read_tables(symbols, false, &problem));
	cr_expect_str_eq(problem, "the kernel's memory cannot be read");
}
