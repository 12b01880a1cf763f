/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The native record stream: what the emitter in the kernel writes and the aggregator reads.
 *
 * This header is compiled twice, into the program and (copied by the build into the tapset) into
 * the kernel module, so it holds fixed-width types and constants only. doc/RECORD_FORMAT.md is
 * its prose; a reader of another language needs nothing but that page.
 *
 * A stream is a sequence of batches. Each batch is one header, its content and one trailer, all
 * in the writer's byte order, and can be decoded without any other batch: a lost batch loses only
 * itself. Between batches there may be up to 15 bytes of zeros (transport padding).
 */
#ifndef KMT_RECORD_FORMAT_H
#define KMT_RECORD_FORMAT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define KMT_MAGIC 0x31524d4bU     /* "KMR1" in a little-endian stream, "1RMK" in a big-endian one */
#define KMT_END_MAGIC 0x45524d4bU /* first word of the trailer: marks a whole batch */

enum {
	KMT_VERSION = 1,
	KMT_FIELD_SET = 1,
	KMT_RECORD_UNIT_BYTES = 8, /* record lengths are counted in these */
	KMT_BATCH_BYTES_MAX =
		1 << 20, /* a longer batch is damaged; the emitter stays below 8 KiB */
	KMT_PADDING_BYTES_MAX = 15,
	KMT_STACK_DEPTH_MAX = 128,     /* frames of one stack record */
	KMT_DEFINITIONS_MAX = 4096,    /* stacks, or origins, of one batch */
	KMT_COMM_BYTES = 16,           /* TASK_COMM_LEN */
	KMT_CACHE_NAME_BYTES_MAX = 64, /* a longer name is cut */
	KMT_NONE = 0xffff,             /* "no stack": the index of a definition that is absent */
};

#define KMT_CPU_NONE 0xffffffffU /* a batch written by the program, not by a CPU's emitter */
#define KMT_NOT_MEASURED 0xffffffffffffffffULL /* as KmtHeartbeat.probe_ns */

/* What a batch contains. A reader skips and counts the kinds it does not know. */
enum KmtBatchKind {
	KMT_BATCH_EVENTS = 1, /* records of one CPU: definitions, events, heartbeats */
	KMT_BATCH_INFO = 2, /* KMT_RECORD_FIELD records: what is known of the host and of the run */
	KMT_BATCH_SYMBOLS = 3, /* struct KmtText + lines as in /proc/kallsyms */
	KMT_BATCH_MODULES = 4, /* struct KmtText + lines "NAME BYTES ADDRESS BUILD-ID" */
	/* struct KmtText + a line per slab cache, its names parted by tabs: merged caches have many
	 */
	KMT_BATCH_CACHE_NAMES = 5,
	/* struct KmtText + lines as in /proc/slabinfo; epoch: enum KmtReading */
	KMT_BATCH_SLABINFO = 6,
	KMT_BATCH_CGROUPS = 7, /* struct KmtText + lines "CGROUP-ID PATH" */
	/* struct KmtText + lines as in /proc/meminfo; epoch: enum KmtReading */
	KMT_BATCH_MEMINFO = 8,
	/* struct KmtText + a line per slab cache with SLAB_RECLAIM_ACCOUNT: its name */
	KMT_BATCH_RECLAIMABLE = 9,
};

/*
 * Header of every batch. The counters are cumulative since the start of the run and belong to
 * this CPU, so any later batch shows the exact loss of all earlier ones:
 * events lost = events_total of the newest batch - events decoded.
 */
struct KmtBatchHeader {
	uint32_t magic;
	uint8_t version;
	uint8_t word_bytes;    /* of an address on the recorded host: 4 or 8 */
	uint16_t header_bytes; /* the content begins here; a newer writer may append fields */
	uint32_t batch_bytes;  /* header, content and trailer; a multiple of 8 */
	uint8_t kind;          /* enum KmtBatchKind */
	uint8_t heartbeats;    /* records of that type in this batch */
	uint16_t field_set;
	uint32_t cpu;
	uint32_t batch_number;      /* per CPU, from 0 */
	uint64_t base_time_ns;      /* CLOCK_MONOTONIC; event times count from here */
	uint64_t frame_base;        /* added to the frames of KMT_RECORD_STACK4 */
	uint32_t events;            /* in this batch: a record each, but KmtRepeated */
	uint32_t sampling_period;   /* every event of this batch stands for so many, but those
				       with a weight; 1: all came */
	uint64_t events_total;      /* produced so far, those of this batch included */
	uint64_t dropped_reentrant; /* not produced: this CPU's buffer was busy */
	uint64_t left_out_self;     /* not produced: allocations of the collector's own processes */
	uint64_t left_out_interrupt; /* not produced: softirq and hardirq, under a process filter */
};

