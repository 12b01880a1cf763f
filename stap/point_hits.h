/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits of probe points: their stacks, and their way into the batch of this CPU. The build copies
 * this into stap/tapset/kmt_emitter.stp; only modules of stack-top contain it.
 *
 * User stacks are found by frame pointers: a frame is two words, the caller's frame and the return
 * address. The kernel exports nothing that walks them, and SystemTap's ubacktrace() costs twenty
 * times as much (doc/PERFORMANCE.md).
 */
#ifndef KMT_POINT_HITS_H
#define KMT_POINT_HITS_H

enum {
	KMT_USER_DEPTH_MAX = 127, /* as with perf events */
	/* A probed instruction is at most so far from the address that a walk shows for it. */
	KMT_PROBED_BYTES = 16,
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 0, 0)
#define kmt_access_ok(from, bytes) access_ok(from, bytes)
#else
#define kmt_access_ok(from, bytes) access_ok(VERIFY_READ, from, bytes)
#endif

/* Reads memory of a process, which may be anything. The pages are not faulted in. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 8, 0) || defined(copy_from_user_nofault)
#define kmt_read_user(to, from, bytes) copy_from_user_nofault(to, from, bytes)
#else
static inline long kmt_read_user(void *to, const void __user *from, size_t bytes)
{
	long left = bytes;

	if (!kmt_access_ok(from, bytes))
		return -EFAULT;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, from, bytes);
	pagefault_enable();
	return left ? -EFAULT : 0;
}
#endif

struct kmt_user_frame {
	unsigned long next; /* address of the caller's frame */
	unsigned long caller;
};

/* The same for a frame, if page faults are disabled, and memory of this process was just read: the
   kernel's function also checks whether that is possible now, and costs several times as much. */
static __always_inline long kmt_read_frame(struct kmt_user_frame *frame, unsigned long at)
{
	const unsigned long __user *words = (const unsigned long __user *)at;

	if (!kmt_access_ok(words, 2 * sizeof(*words)) || __get_user(frame->next, words) ||
	    __get_user(frame->caller, words + 1))
		return -EFAULT;
	return 0;
}

/* The register with the frame of a program; 0: this program or architecture has none. */
static inline unsigned long kmt_frame_pointer(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	return regs->cs == __USER32_CS ? 0 : regs->bp;
#elif defined(CONFIG_ARM64)
	return compat_user_mode(regs) ? 0 : regs->regs[29];
#else
	return 0;
#endif
}

/* At the first instruction of a function, its frame is not set up yet: its caller is known from the
   return address, which no frame contains. 0: there is none, because the probe is behind it. */
static inline unsigned long kmt_caller_at_entry(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	/* Sizes of calls through a register or memory (opcode ff /2). */
	static const u8 sizes[] = { 2, 3, 4, 6, 7 };
	unsigned long caller;
	u8 code[7]; /* before the return address */
	unsigned i;

	if (kmt_read_user(&caller, (const void __user *)regs->sp, sizeof(caller)) ||
	    kmt_read_user(code, (const void __user *)(caller - sizeof(code)), sizeof(code)))
		return 0;
	if (code[sizeof(code) - 5] == 0xe8)
		return caller;
	for (i = 0; i < sizeof(sizes); i++) {
		const u8 *call = code + sizeof(code) - sizes[i];

		if (call[0] == 0xff && (call[1] & 0x38) == 0x10)
			return caller;
	}
	return 0;
#elif defined(CONFIG_ARM64)
	return regs->regs[30];
#else
	return 0;
#endif
}

static unsigned kmt_user_depth_wanted;
static unsigned long kmt_user_frames[KMT_CPUS][KMT_USER_DEPTH_MAX + 1];

/* Walks the program's stack from where it entered the kernel. The frames stay on this CPU:
   interrupts are off. Frames come at rising addresses, so the walk ends. */
static __always_inline void kmt_walk_user(struct KmtWalk *walk, int cpu, struct pt_regs *regs,
					  bool at_entry)
{
	unsigned long *frames = kmt_user_frames[cpu], at = kmt_frame_pointer(regs), last = 0;
	struct kmt_user_frame frame;
	unsigned n = 1;

	frames[0] = instruction_pointer(regs);
	if (at_entry && at && (frames[1] = kmt_caller_at_entry(regs)))
		n = 2;
	pagefault_disable();
	while (n <= kmt_user_depth_wanted && at > last && !(at % sizeof(long))) {
		if (last ? kmt_read_frame(&frame, at)
			 : kmt_read_user(&frame, (const void __user *)at, sizeof(frame)))
			break;
		if (!frame.caller)
			break;
		frames[n++] = frame.caller;
		last = at;
		at = frame.next;
	}
	pagefault_enable();
	walk->frames = frames;
	walk->depth = n;
	kmt_bound_walk(walk, kmt_user_depth_wanted);
}

/* Returns the registers of the current task's program; NULL: it runs none, or an interrupt has
   nothing to do with it. probed: those of the program, if the probe is in it. */
static inline struct pt_regs *kmt_user_registers(struct pt_regs *probed)
{
	struct pt_regs *regs = probed ? probed : task_pt_regs(current);

	if (!kmt_user_depth_wanted || !current->mm || current->flags & PF_KTHREAD ||
	    kmt_context() != KMT_CONTEXT_TASK || !user_mode(regs))
		return NULL;
	return regs;
}

#ifdef KMT_HAS_OWN_WALK
/* Lets the kernel walk from the registers where a function is probed, so the frames of this module
   and of the kernel's kprobes need no step. Returns the number of frames. */
