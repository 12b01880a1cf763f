/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the stack of an event. The build copies this into the emitter.
 *
 * The kernel's walk is nine tenths of what an event costs. The emitter's own walk finds the same
 * frames at a tenth of the cost: it looks for a memo of the whole stack (stack_memos.h), else it
 * takes the kernel's steps by known rules (unwind_rules.h), else the kernel walks.
 *
 * The kernel walks if a step is unknown, and on stacks other than the task's and the interrupt
 * stack: those of exceptions. It walks all stacks on CPUs that were not online at the start, on
 * kernels without ORC, and if the program asks for it.
 *
 * Safety: all reads are inside the two stacks, whose bounds are known. A walk writes only to
 * this CPU's walker and frames (struct kmt_cpu), and to the table of rules. One of KMT_COMPARED
 * walks is compared with the kernel's. If they differ once, this is written to kmt_difference and
 * kmt_walk, and the kernel walks all stacks from then on. It also walks all stacks if there is no
 * memory for the walker of a CPU that is online at the start.
 */
#ifndef KMT_STACK_WALK_H
#define KMT_STACK_WALK_H

/* The parameter kmt_stack_walk, which the kernel reads when it loads the module. */
enum {
	KMT_WALK_KERNEL = 0,
	KMT_WALK_AUTO = 1,
	KMT_WALK_COMPARE = 2, /* each walk is compared */
	KMT_WALK_RULES = 3,   /* no memos; to measure */
};

enum { KMT_COMPARED = 1024 };

static struct {
	unsigned mode;       /* KMT_WALK_... */
	bool is_wanted;      /* the program asked for the emitter's own walk */
	const char *why_not; /* why the kernel walks all stacks instead; NULL: it does not */
} kmt_walk;

struct kmt_memo; /* of the emitter's own walk */

/* Cuts a walk that found more frames than wanted. */
static __always_inline void kmt_bound_walk(struct KmtWalk *walk, unsigned depth_max)
{
	walk->truncated = walk->depth > depth_max;
	if (walk->truncated)
		walk->depth = depth_max;
}

/* Returns the position of the first frame that is less than bytes away from an address; n: there is
   none. */
static inline unsigned kmt_find_frame(const unsigned long *frames, unsigned n,
				      unsigned long address, unsigned bytes)
{
	unsigned at = 0;

	while (at < n && frames[at] - (address - bytes) >= 2 * bytes)
		at++;
	return at;
}

/* Takes over frames[0..n): leaves out the frames of this module, which come first. Returns their
   number. */
static __always_inline unsigned kmt_take_frames(struct KmtWalk *walk, const unsigned long *frames,
						unsigned n)
{
	unsigned own = 0;

	while (own < n && own < KMT_OWN_FRAMES_MAX && kmt_is_own(frames[own]))
		own++;
	walk->frames = frames + own;
	walk->depth = n - own;
	kmt_bound_walk(walk, kmt.depth);
	return own;
}

/*
 * Lets the kernel walk. All but one of this module's frames are skipped while walking; the
 * remaining frame proves that no other frame was skipped.
 */
static __always_inline void kmt_walk_by_kernel(struct kmt_cpu *k, struct KmtWalk *walk)
{
	unsigned skip = k->own_frames ? k->own_frames - 1 : 0, n;

	n = kmt_save_stack(k->frames, kmt.depth + KMT_OWN_FRAMES_MAX - skip, skip);
	if (skip && !(n && kmt_is_own(k->frames[0]))) {
		skip = 0;
		n = kmt_save_stack(k->frames, kmt.depth + KMT_OWN_FRAMES_MAX, 0);
	}
	k->own_frames = skip + kmt_take_frames(walk, k->frames, n);
	kmt_build_measure(walk, kmt.frame_base);
}

#ifdef KMT_HAS_OWN_WALK
/* Where a walk starts. The rule of this address is the one of the lea instruction. */
#ifndef kmt_here /* a unit test has stacks of its own */
#define kmt_here(place)                                                                            \
	asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"                          \
		     : "=&r"((place)->ip), "=&r"((place)->sp), "=&r"((place)->bp))
