/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The native record stream, from the emitter in the kernel to the aggregator.
 *
 * This header is compiled twice: into the program and, copied by the build into the tapset, into
 * the kernel module. So it contains only fixed-width types and constants. doc/RECORD_FORMAT.md
 * describes the format completely, for readers in other languages.
 *
 * A stream is a sequence of batches. A batch is a header, its content and a trailer, all in the
 * writer's byte order. Each batch can be decoded alone: a lost batch affects no other batch. Up to
 * 15 zero bytes may lie between batches (transport padding).
 *
 * kmt is short for kmalloc-top, as the prefix of what the kernel side and the program share: kmt_
 * of functions, modules and their parameters, Kmt of types, KMT_ of constants.
 */
#ifndef KMT_RECORD_FORMAT_H
#define KMT_RECORD_FORMAT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include "record/event_kinds.h"

#include <stdint.h>
#endif

#define KMT_MAGIC 0x31524d4bU     /* "KMR1" in a little-endian stream, "1RMK" in a big-endian one */
#define KMT_END_MAGIC 0x45524d4bU /* first word of the trailer: shows that the batch is whole */

enum {
	KMT_VERSION = 1,
	/* Of batches whose events are selected by bits of addresses: an older reader would take
	   them for a larger sample. */
	KMT_VERSION_BY_BITS = 2,
	KMT_FIELD_SET = 1,
	KMT_RECORD_UNIT_BYTES = 8, /* unit of record lengths */
	KMT_BATCH_BYTES_MAX =
		1 << 20, /* longer batches are damaged; the emitter stays below 8 KiB */
	KMT_PADDING_BYTES_MAX = 15,
	KMT_DEFINITIONS_MAX = 4096, /* stacks, or origins, per batch */
};

#define KMT_CPU_NONE 0xffffffffU /* a batch written by the program, not by a CPU's emitter */
#define KMT_NOT_MEASURED 0xffffffffffffffffULL /* as KmtHeartbeat.probe_ns */

/* What a batch contains. Readers count and skip unknown kinds. */
enum KmtBatchKind {
	KMT_BATCH_EVENTS = 1,  /* records of one CPU: definitions, events, heartbeats */
	KMT_BATCH_INFO = 2,    /* KMT_RECORD_FIELD records: facts about the host and the run */
	KMT_BATCH_SYMBOLS = 3, /* struct KmtText + lines as in /proc/kallsyms */
	KMT_BATCH_MODULES = 4, /* struct KmtText + lines "NAME BYTES ADDRESS BUILD-ID" */
	/* struct KmtText + a line per slab cache: its names, separated by tabs (merged caches have
	   several) */
	KMT_BATCH_CACHE_NAMES = 5,
	/* struct KmtText + lines as in /proc/slabinfo; epoch: enum KmtReading */
	KMT_BATCH_SLABINFO = 6,
	KMT_BATCH_CGROUPS = 7, /* struct KmtText + lines "CGROUP-ID PATH" */
	/* 8 is not used. */
	/* struct KmtText + a line per slab cache with SLAB_RECLAIM_ACCOUNT: its name */
	KMT_BATCH_RECLAIMABLE = 9,
	/* Like KMT_BATCH_EVENTS, but the events are hits of probe points: struct KmtValue */
	KMT_BATCH_POINT_EVENTS = 10,
	KMT_BATCH_POINTS = 11,       /* struct KmtText + a line per probe point */
	KMT_BATCH_MAPS = 12,         /* struct KmtText + lines about executable mappings */
	KMT_BATCH_USER_SYMBOLS = 13, /* struct KmtText + a line per place in a user program */
	/* struct KmtText + lines "KEY NUMBER", the state of the host's memory (names/host_state.h);
	   epoch: enum KmtReading */
	KMT_BATCH_MEMORY = 14,
	/* struct KmtText + lines "MODULE SECTION ADDRESS": sections of code, for the modules of the
	   same epoch, which come before */
	KMT_BATCH_SECTIONS = 15,
	/* struct KmtText + lines about kernel memory of cgroups (names/cgroup_memory.h); epoch:
	   enum KmtReading */
	KMT_BATCH_CGROUP_MEMORY = 16,
	/* struct KmtText + lines "NUMBER LINE" that a reading of a watch found
	   changed (record/history.h); epoch: the kind of batch whose text has these lines */
	KMT_BATCH_HISTORY = 17,
};

