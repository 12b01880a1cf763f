/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs. At each allocation: whose it is, the stack is walked, the origin (stack,
 * sizes, flags, cache) is found in this CPU's table by a hash of 64 bits, and a record of 16 bytes
 * goes into this CPU's ring. Tasks and origins are written when they change or are new. bpf_read.c
 * reads the ring; bpf_ring.h has the records.
 *
 * The kernel does not run a program again that an interrupt finds at work on this CPU, but counts
 * a miss. Another program of ours runs, and uses the CPU's second state.
 */
#include <linux/types.h>

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "collect/bpf/bpf_ring.h"
#include "collect/bpf/bpf_walk.h"
#include "record/event_kinds.h"

/* The few members of kernel structures that are read. libbpf finds their offsets in the kernel's
   BTF, so nothing here depends on a version. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct rq {
	unsigned int nr_running;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct task_struct {
	struct sched_entity se;
	int pid, tgid;
	int softirq_disable_cnt; /* PREEMPT_RT */
	__u64 start_time;
	struct task_struct *group_leader;
	struct css_set *cgroups;
	char comm[KMT_BPF_COMM_BYTES];
};

struct kmem_cache {
	unsigned int size, object_size;
	const char *name;
};

/* Linux 6.2 to 6.14. */
struct pcpu_hot {
	int preempt_count;
};

/* A word of the stack is read as the first one of this type. */
struct pt_regs {
	unsigned long r15, bp, ip, cs, sp;
};

#pragma clang attribute pop

char LICENSE[] SEC("license") = "GPL";

const volatile struct kmt_bpf_config kmt_config = {};

static volatile __u64 epoch = 1; /* a task got another name or cgroup */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct kmt_bpf_state));
} kmt_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} kmt_rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, KMT_BPF_NESTED_RING_BYTES + KMT_BPF_RECORD_MAX);
} kmt_nested_rings SEC(".maps");

/* A byte for each process: it is counted. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} kmt_scope SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct kmt_bpf_walk));
} kmt_walk SEC(".maps");

extern struct kmem_cache *bpf_get_kmem_cache(__u64 address) __ksym __weak;
extern void *bpf_rdonly_cast(const void *object, __u32 btf_id) __ksym __weak;

/* An allocation as its tracepoint has it. */
struct alloc {
	__u64 call_site, pointer, bytes_requested, bytes_allocated;
	__u64 cache; /* 0: not an argument */
	__u32 gfp_flags;
	__u32 source;
	int node;
};