#endif

/* How often a CPU walked stacks in which way. */
struct kmt_walk_counts {
	u64 memo, rules, kernel;
	u64 compared, different;
	u64 other_stack, unknown_step, bad_address; /* why the kernel walked */
	u64 no_memo; /* walks by rules of which no memo can be made */
};

/* What a CPU needs for its own walks. Only the CPU itself writes to it. */
struct kmt_walker {
	struct kmt_walk_counts counts;
	struct kmt_bounds stacks[2]; /* by enum kmt_stack_kind; the second is not known at first */
	struct kmt_trail trail;
	unsigned long kernel_frames[KMT_WALK_FRAMES_MAX];
	struct kmt_memos memos;
};

_Static_assert(sizeof(struct kmt_walker) <= 128 * 1024, "a CPU's memory for walks is limited");

static struct kmt_walker *kmt_walkers[KMT_CPUS];

/* The first difference that was found, for kmt_walks. */
static struct {
	atomic_t found;
	bool by_memo;
	unsigned depth, kernel_depth;
	unsigned long frames[KMT_STACK_DEPTH_MAX], kernel_frames[KMT_STACK_DEPTH_MAX];
} kmt_difference;

/* A walk by rules that is under way. */
struct kmt_step {
	unsigned long sp, bp;
	unsigned long bp_from;    /* address that BP was read from; 0: it is the register's */
	unsigned long ip_at;      /* address that IP will be read from */
	struct kmt_bounds bounds; /* of the stack that SP is on */
	unsigned char stack;
	bool interrupted; /* IP was interrupted; it is no return address */
};

enum { KMT_STEP_FAILS = -1, KMT_STEP_ENDS, KMT_STEP_DONE };

static inline bool kmt_is_on(const struct kmt_bounds *stack, unsigned long address)
{
	return address - stack->begin < stack->end - stack->begin;
}

/* Whether a walk that is at SP may read the word at this address. */
static inline bool kmt_may_read(const struct kmt_step *step, unsigned long at)
{
	return at >= step->sp && at < step->bounds.end && !(at & (sizeof(long) - 1));
}

static int kmt_step_by_bp(struct kmt_walker *w, struct kmt_step *step, u32 rule,
			  struct kmt_turn *turn)
{
	turn->from = step->bp_from;
	turn->value = step->bp;
	if (!kmt_may_read(step, step->bp)) {
		/* Up to 5.11 the interrupt stack is left by BP. */
		if (step->stack != KMT_STACK_IRQ || step->bp & (sizeof(long) - 1) ||
		    !kmt_is_on(&w->stacks[KMT_STACK_TASK], step->bp))
			return KMT_STEP_FAILS;
		step->stack = KMT_STACK_TASK;
		step->bounds = w->stacks[KMT_STACK_TASK];
	}
	step->sp = step->bp + kmt_rule_distance(rule);
	return KMT_STEP_DONE;
}

static int kmt_step_by_bp_saved(struct kmt_step *step, u32 rule, struct kmt_turn *turn)
{
	unsigned long from = step->bp - KMT_RULE_MIDDLE * sizeof(long);

	turn->from = step->bp_from;
	turn->value = step->bp;
	turn->saved = from + kmt_rule_distance(rule);
	if (!kmt_may_read(step, turn->saved))
		return KMT_STEP_FAILS;
	turn->frame_address = kmt_stack_word(turn->saved);
	if (kmt_rule_saved(rule)) {
		step->bp_from = from + kmt_rule_saved(rule);
		if (!kmt_may_read(step, step->bp_from))
			return KMT_STEP_FAILS;
		step->bp = kmt_stack_word(step->bp_from);
	}
	if (turn->frame_address <= step->sp || turn->frame_address & (sizeof(long) - 1))
		return KMT_STEP_FAILS;
	step->sp = turn->frame_address;
	return KMT_STEP_DONE;
}