/*
 * Header of every batch. The counters are cumulative since the start of the run and belong to this
 * CPU. So each later batch shows the exact loss of all earlier batches: events lost = events_total
 * of the newest batch - events decoded.
 */
struct KmtBatchHeader {
	uint32_t magic;
	uint8_t version;
	uint8_t word_bytes;    /* of an address on the recorded host: 4 or 8 */
	uint16_t header_bytes; /* offset of the content; newer writers may append fields */
	uint32_t batch_bytes;  /* header, content and trailer; a multiple of 8 */
	uint8_t kind;          /* enum KmtBatchKind */
	uint8_t heartbeats;    /* number of heartbeat records in this batch */
	uint16_t field_set;
	uint32_t cpu;
	uint32_t batch_number;       /* per CPU, from 0 */
	uint64_t base_time_ns;       /* CLOCK_MONOTONIC; base of the event times */
	uint64_t frame_base;         /* added to the frames of KMT_RECORD_STACK4 */
	uint32_t events;             /* in this batch: one per record, except KmtRepeated */
	uint32_t sampling_period;    /* default weight of this batch's events; 1: all were taken */
	uint64_t events_total;       /* produced so far, including this batch */
	uint64_t dropped_reentrant;  /* not produced: this CPU's buffer was busy */
	uint64_t left_out_self;      /* not counted: allocations of the collector's own processes */
	uint64_t left_out_interrupt; /* not produced: softirq and hardirq, under a process filter */
};

struct KmtBatchTrailer {
	uint32_t end_magic;
	uint32_t batch_number; /* as in the header */
};

/* Every record starts with these four bytes, so readers can skip unknown types. */
struct KmtRecordHead {
	uint8_t type;   /* enum KmtRecordType */
	uint8_t units;  /* record length including this head, in KMT_RECORD_UNIT_BYTES; not 0 */
	uint16_t index; /* number of the definition, or of the event's origin */
};

/* The field sampled_by, if addresses are selected by their bits. */
#define KMT_SAMPLED_BY_BITS "address bits"

/*
 * Definitions come before their first use in the same batch and are numbered 0, 1, 2 ... per type.
 * A task definition also sets the current task: the events that follow belong to it.
 */
enum KmtRecordType {
	KMT_RECORD_PAD = 0,
	KMT_RECORD_TASK = 1,      /* struct KmtTask; index: its number */
	KMT_RECORD_TASK_USE = 2,  /* head only + 4 bytes; index: the current task from here on */
	KMT_RECORD_STACK4 = 3,    /* struct KmtStack + frames of 4 bytes, relative to frame_base */
	KMT_RECORD_STACK8 = 4,    /* struct KmtStack + frames of 8 bytes */
	KMT_RECORD_ORIGIN = 5,    /* struct KmtOrigin */
	KMT_RECORD_ALLOC = 6,     /* struct KmtEvent; index: its origin */
	KMT_RECORD_FREE = 7,      /* struct KmtEvent; index: its origin */
	KMT_RECORD_HEARTBEAT = 8, /* struct KmtHeartbeat */
	KMT_RECORD_FIELD = 9,     /* struct KmtField + value; index: enum KmtFieldId */
	KMT_RECORD_CACHE = 10,    /* struct KmtCache + name; index: its number */
	KMT_RECORD_WEIGHTED = 11, /* struct KmtWeighted: an event that represents many */
	KMT_RECORD_REPEATED = 12, /* struct KmtRepeated: many events; index: their origin */
	KMT_RECORD_SAMPLED = 13,  /* struct KmtSampled: an event with a weight; index: its origin */
	/* In KMT_BATCH_POINT_EVENTS only. Both kinds of stacks are numbered together; so are both
	   kinds of origins. */
	KMT_RECORD_USTACK = 14,       /* struct KmtStack + user frames of 8 bytes */
	KMT_RECORD_POINT_ORIGIN = 15, /* struct KmtPointOrigin */
	KMT_RECORD_VALUE = 16,        /* struct KmtValue; index: its origin */
	KMT_RECORD_COLUMNS = 17,      /* struct KmtColumns + text: of the previous KmtValue */
};

