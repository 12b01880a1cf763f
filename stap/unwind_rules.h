/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of the ORC unwinder: where the frame of a function's caller is, by return address. The
 * build copies this into the emitter.
 *
 * The kernel's tables are not exported to modules, but unwind_next_frame() is: it takes one step.
 * So a rule is learned by one step on a made-up stack. Each word of that stack identifies itself,
 * so the result of the step shows which words it read. A rule is learned once per address; a step
 * with a known rule costs about 20 instructions, one of the kernel's about 280.
 *
 * Rules describe code, so they are dropped when the kernel removes code: a module, or the start
 * code of a module. Code that comes and goes without a tracepoint has no rules: BPF programs, and
 * the trampolines of ftrace and kprobes.
 */
#ifndef KMT_UNWIND_RULES_H
#define KMT_UNWIND_RULES_H

/* A test defines KMT_NO_ORC, to have the emitter of other machines and older kernels. */
#if defined(CONFIG_UNWINDER_ORC) && defined(CONFIG_X86_64) && defined(CONFIG_TRACEPOINTS) &&       \
	LINUX_VERSION_CODE >= KERNEL_VERSION(4, 17, 0) && !defined(KMT_NO_ORC)
#define KMT_HAS_OWN_WALK 1
#endif

#ifdef KMT_HAS_OWN_WALK
#ifdef __KERNEL__ /* a unit test has a kernel of its own */
#include <asm/stacktrace.h>
#include <asm/unwind.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/rculist.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>
#endif

/* How a step finds the caller's frame. "distance" and "saved" are the fields of the rule. */
enum {
	KMT_STEP_SP,       /* it starts at this distance above SP */
	KMT_STEP_BP,       /* ... above BP */
	KMT_STEP_BP_SAVED, /* its address is read at this distance from BP (stacks aligned by GCC)
			    */
	KMT_STEP_SP_SAVED, /* its address is at this distance above the value that SP points to: the
			      end of the interrupt stack, from Linux 5.12 on */
	KMT_STEP_REGS,     /* registers lie at this distance above SP: an entry into the kernel */
	KMT_STEP_END,      /* nobody called this code */
	KMT_STEP_UNKNOWN,  /* only the kernel can take this step */
};

/*
 * A rule has 30 bits: two fields of 15 bits, and the kind of step in the lowest bits of the first.
 * Both fields are in bytes and multiples of a word, so that these bits are free. A saved BP lies
 * "saved" bytes below the caller's frame; 0: BP is unchanged. In KMT_STEP_BP_SAVED both fields
 * count from BP, with KMT_RULE_MIDDLE words added.
 */
enum {
	KMT_RULE_KIND_MASK = sizeof(long) - 1,
	KMT_RULE_SAVED_SHIFT = 15,
	KMT_RULE_DISTANCE_MASK = (1 << KMT_RULE_SAVED_SHIFT) - 1 - KMT_RULE_KIND_MASK,
	KMT_RULE_MIDDLE = 2048,
	KMT_RULE_UNKNOWN = KMT_STEP_UNKNOWN,

	KMT_RULES_BITS = 13, /* number of rules, as a power of two */
	KMT_RULES_NEAR = 8,  /* a rule is at one of so many places; a power of two */
};

/* The made-up stack. A step reads words near SP and BP; they are so far apart that it is clear
   which of the two a word was found by. */
enum {
	KMT_MADE_UP_SP = 16,
	KMT_MADE_UP_BP = 768,
	KMT_MADE_UP_WORDS = 1024,
	KMT_MADE_UP_APART = 4, /* distance of the words that two neighbours point to */
	KMT_MADE_UP_ALL = KMT_MADE_UP_WORDS * (1 + KMT_MADE_UP_APART),
};

/* For all CPUs. Entries are single words, so no lock is needed. */
struct kmt_rules {
	/* The lower half of the address that kmt_rule() is called with, and the rule. The upper
	   half of all code addresses is the same: all bits are 1. Empty: KMT_RULE_UNKNOWN. */
	u64 known[1 << KMT_RULES_BITS];
	atomic_t epoch; /* from 1; grows when code is removed */
	/* Each word is its own number, from 1. */
	unsigned long numbers[KMT_MADE_UP_WORDS];
	/* The first words point to one of the others each, which are their own numbers. */
	unsigned long pointers[KMT_MADE_UP_ALL];
};