/* From the end of the interrupt stack to the task's. */
static int kmt_step_by_sp_saved(struct kmt_walker *w, struct kmt_step *step, u32 rule,
				struct kmt_turn *turn)
{
	if (step->stack != KMT_STACK_IRQ || !kmt_may_read(step, step->sp))
		return KMT_STEP_FAILS;
	turn->from = step->sp;
	turn->value = kmt_stack_word(step->sp);
	if (!kmt_is_on(&w->stacks[KMT_STACK_TASK], turn->value) || turn->value & (sizeof(long) - 1))
		return KMT_STEP_FAILS;
	step->stack = KMT_STACK_TASK;
	step->bounds = w->stacks[KMT_STACK_TASK];
	step->sp = turn->value + kmt_rule_distance(rule);
	return KMT_STEP_DONE;
}

/* To the registers of who entered the kernel: a process, where the walk ends, or kernel code that
   was interrupted. */
static int kmt_step_to_regs(struct kmt_walker *w, struct kmt_step *step, u32 rule,
			    struct kmt_turn *turn)
{
	unsigned long regs = step->sp + kmt_rule_distance(rule);
	unsigned long end = regs + sizeof(struct pt_regs);

	if (end > step->bounds.end)
		return KMT_STEP_FAILS;
	step->ip_at = regs + offsetof(struct pt_regs, ip);
	if (kmt_is_user_mode(regs)) {
		w->trail.user_regs = regs;
		w->trail.user_stack = step->stack;
		return kmt_stack_word(step->ip_at) < TASK_SIZE_MAX ? KMT_STEP_ENDS : KMT_STEP_FAILS;
	}
	turn->from = regs + offsetof(struct pt_regs, sp);
	turn->value = kmt_stack_word(turn->from);
	if (turn->value < end || turn->value > step->bounds.end || turn->value & (sizeof(long) - 1))
		return KMT_STEP_FAILS;
	step->bp_from = regs + offsetof(struct pt_regs, bp);
	step->bp = kmt_stack_word(step->bp_from);
	step->sp = turn->value;
	step->interrupted = true;
	return KMT_STEP_DONE;
}

/* Takes a step to a frame at no fixed distance; n: index of the frame. */
static __always_inline int kmt_take_turn(struct kmt_walker *w, struct kmt_step *step, u32 rule,
					 unsigned n)
{
	struct kmt_trail *trail = &w->trail;
	struct kmt_turn *turn = &trail->turn[min(trail->turns, (unsigned)KMT_TURNS_MAX)];
	int result = KMT_STEP_FAILS;

	step->ip_at = 0;
	step->interrupted = false;
	turn->frame = n;
	turn->kind = kmt_rule_kind(rule);
	switch (turn->kind) {
	case KMT_STEP_BP:
		result = kmt_step_by_bp(w, step, rule, turn);
		break;
	case KMT_STEP_BP_SAVED:
		result = kmt_step_by_bp_saved(step, rule, turn);
		break;
	case KMT_STEP_SP_SAVED:
		result = kmt_step_by_sp_saved(w, step, rule, turn);
		break;
	case KMT_STEP_REGS:
		result = kmt_step_to_regs(w, step, rule, turn);
		break;
	case KMT_STEP_END:
		return KMT_STEP_ENDS;
	default:
		w->counts.unknown_step++;
		return KMT_STEP_FAILS;
	}
	if (!step->ip_at)
		step->ip_at = step->sp - sizeof(long);
	turn->stack = step->stack;
	trail->turns += result == KMT_STEP_DONE;
	w->counts.bad_address += result == KMT_STEP_FAILS;
	return result;
}

/* Walks as the kernel does, by rules. Returns the number of frames, at most max; -1: only the
   kernel can walk this stack. */
