/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"
#include "base/value.h"
#include "names/host_state.h"
#include "session/losses.h"
#include "session/session.h"
#include "table/row_sums.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The facts of a report, in addition to its stacks and rows, as data: each fact has an id and a
 * value; the type of the value determines the unit. Only renderers turn facts into text.
 *
 * To add one: a FactId, its row in facts.c, a line in doc/JSON.md; facts.c or model.c sets it.
 */
typedef enum {
	/* About the run, from the stream. */
	FACT_HOST,
	FACT_RELEASE,
	FACT_ARCH,
	FACT_VERSION,
	FACT_BOOT_ID,
	FACT_CPUS_ONLINE,
	FACT_START_TIME, /* of the observed time: the window of a command, or the whole run */
	FACT_DURATION,
	FACT_RUN_START_TIME, /* since the probes were live */
	FACT_RUN_DURATION,
	FACT_PART_FROM, /* only with --from or --to, as the next two */
	FACT_PART_TO,
	FACT_RUN_LENGTH,
	FACT_CLOCK,
	FACT_PROGRAM,
	FACT_COLLECTOR,
	FACT_COMMAND_LINE,
	FACT_EVENTS,
	FACT_COVERED,
	FACT_NOT_COVERED,
	FACT_NOT_RECORDED,
	FACT_RECORDED_CACHES, /* caches with all allocations recorded; unknown: all caches */
	/* Of probe points; unknown if allocations were observed. The noun is always known. */
	FACT_POINTS_NOUN,
	FACT_POINTS_TITLE,
	FACT_POINTS_MISSING,
	FACT_VALUE_NAME,
	FACT_VALUE_UNIT,
	/* Of time spans between probe points, before filters. */
	FACT_SPANS,
	FACT_SPANS_TIME,
	FACT_SPANS_TIME_MAX,
	FACT_SPANS_OPEN,
	FACT_SPANS_NOT_BEGUN,
	FACT_SPANS_NOT_ENDED,
	/* Events with user frames, and those whose frames reach the start of the thread. */
	FACT_USER_STACKS,
	FACT_USER_STACKS_WHOLE,
	FACT_USER_STACK_BYTES,
	FACT_NOT_UNWOUND,
	FACT_STACK_DEPTH,
	FACT_USER_DEPTH,
	FACT_SYMBOLS_HIDDEN,
	FACT_USER_NAMES_MISSING, /* what of programs could not be read, and why */
	FACT_TASKS_LOST,         /* records about names, forks and ends of tasks */
	FACT_SCOPE,
	FACT_SCOPE_PIDS,
	FACT_WITH_INTERRUPTS,
	FACT_SELF_INCLUDED,
	FACT_LEFT_OUT_SELF,
	FACT_LEFT_OUT_INTERRUPTS,
	FACT_COMMAND,
	FACT_COMMAND_ENDED,
	FACT_COMMAND_STATUS, /* if it exited */
	FACT_COMMAND_SIGNAL, /* if it was killed */
	/* The cost of tracing. */
	FACT_COST,
	FACT_COST_BUSIEST,
	FACT_COST_BUSIEST_CPU,
	FACT_COST_ESTIMATED,
	FACT_COST_OF_EVENT,
	FACT_COST_OF_FRAME,
	/* The collector's own walks of stacks, in the whole run. */
	FACT_WALKS_COMPARED, /* with the kernel's */
	FACT_WALKS_DIFFERENT,
	FACT_KERNEL_WALKS, /* why the kernel walks all stacks */
	/* Names of slab caches, in the whole run. */
	FACT_NAMES_COMPARED, /* with those that probes recorded */
	FACT_NAMES_DIFFERENT,
	/* The state of the host's memory at the start and the end of the whole run, and how its
	   counters changed (facts.c). */
	FACT_MEMORY_TOTAL,
	FACT_MEMORY_FREE_START,
	FACT_MEMORY_FREE_END,
	FACT_MEMORY_AVAILABLE_START,
	FACT_MEMORY_AVAILABLE_END,
	FACT_SLAB_START,
	FACT_SLAB_END,
	FACT_SLAB_UNRECLAIMABLE_START,
	FACT_SLAB_UNRECLAIMABLE_END,
	FACT_PRESSURE_SOME, /* share of the time in which some tasks waited for memory */
	FACT_PRESSURE_FULL, /* ... all tasks that had something to do */
	FACT_MAJOR_FAULTS,
	FACT_RECLAIM_STALLS,
	FACT_OOM_KILLS,
	FACT_CPUS_SEEN, /* with at least one batch */
	/* Sampling: one of this many events was taken. */
	FACT_SAMPLING_ASKED,
	FACT_SAMPLING_MIN,
	FACT_SAMPLING_MAX,
	FACT_SAMPLING_MAX_CPU,
	FACT_OVERHEAD_MAX,
	/* Counts, set from the view (model.c). */
	FACT_ALLOCATIONS,
	FACT_ALLOCATIONS_BEFORE,
	FACT_ALLOCATIONS_MARGIN, /* of the previous fact */
	FACT_ALLOCATIONS_FAILED,
	FACT_ALLOCATIONS_LEFT_OUT,
	FACT_BYTES_REQUESTED,
	FACT_BYTES_REQUESTED_BEFORE,
	FACT_BYTES_ALLOCATED,
	FACT_BYTES_ALLOCATED_BEFORE,
	FACT_BYTES_WASTED,
	FACT_BYTES_WASTED_BEFORE,
	FACT_FREES,       /* of slab objects */
	FACT_PAGE_FREES,  /* of pages */
	FACT_RANGE_FREES, /* of memory of each CPU and of the vmalloc area */
	FACT_STACKS_BEFORE,
	FACT_STACKS_AFTER,
	FACT_STACKS_CUT,
	FACT_ROWS_BEFORE,
	FACT_ROWS_AFTER,
	FACT_NAMED_BY_KERNEL, /* only for tables of caches, as the next two */
	FACT_NAMED_BY_SIZE,
	FACT_NAMED_UNKNOWN,
	FACT_NAMES_REASON,
	FACT_COUNTED_TWICE_ABOVE,
	FACT_SATURATED,
	/* Missing data. */
	FACT_IMPORTED,
	FACT_READ_AS,            /* the format of a text; only then */
	FACT_PAGE_BYTES,         /* of the kernel */
	FACT_PAGE_BYTES_ASSUMED, /* a text does not say it, and its figures depend on it */
	FACT_HELD_IS_COUNTED,    /* objects held when a record was read, instead of allocations */
	FACT_HELD_IS_GROWTH,     /* ... between two readings; only then the next three: */
	FACT_SHRUNK_PLACES,
	FACT_SHRUNK_OBJECTS,
	FACT_SHRUNK_BYTES,
	FACT_LARGER_PLACES, /* without more objects; also only then, as the next one */
	FACT_LARGER_BYTES,
	/* Allocations paired with their frees; only then the next ones: */
	FACT_HELD_IS_PAIRED,
	FACT_HELD_ALLOCATED,      /* objects that were followed; if sampled by address, not all */
	FACT_HELD_FREED,          /* of these */
	FACT_HELD_RECYCLED,       /* addresses that were allocated again, though no free was seen */
	FACT_HELD_DOUBTFUL,       /* held objects that may have been freed: frees may be lost */
	FACT_HELD_DOUBTFUL_FREED, /* of these: so many at most */
	FACT_HELD_PEAK_BYTES,     /* the most that was held in the run */
	FACT_HELD_PEAK_AFTER,     /* ... and when, since the start of the run */
	FACT_HELD_IS_PEAK,        /* what was held then is counted */
	FACT_HELD_MIN_AGE,        /* only objects that are held at least so long are counted */
	FACT_HELD_OVER_BOUND,     /* allocations that were not paired for lack of memory */
	FACT_FREED_AGAIN,         /* objects freed twice without an allocation that was seen */
	FACT_FREED_ELSEWHERE,     /* kmem_cache_free() named another cache than the allocation */
	FACT_FREED_IN_PARTS,      /* page allocations that were split before they were freed */
	FACT_HELD_UNORDERED,      /* events that were paired before all CPUs had sent theirs */
	FACT_HELD_SCALE,          /* objects that one followed object stands for */
	FACT_FREES_NOT_SEEN,
	FACT_HELD_UNSIZED,    /* objects whose sizes are not known */
	FACT_HELD_INACCURATE, /* rows that the kernel marks */
	FACT_CUT_SHORT,
	FACT_ENDED_EARLY,
	FACT_BPF_ATTACHED,
	FACT_NO_MEMORY_FOR,
	FACT_EVENTS_COUNTED,
	FACT_EVENTS_PASSED_OVER,
	FACT_STACKS_COUNTED,
	FACT_LOST,
	FACT_LOST_UNCOUNTED, /* all losses except those of a full table */
	FACT_LOST_TRANSPORT,
	FACT_LOST_NOT_DELIVERED,
	FACT_LOST_UNREAD,
	FACT_LOST_SKIPPED,
	FACT_LOST_MISSED,
	FACT_LOST_REENTRANT,
	FACT_LOST_DAMAGED,
	FACT_LOST_MEMORY_BOUND,
	FACT_LOST_BYTES,
	FACT_LOST_AT_LEAST,
	FACT_OF_PAST_TASKS,
	FACT_OF_OTHER_TASKS,
	FACT_OF_OTHER_CACHES,
	FACT_UNKNOWN_PARTS,
	FACT_UNTRACED,
	FACT_UNTRACED_CPUS,
	FACT_BPF_BLIND,
	FACT_LOST_USER_LINES,       /* mappings and names of programs that found no room */
	FACT_UNREADABLE_USER_LINES, /* ... that were not understood */
	FACT_END_IS_UNKNOWN,
	FACT_KNOWN_UNTIL, /* of the run; if its end is unknown, as the next one */
	FACT_KNOWN_UNTIL_TIME,
	FACT_LOSS_OF_WHOLE_RUN,
	FACT_LOSS_IS_UNKNOWN,
	FACTS,
} FactId;