struct KmtBatchTrailer {
	uint32_t end_magic;
	uint32_t batch_number; /* as in the header */
};

/* Every record starts with these four bytes, so that unknown ones can be skipped. */
struct KmtRecordHead {
	uint8_t type;   /* enum KmtRecordType */
	uint8_t units;  /* length of the record, this head included, in KMT_RECORD_UNIT_BYTES; not 0
			 */
	uint16_t index; /* of the definition, or the origin an event refers to */
};

/*
 * Definitions come before their first use in the same batch and are numbered 0, 1, 2 ... per
 * type. A task definition is also "in force": the events after it are that task's.
 */
enum KmtRecordType {
	KMT_RECORD_PAD = 0,
	KMT_RECORD_TASK = 1, /* struct KmtTask; index: its number */
	KMT_RECORD_TASK_USE =
		2,             /* head only + 4 bytes; index: the task that is in force from here */
	KMT_RECORD_STACK4 = 3, /* struct KmtStack + frames of 4 bytes, relative to frame_base */
	KMT_RECORD_STACK8 = 4, /* struct KmtStack + frames of 8 bytes */
	KMT_RECORD_ORIGIN = 5, /* struct KmtOrigin */
	KMT_RECORD_ALLOC = 6,  /* struct KmtEvent; index: its origin */
	KMT_RECORD_FREE = 7,   /* struct KmtEvent; index: its origin */
	KMT_RECORD_HEARTBEAT = 8, /* struct KmtHeartbeat */
	KMT_RECORD_FIELD = 9,     /* struct KmtField + value; index: enum KmtFieldId */
	KMT_RECORD_CACHE = 10,    /* struct KmtCache + name; index: its number */
	KMT_RECORD_WEIGHTED = 11, /* struct KmtWeighted: an event that stands for many */
	KMT_RECORD_REPEATED = 12, /* struct KmtRepeated: many events; index: their origin */
	KMT_RECORD_SAMPLED = 13,  /* struct KmtSampled: an event with a weight; index: its origin */
};

struct KmtTask {
	struct KmtRecordHead head;
	uint32_t tgid;
	uint32_t tid;
	uint32_t reserved;
	uint64_t start_time_ns; /* of the process, CLOCK_MONOTONIC: shows a reused pid */
	uint64_t cgroup_id;     /* 0: not recorded */
	char comm[KMT_COMM_BYTES];
	/* Name of the process: of its leader (tid == tgid). The first byte is 0 where it is not
	   known. Recordings of 0.1 end the record before it. */
	char leader[KMT_COMM_BYTES];
};

enum { KMT_STACK_TRUNCATED = 1 }; /* the depth limit was reached: callers may be missing */

struct KmtStack {
	struct KmtRecordHead head;
	uint16_t depth; /* frames that follow, innermost first */
	uint16_t flags;
};

/* Which allocator an origin's events passed through. */
enum KmtSource {
	KMT_SOURCE_KMALLOC = 1,
	KMT_SOURCE_CACHE = 2, /* kmem_cache_alloc and its variants */
	KMT_SOURCE_PAGE = 3,  /* the page allocator */
			      /* 4 is left out: see KMT_EVENTS_FREE. */
};

/* Whether a source's objects are of slab caches. */
#define KMT_SOURCE_HAS_CACHES(source) ((source) <= KMT_SOURCE_CACHE)

/* What is observed, a bit each: the allocations of a source, and the frees of all. */
#define KMT_EVENTS_OF(source) (1U << ((source)-1))
#define KMT_EVENTS_FREE (1U << 3)

/*
 * A slab cache, by the name that the kernel's structure has: of merged caches the one that was
 * created first; a per-cgroup copy of older kernels has "(ID:CGROUP)" behind it. kmalloc of whole
 * pages has the name "kmalloc-large" and no sizes. The name follows, without a NUL; any bytes.
 */
struct KmtCache {
	struct KmtRecordHead head;
	uint32_t object_bytes; /* of an object as asked for; 0: not known */
	uint32_t slot_bytes;   /* what it takes in its slab; 0: not known */
	uint16_t name_bytes;   /* 1 to KMT_CACHE_NAME_BYTES_MAX */
	uint16_t reserved;
};

