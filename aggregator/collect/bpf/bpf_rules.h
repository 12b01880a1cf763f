/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/bpf/bpf_programs.h"
#include "symbols/symbol_store.h"

/* The rules by which the BPF programs walk stacks. A rule is made when a program has missed it, or
   when a stack with its address is new; until then the kernel walks. */
typedef struct BpfRules BpfRules;

/* Measures where walks start, reads the kernel's ORC tables, and lets the programs walk. Both are
   borrowed. Returns NULL, with *problem set to why the kernel has to walk. */
BpfRules *bpf_rules_new(BpfPrograms *programs, const SymbolStore *symbols, const char **problem);
void bpf_rules_free(BpfRules *rules);

/* Makes the rule of a return address, if it is not there. */
void bpf_rules_add(BpfRules *rules, uint64_t return_address);

/* Makes the rules that a state missed; taken: how many of them were made, which is updated. */
void bpf_rules_add_wanted(BpfRules *rules, const struct kmt_bpf_state *state, uint64_t *taken);
