/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes rules for the BPF programs (bpf_walk.h) of the kernel's ORC tables, as its own unwinder
 * reads them (arch/x86/kernel/unwind_orc.c). The data are copies of both tables: addresses,
 * sorted, each relative to its own place, and entries of 6 bytes. bpf_rules.c calls it.
 */
#include "collect/bpf/bpf_orc.h"

#include "collect/bpf/bpf_walk.h"
#include "symbols/symbol_list.h"

#include <string.h>

/* As in the kernel's asm/orc_types.h, from 6.4 on; from 7.0 on registers have other numbers. */
enum {
	ORC_REG_UNDEFINED = 0,
	ORC_REG_PREV_SP = 1,
	ORC_REG_BP = 4,
	ORC_REG_SP = 5,
	ORC_REG_BP_INDIRECT = 8,
	ORC_REG_SP_INDIRECT = 9,
};

enum { ORC_TYPE_END_OF_STACK = 1, ORC_TYPE_CALL = 2, ORC_TYPE_REGS = 3 };

enum { ORC_ENTRY_BYTES = 6, ORC_ENTRIES_MAX = 4 << 20, WORD = sizeof(uint64_t) };

typedef struct {
	int16_t sp_offset, bp_offset;
	unsigned sp_reg, bp_reg, type;
	bool is_signal;
} OrcEntry;

/* The kernel's addresses of ... */
enum { IPS, IPS_END, ENTRIES, TEXT, TEXT_END, SYMBOLS };
static const char *const symbol_names[SYMBOLS] = {
	[IPS] = "__start_orc_unwind_ip",
	[IPS_END] = "__stop_orc_unwind_ip",
	[ENTRIES] = "__start_orc_unwind",
	[TEXT] = "_stext",
	[TEXT_END] = "_etext",
};

struct OrcTables {
	uint64_t at[SYMBOLS];
	size_t count;
	int32_t *ips;     /* owned, as the next one */
	uint8_t *entries; /* of ORC_ENTRY_BYTES each */
};

void orc_tables_free(OrcTables *orc)
{
	if (!orc)
		return;
	g_free(orc->ips);
	g_free(orc->entries);
	g_free(orc);
}

/* Returns false if one of the symbols is missing. */
static bool find_symbols(OrcTables *orc, TextPart rest)
{
	unsigned found = 0;
	KallsymsLine symbol;
	TextPart line;

	while (text_part_next_line(&rest, &line)) {
		if (!kallsyms_line_parse(line, &symbol) || symbol.module.length)
			continue;
		for (unsigned i = 0; i < SYMBOLS; i++)
			if (!orc->at[i] && symbol.address &&
			    text_part_is(symbol.name, symbol_names[i])) {
				orc->at[i] = symbol.address;
				found++;
			}
	}
	return found == SYMBOLS;
}

OrcTables *orc_tables_read(const char *symbols, size_t length, OrcReader read, void *user_data,
			   const char **problem)
{
	g_autoptr(OrcTables) orc = g_new0(OrcTables, 1);

	*problem = "the kernel's symbols do not show its ORC tables";
	if (!find_symbols(orc, (TextPart){ symbols, length }) || orc->at[IPS_END] <= orc->at[IPS])
		return NULL;
	orc->count = (orc->at[IPS_END] - orc->at[IPS]) / sizeof(*orc->ips);
	if (orc->count > ORC_ENTRIES_MAX)
		return NULL;
	orc->ips = g_new(int32_t, orc->count);
	orc->entries = g_malloc(orc->count * ORC_ENTRY_BYTES);
	*problem = "the kernel's memory cannot be read";
	if (!read(user_data, orc->at[IPS], orc->ips, orc->count * sizeof(*orc->ips)) ||
	    !read(user_data, orc->at[ENTRIES], orc->entries, orc->count * ORC_ENTRY_BYTES))
		return NULL;
	*problem = NULL;
	return g_steal_pointer(&orc);
}

static uint64_t address_at(const OrcTables *orc, size_t i)
{
	return orc->at[IPS] + i * sizeof(*orc->ips) + (uint64_t)(int64_t)orc->ips[i];
}