static noinline int kmt_walk_by_rules(struct kmt_walker *w, const struct kmt_place *here,
				      unsigned stack, unsigned long *frames, unsigned max)
{
	struct kmt_rules *rules = kmt_rules;
	struct kmt_trail *trail = &w->trail;
	struct kmt_step step = { .bp = here->bp, .stack = stack, .bounds = w->stacks[stack] };
	unsigned long ip = here->ip, sp = here->sp, ip_at;
	unsigned long interrupted = 0;
	unsigned n = 0;
	int result;

	trail->epoch = atomic_read(&rules->epoch);
	trail->turns = 0;
	trail->user_regs = 0;
	for (;;) {
		u32 rule = kmt_rule(rules, kmt_code_at(ip, interrupted), interrupted);

		if (likely(kmt_rule_kind(rule) == KMT_STEP_SP && n != max)) {
			sp += kmt_rule_distance(rule);
			ip_at = sp - sizeof(long);
			interrupted = 0;
		} else {
			if (n == max && kmt_rule_kind(rule) != KMT_STEP_UNKNOWN)
				return n;
			step.sp = sp;
			result = kmt_take_turn(w, &step, rule, n);
			if (result != KMT_STEP_DONE)
				return result == KMT_STEP_ENDS ? n : -1;
			sp = step.sp;
			ip_at = step.ip_at;
			interrupted = step.interrupted;
		}
		if (sp > step.bounds.end) {
			w->counts.bad_address++;
			return -1;
		}
		if (kmt_rule_saved(rule) && kmt_rule_kind(rule) != KMT_STEP_BP_SAVED) {
			step.bp_from = sp - kmt_rule_saved(rule);
			step.bp = kmt_stack_word(step.bp_from);
		}
		ip = kmt_stack_word(ip_at);
		trail->at[n] = ip_at;
		frames[n++] = ip;
	}
}

/* Walks by rules, and remembers the stack. Returns false if only the kernel can walk it. */
static noinline bool kmt_walk_anew(struct kmt_cpu *k, struct kmt_walker *w,
				   const struct kmt_place *here, unsigned stack,
				   struct KmtWalk *walk, struct kmt_memo **remembered)
{
	int n = kmt_walk_by_rules(w, here, stack, k->frames, kmt.depth + KMT_OWN_FRAMES_MAX);
	struct kmt_memo *memo;
	unsigned own;

	if (n < 0)
		return false;
	own = kmt_take_frames(walk, k->frames, n);
	kmt_build_measure(walk, kmt.frame_base);
	w->counts.rules++;
	if (kmt_walk.mode == KMT_WALK_RULES)
		return true;
	memo = kmt_remember(&w->memos, here, stack, &w->trail, k->frames, n, k->batch_number + 1);
	if (!memo) {
		w->counts.no_memo++;
		return true;
	}
	memo->own = own;
	memo->depth = walk->depth;
	memo->hash = walk->hash;
	memo->narrow = walk->narrow;
	memo->truncated = walk->truncated;
	*remembered = memo;
	return true;
}

static __always_inline void kmt_walk_of_memo(const struct kmt_memo *memo, struct KmtWalk *walk)
{
	walk->depth = memo->depth;
	walk->hash = memo->hash;
	walk->narrow = memo->narrow;
	walk->truncated = memo->truncated;
}

/* Returns the stack that a walk starts on; -1: neither of the two. The unwinder knows the interrupt
   stack, which stays where it is. */
static noinline int kmt_other_stack(struct kmt_walker *w, unsigned long sp)
{
	struct kmt_bounds *irq = &w->stacks[KMT_STACK_IRQ];
	struct unwind_state state;

	/* Before 5.8, learning the end of the interrupt stack would make the kernel print a
	 * warning. */
	if (!irq->end && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 8, 0)) {
		unwind_start(&state, current, NULL, NULL);
		if (!unwind_done(&state) && state.stack_info.type == STACK_TYPE_IRQ) {
			irq->begin = (unsigned long)state.stack_info.begin;
			irq->end = (unsigned long)state.stack_info.end;
		}
	}
	if (kmt_is_on(irq, sp))
		return KMT_STACK_IRQ;
	w->counts.other_stack++;
	return -1;
}

/* Finds the stack of this event without the kernel's walk. Returns false if that is not possible.
   If *memo is set, it may have the frames instead of walk. */
