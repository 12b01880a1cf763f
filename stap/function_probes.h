/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kprobes on the functions that free or allocate objects without a tracepoint. The build copies
 * this into the emitter. Only for pairing allocations with frees.
 *
 * They are the emitter's own, not SystemTap's: SystemTap finds functions in debuginfo or in
 * System.map, which many hosts do not have, and while it compiles. The kernel looks the symbols up
 * when the module is loaded, and a kernel without one of them is no error.
 *
 * The kernel registers them when it reads the parameter kmt_functions, which is when it loads the
 * module. It removes them when it frees the parameters: after the module's exit function, also if
 * loading fails. Handlers do nothing before kmt_start() and after kmt_stop(); SystemTap waits for
 * all CPUs between the end probe and the end of its transport.
 */
#ifndef KMT_FUNCTION_PROBES_H
#define KMT_FUNCTION_PROBES_H

enum { KMT_NAMES_BYTES = 192 };

/* Appends a name to a list like "kfree,kmem_cache_free". */
static void kmt_add_name(char list[KMT_NAMES_BYTES], const char *name)
{
	unsigned bytes = strlen(list);

	scnprintf(list + bytes, KMT_NAMES_BYTES - bytes, "%s%s", bytes ? "," : "", name);
}

/* The function's argument (from 0), and its return address. */
#if defined(CONFIG_KPROBES) && defined(CONFIG_KRETPROBES) && defined(CONFIG_X86_64)
#define KMT_HAS_FUNCTIONS 1
static unsigned long kmt_argument(const struct pt_regs *regs, unsigned n)
{
	const unsigned long arguments[] = { regs->di, regs->si, regs->dx, regs->cx };

	return arguments[n];
}

static unsigned long kmt_caller(const struct pt_regs *regs)
{
	return *(const unsigned long *)regs->sp;
}
#elif defined(CONFIG_KPROBES) && defined(CONFIG_KRETPROBES) && defined(CONFIG_ARM64)
#define KMT_HAS_FUNCTIONS 1
static unsigned long kmt_argument(const struct pt_regs *regs, unsigned n)
{
	return regs->regs[n];
}

static unsigned long kmt_caller(const struct pt_regs *regs)
{
	return regs->regs[30];
}
#elif defined(CONFIG_KPROBES) && defined(CONFIG_KRETPROBES) && defined(CONFIG_S390)
#define KMT_HAS_FUNCTIONS 1
static unsigned long kmt_argument(const struct pt_regs *regs, unsigned n)
{
	return regs->gprs[2 + n];
}

static unsigned long kmt_caller(const struct pt_regs *regs)
{
	return regs->gprs[14];
}
#endif

#ifdef KMT_HAS_FUNCTIONS
#include <linux/kprobes.h>
#include <linux/stringify.h>

enum {
	KMT_ENTRY_BYTES = 16, /* a kprobe at a function's entry is at most so far from its start */
	KMT_BULK_CALLS = 128, /* calls of the bulk allocation that may run at the same time */
};

/* From 6.10 on the name of the bulk allocation is a macro. It allocates all objects or none, and
   returns their number, or in later kernels whether it has allocated them. */
#ifdef kmem_cache_alloc_bulk
#define KMT_ALLOC_BULK kmem_cache_alloc_bulk_noprof
#else
#define KMT_ALLOC_BULK kmem_cache_alloc_bulk
#endif

/* A call of the bulk allocation, from its entry to its return. */
struct kmt_bulk {
	struct kmem_cache *cache;
	void **objects;
	size_t count;
	unsigned long call_site;
	u32 gfp_flags;
	struct KmtWalk walk;
	unsigned long frames[KMT_WALK_FRAMES_MAX];
};

/* Emits one event for each object. Interrupts are off. */
static noinline void kmt_emit_objects(const struct KmtFacts *facts, unsigned long cache,
				      void *const *objects, size_t count,
				      const struct KmtWalk *walk)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct kmt_event event = { .facts = *facts, .cache = cache };

		event.facts.pointer = (unsigned long)objects[i];
		if (kmt_is_mapped(event.facts.pointer))
			kmt_emit(&event, walk, READ_ONCE(kmt.stapio));
	}
}

