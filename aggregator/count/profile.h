/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "count/stack_table.h"
#include "count/time_blocks.h"
#include "record/event_reader.h"
#include "code/user/user_maps.h"

#include <glib.h>

/*
 * Profile counts the events of a stream: integers only, no names, no allocation per event.
 *
 * It has one cell per distinct (origin, task, context). An origin is as in the format: stack, call
 * site, slab cache, sizes, gfp flags, node, allocator. Every table gets a part of the memory limit
 * in any case, and the rest of the limit goes to the tables that need it. If there is no room for a
 * stack, the event keeps its cache and its sizes: its origin is `beyond` the memory limit.
 */
typedef struct Profile Profile;
typedef uint32_t OriginId;
typedef uint32_t TaskId;
typedef uint32_t CacheId;

/* Entries that exist from the start. Overflow entries take what did not fit into a full table, not
   even as an origin without a stack: the sizes of these events are not known. */
enum {
	TASK_ID_UNKNOWN = 0,
	TASK_ID_OVERFLOW = 1,
	TASK_ID_MAX = (1 << 28) - 1, /* a cell has 28 bits for the task */
	CACHE_ID_UNKNOWN = 0,        /* not in the event */
	CACHE_ID_OVERFLOW = 1,
	ORIGIN_ID_OVERFLOW = 0,
};

/* The kind of all stacks of a profile. */
typedef enum {
	STACK_FRAMES, /* addresses: profile_stack_frames() */
	STACK_TEXT,   /* imported lines: stack_table_bytes() of profile_stacks() */
	STACK_NAMED,  /* ids of frames, likewise: see profile_add_stack() */
} StackKind;

typedef struct {
	uint64_t call_site; /* of STACK_NAMED: id of its frame + 1; 0: unknown */
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	StackId stack; /* STACK_ID_NONE: beyond the memory limit, or not kept of frees */
	CacheId cache;
	uint32_t gfp_flags;
	union {
		int16_t node;
		uint16_t point; /* of KMT_SOURCE_POINT: number of the probe point */
	};
	uint8_t source;     /* enum KmtSource */
	bool truncated : 1; /* the stack reached the depth limit */
	bool free : 1;      /* counts frees, not allocations */
	bool unplaced : 1;  /* it had user frames, but none in a known mapping */
	bool own : 1;       /* by the collector's own processes: recorded for pairing only */
	bool beyond : 1;    /* the memory limit allowed no stack: events are in over_bound */
} ProfileOrigin;

/* A process under one name and in one cgroup; with profile_keep_threads(), one thread of it. Names
   are as recorded, not yet escaped. */
typedef struct {
	uint32_t tgid;
	uint32_t run;           /* of several that are merged; else 0 */
	uint64_t start_time_ns; /* of the process */
	uint64_t cgroup_id;
	char comm[KMT_COMM_BYTES + 1]; /* of the process: see profile_process_name() */
	bool is_thread_name;           /* comm is the thread's own: the stream lacks the leader's */
	/* Empty and 0 unless profile_keep_threads() was called. */
	char thread_comm[KMT_COMM_BYTES + 1];
	uint32_t tid;
} ProfileTask;

/* A slab cache under its kernel name. Copies for cgroups count in their cache. */
typedef struct {
	uint32_t object_bytes;                   /* 0: unknown */
	uint32_t slot_bytes;                     /* size of an object in its slab; 0: unknown */
	bool by_size;                            /* the name was derived from sizes */
	char name[KMT_CACHE_NAME_BYTES_MAX + 1]; /* not yet escaped */
} ProfileCache;

/* What a cell is the first member of. */
typedef enum {
	CELL_ALONE,     /* nothing: a cell of the profile itself */
	CELL_OF_HELD,   /* a HeldCell: events are the objects held */
	CELL_OF_MERGED, /* a MergedCell, of several runs */
} CellKind;