static __always_inline bool kmt_walk_ourselves(struct kmt_cpu *k, struct kmt_walker *w,
					       struct KmtWalk *walk, struct kmt_memo **memo,
					       unsigned long call_site)
{
	struct kmt_bounds *task = &w->stacks[KMT_STACK_TASK];
	struct kmt_place here;
	int stack = KMT_STACK_TASK;

	kmt_here(&here);
	task->begin = (unsigned long)task_stack_page(current);
	task->end = task->begin + THREAD_SIZE;
	if (unlikely(!kmt_is_on(task, here.sp))) {
		stack = kmt_other_stack(w, here.sp);
		if (stack < 0)
			return false;
	}
	if (likely(kmt_walk.mode != KMT_WALK_RULES)) {
		*memo = kmt_find_memo(&w->memos, &here, w->stacks, atomic_read(&kmt_rules->epoch),
				      call_site, k->batch_number + 1);
		if (likely(*memo)) {
			kmt_walk_of_memo(*memo, walk);
			w->counts.memo++;
			return true;
		}
	}
	return kmt_walk_anew(k, w, &here, stack, walk, memo);
}

/* Keeps the first difference. From now on the kernel walks, on all CPUs. */
static void kmt_keep_difference(const struct KmtWalk *ours, const struct KmtWalk *kernels,
				bool by_memo)
{
	WRITE_ONCE(kmt_walk.mode, KMT_WALK_KERNEL);
	kmt_walk.why_not = "a walk differed from the kernel's";
	if (atomic_cmpxchg(&kmt_difference.found, 0, 1))
		return;
	kmt_difference.by_memo = by_memo;
	kmt_difference.depth = ours->depth;
	kmt_difference.kernel_depth = kernels->depth;
	memcpy(kmt_difference.frames, ours->frames, ours->depth * sizeof(*ours->frames));
	memcpy(kmt_difference.kernel_frames, kernels->frames,
	       kernels->depth * sizeof(*kernels->frames));
}

/* Compares a walk with the kernel's. If they differ, the kernel's is taken. */
static noinline void kmt_compare_walks(struct kmt_cpu *k, struct kmt_walker *w,
				       struct KmtWalk *walk, struct kmt_memo **memo)
{
	struct KmtWalk kernels = { .depth = 0 };
	unsigned n = kmt_save_stack(w->kernel_frames, kmt.depth + KMT_OWN_FRAMES_MAX, 0);

	kmt_take_frames(&kernels, w->kernel_frames, n);
	if (*memo) {
		kmt_memo_frames(*memo, k->frames);
		walk->frames = k->frames;
	}
	w->counts.compared++;
	if (kernels.depth == walk->depth && kernels.truncated == walk->truncated &&
	    !memcmp(kernels.frames, walk->frames, walk->depth * sizeof(*walk->frames)))
		return;
	w->counts.different++;
	kmt_keep_difference(walk, &kernels, *memo);
	*memo = NULL;
	*walk = kernels;
	kmt_build_measure(walk, kmt.frame_base);
}

/* Walks the stack of an event. draw: a random number, which selects the walks to compare. */
static __always_inline void kmt_walk_stack(struct kmt_cpu *k, int cpu, struct KmtWalk *walk,
					   struct kmt_memo **memo, unsigned long call_site,
					   u32 draw)
{
	unsigned mode = READ_ONCE(kmt_walk.mode);
	struct kmt_walker *w = mode ? kmt_walkers[cpu] : NULL;

	if (likely(w) && likely(kmt_walk_ourselves(k, w, walk, memo, call_site))) {
		if (unlikely(mode == KMT_WALK_COMPARE || !(draw % KMT_COMPARED)))
			kmt_compare_walks(k, w, walk, memo);
		return;
	}
	if (w)
		w->counts.kernel++;
	kmt_walk_by_kernel(k, walk);
}

/* Defines the stack of a memo in the open batch. */
static noinline void kmt_define_memo(struct kmt_cpu *k, struct kmt_memo *memo, struct KmtWalk *walk)
{
	if (!walk->frames) {
		kmt_memo_frames(memo, k->frames);
		walk->frames = k->frames;
	}
	memo->stack = kmt_build_stack(k->batch, walk);
	memo->stack_in = k->batch_number + 1;
}