/* What repeats together. Sizes of a free are 0: the tracepoints do not have them. */
struct KmtOrigin {
	struct KmtRecordHead head;
	uint16_t stack; /* index of a stack of this batch, or KMT_NONE */
	uint16_t cache; /* index of a cache of this batch, or KMT_NONE: it is not known */
	uint64_t call_site;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint32_t gfp_flags; /* as on the recorded kernel */
	int16_t node;       /* asked for; -1: any */
	uint8_t source;     /* enum KmtSource */
	uint8_t reserved;
};

/* Context of an event, in the two upper bits of KmtEvent.when. */
enum KmtContext { KMT_CONTEXT_TASK = 0, KMT_CONTEXT_SOFTIRQ = 1, KMT_CONTEXT_HARDIRQ = 2 };
enum { KMT_CONTEXTS = 4, KMT_CONTEXT_SHIFT = 30 };
#define KMT_TIME_MASK 0x3fffffffU /* lower 30 bits: ns since base_time_ns; at most 1.07 s */

struct KmtEvent {
	struct KmtRecordHead head;
	uint32_t when;
	uint64_t pointer; /* an allocation that failed has 0 */
};

/* A KmtEvent that stands for weight equal ones: imported sums, sampled sources. */
struct KmtWeighted {
	struct KmtRecordHead head;
	uint32_t when;
	uint64_t weight;
};

/* A KmtEvent that stands for as many as it says, whatever the batch's period. */
struct KmtSampled {
	struct KmtRecordHead head;
	uint32_t when;
	uint64_t pointer; /* as in KmtEvent */
	uint32_t weight;
	uint32_t flags; /* enum KmtSampledFlags */
};

enum KmtSampledFlags { KMT_SAMPLED_FREE = 1 }; /* a free; else an allocation */

/*
 * Allocations that succeeded and differ in time and pointer only, in one record where nobody asks
 * for these. The batch's header counts each of them. What another task or context allocated
 * between them comes after this record.
 */
struct KmtRepeated {
	struct KmtRecordHead head;
	uint32_t when; /* of the first */
	uint32_t events;
	uint32_t span_ns; /* from the first to the last */
};

/*
 * The state of one CPU at complete_until_ns: no event of this CPU before that time will follow.
 * skipped, errors and transport_failures count for all CPUs together (SystemTap keeps them so).
 */
struct KmtHeartbeat {
	struct KmtRecordHead head;
	uint32_t reserved;
	uint64_t complete_until_ns;
	uint64_t skipped;            /* probe hits that SystemTap skipped */
	uint64_t errors;             /* soft errors of the probe module */
	uint64_t transport_failures; /* messages that found the transport buffer full */
	uint64_t probe_ns; /* time spent in this CPU's probes since the start, estimated, or
			      KMT_NOT_MEASURED */
};

struct KmtField {
	struct KmtRecordHead head;
	uint32_t value_bytes; /* of the value that follows, without its padding to 8 */
};