/* Finds the last entry at or before an address. Returns false outside of the kernel's code. */
static bool find_entry(const OrcTables *orc, uint64_t ip, OrcEntry *entry)
{
	size_t low = 0, high = orc->count;
	const uint8_t *bytes;

	if (ip < orc->at[TEXT] || ip >= orc->at[TEXT_END])
		return false;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (address_at(orc, middle) <= ip)
			low = middle;
		else
			high = middle;
	}
	bytes = orc->entries + low * ORC_ENTRY_BYTES;
	memcpy(&entry->sp_offset, bytes, sizeof(entry->sp_offset));
	memcpy(&entry->bp_offset, bytes + 2, sizeof(entry->bp_offset));
	entry->sp_reg = bytes[4] & 15;
	entry->bp_reg = bytes[4] >> 4;
	entry->type = bytes[5] & 7;
	entry->is_signal = bytes[5] & 8;
	return true;
}

/* A rule without its key. Only the kernel takes steps that do not fit. */
static uint64_t make_rule(unsigned kind, int distance, int saved)
{
	if (distance < 0 || distance > KMT_BPF_RULE_DISTANCE_MAX || saved < 0 ||
	    saved > KMT_BPF_RULE_SAVED_MAX)
		return make_rule(KMT_BPF_STEP_UNKNOWN, 0, 0);
	return (uint64_t)distance << KMT_BPF_RULE_DISTANCE_SHIFT |
	       (uint64_t)saved << KMT_BPF_RULE_SAVED_SHIFT |
	       (uint64_t)kind << KMT_BPF_RULE_KIND_SHIFT;
}

/* A step between functions: "above SP" counts from behind the return address, and the next return
   address ends the frame. */
static uint64_t rule_of_call(const OrcEntry *entry)
{
	const int middle = KMT_BPF_RULE_MIDDLE;
	int saved = entry->bp_reg == ORC_REG_PREV_SP ? -entry->bp_offset - WORD : 0;

	if (entry->sp_reg == ORC_REG_BP_INDIRECT && entry->bp_reg == ORC_REG_BP)
		return make_rule(KMT_BPF_STEP_BP_SAVED, entry->sp_offset + middle,
				 entry->bp_offset + middle);
	if (entry->bp_reg != ORC_REG_PREV_SP && entry->bp_reg != ORC_REG_UNDEFINED)
		return make_rule(KMT_BPF_STEP_UNKNOWN, 0, 0);
	if (entry->sp_reg == ORC_REG_SP)
		return make_rule(KMT_BPF_STEP_SP, entry->sp_offset, saved);
	if (entry->sp_reg == ORC_REG_BP)
		return make_rule(KMT_BPF_STEP_BP, entry->sp_offset - WORD, saved);
	if (entry->sp_reg == ORC_REG_SP_INDIRECT)
		return make_rule(KMT_BPF_STEP_SP_SAVED, entry->sp_offset - WORD, saved);
	return make_rule(KMT_BPF_STEP_UNKNOWN, 0, 0);
}

static uint64_t rule_of_entry(const OrcEntry *entry)
{
	if (entry->type == ORC_TYPE_END_OF_STACK)
		return make_rule(KMT_BPF_STEP_END, 0, 0);
	if (entry->type == ORC_TYPE_REGS && entry->is_signal && entry->sp_reg == ORC_REG_SP)
		return make_rule(KMT_BPF_STEP_REGS, entry->sp_offset + WORD, 0);
	if (entry->type == ORC_TYPE_CALL && !entry->is_signal)
		return rule_of_call(entry);
	return make_rule(KMT_BPF_STEP_UNKNOWN, 0, 0);
}

uint64_t orc_tables_rule(const OrcTables *orc, uint64_t ip, bool is_interrupted)
{
	OrcEntry entry;

	/* A return address may be behind the last instruction of its function. */
	if (!find_entry(orc, is_interrupted ? ip : ip - 1, &entry))
		return make_rule(KMT_BPF_STEP_UNKNOWN, 0, 0);
	return rule_of_entry(&entry);
}