/* Has to be called before the origin of a walk is added to the open batch. */
static __always_inline void kmt_recall_stack(struct kmt_cpu *k, struct KmtWalk *walk,
					     struct kmt_memo *memo)
{
	if (!memo || !walk->depth)
		return;
	if (unlikely(memo->stack_in != k->batch_number + 1))
		kmt_define_memo(k, memo, walk);
	walk->known = memo->stack + 1;
}

static void kmt_after_module_free(void *data, struct module *module)
{
	kmt_forget_rules();
}

static void kmt_after_initcall(void *data, initcall_t function, int result)
{
	kmt_forget_rules();
}

/* The kernel removes code after these tracepoints: that of a module, and that of its start. */
static struct {
	const char *name;
	void *handler;
	struct tracepoint *tracepoint; /* NULL: not registered */
} kmt_code_points[] = {
	{ "module_free", kmt_after_module_free, NULL },
	{ "initcall_finish", kmt_after_initcall, NULL },
};

/* These tracepoints do not see the code of a module that could not be loaded. This sees it, but not
   the end of a module's start. */
static int kmt_on_module(struct notifier_block *block, unsigned long state, void *module)
{
	kmt_forget_rules();
	return NOTIFY_OK;
}

static struct notifier_block kmt_module_notifier = { .notifier_call = kmt_on_module };
static bool kmt_notifies_modules;

static void kmt_register_code_point(struct tracepoint *tracepoint, void *data)
{
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(kmt_code_points); i++)
		if (!strcmp(tracepoint->name, kmt_code_points[i].name) &&
		    !tracepoint_probe_register(tracepoint, kmt_code_points[i].handler, NULL))
			kmt_code_points[i].tracepoint = tracepoint;
}

static void kmt_unregister_code_points(void)
{
	unsigned i;

	if (kmt_notifies_modules)
		unregister_module_notifier(&kmt_module_notifier);
	kmt_notifies_modules = false;

	for (i = 0; i < ARRAY_SIZE(kmt_code_points); i++) {
		if (kmt_code_points[i].tracepoint)
			tracepoint_probe_unregister(kmt_code_points[i].tracepoint,
						    kmt_code_points[i].handler, NULL);
		kmt_code_points[i].tracepoint = NULL;
	}
	tracepoint_synchronize_unregister();
}

static bool kmt_allocate_walkers(void)
{
	int cpu;

	for_each_online_cpu(cpu)
	{
		if (cpu >= KMT_CPUS)
			break;
		kmt_walkers[cpu] =
			kvzalloc_node(sizeof(**kmt_walkers), GFP_KERNEL, cpu_to_node(cpu));
		if (!kmt_walkers[cpu])
			return false;
	}
	return true;
}

/* Returns NULL, or why the kernel has to walk all stacks. kmt_stop_walkers() frees everything in
   both cases. */
static const char *kmt_start_walkers(void)
{
	unsigned i;

	kmt_rules = kvzalloc(sizeof(*kmt_rules), GFP_KERNEL);
	if (!kmt_rules)
		return "no memory";
	kmt_forget_rules();
	kmt_make_up_stacks(kmt_rules);
	for_each_kernel_tracepoint(kmt_register_code_point, NULL);
	for (i = 0; i < ARRAY_SIZE(kmt_code_points); i++)
		if (!kmt_code_points[i].tracepoint)
			return "this kernel does not report the removal of code";
	kmt_notifies_modules = !register_module_notifier(&kmt_module_notifier);
	if (!kmt_notifies_modules)
		return "no memory";
	return kmt_allocate_walkers() ? NULL : "no memory";
}

static void kmt_stop_walkers(void)
{
	int cpu;

	WRITE_ONCE(kmt_walk.mode, KMT_WALK_KERNEL);
	synchronize_rcu();
	kmt_unregister_code_points();
	for_each_possible_cpu(cpu) if (cpu < KMT_CPUS)
	{
		kvfree(kmt_walkers[cpu]);
		kmt_walkers[cpu] = NULL;
	}
	kvfree(kmt_rules);
	kmt_rules = NULL;
}