static noinline unsigned kmt_save_probed(struct kmt_cpu *k, struct pt_regs *regs)
{
	struct unwind_state state;
	unsigned long address;
	unsigned n = 1;

	k->frames[0] = instruction_pointer(regs);
	/* As in arch_stack_walk(): it begins at the caller. */
	unwind_start(&state, current, regs, NULL);
	while (n <= kmt.depth && n < ARRAY_SIZE(k->frames) && !unwind_done(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		k->frames[n++] = address;
		unwind_next_frame(&state);
	}
	return n;
}
#else
/* Walks from here, and leaves out the frames of this module and of the kernel's kprobes. If a walk
   does not get through them, only the function is known. */
static noinline unsigned kmt_save_probed(struct kmt_cpu *k, struct pt_regs *regs)
{
	unsigned long ip = instruction_pointer(regs);
	unsigned n = kmt_save_stack(k->frames, ARRAY_SIZE(k->frames), 0);
	unsigned first = kmt_find_frame(k->frames, n, ip, KMT_PROBED_BYTES);

	if (first == n) {
		k->frames[0] = ip;
		return 1;
	}
	memmove(k->frames, k->frames + first, (n - first) * sizeof(*k->frames));
	return n - first;
}
#endif

static __always_inline void kmt_walk_probed(struct kmt_cpu *k, struct KmtWalk *walk,
					    struct pt_regs *regs)
{
	walk->frames = k->frames;
	walk->depth = kmt_save_probed(k, regs);
	kmt_bound_walk(walk, kmt.depth);
	kmt_build_measure(walk, kmt.frame_base);
}

/* A hit on its way into the batch. */
struct kmt_hit {
	struct KmtPointFacts facts;
	bool has_stacks;
	bool at_entry;          /* at the first instruction of a function of a program */
	struct pt_regs *probed; /* registers where a function is probed; NULL: a tracepoint */
};

static __always_inline void kmt_walk_hit(struct kmt_cpu *k, int cpu, const struct kmt_hit *hit,
					 struct KmtWalk *walk, struct kmt_memo **memo, u32 draw)
{
	if (!kmt.depth || !hit->has_stacks)
		return;
	if (!hit->probed)
		kmt_walk_stack(k, cpu, walk, memo, hit->facts.point, draw);
	else if (!user_mode(hit->probed))
		kmt_walk_probed(k, walk, hit->probed);
}

/* Adds a hit to the batch. The caller holds the owner word. Returns false if there is no room. */
static bool kmt_put_hit(struct kmt_cpu *k, int cpu, const struct kmt_hit *hit, struct KmtWalk *walk,
			struct KmtWalk *user, struct kmt_memo *memo, unsigned period)
{
	struct KmtBuilder *batch = k->batch;
	u64 now = kmt_now();
	u32 when, stack;

	if (batch->length &&
	    !(kmt_build_goes_on(batch, now, period) &&
	      kmt_build_has_room(batch, kmt_build_point_bytes(walk->depth, user->depth))) &&
	    !kmt_close_batch(k, cpu))
		return false;
	if (!batch->length)
		kmt_open_batch(k, now, period);
	kmt_put_task(k);
	kmt_recall_stack(k, walk, memo);
	when = kmt_build_when(batch, now, kmt_context());
	stack = kmt_build_stack(batch, walk);
	kmt_build_point(batch, &hit->facts, when, stack, user);
	k->events_total++;
	return true;
}

/* Whether hits of the current task are requested; if not, counts those that users might expect. */
static __always_inline bool kmt_hit_wanted(struct kmt_cpu *k, pid_t stapio)
{
	if (kmt_is_self(stapio)) {
		k->left_out_self++;
		return false;
	}
	if (kmt.scope == KMT_SCOPE_HOST)
		return true;
	if (!kmt_current_is_counted())
		return false;
	if (!kmt.with_interrupts && kmt_context() != KMT_CONTEXT_TASK) {
		k->left_out_interrupt++;
		return false;
	}
	return true;
}

static __always_inline void kmt_emit_hit_here(struct kmt_cpu *k, int cpu, struct kmt_hit *hit,
					      unsigned period, u32 draw)
{
	bool is_in_program = hit->probed && user_mode(hit->probed);
	struct KmtWalk walk = { .depth = 0 }, user = { .depth = 0 };
	struct pt_regs *regs =
		hit->has_stacks ? kmt_user_registers(is_in_program ? hit->probed : NULL) : NULL;
	struct kmt_memo *memo = NULL;

	kmt_walk_hit(k, cpu, hit, &walk, &memo, draw);
	if (regs)
		kmt_walk_user(&user, cpu, regs, hit->at_entry);
	if (hit->facts.weight)
		hit->facts.weight = period;
	if (!kmt_own(k, KMT_SPINS)) {
		k->dropped_reentrant++;
		return;
	}
	if (!kmt_put_hit(k, cpu, hit, &walk, &user, memo, period))
		k->dropped_reentrant++;
	kmt_disown(k);
}

/* As kmt_emit(), for the hit of a probe point. */
static __always_inline void kmt_emit_hit(struct kmt_hit *hit, pid_t stapio)
{
	int cpu = raw_smp_processor_id();
	struct kmt_cpu *k = &kmt_cpus[cpu];
	u64 began = 0;
	unsigned period;
	u32 draw;

	if (!kmt.ready || !kmt_hit_wanted(k, stapio ? stapio : -1))
		return;
	draw = kmt_random(&k->random);
	if (kmt_is_timed(draw))
		began = kmt_now();
	period = kmt_draw(&k->random, k->period, k->taken_below);
	/* Without a reader a hit is lost, but counted. */
	if (period && unlikely(!stapio))
		k->events_total++;
	else if (period)
		kmt_emit_hit_here(k, cpu, hit, period, draw);
	if (kmt_is_timed(draw))
		kmt_measure(k, began, period);
}

#endif
