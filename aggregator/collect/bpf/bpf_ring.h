/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/types.h>

/*
 * What the BPF programs (kmt.bpf.c) and their reader share: the state and the ring of a CPU, and
 * the records in it.
 *
 * Each CPU has two states with a ring each: the second one serves an event in an interrupt that
 * came while another program of ours was at work on this CPU. A ring is memory that the reader
 * maps. Only its CPU writes head, only the reader writes tail. Records never wrap: behind the ring
 * there is room for the longest one.
 */
enum {
	KMT_BPF_FRAMES = 127, /* kernel.perf_event_max_stack, by default */
	KMT_BPF_ORIGINS_BITS = 12,
	KMT_BPF_ORIGINS = 1 << KMT_BPF_ORIGINS_BITS, /* that a state knows at a time */
	KMT_BPF_NAME_BYTES = 64,
	KMT_BPF_COMM_BYTES = 16,
	KMT_BPF_RECORD_MAX = 1280,
	KMT_BPF_NESTED_RING_BYTES = 1 << 17,
	KMT_BPF_INNER_MAX = 4,
	KMT_BPF_RUNS_MEASURED = 64, /* the time of one of so many runs is taken */
	KMT_BPF_WANTED = 64,        /* keys of rules that a state keeps; a power of two */
};

/* The types of records. Each begins with its type. */
enum {
	KMT_BPF_TASK = 1,   /* whose the events are that follow */
	KMT_BPF_ORIGIN = 2, /* what an origin's number means from now on */
	KMT_BPF_ALLOC = 3,
};

struct kmt_bpf_event {
	__u8 type;
	__u8 context; /* enum KmtContext */
	__u16 origin;
	__u32 since_ns; /* since the time of the task's record */
	__u64 pointer;
};

struct kmt_bpf_task {
	__u8 type;
	__u8 reserved[7];
	__u32 tgid;
	__u32 tid;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 start_time_ns;
	__u64 cgroup_id;
	char comm[KMT_BPF_COMM_BYTES];
	char leader[KMT_BPF_COMM_BYTES];
};

struct kmt_bpf_origin {
	__u8 type;
	__u8 source; /* enum KmtSource */
	__u16 origin;
	__u16 depth;
	__s16 node;
	__u64 call_site;
	__u64 bytes_requested;
	__u64 bytes_allocated;
	__u32 gfp_flags;
	__u32 object_bytes; /* of the cache, as the next one */
	__u32 slot_bytes;
	__u32 name_bytes; /* 0: the cache is unknown */
	char name[KMT_BPF_NAME_BYTES];
	__u64 frames[]; /* innermost first; those of tracers come first */
};

/* The state of a CPU. Numbers that count never decrease. */
struct kmt_bpf_state {
	__u64 head;
	__u64 is_busy;
	__u64 task, task_start_ns, epoch; /* of the newest record of a task */
	__u64 base_ns;                    /* ... its time */
	__u64 is_counted;                 /* ... its events are requested */
	__u64 defined;                    /* origins */
	/* Events that were not written: no room in the ring, or both states were busy ... */
	__u64 lost;
	__u64 left_out_self, left_out_interrupt;
	__u64 passed_over; /* ... or of other tasks than requested */
	__u64 runs;
	__u64 cost_ns; /* estimated */
	/* Walks of stacks. */
	__u64 here; /* to make a number of an address */
	__u64 walks_by_kernel, walks_compared, walks_different;
	__u64 wanted_head; /* rules that were missing */
	__u32 wanted[KMT_BPF_WANTED];
	__u64 tail __attribute__((aligned(64)));
	__u64 keys[KMT_BPF_ORIGINS] __attribute__((aligned(64)));
	__u64 frames[KMT_BPF_FRAMES];
};

/* Set before the programs are loaded: what is not wanted costs nothing. */
struct kmt_bpf_config {
	__u64 ring_bytes;  /* of a CPU; a power of two */
	__u32 cpu_numbers; /* states: this many, then those for interrupts */
	__u32 self;        /* tgid whose events are left out; 0: none */
	__u32 pids;        /* bytes in kmt_scope; 0: all tasks are counted */
	__u8 with_stacks;
	__u8 with_interrupts; /* of counted tasks */
	__u8 inherits;        /* children of counted processes are counted, too */
	__u8 finds_caches;    /* the kernel has bpf_get_kmem_cache() */
	__u8 has_rules;       /* the programs may walk stacks, by the rules of bpf_walk.h */
	/* A walk is compared with the kernel's if a random number is at most this. */
	__u32 compared_max;
	__u32 starter; /* tgid of the program */
	/* Of a CPU's __preempt_count, or of pcpu_hot, from its run queue. */
	__s64 preempt_distance;
	/* Inner events of large allocations: see InnerKmallocs. */
	__u64 inner_bytes_min;
	__u64 inner_count;
	struct {
		__u64 start, end;
	} inner[KMT_BPF_INNER_MAX];
};