static struct kmt_walk_counts kmt_sum_walks(void)
{
	struct kmt_walk_counts all = { 0 };
	int cpu;

	for_each_possible_cpu(cpu)
	{
		const u64 *counts = cpu < KMT_CPUS && kmt_walkers[cpu]
					    ? (const u64 *)&kmt_walkers[cpu]->counts
					    : NULL;
		unsigned i;

		for (i = 0; counts && i < sizeof(all) / sizeof(u64); i++)
			((u64 *)&all)[i] += READ_ONCE(counts[i]);
	}
	return all;
}

static int kmt_show_difference(char *page, int length)
{
	unsigned i;

	length += scnprintf(page + length, PAGE_SIZE - length, "%s: the emitter, the kernel:\n",
			    kmt_difference.by_memo ? "a memo" : "rules");
	for (i = 0; i < max(kmt_difference.depth, kmt_difference.kernel_depth); i++)
		length += scnprintf(page + length, PAGE_SIZE - length, "%pB %pB\n",
				    (void *)kmt_difference.frames[i],
				    (void *)kmt_difference.kernel_frames[i]);
	return length;
}

/* /sys/module/NAME/parameters/kmt_walks: how stacks were walked, and the first difference. */
static int kmt_get_walks(char *page, const struct kernel_param *param)
{
	const struct kmt_walk_counts all = kmt_sum_walks();
	int length = scnprintf(
		page, PAGE_SIZE,
		"memo %llu rules %llu kernel %llu compared %llu different %llu "
		"other_stack %llu unknown_step %llu bad_address %llu no_memo %llu epoch %u\n",
		all.memo, all.rules, all.kernel, all.compared, all.different, all.other_stack,
		all.unknown_step, all.bad_address, all.no_memo,
		kmt_rules ? atomic_read(&kmt_rules->epoch) : 0);

	return all.different ? kmt_show_difference(page, length) : length;
}

static const struct kernel_param_ops kmt_walks_ops = { .get = kmt_get_walks };
module_param_cb(kmt_walks, &kmt_walks_ops, NULL, 0400);

/* Number of walks that were compared, and of those that were different, of all CPUs. */
static void kmt_sum_compared(u64 *compared, u64 *different)
{
	const struct kmt_walk_counts all = kmt_sum_walks();

	*compared = all.compared;
	*different = all.different;
}
#else
#define kmt_start_walkers() "this kernel has no ORC unwinder"
#define kmt_stop_walkers() (kmt_walk.mode = KMT_WALK_KERNEL)
#define kmt_recall_stack(k, walk, memo) ((void)(memo))
#define kmt_walk_stack(k, cpu, walk, memo, call_site, draw) kmt_walk_by_kernel(k, walk)
#define kmt_sum_compared(compared, different) (*(compared) = *(different) = 0)
#endif

/* Runs in the process that loads the module. */
static int kmt_set_stack_walk(const char *text, const struct kernel_param *param)
{
	unsigned mode;
	int error = kstrtouint(text, 10, &mode);

	if (error || mode > KMT_WALK_RULES)
		return error ? error : -EINVAL;
	if (mode == KMT_WALK_KERNEL) {
		kmt_walk.mode = mode;
		return 0;
	}
	/* The parameter may be given twice. */
	if (!kmt_walk.is_wanted)
		kmt_walk.why_not = kmt_start_walkers();
	kmt_walk.is_wanted = true;
	kmt_walk.mode = kmt_walk.why_not ? KMT_WALK_KERNEL : mode;
	return 0;
}

/* Runs after the module's exit function, also if loading fails. */
static void kmt_free_stack_walk(void *unused)
{
	kmt_stop_walkers();
}

static const struct kernel_param_ops kmt_stack_walk_ops = {
	.set = kmt_set_stack_walk,
	.free = kmt_free_stack_walk,
};
module_param_cb(kmt_stack_walk, &kmt_stack_walk_ops, NULL, 0);

#endif