/* A hash of 64 bits of what is added to it. */
static __always_inline __u64 add(__u64 hash, __u64 number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static __always_inline struct kmt_bpf_state *state_of(__u32 index)
{
	return bpf_map_lookup_elem(&kmt_states, &index);
}

/* The ring. */

static __always_inline __u64 room_in(const struct kmt_bpf_state *s, __u64 ring_bytes)
{
	return ring_bytes - (s->head - *(const volatile __u64 *)&s->tail);
}

/* Returns room for a record of up to KMT_BPF_RECORD_MAX bytes; NULL: there is none. */
static __always_inline void *reserve(const struct kmt_bpf_state *s, __u32 index)
{
	bool is_nested = index >= kmt_config.cpu_numbers;
	__u8 *ring;

	if (!is_nested) {
		if (room_in(s, kmt_config.ring_bytes) < KMT_BPF_RECORD_MAX)
			return NULL;
		ring = bpf_map_lookup_elem(&kmt_rings, &index);
		return ring ? ring + (s->head & (kmt_config.ring_bytes - 1)) : NULL;
	}
	if (room_in(s, KMT_BPF_NESTED_RING_BYTES) < KMT_BPF_RECORD_MAX)
		return NULL;
	index -= kmt_config.cpu_numbers;
	ring = bpf_map_lookup_elem(&kmt_nested_rings, &index);
	return ring ? ring + (s->head & (KMT_BPF_NESTED_RING_BYTES - 1)) : NULL;
}

/* x86 keeps stores in order, so it is enough that the compiler does. */
static __always_inline void commit(struct kmt_bpf_state *s, __u64 bytes)
{
	asm volatile("" ::: "memory");
	*(volatile __u64 *)&s->head = s->head + bytes;
}

/* Tasks. */

static __always_inline bool is_in_scope(__u32 tgid)
{
	__u32 zero = 0;
	__u8 *scope;

	if (!kmt_config.pids)
		return true;
	scope = bpf_map_lookup_elem(&kmt_scope, &zero);
	return scope && tgid < kmt_config.pids && scope[tgid];
}

/* Writes whose the next events are. Returns false if there is no room: then the event is lost, and
   the next one tries again. */
static __noinline bool switch_task(struct kmt_bpf_state *s, __u32 index, __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kmt_bpf_task *record;

	if (!s)
		return false;
	record = reserve(s, index);
	if (!record)
		return false;
	s->task = (__u64)task;
	s->task_start_ns = task->start_time;
	s->epoch = epoch;
	s->base_ns = now_ns;
	s->is_counted = is_in_scope(task->tgid);
	record->type = KMT_BPF_TASK;
	record->tgid = task->tgid;
	record->tid = task->pid;
	record->time_ns = now_ns;
	record->start_time_ns = task->group_leader->start_time;
	record->cgroup_id = task->cgroups->dfl_cgrp->kn->id;
	bpf_core_read(record->comm, sizeof(record->comm), &task->comm);
	bpf_core_read(record->leader, sizeof(record->leader), &task->group_leader->comm);
	commit(s, sizeof(*record));
	return true;
}

/* Whether the newest record of a task is still right. */
static __always_inline bool is_same_task(const struct kmt_bpf_state *s,
					 const struct task_struct *task, __u64 now_ns)
{
	return s->task == (__u64)task && s->task_start_ns == task->start_time &&
	       s->epoch == epoch && !((now_ns - s->base_ns) >> 32);
}

/* Which context this is, by the CPU's preemption count. Its symbol may not be in kallsyms, but it
   has a fixed distance from the run queue of the CPU, to which each running task points. */
static __always_inline __u32 context_of(const struct task_struct *task)
{
	enum { IN_SOFTIRQ = 0x100, IN_HARDIRQ_OR_NMI = 0xff0000 };
	const char *run_queue = (const char *)task->se.cfs_rq->rq;
	__s64 distance = kmt_config.preempt_distance;
	__u32 count = 0, softirqs;

	if (bpf_core_type_exists(struct pcpu_hot))
		distance += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	bpf_probe_read_kernel(&count, sizeof(count), run_queue + distance);
	softirqs = bpf_core_field_exists(task->softirq_disable_cnt) ? task->softirq_disable_cnt
								    : count;
	if (count & IN_HARDIRQ_OR_NMI)
		return KMT_CONTEXT_HARDIRQ;
	return softirqs & IN_SOFTIRQ ? KMT_CONTEXT_SOFTIRQ : KMT_CONTEXT_TASK;
}

/* Whether the event is requested; if not, counts it. */
static __always_inline bool select(struct kmt_bpf_state *s, const struct task_struct *task,
				   __u32 context)
{
	if (kmt_config.self && context == KMT_CONTEXT_TASK && task->tgid == kmt_config.self) {
		s->left_out_self++;
		s->passed_over++;
		return false;
	}
	if (kmt_config.pids && !s->is_counted) {
		s->passed_over++;
		return false;
	}
	if (kmt_config.pids && !kmt_config.with_interrupts && context != KMT_CONTEXT_TASK) {
		s->left_out_interrupt++;
		s->passed_over++;
		return false;
	}
	return true;
}

/* Stacks. */

/* A place in a stack: a frame's return address, or where it was interrupted. */
struct place {
	__u64 at;    /* where the return address lies */
	__u64 bp_at; /* where BP was saved: it is seldom needed, so it is read then */
	__u64 ip;
	__u32 key; /* of its rule */
};

/* The stack of an event. */
struct stack {
	__u64 first; /* the first return address of a walk by rules; 0: unknown */
	__u64 hash;  /* 0: not known yet */
	long bytes;  /* of the frames that the kernel found; negative: it did not walk */
};

/* Both walks add their frames to a hash alike, and mix it at the end. */
static __always_inline __u64 add_frame(__u64 hash, __u64 ip)
{
	return hash * 0x1e3779b1 + ip;
}

/* An address as a number. */
static __always_inline __u64 number_of(struct kmt_bpf_state *s, const void *address)
{
	*(const void *volatile *)&s->here = address;
	return *(volatile __u64 *)&s->here;
}

static __always_inline struct kmt_bpf_walk *find_walk(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&kmt_walk, &zero);
}