static void kmt_free_objects(unsigned kind, unsigned long cache, void *const *objects, size_t count,
			     const struct pt_regs *regs)
{
	const struct KmtFacts facts = {
		.type = KMT_RECORD_FREE,
		.source = cache ? KMT_SOURCE_CACHE : KMT_SOURCE_KMALLOC,
		.kind = kind,
		.node = -1,
		.call_site = kmt_caller(regs),
	};
	unsigned long flags;

	local_irq_save(flags);
	if (kmt.ready)
		kmt_emit_objects(&facts, cache, objects, count, NULL);
	local_irq_restore(flags);
}

/* kvfree_call_rcu(head, pointer); up to 6.1 the second argument is the offset of the head in the
   object, if there is a head. The object may also be a vmalloc range, which is no slab object. */
static int kmt_kvfree_call_rcu(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long head = kmt_argument(regs, 0), pointer = kmt_argument(regs, 1);
	void *object = (void *)(pointer < PAGE_SIZE ? head - pointer : pointer);

	kmt_free_objects(KMT_KIND_RCU, 0, &object, 1, regs);
	return 0;
}

/* kmem_cache_free_bulk(cache, count, objects); without a cache, the objects may be of any. */
static int kmt_free_bulk(struct kprobe *probe, struct pt_regs *regs)
{
	kmt_free_objects(KMT_KIND_BULK, kmt_argument(regs, 0), (void **)kmt_argument(regs, 2),
			 kmt_argument(regs, 1), regs);
	return 0;
}

/*
 * Takes this CPU's stack from the probed function on. Before it there are the frames of this
 * module and of the kernel's kprobes. If the walk did not get through them, only the function and
 * its caller are known. On AArch64 the walk lacks the caller, because the function has not made its
 * frame yet. The buffer is the call's own: an NMI, which may allocate pages from 6.15 on, has a
 * walk in the CPU's buffer.
 */
static void kmt_take_stack(struct kmt_bulk *bulk, unsigned long function)
{
	unsigned n = kmt_save_stack(bulk->frames, ARRAY_SIZE(bulk->frames), 0);
	unsigned from = kmt_find_frame(bulk->frames, n, function, KMT_ENTRY_BYTES) + 1;
	unsigned callers;

	if (from < n && bulk->frames[from] == bulk->call_site)
		from++;
	callers = from < n ? min_t(unsigned, n - from, KMT_STACK_DEPTH_MAX - 2) : 0;
	memmove(bulk->frames + 2, bulk->frames + from, callers * sizeof(*bulk->frames));
	bulk->frames[0] = function;
	bulk->frames[1] = bulk->call_site;
	bulk->walk = (struct KmtWalk){ .depth = 2 + callers };
	kmt_bound_walk(&bulk->walk, kmt.depth);
}

/* kmem_cache_alloc_bulk(cache, gfp_flags, count, objects) */
static int kmt_alloc_bulk_begins(struct kretprobe_instance *call, struct pt_regs *regs);

/* The upper bits of what a function returns are undefined. */
static bool kmt_has_allocated(unsigned long result)
{
	return sizeof(KMT_ALLOC_BULK(NULL, 0, 0, NULL)) == sizeof(bool) ? (u8)result
									: (s32)result > 0;
}

static int kmt_alloc_bulk_returns(struct kretprobe_instance *call, struct pt_regs *regs)
{
	struct kmt_bulk *bulk = (struct kmt_bulk *)call->data;
	const struct KmtFacts facts = {
		.type = KMT_RECORD_ALLOC,
		.source = KMT_SOURCE_CACHE,
		.node = -1,
		.gfp_flags = bulk->gfp_flags,
		.call_site = bulk->call_site,
		.bytes_requested = kmem_cache_size(bulk->cache),
		.bytes_allocated = kmt_slot_bytes((unsigned long)bulk->cache),
	};
	unsigned long flags;

	if (!kmt_has_allocated(regs_return_value(regs)))
		return 0;
	bulk->walk.frames = bulk->frames;
	local_irq_save(flags);
	if (kmt.ready)
		kmt_emit_objects(&facts, (unsigned long)bulk->cache, bulk->objects, bulk->count,
				 &bulk->walk);
	local_irq_restore(flags);
	return 0;
}

