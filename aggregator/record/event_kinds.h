/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What events are: their allocators, kinds and contexts, and the limits of their names and stacks.
 * The numbers are those of the stream (format.h), and most of the program uses them; how they are
 * written does not concern it. The build copies this header, too, into the tapset.
 */
#ifndef KMT_RECORD_EVENT_KINDS_H
#define KMT_RECORD_EVENT_KINDS_H

enum {
	KMT_STACK_DEPTH_MAX = 128,     /* frames of one stack record */
	KMT_COMM_BYTES = 16,           /* TASK_COMM_LEN */
	KMT_CACHE_NAME_BYTES_MAX = 64, /* longer names are cut */
	KMT_NONE = 0xffff,             /* index of an absent definition, as in "no stack" */
};

enum {
	KMT_STACK_TRUNCATED = 1, /* depth limit reached: callers may be missing */
	KMT_STACK_WITH_DATA = 2, /* the first frame is data: an address that the hit is about */
};

/* The allocator of an origin's events. */
enum KmtSource {
	KMT_SOURCE_KMALLOC = 1,
	KMT_SOURCE_CACHE = 2, /* kmem_cache_alloc and its variants */
	KMT_SOURCE_PAGE = 3,  /* the page allocator */
	/* 4 is unused: see KMT_EVENTS_FREE. */
	KMT_SOURCE_PERCPU = 5,  /* alloc_percpu and its variants; bytes are those of all CPUs */
	KMT_SOURCE_VMALLOC = 6, /* ranges of the vmalloc area */
	KMT_SOURCE_POINT = 7,   /* no allocator: a probe point; not in streams */
};

/* How an origin's objects were freed, or who allocated them. */
enum KmtOriginKind {
	KMT_KIND_NONE = 0,  /* an allocation; a free of which no more is recorded */
	KMT_KIND_KFREE = 1, /* kfree */
	KMT_KIND_CACHE = 2, /* kmem_cache_free */
	/* Passed to kfree_rcu: freed later. kfree may be recorded for the same object then. */
	KMT_KIND_RCU = 3,
	KMT_KIND_BULK = 4,  /* kmem_cache_free_bulk */
	KMT_KIND_PAGE = 5,  /* pages; their origin has their bytes */
	KMT_KIND_RANGE = 6, /* free_percpu, or the end of a vmalloc range */
	/* An allocation by the collector's own processes. It does not count; it is recorded only
	   if frees are, which may be of its object. */
	KMT_KIND_OWN = 16,
};

/* Whether the source's objects can belong to slab caches. */
#define KMT_SOURCE_HAS_CACHES(source) ((source) <= KMT_SOURCE_CACHE)

/* The observed events, one bit each: allocations by source, and all frees. */
#define KMT_EVENTS_OF(source) (1U << ((source)-1))
#define KMT_EVENTS_FREE (1U << 3)

/* Context of an event, in the two upper bits of KmtEvent.when. */
enum KmtContext { KMT_CONTEXT_TASK = 0, KMT_CONTEXT_SOFTIRQ = 1, KMT_CONTEXT_HARDIRQ = 2 };
enum { KMT_CONTEXTS = 4, KMT_CONTEXT_SHIFT = 30 };
#define KMT_TIME_MASK 0x3fffffffU /* lower 30 bits: ns since base_time_ns; at most 1.07 s */

enum { KMT_COLUMNS_BYTES_MAX = 1024 }; /* longer text is cut */

#endif