/* Reads a word of kernel memory; 0: it cannot be read. The cast is no call. */
static __always_inline __u64 load(__u64 address)
{
	return *(const __u64 *)bpf_rdonly_cast((void *)address,
					       bpf_core_type_id_kernel(struct pt_regs));
}

static __always_inline __u64 rule_of(const struct kmt_bpf_walk *walk, __u32 key)
{
	__u32 place = kmt_bpf_rule_place(key);

	for (__u32 i = 0; i < KMT_BPF_RULES_NEAR; i++)
		if ((__u32)walk->rules[place ^ i] == key)
			return walk->rules[place ^ i];
	return 0;
}

static __always_inline void want_rule(struct kmt_bpf_state *s, __u32 key)
{
	s->wanted[s->wanted_head & (KMT_BPF_WANTED - 1)] = key;
	asm volatile("" ::: "memory");
	*(volatile __u64 *)&s->wanted_head = s->wanted_head + 1;
}

enum { STEP_DONE, STEP_WAS_LAST, STEP_UNKNOWN };

/* Steps to code that was interrupted; its registers are here. */
static __always_inline int step_to_interrupted(struct place *p, __u64 regs)
{
	if (load(regs + bpf_core_field_offset(struct pt_regs, cs)) & 3)
		return STEP_WAS_LAST;
	p->ip = load(regs + bpf_core_field_offset(struct pt_regs, ip));
	p->at = load(regs + bpf_core_field_offset(struct pt_regs, sp)) - sizeof(__u64);
	p->bp_at = regs + bpf_core_field_offset(struct pt_regs, bp);
	p->key = (__u32)p->ip ^ KMT_BPF_RULE_RETURN;
	return STEP_DONE;
}

/* Steps from a stack that the compiler aligned. */
static __always_inline void step_by_saved(struct place *p, __u64 distance, __u64 saved)
{
	__u64 bp = load(p->bp_at);

	p->at = load(bp + distance - KMT_BPF_RULE_MIDDLE) - sizeof(__u64);
	p->bp_at = bp + saved - KMT_BPF_RULE_MIDDLE;
}

static __always_inline int step_by(struct place *p, __u64 rule)
{
	__u64 distance = rule >> KMT_BPF_RULE_DISTANCE_SHIFT & KMT_BPF_RULE_DISTANCE_MAX;
	__u64 saved = rule >> KMT_BPF_RULE_SAVED_SHIFT & KMT_BPF_RULE_SAVED_MAX;
	__u32 kind = rule >> KMT_BPF_RULE_KIND_SHIFT;

	if (kind == KMT_BPF_STEP_SP)
		p->at += distance;
	else if (kind == KMT_BPF_STEP_BP)
		p->at = load(p->bp_at) + distance;
	else if (kind == KMT_BPF_STEP_BP_SAVED)
		step_by_saved(p, distance, saved);
	else if (kind == KMT_BPF_STEP_SP_SAVED)
		p->at = load(p->at + sizeof(__u64)) + distance;
	else if (kind == KMT_BPF_STEP_REGS)
		return step_to_interrupted(p, p->at + distance);
	else
		return kind == KMT_BPF_STEP_END ? STEP_WAS_LAST : STEP_UNKNOWN;
	if (saved && kind != KMT_BPF_STEP_BP_SAVED)
		p->bp_at = p->at - saved;
	p->ip = load(p->at);
	p->key = p->ip;
	return STEP_DONE;
}

/* Walks by rules from where the first return address lies. Returns the hash of the frames; 0: the
   kernel has to walk. Verified once, as it is global. */
__noinline __u64 kmt_walk_by_rules(__u32 index, __u64 at, __u64 bp_at)
{
	const struct kmt_bpf_walk *walk = find_walk();
	struct kmt_bpf_state *s = state_of(index);
	struct place p = { .at = at, .bp_at = bp_at };
	__u64 hash = 0, rule;
	int step;

	/* A kernel that lacks the cast verifies this, too. */
	if (!kmt_config.has_rules || !walk || !s)
		return 0;
	p.ip = load(at);
	p.key = p.ip;
	for (__u32 i = 0; i < KMT_BPF_WALK_FRAMES; i++) {
		hash = add_frame(hash, p.ip);
		rule = rule_of(walk, p.key);
		if (!rule) {
			want_rule(s, p.key);
			return 0;
		}
		step = step_by(&p, rule);
		if (step == STEP_WAS_LAST)
			return add(hash, 0);
		if (step == STEP_UNKNOWN)
			return 0;
	}
	return 0;
}

