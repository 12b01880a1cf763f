/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/stack_table.h"
#include "record/event_reader.h"

#include <glib.h>

/*
 * Profile counts the events of a stream: integers only, no names, no allocation per event.
 *
 * It keeps one cell per distinct (origin, task, context); an origin is what the format calls so:
 * stack, call site, slab cache, sizes, gfp flags, node, allocator. Every table has its own share of
 * the memory bound; what finds its table full is counted in the overflow counters.
 */
typedef struct Profile Profile;
typedef uint32_t OriginId;
typedef uint32_t TaskId;
typedef uint32_t CacheId;

/* Entries that exist from the start. Overflow is what found its table full: its stack is
   STACK_ID_NONE, and its events are in ProfileTotals.over_bound. */
enum {
	TASK_ID_UNKNOWN = 0,
	TASK_ID_OVERFLOW = 1,
	CACHE_ID_UNKNOWN = 0, /* not in the event */
	CACHE_ID_OVERFLOW = 1,
	ORIGIN_ID_OVERFLOW = 0,
};

/* What the stacks of a profile are; one never has both. */
typedef enum {
	STACK_FRAMES, /* addresses: profile_stack_frames() */
	STACK_TEXT,   /* imported lines: stack_table_bytes() of profile_stacks() */
} StackKind;

typedef struct {
	uint64_t call_site;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	StackId stack; /* STACK_ID_NONE: only ORIGIN_ID_OVERFLOW */
	CacheId cache;
	uint32_t gfp_flags;
	int16_t node;
	uint8_t source;     /* enum KmtSource */
	bool truncated : 1; /* the stack reached the depth limit */
	bool free : 1;      /* counts frees, not allocations */
} ProfileOrigin;

/* A process under one name and in one cgroup; a thread of it where threads are kept apart. Names
   are as recorded, not yet escaped. */
typedef struct {
	uint32_t tgid;
	uint64_t start_time_ns; /* of the process */
	uint64_t cgroup_id;
	char comm[KMT_COMM_BYTES + 1]; /* of the process: see profile_process_name() */
	bool is_thread_name; /* comm is the thread's own: the stream does not have the leader's */
	/* Empty and 0 unless profile_keep_threads() was called. */
	char thread_comm[KMT_COMM_BYTES + 1];
	uint32_t tid;
} ProfileTask;

/* A slab cache as the kernel names it; copies for cgroups are entries of their own. */
typedef struct {
	uint32_t object_bytes; /* 0: not known */
	uint32_t slot_bytes;   /* what an object takes in its slab; 0: not known */
	char name[KMT_CACHE_NAME_BYTES_MAX + 1]; /* as recorded, not yet escaped */
} ProfileCache;

/* The counters of one (origin, task, context). */
typedef struct {
	OriginId origin;
	TaskId task : 30;
	uint32_t context : 2; /* enum KmtContext */
	uint64_t events;      /* allocations that succeeded, or frees */
	uint64_t failed;      /* allocations that returned NULL */
	/* Variance of both counts as estimates, if each event was drawn on its own: the sum of
	   w * (w - 1) over the taken events, each of weight w. Saturates; 0: every event was
	   taken. */
	uint64_t variance;
} ProfileCell;

typedef struct {
	uint64_t events;          /* decoded, inside the window */
	uint64_t outside_window;  /* decoded, not counted, no loss */
	uint64_t over_bound;      /* not counted: a table was full */
	uint64_t of_other_tasks;  /* counted, but for no task or cache ... */
	uint64_t of_other_caches; /* ... of their own, as that table was full */
} ProfileTotals;

/* Returns an empty profile that uses at most about bytes_max bytes. Free it with profile_free(). */
Profile *profile_new(size_t bytes_max);
void profile_free(Profile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Profile, profile_free)

/* Keeps the threads of a process apart from here on; else they are one task. */
void profile_keep_threads(Profile *profile);

/* Events before start_ns or after end_ns (monotonic) are not counted from here on. */
void profile_set_window(Profile *profile, uint64_t start_ns, uint64_t end_ns);

/* Counts the events of a batch. */
void profile_take(Profile *profile, const Events *events);

/* Results. Ids run from 0 to the count - 1; what is returned is borrowed. */
ProfileTotals profile_totals(const Profile *profile);
StackKind profile_stack_kind(const Profile *profile);
const StackTable *profile_stacks(const Profile *profile);
/* Writes the frames of a stack, innermost first. Returns their number. */
uint32_t profile_stack_frames(const Profile *profile, StackId id,
			      uint64_t frames[KMT_STACK_DEPTH_MAX]);

/* Returns the symbol epoch that its addresses belong to. */
uint32_t profile_stack_epoch(const Profile *profile, StackId id);
uint32_t profile_origin_count(const Profile *profile);
const ProfileOrigin *profile_origin(const Profile *profile, OriginId id);
uint32_t profile_task_count(const Profile *profile);
const ProfileTask *profile_task(const Profile *profile, TaskId id);
/* Returns when it was seen last, exact enough for the order of a process's names; 0: the stream has
   no times. */
uint64_t profile_task_seen_ns(const Profile *profile, TaskId id);
/* Returns the name of a task's process: that of its thread-group leader; where the stream never has
   that name, the task's own. As recorded, not yet escaped. */
const char *profile_process_name(const Profile *profile, TaskId id);
uint32_t profile_cache_count(const Profile *profile);
const ProfileCache *profile_cache(const Profile *profile, CacheId id);
uint32_t profile_cell_count(const Profile *profile);
const ProfileCell *profile_cell(const Profile *profile, uint32_t index);

/* Returns the memory in use, in bytes. */
size_t profile_memory(const Profile *profile);