static struct kmt_rules *kmt_rules;

static inline unsigned kmt_rule_kind(u32 rule)
{
	return rule & KMT_RULE_KIND_MASK;
}

static inline unsigned long kmt_rule_distance(u32 rule)
{
	return rule & KMT_RULE_DISTANCE_MASK;
}

static inline unsigned long kmt_rule_saved(u32 rule)
{
	return rule >> KMT_RULE_SAVED_SHIFT;
}

static inline u32 kmt_rule_of(unsigned kind, unsigned long words, unsigned long saved_words)
{
	return saved_words * sizeof(long) << KMT_RULE_SAVED_SHIFT | words * sizeof(long) | kind;
}

static inline unsigned long *kmt_pointed_word(const struct kmt_rules *rules, unsigned i)
{
	return (unsigned long *)rules->pointers + KMT_MADE_UP_WORDS + i * KMT_MADE_UP_APART + 1;
}

static void kmt_make_up_stacks(struct kmt_rules *rules)
{
	unsigned i;

	for (i = 0; i < KMT_MADE_UP_WORDS; i++) {
		rules->numbers[i] = i + 1;
		rules->pointers[i] = (unsigned long)kmt_pointed_word(rules, i);
	}
	for (; i < KMT_MADE_UP_ALL; i++)
		rules->pointers[i] = i + 1;
}

#ifdef __KERNEL__
/*
 * Whether the address is in a module. The kernel's functions for this are not exported; the
 * exported ones that find a symbol compare all symbols of the module, which may be 100,000.
 * Interrupts are off, so no module is freed meanwhile. The head of the list is in the kernel's
 * image.
 */
static bool kmt_is_module_code(unsigned long ip)
{
	const struct module *module = THIS_MODULE;
	bool found = within_module(ip, module);

	rcu_read_lock();
	list_for_each_entry_rcu(module, &THIS_MODULE->list, list)
	{
		if (found)
			break;
		if ((unsigned long)module < MODULES_VADDR)
			continue;
		found = READ_ONCE(module->state) != MODULE_STATE_UNFORMED &&
			within_module(ip, module);
	}
	rcu_read_unlock();
	return found;
}
#endif

/*
 * Whether the step from this address depends on the code alone. A return address is never the
 * start of a function, but a trampoline that a tracer puts in its place is: the kernel then knows
 * the real one. These trampolines are in the kernel's image, whose symbols are found quickly. Above
 * the image only code of modules stays as it is: generated code is removed without a tracepoint.
 */
static bool kmt_is_plain_code(unsigned long ip)
{
	char symbol[KSYM_SYMBOL_LEN];
	const char *at;

	if (ip >= MODULES_VADDR)
		return kmt_is_module_code(ip);
	sprint_symbol(symbol, ip);
	at = strrchr(symbol, '+');
	return at && strncmp(at, "+0x0/", 5);
}

/* A task that is not the current one: the kernel prints a warning if the current task's stack is
   damaged. Process 1 never ends. */
static struct task_struct *kmt_another_task(void)
{
	return current == &init_task ? next_task(&init_task) : &init_task;
}

/* Lets the kernel take its step on a made-up stack. */
static bool kmt_try_step(struct unwind_state *state, unsigned long ip, bool interrupted,
			 unsigned long *stack, unsigned words, unsigned bp)
{
	memset(state, 0, sizeof(*state));
	state->task = kmt_another_task();
	state->ip = ip;
	state->signal = interrupted;
	state->sp = (unsigned long)(stack + KMT_MADE_UP_SP);
	state->bp = (unsigned long)(stack + bp);
	state->stack_info.type = STACK_TYPE_TASK;
	state->stack_info.begin = stack;
	state->stack_info.end = stack + words;
	return unwind_next_frame(state) && !state->error;
}

/* Returns the distance from BP of the word that points here, KMT_RULE_MIDDLE added; 0: none does.
 */
static u32 kmt_pointed_from_bp(const struct kmt_rules *rules, unsigned long address)
{
	unsigned long apart = (unsigned long *)address - kmt_pointed_word(rules, 0);
	unsigned long i = apart / KMT_MADE_UP_APART;

	if ((unsigned long *)address < kmt_pointed_word(rules, 0) || apart % KMT_MADE_UP_APART ||
	    i >= KMT_MADE_UP_WORDS || i < KMT_MADE_UP_BP / 2)
		return 0;
	return i - KMT_MADE_UP_BP + KMT_RULE_MIDDLE;
}