/* Returns the hash of the frames that the kernel has just found, from the first one that a walk by
   rules finds; 0: it found none. */
__noinline __u64 kmt_hash_of_frames(__u32 index, long bytes, __u64 first)
{
	const struct kmt_bpf_state *s = state_of(index);
	__u64 hash = 0;

	if (!s || bytes <= 0)
		return 0;
	for (__u32 i = 0; i < KMT_BPF_FRAMES && i < (__u64)bytes / 8; i++) {
		if (s->frames[i] == first)
			hash = first = 0;
		hash = add_frame(hash, s->frames[i]);
	}
	return add(hash, 0);
}

/* From now on the kernel walks, on all CPUs. */
static __always_inline void end_own_walks(struct kmt_bpf_state *s)
{
	struct kmt_bpf_walk *walk = find_walk();

	s->walks_different++;
	if (walk)
		walk->is_on = 0;
}

/* Lets the kernel walk, and compares what it finds with an own walk if there was one. */
static __always_inline void let_kernel_walk(void *ctx, struct kmt_bpf_state *s, __u32 index,
					    struct stack *stack)
{
	__u64 own = stack->hash;

	stack->bytes = bpf_get_stack(ctx, s->frames, sizeof(s->frames), 0);
	if (stack->bytes < 0)
		stack->bytes = 0;
	stack->hash = kmt_hash_of_frames(index, stack->bytes, stack->first);
	if (!own || !stack->hash)
		return;
	s->walks_compared++;
	if (stack->hash != own)
		end_own_walks(s);
}

static __always_inline void walk_stack(void *ctx, struct kmt_bpf_state *s, __u32 index,
				       const struct alloc *a, __u64 now_ns, struct stack *stack)
{
	const struct kmt_bpf_walk *walk = kmt_config.has_rules ? find_walk() : NULL;
	__u32 source = a->source == KMT_SOURCE_CACHE, draw = (__u32)now_ns * 0x9e3779b1U;
	__u64 context;

	if (walk && walk->is_on) {
		context = number_of(s, ctx);
		stack->first = load(context + walk->starts[source].at);
		stack->hash = kmt_walk_by_rules(index, context + walk->starts[source].at,
						context + walk->starts[source].bp_at);
		if (stack->hash && draw > kmt_config.compared_max)
			return;
		s->walks_by_kernel += !stack->hash;
	}
	let_kernel_walk(ctx, s, index, stack);
}

/* Origins. */

static __always_inline void name_cache(struct kmt_bpf_origin *record, const struct alloc *a)
{
	const struct kmem_cache *cache = (const void *)a->cache;
	long length;

	record->name_bytes = record->object_bytes = record->slot_bytes = 0;
	if (kmt_config.finds_caches && !cache)
		cache = bpf_get_kmem_cache(a->pointer);
	if (!cache)
		return;
	length = bpf_probe_read_kernel_str(record->name, sizeof(record->name),
					   BPF_CORE_READ(cache, name));
	record->name_bytes = length > 1 ? length - 1 : 0;
	record->object_bytes = BPF_CORE_READ(cache, object_size);
	record->slot_bytes = BPF_CORE_READ(cache, size);
}

/* Writes what this number of an origin means from now on. Returns false if there is no room. */
static __noinline bool define(struct kmt_bpf_state *s, const struct alloc *a, __u32 index,
			      __u32 origin, __u64 bytes)
{
	struct kmt_bpf_origin *record;

	if (!s || !a)
		return false;
	record = reserve(s, index);
	if (!record || bytes > sizeof(s->frames))
		return false;
	record->type = KMT_BPF_ORIGIN;
	record->source = a->source;
	record->origin = origin;
	record->depth = bytes >> 3;
	record->node = a->node;
	record->call_site = a->call_site;
	record->gfp_flags = a->gfp_flags;
	name_cache(record, a);
	record->bytes_requested = a->cache ? record->object_bytes : a->bytes_requested;
	record->bytes_allocated = a->cache ? record->slot_bytes : a->bytes_allocated;
	if (bytes)
		bpf_probe_read_kernel(record->frames, bytes, s->frames);
	commit(s, sizeof(*record) + (bytes & ~7ULL));
	return true;
}