struct KmtTask {
	struct KmtRecordHead head;
	uint32_t tgid;
	uint32_t tid;
	uint32_t reserved;
	uint64_t start_time_ns; /* of the process, CLOCK_MONOTONIC: distinguishes reused pids */
	uint64_t cgroup_id;     /* 0: not recorded */
	char comm[KMT_COMM_BYTES];
	/* Name of the process: of its leader (tid == tgid). First byte 0: unknown. Absent in
	   recordings of 0.1. */
	char leader[KMT_COMM_BYTES];
};

struct KmtStack {
	struct KmtRecordHead head;
	uint16_t depth; /* number of frames that follow, innermost first */
	uint16_t flags;
};

/*
 * A slab cache with its name in the kernel's structure. Merged caches have the name of the cache
 * that was created first. Per-cgroup copies (older kernels) end in "(ID:CGROUP)". A kmalloc of
 * whole pages has the name "kmalloc-large" and no sizes. The name follows, without a NUL; it may
 * contain any bytes.
 */
struct KmtCache {
	struct KmtRecordHead head;
	uint32_t object_bytes; /* size of an object as requested; 0: unknown */
	uint32_t slot_bytes;   /* size of an object in its slab; 0: unknown */
	uint16_t name_bytes;   /* 1 to KMT_CACHE_NAME_BYTES_MAX */
	uint16_t reserved;
};

/* The data that repeats. Frees have sizes 0, except those of pages: the tracepoints do not record
   them. */
struct KmtOrigin {
	struct KmtRecordHead head;
	uint16_t stack; /* index of a stack of this batch, or KMT_NONE */
	uint16_t cache; /* index of a cache of this batch, or KMT_NONE: unknown */
	uint64_t call_site;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint32_t gfp_flags; /* as on the recorded kernel */
	int16_t node;       /* requested NUMA node; -1: any */
	uint8_t source;     /* enum KmtSource */
	uint8_t kind;       /* enum KmtOriginKind */
};

/* The data that repeats in hits of probe points. */
struct KmtPointOrigin {
	struct KmtRecordHead head;
	uint16_t stack;      /* index of a stack with kernel frames, or KMT_NONE */
	uint16_t user_stack; /* index of a stack with user frames, or KMT_NONE */
	uint16_t point;      /* number of the probe point: see KMT_BATCH_POINTS */
	uint16_t task;       /* index of the task whose mappings the user frames belong to, or
				KMT_NONE */
	uint32_t reserved;
};

struct KmtEvent {
	struct KmtRecordHead head;
	uint32_t when;
	uint64_t pointer; /* 0: the allocation failed */
};

/* A KmtEvent that represents weight equal events: imported sums, sampled sources. */
struct KmtWeighted {
	struct KmtRecordHead head;
	uint32_t when;
	uint64_t weight;
};

/* A KmtEvent that represents weight events, independent of the batch's sampling period. */
struct KmtSampled {
	struct KmtRecordHead head;
	uint32_t when;
	uint64_t pointer; /* as in KmtEvent */
	uint32_t weight;
	uint32_t flags; /* enum KmtSampledFlags */
};

enum KmtSampledFlags { KMT_SAMPLED_FREE = 1 }; /* a free, not an allocation */

/* A hit of a probe point. */
struct KmtValue {
	struct KmtRecordHead head;
	uint32_t when;
	uint64_t value; /* of the requested expression, in two's complement; 1: none */
	/* Number of hits that it represents. 0: the begin or end of a time span that does not
	   count. */
	uint32_t weight;
	uint32_t reserved;
};

/* What a list shows of a hit: the text of its columns, separated by tabs. Any bytes. */
struct KmtColumns {
	struct KmtRecordHead head;
	uint32_t text_bytes; /* of the text that follows, without its padding to 8 */
};

/*
 * Successful allocations that differ only in time and pointer, in one record: written if neither is
 * needed. The header of the batch counts each event. Events of other tasks or contexts in this time
 * span come after this record.
 */
struct KmtRepeated {
	struct KmtRecordHead head;
	uint32_t when; /* of the first event */
	uint32_t events;
	uint32_t span_ns; /* from the first to the last event */
};

/*
 * The state of one CPU at complete_until_ns: all its events before that time were sent. skipped,
 * errors and transport_failures are sums over all CPUs, as SystemTap counts them.
 */