/* The counters of one (origin, task, context). */
typedef struct {
	OriginId origin;
	TaskId task : 28;
	uint32_t context : 2; /* enum KmtContext */
	uint32_t kind : 2;    /* CellKind */
	uint64_t events;      /* allocations that succeeded, or frees */
	uint64_t failed;      /* allocations that returned NULL */
	/* Variance of both counts as estimates from independent draws: the sum of w * (w - 1) over
	   the taken events with weight w. Saturates; 0: every event was taken. */
	uint64_t variance;
} ProfileCell;

/* The values of a cell's events, if they are hits of probe points or time spans. */
typedef struct {
	int64_t sum;      /* of value * weight; saturates */
	uint64_t time_ns; /* of time spans: all together; saturates */
	uint64_t time_max_ns;
	/* Variance of the sum as an estimate: the sum of w * (w - 1) * value * value. */
	double variance;
	/* For the variance between runs: the sum of weight * value * value, and that of the time
	   with sampling included: of weight * weight * time * time. */
	double squares;
	double time_scatter;
} ProfileValues;

typedef struct {
	uint64_t events;          /* decoded, inside the window */
	uint64_t outside_window;  /* decoded, but not counted; no loss */
	uint64_t over_bound;      /* counted, but without their stack: a table was full */
	uint64_t samples;         /* taken, each of which stands for one or more events */
	double samples_variance;  /* of the events, as that of a cell: of all samples */
	uint64_t of_past_tasks;   /* counted by name: see profile_fold_cells() */
	uint64_t of_other_tasks;  /* counted, but without their own task ... */
	uint64_t of_other_caches; /* ... or cache, because that table was full */
} ProfileTotals;

/* Returns an empty profile that uses at most about bytes_max bytes. Free it with profile_free(). */
Profile *profile_new(size_t bytes_max);
void profile_free(Profile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Profile, profile_free)

/* Lets a profile without events take what a budget (borrowed) leaves to it; then its first limit is
   the budget's floor. */
void profile_set_budget(Profile *profile, MemoryBudget *memory);

/* Adds cells only for many events from now on, and returns how many these may be at most. */
void profile_close_cells(Profile *profile);
uint32_t profile_cells_to_come(const Profile *profile);

/* Chooses cells; takes the numbers of a cell that becomes free and of the one with its events. */
typedef bool (*CellChooser)(uint32_t cell, void *user_data);
typedef void (*CellMover)(uint32_t from, uint32_t to, void *user_data);

/* Counts the memory that folding needs, the caller's included, as a part of each cell and task.
   Call this before cells are folded. */
enum { PROFILE_FOLD_CELL_BYTES = 10, PROFILE_FOLD_TASK_BYTES = 9 };
void profile_prepare_folding(Profile *profile);

/* Lets the chosen cells count by the name of their process alone, without its pid: those of equal
   origins become one, and the others are free. Forgets tasks without cells, so TaskIds change.
   Returns the number of cells that became free. Not for profiles with values. */
uint32_t profile_fold_cells(Profile *profile, CellChooser choose, CellMover move, void *user_data);

/* Returns how many cells are free. */
uint32_t profile_cells_free(const Profile *profile);

/* Returns the free cells that were taken again since the last profile_cells_forget_reused(), and
   their number; NULL: none. Borrowed until cells are folded. */
const uint32_t *profile_cells_reused(const Profile *profile, uint32_t *count);
void profile_cells_forget_reused(Profile *profile);

/* Whether another batch of so many events has room for cells and tasks of its own. */
bool profile_has_room(const Profile *profile, size_t events);

/* Keeps neither stacks nor tasks of frees from now on. */
void profile_merge_frees(Profile *profile);

/* Also counts the events of each cell in blocks of time, which take more memory for each cell. Call
   this before the first events, and not for a profile whose cells are folded. */
void profile_keep_blocks(Profile *profile);

/* Separates the threads of a process from now on; without this call they are one task. */
void profile_keep_threads(Profile *profile);

/* Sets the mappings (borrowed) that turn user addresses into places. Without them user frames are
   not kept. */
void profile_set_user_maps(Profile *profile, UserMaps *maps);

/* Sets the window (monotonic): from now on events outside do not count. */
void profile_set_window(Profile *profile, uint64_t start_ns, uint64_t end_ns);