static struct kprobe kmt_frees[] = {
	{ .symbol_name = "kvfree_call_rcu", .pre_handler = kmt_kvfree_call_rcu },
	{ .symbol_name = "kmem_cache_free_bulk", .pre_handler = kmt_free_bulk },
};

static struct kretprobe kmt_alloc_bulk = {
	.kp.symbol_name = __stringify(KMT_ALLOC_BULK),
	.entry_handler = kmt_alloc_bulk_begins,
	.handler = kmt_alloc_bulk_returns,
	.data_size = sizeof(struct kmt_bulk),
	.maxactive = KMT_BULK_CALLS,
};

static bool kmt_frees_live[ARRAY_SIZE(kmt_frees)], kmt_alloc_bulk_live;

/* Returns nonzero if the call need not be followed. Before the first tick the tracepoints of frees
   may not be live: an object that is freed then would look held. */
static int kmt_alloc_bulk_begins(struct kretprobe_instance *call, struct pt_regs *regs)
{
	struct kmt_bulk *bulk = (struct kmt_bulk *)call->data;

	if (!kmt.ready || !READ_ONCE(kmt.tick))
		return 1;
	bulk->cache = (struct kmem_cache *)kmt_argument(regs, 0);
	bulk->gfp_flags = kmt_argument(regs, 1);
	bulk->count = kmt_argument(regs, 2);
	bulk->objects = (void **)kmt_argument(regs, 3);
	bulk->call_site = kmt_caller(regs);
	bulk->walk.depth = 0;
	if (kmt.depth)
		kmt_take_stack(bulk, (unsigned long)kmt_alloc_bulk.kp.addr);
	return 0;
}

static int kmt_register_functions(const char *text, const struct kernel_param *param)
{
	unsigned i;

	/* The parameter may be given twice. */
	for (i = 0; i < ARRAY_SIZE(kmt_frees); i++)
		if (!kmt_frees_live[i])
			kmt_frees_live[i] = !register_kprobe(&kmt_frees[i]);
	if (!kmt_alloc_bulk_live)
		kmt_alloc_bulk_live = !register_kretprobe(&kmt_alloc_bulk);
	return 0;
}

static void kmt_unregister_functions(void *unused)
{
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(kmt_frees); i++)
		if (kmt_frees_live[i])
			unregister_kprobe(&kmt_frees[i]);
	if (kmt_alloc_bulk_live)
		unregister_kretprobe(&kmt_alloc_bulk);
}

/* Returns the number of hits that the kernel has missed. */
static u64 kmt_functions_missed(void)
{
	u64 missed = 0;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(kmt_frees); i++)
		missed += kmt_frees_live[i] ? READ_ONCE(kmt_frees[i].nmissed) : 0;
	if (kmt_alloc_bulk_live)
		missed += READ_ONCE(kmt_alloc_bulk.nmissed) + READ_ONCE(kmt_alloc_bulk.kp.nmissed);
	return missed;
}

static void kmt_name_functions(char seen[KMT_NAMES_BYTES], char not_seen[KMT_NAMES_BYTES])
{
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(kmt_frees); i++)
		kmt_add_name(kmt_frees_live[i] ? seen : not_seen, kmt_frees[i].symbol_name);
	if (kmt_alloc_bulk_live)
		kmt_add_name(seen, kmt_alloc_bulk.kp.symbol_name);
}
#else
static int kmt_register_functions(const char *text, const struct kernel_param *param)
{
	return 0;
}

static void kmt_unregister_functions(void *unused)
{
}

static u64 kmt_functions_missed(void)
{
	return 0;
}

static void kmt_name_functions(char seen[KMT_NAMES_BYTES], char not_seen[KMT_NAMES_BYTES])
{
	kmt_add_name(not_seen, "kvfree_call_rcu");
	kmt_add_name(not_seen, "kmem_cache_free_bulk");
}
#endif

static const struct kernel_param_ops kmt_functions_ops = {
	.set = kmt_register_functions,
	.free = kmt_unregister_functions,
};
module_param_cb(kmt_functions, &kmt_functions_ops, NULL, 0);

#endif