struct KmtHeartbeat {
	struct KmtRecordHead head;
	uint32_t reserved;
	uint64_t complete_until_ns;
	uint64_t skipped;            /* probe hits that SystemTap skipped */
	uint64_t errors;             /* soft errors of the probe module */
	uint64_t transport_failures; /* messages rejected because the transport buffer was full */
	uint64_t probe_ns;           /* estimated time in this CPU's probes since the start, of perf
					events with its part of the reader's time, or
					KMT_NOT_MEASURED */
	uint64_t passed_over;        /* events of this CPU that arrived, but are not in the stream,
					of other processes or refused by a formula: as many as
					they stand for, cumulative */
};

struct KmtField {
	struct KmtRecordHead head;
	uint32_t value_bytes; /* length of the value that follows, without its padding to 8 */
};

/* Facts about the host and the run. Numbers have 8 bytes; text is UTF-8 without a NUL. */
enum KmtFieldId {
	KMT_FIELD_MONOTONIC_NS = 1,   /* number: the same instant on both clocks ... */
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
	KMT_FIELD_COMMAND_LINE = 15,  /* text: the command line of the program */
	KMT_FIELD_EVENTS = 16,        /* text: "kmalloc,cache" */
	KMT_FIELD_COVERED = 17,       /* text: allocator paths that the probes see on this kernel */
	KMT_FIELD_NOT_COVERED = 18,   /* text: ... and paths that they do not see */
	KMT_FIELD_SCOPE = 19,         /* text: "host", "command", "window" or "pids" */
	KMT_FIELD_SCOPE_PIDS = 20,    /* text: "12,34" */
	KMT_FIELD_WITH_INTERRUPTS = 21, /* number: 1: interrupts count under a process filter */
	KMT_FIELD_STACK_DEPTH = 22,     /* number: frames requested; 0: call sites only */
	KMT_FIELD_GFP_DMA = 23,         /* number: the bit's value on this kernel */
	KMT_FIELD_GFP_RECLAIMABLE = 24, /* number */
	KMT_FIELD_GFP_ACCOUNT = 25,     /* number */
	KMT_FIELD_WINDOW_START_NS = 26, /* number, monotonic: earlier events do not count */
	KMT_FIELD_WINDOW_END_NS = 27,   /* number, monotonic: later events do not count */
	KMT_FIELD_COMMAND = 28,         /* text: the profiled command */
	KMT_FIELD_COMMAND_STATUS = 29,  /* number: its wait status; absent: still running */
	KMT_FIELD_RUN_START_NS = 30,    /* number, monotonic: when the probes were live */
	KMT_FIELD_RUN_END_NS = 31,      /* number, monotonic: the requested end */
	KMT_FIELD_SKIPPED = 32,        /* number: skipped probes, by the collector's final report */
	KMT_FIELD_TRANSPORT_LOST = 33, /* number: lost messages, by the collector's final report */
	KMT_FIELD_DAMAGED_BYTES = 34,  /* number: input that the live reader could not read */
	KMT_FIELD_BOUND = 35,          /* text: the bound that ended the run early */
	KMT_FIELD_ADDRESSES_HIDDEN = 36, /* number: 1: kernel addresses were not readable */
	KMT_FIELD_BUFFER_BYTES = 37,     /* number: transport memory of all CPUs */
	KMT_FIELD_COMPLETE = 38, /* number: 1: last field of a recording that was closed properly */
	KMT_FIELD_SELF_INCLUDED = 39,   /* number: 1: the collector's own processes were counted */
	KMT_FIELD_COUNTED_TO_END = 40,  /* number: 1: counter batches alone give the number of
					   events in missing last batches; 0: unknown */
	KMT_FIELD_SAMPLING_PERIOD = 41, /* number: requested period: one of this many events */
	KMT_FIELD_OVERHEAD_PERCENT_MAX = 42, /* number: bound on the share of a CPU's time, above
						which fewer events are taken; 0: none */
	KMT_FIELD_UNTRACED_NS = 43,    /* number: time of CPUs online, but not traced; the sum */
	KMT_FIELD_UNTRACED_CPUS = 44,  /* text: the CPUs of that time */
	KMT_FIELD_CLOCK = 45,          /* text: the clock of all times; absent: CLOCK_MONOTONIC */
	KMT_FIELD_NOT_RECORDED = 46,   /* text: what this kernel's tracepoints do not record */
	KMT_FIELD_EVENT_COST_NS = 47,  /* number: the costs in the heartbeats are estimates: this
					  much per event ... */
	KMT_FIELD_FRAME_COST_NS = 48,  /* number: ... and this much per frame of its stack */
	KMT_FIELD_CACHES_UNKNOWN = 49, /* text: why events lack their slab cache */
	KMT_FIELD_CACHE_FILTER = 50,   /* text: caches, separated by tabs, whose events the kernel
					  side let through completely; events of other caches may be
					  missing */
	/* number: lost events that the kernel counted, but neither delivered nor lost for lack of
	   buffer space */
	KMT_FIELD_NOT_DELIVERED = 51,
	KMT_FIELD_LOAD_AVERAGE = 52, /* text: /proc/loadavg, at the instant of the fields 1 and 2 */
	KMT_FIELD_BPF_BLIND = 53,    /* text: tracepoints whose events BPF programs held back */
	KMT_FIELD_BPF_ATTACHED = 54, /* text: tracepoints with BPF programs, but with events */
	/* number: percent: variance of the estimates relative to that of independent draws */
	KMT_FIELD_SAMPLING_SCATTER = 55,
	KMT_FIELD_HELD = 56, /* number: 1: allocations can be paired with their frees */
	/* text: "address", "address bits": see address_sample.h; absent: by event */
	KMT_FIELD_SAMPLED_BY = 57,
	KMT_FIELD_SAMPLE_SEED = 58,    /* number: of that hash, and of the bits */
	KMT_FIELD_FREES_SEEN_BY = 59,  /* text: probes that record frees, "kfree,kvfree_call_rcu" */
	KMT_FIELD_FREES_NOT_SEEN = 60, /* text: ways to free that are not recorded */
	KMT_FIELD_PROBES_MISSED = 61,  /* number: hits that the kernel missed; cumulative */
	KMT_FIELD_WALKS_COMPARED = 62, /* number: stacks that both the emitter and the kernel
					  walked; cumulative */
	KMT_FIELD_WALKS_DIFFERENT = 63,  /* number: ... of these: with different results */
	KMT_FIELD_KERNEL_WALKS = 64,     /* text: why the kernel walks all stacks, from then on */
	KMT_FIELD_NAMES_COMPARED = 65,   /* number: cache names found in two ways; cumulative */
	KMT_FIELD_NAMES_DIFFERENT = 66,  /* number: ... of these: different ones */
	KMT_FIELD_POINTS_TITLE = 67,     /* text: what the probe points show */
	KMT_FIELD_POINTS_NOUN = 68,      /* text: what their events are called: "stall" */
	KMT_FIELD_VALUE_NAME = 69,       /* text: the expression that gives hits their value */
	KMT_FIELD_VALUE_UNIT = 70,       /* text: "bytes"; absent: none */
	KMT_FIELD_COLUMNS = 71,          /* text: names of the columns of hits, separated by tabs */
	KMT_FIELD_USER_DEPTH = 72,       /* number: user frames requested; 0: none */
	KMT_FIELD_POINTS_MISSING = 73,   /* text: probe points that this kernel does not have */
	KMT_FIELD_USER_STACK_BYTES = 74, /* number: user stacks are unwound by CFI from copies of
					    this length; absent or 0: by frame pointers */
	KMT_FIELD_NOT_UNWOUND = 75,      /* number: user stacks that were not unwound for lack of
					    time or room */
	KMT_FIELD_USER_NAMES_MISSING = 76, /* text: what of programs could not be read, and why */
	/* text: "ROW PERCENT PART ROW PERCENT PART ...": KMT_FIELD_SAMPLING_SCATTER of rows
	   (scatter_row.h), where it is more than 100, and the part of a place of the row in the
	   variance of all events, in millionths */
	KMT_FIELD_SCATTER_ROWS = 77,
	KMT_FIELD_RANK = 78,       /* text: the metric that ranked the live report: "time" */
	KMT_FIELD_KEYS = 79,       /* text: its keys of --by: "process,point"; "": stacks */
	KMT_FIELD_TASKS_LOST = 80, /* number: lost records of forks, names and ends; cumulative */
	KMT_FIELD_IDS,             /* not in streams: the highest id + 1 */
};

/* When a KMT_BATCH_SLABINFO, KMT_BATCH_MEMORY or KMT_BATCH_CGROUP_MEMORY was read. */
enum KmtReading { KMT_READING_START = 0, KMT_READING_END = 1 };

/* Start of the content of a text batch. The text follows, padded to 8. */
struct KmtText {
	uint32_t epoch; /* of symbols and modules: grows by one per change of the module list */
	uint32_t text_bytes;
};

#endif