/* For a frame whose address the word at SP has: how far above that address it starts, in words. */
static u32 kmt_words_above_saved_sp(const struct kmt_rules *rules, unsigned long address)
{
	unsigned long *saved_sp = kmt_pointed_word(rules, KMT_MADE_UP_SP);
	unsigned long *frame = (unsigned long *)address;

	if (frame <= saved_sp || frame >= kmt_pointed_word(rules, KMT_MADE_UP_BP / 2))
		return 0;
	return frame - saved_sp;
}

/* The rule of a step that reads the frame's address from the stack. */
static u32 kmt_learn_indirect(struct kmt_rules *rules, unsigned long ip, bool interrupted)
{
	const unsigned long bp = (unsigned long)(rules->pointers + KMT_MADE_UP_BP);
	struct unwind_state state;
	unsigned long *saved_at;
	u32 from, saved = 0;

	if (!kmt_try_step(&state, ip, interrupted, rules->pointers, KMT_MADE_UP_ALL,
			  KMT_MADE_UP_BP) ||
	    state.regs || state.signal || state.ip != ((unsigned long *)state.sp)[-1])
		return KMT_RULE_UNKNOWN;
	from = kmt_pointed_from_bp(rules, state.sp);
	if (from) {
		saved = state.bp == bp ? 0 : kmt_pointed_from_bp(rules, state.bp);
		return state.bp == bp || saved ? kmt_rule_of(KMT_STEP_BP_SAVED, from, saved)
					       : KMT_RULE_UNKNOWN;
	}
	/* Before 5.12 the offset was added before the address was read. */
	from = kmt_words_above_saved_sp(rules, state.sp);
	if (!from || LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0))
		return KMT_RULE_UNKNOWN;
	if (state.bp != bp) {
		saved_at = rules->pointers + state.bp - 1;
		if (state.bp - 1 >= KMT_MADE_UP_ALL || saved_at >= (unsigned long *)state.sp ||
		    saved_at < kmt_pointed_word(rules, KMT_MADE_UP_SP))
			return KMT_RULE_UNKNOWN;
		saved = (unsigned long *)state.sp - saved_at;
	}
	return kmt_rule_of(KMT_STEP_SP_SAVED, from, saved);
}

/* The rule of a step to the registers of who entered the kernel. The kernel reads IP, SP and BP
   there. */
static u32 kmt_learn_regs(const struct kmt_rules *rules, const struct unwind_state *state)
{
	const unsigned long *sp = rules->numbers + KMT_MADE_UP_SP;
	const struct pt_regs *regs = state->regs;
	const unsigned long *at = (const unsigned long *)regs;

	if (!state->full_regs || !state->signal || at < sp ||
	    at >= rules->numbers + KMT_MADE_UP_BP / 2 || state->ip != regs->ip ||
	    state->sp != regs->sp || state->bp != regs->bp)
		return KMT_RULE_UNKNOWN;
	return kmt_rule_of(KMT_STEP_REGS, at - sp, 0);
}

/* Whether the frame found by this step follows BP. */
static bool kmt_follows_bp(struct kmt_rules *rules, unsigned long ip, bool interrupted,
			   unsigned long frame)
{
	struct unwind_state state;

	return kmt_try_step(&state, ip, interrupted, rules->numbers, KMT_MADE_UP_WORDS,
			    KMT_MADE_UP_BP + 1) &&
	       state.sp == frame + sizeof(long);
}

