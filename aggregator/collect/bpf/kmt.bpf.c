/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs. At each allocation: whose it is, the kernel walks the stack, the origin (stack,
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

extern struct kmem_cache *bpf_get_kmem_cache(__u64 address) __ksym __weak;

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

/* Returns the hash of the frames that the kernel has just found. Verified once, as it is global. */
__noinline __u64 kmt_hash_of_frames(__u32 index, long bytes)
{
	const struct kmt_bpf_state *s = state_of(index);
	__u64 hash = bytes;

	if (!s)
		return 0;
	for (__u32 i = 0; i < KMT_BPF_FRAMES && i < (__u64)bytes / 8; i++)
		hash = add(hash, s->frames[i]);
	return hash;
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

/* Finds the number of the event's origin, else defines it under one of four, in turn. Returns a
   negative number if there is no room. */
static __always_inline long find_origin(struct kmt_bpf_state *s, const struct alloc *a, __u32 index,
					__u64 key, __u64 bytes)
{
	__u32 origin = key >> (64 - KMT_BPF_ORIGINS_BITS), i;

	for (i = 0; i < 4; i++)
		if (s->keys[(origin ^ i) & (KMT_BPF_ORIGINS - 1)] == key)
			return origin ^ i;
	origin = (origin ^ (s->defined & 3)) & (KMT_BPF_ORIGINS - 1);
	if (!define(s, a, index, origin, bytes))
		return -1;
	s->defined++;
	s->keys[origin] = key;
	return origin;
}

/* Events. */

/* Returns false if the event was lost. */
static __always_inline bool record(void *ctx, struct kmt_bpf_state *s, __u32 index,
				   const struct alloc *a, __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 context = context_of(task);
	struct kmt_bpf_event *event;
	long bytes = 0, origin;
	__u64 hash = 0;

	if (!is_same_task(s, task, now_ns) && !switch_task(s, index, now_ns))
		return false;
	if (!select(s, task, context))
		return true;
	if (kmt_config.with_stacks) {
		bytes = bpf_get_stack(ctx, s->frames, sizeof(s->frames), 0);
		if (bytes < 0)
			bytes = 0;
		hash = kmt_hash_of_frames(index, bytes);
	}
	origin = find_origin(s, a, index, key_of(a, hash), bytes);
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
	if (!(s->runs++ % KMT_BPF_RUNS_MEASURED))
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