/* Sets which part of the window counts for now: events of the other part are passed again, after
   another call. */
void profile_set_part(Profile *profile, uint64_t start_ns, uint64_t end_ns);

/* Counts the events of a batch. */
void profile_take(Profile *profile, const Events *events);

/* The same; also writes the cell of each event, or PROFILE_CELL_NONE for an event outside of the
   window. cells has room for all events of the batch. */
#define PROFILE_CELL_NONE UINT32_MAX
void profile_take_noting(Profile *profile, const Events *events, uint32_t *cells);

/* Like profile_take_noting(), but counts nothing: these events are begins of time spans, which are
   counted when their ends are known. */
void profile_note_cells(Profile *profile, const Events *events, uint32_t *cells);

/* A time span, and the value of its end. */
typedef struct {
	uint64_t begin_ns;
	uint64_t end_ns;
	int64_t value;
	uint64_t weight;
} ProfileSpan;

/* Counts a time span that began with an event of the cell. */
void profile_add_span(Profile *profile, uint32_t cell, const ProfileSpan *span);

/* For a profile into which others are merged by names. Each returns the id of what equals it, and
   adds it if it is new: the overflow entry if there is no room. Padding must be 0. A stack consists
   of ids of frames in a table that the caller knows. */
StackId profile_add_stack(Profile *profile, const uint32_t *frames, uint32_t count);
OriginId profile_add_origin(Profile *profile, const ProfileOrigin *origin);
TaskId profile_add_task(Profile *profile, const ProfileTask *task, uint64_t seen_ns);
/* There is always room for this one: at most one for each run that is merged. */
TaskId profile_add_other_task(Profile *profile, const ProfileTask *task);
CacheId profile_add_cache(Profile *profile, const ProfileCache *cache);

/* Results. Ids run from 0 to the count - 1; returned pointers are borrowed. */
ProfileTotals profile_totals(const Profile *profile);
StackKind profile_stack_kind(const Profile *profile);
const StackTable *profile_stacks(const Profile *profile);
/* Writes the frames of a stack, of the kernel's part if it has two, innermost first. Returns their
   number. */
uint32_t profile_stack_frames(const Profile *profile, StackId id,
			      uint64_t frames[KMT_STACK_DEPTH_MAX]);

/* Writes the user's part of a stack, innermost first. Returns the number of its places. */
uint32_t profile_stack_places(const Profile *profile, StackId id,
			      UserPlace places[KMT_STACK_DEPTH_MAX]);

/* Returns the symbol epoch of its addresses. */
uint32_t profile_stack_epoch(const Profile *profile, StackId id);
uint32_t profile_origin_count(const Profile *profile);
const ProfileOrigin *profile_origin(const Profile *profile, OriginId id);
uint32_t profile_task_count(const Profile *profile);
const ProfileTask *profile_task(const Profile *profile, TaskId id);
/* Returns about when the task was last seen, to order a process's names; 0: the stream has no
   times. */
uint64_t profile_task_seen_ns(const Profile *profile, TaskId id);
/* Returns the name of a task's process: its thread-group leader's name, or the task's own name if
   the stream lacks the leader's. As recorded, not yet escaped. */
const char *profile_process_name(const Profile *profile, TaskId id);
uint32_t profile_cache_count(const Profile *profile);
const ProfileCache *profile_cache(const Profile *profile, CacheId id);
uint32_t profile_cell_count(const Profile *profile);
const ProfileCell *profile_cell(const Profile *profile, uint32_t index);
/* Whether its events have values, or are time spans. If so, profile_values() returns those of a
   cell. */
bool profile_has_values(const Profile *profile);
bool profile_has_spans(const Profile *profile);
ProfileValues profile_values(const Profile *profile, const ProfileCell *cell);

/* Returns the blocks of time of the cells, by their indexes; NULL: not kept. Values in them are
   times if events are time spans. */
const TimeBlocks *profile_blocks(const Profile *profile);

/* Returns the memory in use, in bytes. */
size_t profile_memory(const Profile *profile);