static __always_inline __u64 key_of(const struct alloc *a, __u64 stack_hash)
{
	__u64 key = add(stack_hash, a->call_site);

	key = add(key, a->bytes_requested);
	key = add(key, a->bytes_allocated ^ a->cache);
	return add(key, (__u64)a->node << 40 ^ (__u64)a->source << 32 ^ a->gfp_flags);
}

/* Returns the number of the event's origin; negative: it is not defined. */
static __always_inline long find_origin(const struct kmt_bpf_state *s, __u64 key)
{
	__u32 origin = key >> (64 - KMT_BPF_ORIGINS_BITS);

	for (__u32 i = 0; i < 4; i++)
		if (s->keys[(origin ^ i) & (KMT_BPF_ORIGINS - 1)] == key)
			return origin ^ i;
	return -1;
}

/* Defines an origin under one of four numbers, in turn. Returns a negative number if there is no
   room. */
static __always_inline long define_origin(struct kmt_bpf_state *s, const struct alloc *a,
					  __u32 index, __u64 key, __u64 bytes)
{
	__u32 origin = key >> (64 - KMT_BPF_ORIGINS_BITS);

	origin = (origin ^ (s->defined & 3)) & (KMT_BPF_ORIGINS - 1);
	if (!define(s, a, index, origin, bytes))
		return -1;
	s->defined++;
	s->keys[origin] = key;
	return origin;
}

/* Returns the number of the event's origin; negative: there was no room to define it. Its frames
   are always the kernel's, so each new stack compares both walks. */
static __always_inline long origin_of(void *ctx, struct kmt_bpf_state *s, __u32 index,
				      const struct alloc *a, struct stack *stack)
{
	__u64 key = key_of(a, stack->hash);
	long origin = find_origin(s, key);

	if (origin >= 0)
		return origin;
	if (stack->bytes < 0) {
		let_kernel_walk(ctx, s, index, stack);
		key = key_of(a, stack->hash);
		origin = find_origin(s, key);
	}
	return origin >= 0 ? origin : define_origin(s, a, index, key, stack->bytes);
}

/* Events. */

/* Returns false if the event was lost. */
static __always_inline bool record(void *ctx, struct kmt_bpf_state *s, __u32 index,
				   const struct alloc *a, __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 context = context_of(task);
	struct stack stack = { .bytes = kmt_config.with_stacks ? -1 : 0 };
	struct kmt_bpf_event *event;
	long origin;

	if (!is_same_task(s, task, now_ns) && !switch_task(s, index, now_ns))
		return false;
	if (!select(s, task, context))
		return true;
	if (kmt_config.with_stacks)
		walk_stack(ctx, s, index, a, now_ns, &stack);
	origin = origin_of(ctx, s, index, a, &stack);
	if (origin < 0)
		return false;
	event = reserve(s, index);
	if (!event)
		return false;
	*(__u64 *)event =
		(now_ns - s->base_ns) << 32 | (__u64)origin << 16 | context << 8 | KMT_BPF_ALLOC;
	event->pointer = a->pointer;
	commit(s, sizeof(*event));
	return true;
}

static __always_inline bool is_inner(const struct alloc *a)
{
	if (!kmt_config.inner_count || a->bytes_requested < kmt_config.inner_bytes_min)
		return false;
	for (int i = 0; i < KMT_BPF_INNER_MAX; i++)
		if (a->call_site >= kmt_config.inner[i].start &&
		    a->call_site < kmt_config.inner[i].end)
			return true;
	return false;
}

/* Takes a state: interrupts end before what they interrupt goes on, so a look and a store do. */
static __always_inline bool take(struct kmt_bpf_state *s)
{
	if (!s || s->is_busy)
		return false;
	*(volatile __u64 *)&s->is_busy = 1;
	return true;
}

