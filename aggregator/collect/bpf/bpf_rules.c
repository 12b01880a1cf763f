/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the rules of the BPF programs' walks (bpf_walk.h) of the kernel's ORC tables (bpf_orc.c),
 * and finds where walks start. bpf_run.c owns the BpfRules, bpf_read.c asks for rules.
 *
 * Only the code of the kernel's image has rules: it never goes away. The kernel walks stacks with
 * code of modules and BPF programs, and where a tracer has replaced a return address.
 */
#include "collect/bpf/bpf_rules.h"

#include "collect/bpf/bpf_orc.h"
#include "collect/bpf/bpf_walk.h"

#include <string.h>

struct BpfRules {
	struct kmt_bpf_walk *walk; /* borrowed, as the next one */
	const SymbolStore *symbols;
	OrcTables *orc;
};

/* An OrcReader. */
static bool read_kernel(void *user_data, uint64_t address, void *to, size_t bytes)
{
	return bpf_programs_read_kernel(user_data, address, to, bytes);
}

static OrcTables *read_tables(BpfPrograms *programs, const char **problem)
{
	g_autofree char *text = NULL;
	gsize length = 0;

	if (!g_file_get_contents("/proc/kallsyms", &text, &length, NULL)) {
		*problem = "/proc/kallsyms cannot be read";
		return NULL;
	}
	return orc_tables_read(text, length, read_kernel, programs, problem);
}

static unsigned kind_of(uint64_t rule)
{
	return (unsigned)(rule >> KMT_BPF_RULE_KIND_SHIFT);
}

static int64_t distance_of(uint64_t rule)
{
	return rule >> KMT_BPF_RULE_DISTANCE_SHIFT & KMT_BPF_RULE_DISTANCE_MAX;
}

static int64_t saved_of(uint64_t rule)
{
	return rule >> KMT_BPF_RULE_SAVED_SHIFT & KMT_BPF_RULE_SAVED_MAX;
}

/* A program returns to the kernel's function that called it; a walk starts one step further, at
   the return address of that. A program saves BP in its frame, below its own return address. */
static bool find_start(BpfRules *rules, unsigned source)
{
	struct kmt_bpf_walk *walk = rules->walk;
	uint64_t caller = walk->measured[source].caller;
	uint64_t rule = orc_tables_rule(rules->orc, caller, false);
	int64_t frame = (int64_t)(walk->measured[source].frame - walk->measured[source].context);
	int64_t at = frame + (int64_t)sizeof(uint64_t) + distance_of(rule);

	if (!caller || kind_of(rule) != KMT_BPF_STEP_SP)
		return false;
	walk->starts[source].at = at;
	walk->starts[source].bp_at = saved_of(rule) ? at - saved_of(rule) : frame;
	return true;
}

static bool find_starts(BpfRules *rules)
{
	for (unsigned i = 0; i < KMT_BPF_STARTS; i++)
		if (!find_start(rules, i))
			return false;
	return true;
}

BpfRules *bpf_rules_new(BpfPrograms *programs, const SymbolStore *symbols, const char **problem)
{
	BpfRules *rules;
	OrcTables *orc;

	if (!bpf_programs_walk(programs)) {
		*problem = "this kernel does not have what own walks need: Linux 6.4, ORC unwinder";
		return NULL;
	}
	orc = read_tables(programs, problem);
	if (!orc)
		return NULL;
	rules = g_new0(BpfRules, 1);
	*rules = (BpfRules){ bpf_programs_walk(programs), symbols, orc };
	memset(rules->walk->rules, 0, sizeof(rules->walk->rules));
	if (bpf_programs_measure(programs) && find_starts(rules)) {
		__atomic_store_n(&rules->walk->is_on, 1, __ATOMIC_RELEASE);
		return rules;
	}
	*problem = "it was not found out where walks start";
	bpf_rules_free(rules);
	return NULL;
}

void bpf_rules_free(BpfRules *rules)
{
	if (!rules)
		return;
	orc_tables_free(rules->orc);
	g_free(rules);
}

/* A return address is never the start of a function, but a trampoline that a tracer puts in its
   place is: only the kernel knows the real one. */
static bool is_replaced(const BpfRules *rules, uint64_t return_address)
{
	Symbol symbol;

	return symbol_store_lookup(rules->symbols, 0, return_address, &symbol) && symbol.name &&
	       symbol.start == return_address;
}

static uint64_t make_rule(const BpfRules *rules, uint32_t key)
{
	bool is_return = key & KMT_BPF_RULE_RETURN;
	uint64_t ip = UINT64_MAX << 32 | KMT_BPF_RULE_RETURN | key;

	if (is_return && is_replaced(rules, ip))
		return key | (uint64_t)KMT_BPF_STEP_UNKNOWN << KMT_BPF_RULE_KIND_SHIFT;
	return key | orc_tables_rule(rules->orc, ip, !is_return);
}

/* Returns the place of a key's rule: where it is, else a free one, else one by chance. */
static uint32_t place_of(const BpfRules *rules, uint32_t key)
{
	const __u64 *known = rules->walk->rules;
	uint32_t place = kmt_bpf_rule_place(key);

	for (uint32_t i = 0; i < KMT_BPF_RULES_NEAR; i++)
		if ((uint32_t)known[place ^ i] == key || !known[place ^ i])
			return place ^ i;
	return place ^ g_random_int() % KMT_BPF_RULES_NEAR;
}

static void add_rule(BpfRules *rules, uint32_t key)
{
	__u64 *known = &rules->walk->rules[place_of(rules, key)];

	if ((uint32_t)*known != key)
		__atomic_store_n(known, make_rule(rules, key), __ATOMIC_RELAXED);
}

void bpf_rules_add(BpfRules *rules, uint64_t return_address)
{
	add_rule(rules, (uint32_t)return_address);
}

void bpf_rules_add_wanted(BpfRules *rules, const struct kmt_bpf_state *state, uint64_t *taken)
{
	uint64_t head = __atomic_load_n(&state->wanted_head, __ATOMIC_ACQUIRE);

	if (head - *taken > KMT_BPF_WANTED)
		*taken = head - KMT_BPF_WANTED;
	for (; *taken < head; ++*taken)
		add_rule(rules, state->wanted[*taken % KMT_BPF_WANTED]);
}