static u32 kmt_learn_step(struct kmt_rules *rules, unsigned long ip, bool interrupted)
{
	const unsigned long *sp = rules->numbers + KMT_MADE_UP_SP;
	const unsigned long *bp = rules->numbers + KMT_MADE_UP_BP;
	const unsigned long *base = sp, *frame, *saved_at;
	struct unwind_state state;
	u32 saved = 0;

	if (!kmt_try_step(&state, ip, interrupted, rules->numbers, KMT_MADE_UP_WORDS,
			  KMT_MADE_UP_BP))
		return state.error ? kmt_learn_indirect(rules, ip, interrupted)
				   : kmt_rule_of(KMT_STEP_END, 0, 0);
	if (state.regs)
		return kmt_learn_regs(rules, &state);
	frame = (const unsigned long *)state.sp;
	if (state.signal || frame <= sp || frame > rules->numbers + KMT_MADE_UP_WORDS ||
	    state.ip != frame[-1])
		return KMT_RULE_UNKNOWN;
	if (frame > bp) {
		if (!kmt_follows_bp(rules, ip, interrupted, state.sp))
			return KMT_RULE_UNKNOWN;
		base = bp;
	}
	if (state.bp != (unsigned long)bp) {
		saved_at = rules->numbers + state.bp - 1;
		if (state.bp - 1 >= KMT_MADE_UP_WORDS || saved_at < base || saved_at >= frame)
			return KMT_RULE_UNKNOWN;
		saved = frame - saved_at;
	}
	return kmt_rule_of(base == sp ? KMT_STEP_SP : KMT_STEP_BP, frame - base, saved);
}

/* Below 5.12 the kernel prints a warning if a step from an interrupted instruction needs registers
   that it does not have. */
static u32 kmt_make_rule(struct kmt_rules *rules, unsigned long ip, bool interrupted)
{
	struct unwind_state state = { .ip = ip, .stack_info = { .type = STACK_TYPE_TASK } };

	if ((interrupted && LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0)) ||
	    !unwind_get_return_address(&state) || !kmt_is_plain_code(ip))
		return KMT_RULE_UNKNOWN;
	return kmt_learn_step(rules, ip, interrupted);
}

/*
 * Where a rule is looked up, as the unwinder does: at an instruction that was interrupted, or at
 * the last byte of the call before a return address. No byte is both. interrupted: 0 or 1.
 */
static __always_inline unsigned long kmt_code_at(unsigned long ip, unsigned long interrupted)
{
	return ip - 1 + interrupted;
}

static inline bool kmt_rule_is_for(u64 known, unsigned long code_at)
{
	return (unsigned long)((s64)known >> 32) == code_at;
}

/* Code may be removed while its rule is learned: either kmt_forget_rules() finds the rule, or the
   epoch is new. */
static u32 kmt_learn_rule(struct kmt_rules *rules, unsigned long code_at, bool interrupted,
			  unsigned place)
{
	int epoch = atomic_read(&rules->epoch);
	u32 rule;

	if ((long)code_at != (int)code_at)
		return KMT_RULE_UNKNOWN;
	rule = kmt_make_rule(rules, code_at + !interrupted, interrupted);
	WRITE_ONCE(rules->known[place], (u64)code_at << 32 | rule);
	smp_mb();
	if (atomic_read(&rules->epoch) != epoch)
		WRITE_ONCE(rules->known[place], KMT_RULE_UNKNOWN);
	return rule;
}

/* Looks for a rule near its first place, or learns it and keeps it at the first free place. */
static noinline u32 kmt_rule_near(struct kmt_rules *rules, unsigned long code_at, bool interrupted,
				  unsigned place)
{
	unsigned i;
	u64 known;

	for (i = 0; i < KMT_RULES_NEAR; i++) {
		known = READ_ONCE(rules->known[place ^ i]);
		if (kmt_rule_is_for(known, code_at))
			return known;
		if (known == KMT_RULE_UNKNOWN)
			break;
	}
	return kmt_learn_rule(rules, code_at, interrupted, place ^ i % KMT_RULES_NEAR);
}

static __always_inline u32 kmt_rule(struct kmt_rules *rules, unsigned long code_at,
				    bool interrupted)
{
	unsigned place = (u32)code_at * 0x9e3779b1U >> (32 - KMT_RULES_BITS);
	u64 known = READ_ONCE(rules->known[place]);

	if (likely(kmt_rule_is_for(known, code_at)))
		return known;
	return kmt_rule_near(rules, code_at, interrupted, place);
}

static void kmt_forget_rules(void)
{
	struct kmt_rules *rules = kmt_rules;
	unsigned i;

	atomic_inc(&rules->epoch);
	smp_mb();
	for (i = 0; i < 1 << KMT_RULES_BITS; i++)
		WRITE_ONCE(rules->known[i], KMT_RULE_UNKNOWN);
}
#endif
#endif