static __always_inline int on_alloc(void *ctx, const struct alloc *a)
{
	__u32 index = bpf_get_smp_processor_id();
	struct kmt_bpf_state *outer = state_of(index), *s = outer;
	__u64 now_ns = bpf_ktime_get_ns();

	if (!outer || is_inner(a))
		return 0;
	if (!take(s)) {
		index += kmt_config.cpu_numbers;
		s = state_of(index);
		if (!s || !take(s)) {
			outer->lost++;
			return 0;
		}
	}
	if (!record(ctx, s, index, a, now_ns))
		s->lost++;
	/* Not the first run, which finds all things cold. */
	if (s->runs++ % KMT_BPF_RUNS_MEASURED == KMT_BPF_RUNS_MEASURED / 2)
		s->cost_ns += (bpf_ktime_get_ns() - now_ns) * KMT_BPF_RUNS_MEASURED;
	*(volatile __u64 *)&s->is_busy = 0;
	return 0;
}

SEC("raw_tp/kmalloc") int kmt_kmalloc(__u64 *ctx)
{
	const struct alloc a = {
		.call_site = ctx[0],
		.pointer = ctx[1],
		.bytes_requested = ctx[2],
		.bytes_allocated = ctx[3],
		.gfp_flags = ctx[4],
		.node = ctx[5],
		.source = KMT_SOURCE_KMALLOC,
	};

	return on_alloc(ctx, &a);
}

SEC("raw_tp/kmem_cache_alloc") int kmt_cache_alloc(__u64 *ctx)
{
	const struct alloc a = {
		.call_site = ctx[0],
		.pointer = ctx[1],
		.cache = ctx[2],
		.gfp_flags = ctx[3],
		.node = ctx[4],
		.source = KMT_SOURCE_CACHE,
	};

	return on_alloc(ctx, &a);
}

/* Before a run: what walks by rules need. */

/* Measures where a walk starts: a program's context is at a constant distance from the stack of
   who called it, which depends on how the kernel was compiled. */
static __always_inline int measure(const void *ctx, __u32 source)
{
	struct kmt_bpf_walk *walk = find_walk();
	const void *frame;

	if (!walk || bpf_get_current_pid_tgid() >> 32 != kmt_config.starter)
		return 0;
	asm volatile("%0 = r10" : "=r"(frame));
	*(const void *volatile *)&walk->measured[source].frame = frame;
	*(const void *volatile *)&walk->measured[source].context = ctx;
	bpf_probe_read_kernel(&walk->measured[source].caller, sizeof(__u64), frame + sizeof(__u64));
	return 0;
}

SEC("raw_tp/kmalloc") int kmt_measure_kmalloc(__u64 *ctx)
{
	return measure(ctx, 0);
}

SEC("raw_tp/kmem_cache_alloc") int kmt_measure_cache_alloc(__u64 *ctx)
{
	return measure(ctx, 1);
}

/* Copies kernel memory: its arguments are an address and a number of bytes. */
SEC("raw_tp") int kmt_read(const __u64 *ctx)
{
	struct kmt_bpf_walk *walk = find_walk();
	__u64 address = ctx[0], bytes = ctx[1];

	if (!walk || bytes > sizeof(walk->rules))
		return -1;
	return bpf_probe_read_kernel(walk->rules, bytes, (void *)address);
}

/* What may change for a task. */

/* Another name, by execve() or prctl(). */
SEC("raw_tp/task_rename") int kmt_rename(void *ctx)
{
	epoch++;
	return 0;
}

SEC("raw_tp/cgroup_attach_task") int kmt_attach(void *ctx)
{
	epoch++;
	return 0;
}

/* A new process: is counted if its parent is and that is requested. Its number may have belonged to
   one that is gone. */
SEC("raw_tp/sched_process_fork") int kmt_fork(__u64 *ctx)
{
	const struct task_struct *child = (const void *)ctx[1];
	__u32 tgid = BPF_CORE_READ(child, tgid), zero = 0;
	struct task_struct *parent = bpf_get_current_task_btf();
	__u8 *scope = bpf_map_lookup_elem(&kmt_scope, &zero);

	if (!scope || tgid == parent->tgid || tgid >= kmt_config.pids)
		return 0;
	scope[tgid] = kmt_config.inherits && is_in_scope(parent->tgid);
	return 0;
}