/* How a fact shows a figure of the state of memory. */
typedef enum {
	NOT_OF_MEMORY,
	MEMORY_AT_START,
	MEMORY_AT_END,
	MEMORY_CHANGE,        /* of a counter */
	MEMORY_SHARE_OF_TIME, /* of a time in us, between start and end */
} FactOfMemory;

typedef struct {
	const char *id; /* in JSON, with the unit as suffix */
	ValueType type;
	/* The line of text that begins with this fact; NULL: none does. {} is the fact, the next {}
	   the next one in FactId, and so on; {noun} is a number of these: "5 objects". */
	const char *line;
	unsigned field; /* field of the stream (enum KmtFieldId) that becomes this fact unchanged;
			   0: none */
	FactOfMemory memory;
	HostFigure figure; /* of that memory */
} FactKind;

/* By FactId. */
extern const FactKind fact_kinds[FACTS];

typedef struct {
	Value values[FACTS];
} Facts;

/* Returns the facts of a session; texts are borrowed from it. Free them with facts_free().
   show_host: include the host's name. */
Facts *facts_new(const Session *session, bool show_host);
void facts_free(Facts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Facts, facts_free)

/* Adds to the facts of several runs what found no room when they were merged, and the parts of that
   memory that were full. */
void facts_add_overflow(Facts *facts, const ProfileTotals *overflow, const MemoryBudget *memory);