/* What is known of the host and of the run. Numbers are 8 bytes; text is UTF-8 without a NUL. */
enum KmtFieldId {
	KMT_FIELD_MONOTONIC_NS = 1,   /* number: one instant on both clocks ... */
	KMT_FIELD_REALTIME_NS = 2,    /* number: ... this one since 1970 */
	KMT_FIELD_RELEASE = 3,        /* text: uname -r */
	KMT_FIELD_VERSION = 4,        /* text: uname -v */
	KMT_FIELD_HOST = 5,           /* text: uname -n */
	KMT_FIELD_ARCH = 6,           /* text: uname -m */
	KMT_FIELD_BOOT_ID = 7,        /* text */
	KMT_FIELD_PAGE_BYTES = 8,     /* number */
	KMT_FIELD_CPUS_ONLINE = 9,    /* number */
	KMT_FIELD_CPUS_POSSIBLE = 10, /* number */
	KMT_FIELD_TEXT_START = 11,    /* number: kernel text, first address */
	KMT_FIELD_TEXT_END = 12,      /* number: ... and the address after the last */
	KMT_FIELD_COLLECTOR = 13,     /* text: "SystemTap 5.6" */
	KMT_FIELD_PROGRAM = 14,       /* text: "kmalloc-top 0.1" */
	KMT_FIELD_COMMAND_LINE = 15,  /* text: how the program was called */
	KMT_FIELD_EVENTS = 16,        /* text: "kmalloc,cache" */
	KMT_FIELD_COVERED = 17,       /* text: allocator paths that the probes see on this kernel */
	KMT_FIELD_NOT_COVERED = 18,   /* text: ... and those that they do not */
	KMT_FIELD_SCOPE = 19,         /* text: "host", "command", "window" or "pids" */
	KMT_FIELD_SCOPE_PIDS = 20,    /* text: "12,34" */
	KMT_FIELD_WITH_INTERRUPTS = 21, /* number: 1: counted under a process filter */
	KMT_FIELD_STACK_DEPTH = 22,     /* number: frames asked for; 0: call sites only */
	KMT_FIELD_GFP_DMA = 23,         /* number: the bit's value on this kernel */
	KMT_FIELD_GFP_RECLAIMABLE = 24, /* number */
	KMT_FIELD_GFP_ACCOUNT = 25,     /* number */
	KMT_FIELD_WINDOW_START_NS = 26, /* number, monotonic: earlier events do not count */
	KMT_FIELD_WINDOW_END_NS = 27,   /* number, monotonic: later events do not count */
	KMT_FIELD_COMMAND = 28,         /* text: the profiled command */
	KMT_FIELD_COMMAND_STATUS = 29,  /* number: its wait status; absent: it was still running */
	KMT_FIELD_RUN_START_NS = 30,    /* number, monotonic: the probes were live */
	KMT_FIELD_RUN_END_NS = 31,      /* number, monotonic: the end that was asked for */
	KMT_FIELD_SKIPPED = 32, /* number: skipped probes, as the collector said at its end */
	KMT_FIELD_TRANSPORT_LOST = 33, /* number: messages lost, as the collector said at its end */
	KMT_FIELD_DAMAGED_BYTES = 34,  /* number: input that the live reader could not read */
	KMT_FIELD_BOUND = 35,          /* text: the bound that ended the run early */
	KMT_FIELD_ADDRESSES_HIDDEN = 36, /* number: 1: kernel addresses were not readable */
	KMT_FIELD_BUFFER_BYTES = 37,     /* number: transport memory of all CPUs */
	KMT_FIELD_COMPLETE = 38, /* number: 1: last field of a recording that was closed in order */
	KMT_FIELD_SELF_INCLUDED = 39,   /* number: 1: the collector's own processes were counted */
	KMT_FIELD_COUNTED_TO_END = 40,  /* number: 1: batches of counters alone show how much was in
					   last batches that did not come; 0: it is not known */
	KMT_FIELD_SAMPLING_PERIOD = 41, /* number: one of so many events was asked for */
	KMT_FIELD_OVERHEAD_PERCENT_MAX = 42, /* number: of a CPU's time, above which it takes
						fewer events; 0: no bound */
	KMT_FIELD_UNTRACED_NS = 43, /* number: how long CPUs were online, but not traced; the sum */
	KMT_FIELD_UNTRACED_CPUS = 44,  /* text: the CPUs of which that is the time */
	KMT_FIELD_CLOCK = 45,          /* text: the clock of all times; absent: CLOCK_MONOTONIC */
	KMT_FIELD_NOT_RECORDED = 46,   /* text: what this kernel's tracepoints do not record */
	KMT_FIELD_EVENT_COST_NS = 47,  /* number: the costs in the heartbeats are estimates, of so
					  much for an event ... */
	KMT_FIELD_FRAME_COST_NS = 48,  /* number: ... and so much for each frame of its stack */
	KMT_FIELD_CACHES_UNKNOWN = 49, /* text: why events lack their slab cache */
	KMT_FIELD_CACHE_FILTER = 50,   /* text: the caches of which the kernel side let all through,
					  by tabs; of others   it need not have */
	/* number: lost events that the kernel counted, but neither handed over nor lost for want
	   of a buffer */
	KMT_FIELD_NOT_DELIVERED = 51,
	KMT_FIELD_LOAD_AVERAGE = 52, /* text: /proc/loadavg, at the instant of the fields 1 and 2 */
	KMT_FIELD_BPF_BLIND = 53,    /* text: tracepoints whose events BPF programs held back */
	KMT_FIELD_BPF_ATTACHED = 54, /* text: those with programs beside which events came */
	/* number: percent; the variance of estimates, compared with that of independent draws */
	KMT_FIELD_SAMPLING_SCATTER = 55,
	KMT_FIELD_IDS, /* not on the wire: one more than the last */
};

/* When a KMT_BATCH_SLABINFO or KMT_BATCH_MEMINFO was read. */
enum KmtReading { KMT_READING_START = 0, KMT_READING_END = 1 };

/* Begins the content of the batches of text, which follows, padded to 8. */
struct KmtText {
	uint32_t epoch; /* of symbols and modules: grows by one whenever the module list changed */
	uint32_t text_bytes;
};

#endif
