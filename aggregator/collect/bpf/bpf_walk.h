/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/types.h>

/*
 * What the BPF programs (kmt.bpf.c) and bpf_rules.c share to walk stacks: rules, where a walk
 * starts, and whether the programs walk at all. The programs only read the rules, so one that is
 * missing or wrong costs a walk of the kernel's, or is found by comparing; it writes nowhere.
 */
enum {
	KMT_BPF_RULES_BITS = 14,
	KMT_BPF_RULES = 1 << KMT_BPF_RULES_BITS,
	KMT_BPF_RULES_NEAR = 4,   /* a rule is at one of so many places; a power of two */
	KMT_BPF_WALK_FRAMES = 64, /* the kernel walks deeper stacks */
	KMT_BPF_STARTS = 2,       /* of kmalloc, and of slab caches */
};

/* How a step finds where the next return address lies. */
enum {
	KMT_BPF_STEP_SP, /* at this distance above this one */
	KMT_BPF_STEP_BP, /* ... above BP */
	/* Just below the address that is saved at this distance from BP. Where BP was saved counts
	   from BP, too; KMT_BPF_RULE_MIDDLE is added to both. The compiler aligned that stack. */
	KMT_BPF_STEP_BP_SAVED,
	/* Above the address that is saved in the next word: the end of the interrupt stack. */
	KMT_BPF_STEP_SP_SAVED,
	KMT_BPF_STEP_REGS,    /* the registers of who was interrupted are at this distance */
	KMT_BPF_STEP_END,     /* nobody called this code */
	KMT_BPF_STEP_UNKNOWN, /* only the kernel can take this step */
};

/*
 * A rule is one number, so it is read and written at once:
 *	bits 0 to 31	its key: the lower half of the return address; the upper half is always the
 *			same. 0: no rule
 *	     32 to 47	distance
 *	     48 to 59	BP was saved so many bytes below the next return address; 0: it is unchanged
 *	     60 to 63	kind of step
 * A place that was interrupted has another rule than a return address: this bit, which all
 * addresses of code have, is not in its key.
 */
#define KMT_BPF_RULE_RETURN 0x80000000U

enum {
	KMT_BPF_RULE_DISTANCE_SHIFT = 32,
	KMT_BPF_RULE_DISTANCE_MAX = 0xffff,
	KMT_BPF_RULE_SAVED_SHIFT = 48,
	KMT_BPF_RULE_SAVED_MAX = 0xfff,
	KMT_BPF_RULE_KIND_SHIFT = 60,
	KMT_BPF_RULE_MIDDLE = 0x800,
};

/* Where the rule of a key is looked up first. */
static inline __attribute__((always_inline)) __u32 kmt_bpf_rule_place(__u32 key)
{
	return key * 0x9e3779b1U >> (32 - KMT_BPF_RULES_BITS);
}

/* All addresses of stacks are numbers here. */
struct kmt_bpf_walk {
	/* Before there are rules, the program kmt_read copies the kernel's memory to here. */
	__u64 rules[KMT_BPF_RULES];
	__u64 is_on; /* walk by rules; a program clears it when a walk differed from the kernel's */
	/* Where the first return address lies, and where BP was saved, from a program's context. */
	struct {
		__s64 at, bp_at;
	} starts[KMT_BPF_STARTS];
	/* What the programs that measure this found: their frame, their context, and what they
	   return to. */
	struct {
		__u64 frame, context, caller; /* 0: they did not run */
	} measured[KMT_BPF_STARTS];
};