/* Sets a fact, which is known from then on. */
void fact_set_number(Facts *facts, FactId id, uint64_t number);
/* part of a whole, in percent; not known if the whole is 0. */
void fact_set_share(Facts *facts, FactId id, uint64_t part, uint64_t whole);
void fact_set_percent(Facts *facts, FactId id, double percent);
void fact_set_text(Facts *facts, FactId id, const char *text);

static inline bool fact_is_known(const Facts *facts, FactId id)
{
	hot_assert(id < G_N_ELEMENTS(facts->values));
	return facts->values[id].known;
}

/* Returns the number; 0 if it is unknown. An unknown flag is not set. */
static inline uint64_t fact_number(const Facts *facts, FactId id)
{
	hot_assert(id < G_N_ELEMENTS(facts->values));
	return facts->values[id].number;
}

static inline LossRange fact_range(const Facts *facts, FactId id)
{
	hot_assert(id < G_N_ELEMENTS(facts->values));
	return (LossRange){ facts->values[id].number, facts->values[id].other };
}

/* Returns the text; NULL if it is unknown. */
static inline const char *fact_text(const Facts *facts, FactId id)
{
	hot_assert(id < G_N_ELEMENTS(facts->values));
	return facts->values[id].text;
}

/* Whether a CPU took fewer events than requested, because its probes needed too much time. */
static inline bool facts_are_throttled(const Facts *facts)
{
	return fact_number(facts, FACT_SAMPLING_MAX) > fact_number(facts, FACT_SAMPLING_ASKED);
}

/* Whether there may be a loss whose number of events is not known, beyond that of FACT_LOST; the
   end of the run aside. */
bool facts_have_unknown_loss(const Facts *facts);

/* Whether nothing was lost, and nothing may have been. */
bool facts_have_no_loss(const Facts *facts);

/* Whether all that was lost are events of a known number, at most that share of all. */
bool facts_loss_is_small(const Facts *facts, double percent_max);

/* Sets the facts about hits of probe points: about the time spans between them, and how far their
   user stacks reach. Nothing if allocations were observed. kept: sums before filters of stacks. */
void facts_set_hits(Facts *facts, const Session *session, const RowSums *kept);
