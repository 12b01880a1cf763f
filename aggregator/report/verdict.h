/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/slab_readings.h"
#include "table/view.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A Verdict answers in words who keeps memory, or why nobody is suspected, with its evidence and
 * the next command. verdict_held.c finds the evidence of what is held, and verdict.c has its rules;
 * verdict_slabs.c has both for readings of slab caches and memory.
 */

/* What the memory of a call is. */
typedef enum {
	MEMORY_KEPT,        /* of the kernel: only its owner frees it */
	MEMORY_RECLAIMABLE, /* slab caches that the kernel shrinks if memory is short */
	MEMORY_PAGE_CACHE,  /* pages of files: likewise */
	MEMORY_OF_PROGRAM,  /* pages of a process, and their page tables */
	MEMORY_BALLOON,     /* pages that a hypervisor took back */
	MEMORY_KINDS,
} MemoryKind;

/* A call that keeps what it allocates: by one process, or by all of a name, through one system call
   or function of a kernel thread. Texts are owned and escaped; NULL: not known. */
typedef struct {
	const char *memory; /* name of its kind; constant */
	char *process;      /* "chatd", "[softirq]" */
	bool is_single;
	uint64_t tgid; /* of a single process; else 0 */
	uint64_t processes;
	bool is_kernel_thread;
	bool is_interrupt;
	char *cgroup; /* of the newest process */
	char *module; /* of the innermost function outside of the kernel itself; NULL: none */
	char *path;   /* "sock_alloc_inode < alloc_inode < sock_alloc" */
	char *cache;  /* in which it keeps most bytes */
	char *name;   /* the first of these names */
	char *query;  /* its name as a command takes it; NULL: no slab cache */
	const char *tracepoint;    /* of its allocations, in the group kmem; constant; NULL: none */
	uint64_t slot_bytes;       /* of an object there */
	uint64_t caches;           /* in which it keeps anything */
	uint64_t objects, bytes;   /* kept, in all of them */
	uint64_t allocated, freed; /* in the run */
	uint64_t in_cache;         /* objects kept in that cache */
	int64_t cache_growth;      /* objects in use, more than at the start */
	bool is_cache_growth_known;
} VerdictCall;

/* A part of memory that is neither of programs, nor of files, nor of slab caches. */
typedef struct {
	const char *part;   /* as in BalanceRow */
	const char *events; /* what observes it, as for --events */
	const char *of;     /* who has such memory */
} VerdictPart;

/* What two readings of slab caches and memory say. Names are as in the readings, borrowed, and not
   escaped. */
typedef struct {
	SlabTableRow kept,
		reclaimable;        /* the caches of these kinds that grew most; no name: none */
	double kept_growth;         /* of all caches that the kernel cannot shrink, in bytes */
	SlabTableRow largest;       /* of what the kernel cannot shrink; no name: none */
	uint64_t total_bytes;       /* all memory; 0: unknown */
	uint64_t dying, dying_more; /* cgroups that were removed, at the end and since the start */
	const char *dying_below;    /* path of the cgroup with most of them; NULL: not known */
	uint64_t noise_bytes;       /* by which a part of memory may change without a reason */
	uint64_t uncounted_bytes;   /* that stand in no counter */
	int64_t outside_bytes;      /* that the kernel took outside of slab caches */
	double balloon_growth;      /* in bytes; 0: not by more than noise */
	BalanceRow part;            /* the part of memory that grew most; no title: none */
	double part_growth;         /* in bytes */
	const VerdictPart *outside; /* the part outside of slab caches that grew most */
	const char *outside_title;  /* constant */
	double outside_growth;      /* in bytes; 0: none of these parts grew */
	/* One cache, with its traced allocations. */
	const SlabGrowthRow *asked;
	const char *allocator; /* the process with most allocations; escaped */
	uint64_t allocator_events;
} VerdictSlabs;

/* What rules judge. Numbers are 0 and texts NULL where nothing is known. */
typedef struct {
	uint64_t span_ns;
	double lost_percent;
	bool sees_frees;                 /* no free of the counted objects is missing */
	uint64_t allocated, freed;       /* by all that counts; not of the overview */
	VerdictCall calls[MEMORY_KINDS]; /* of each kind, the one that proves most; bytes 0: none */
	VerdictSlabs slabs;
} VerdictEvidence;

typedef struct {
	const char *rule; /* its id in JSON; constant */
	bool is_suspect;  /* false: nobody is suspected, and the sentence says why */
	char *sentence;   /* owned, escaped: one to three sentences in one line */
	char *next;       /* owned, escaped: a command for a shell; NULL: none */
	/* The largest of each kind that the evidence has, owned; bytes 0: none. */
	VerdictCall calls[MEMORY_KINDS];
} Verdict;

/* A rule: the first of a table that applies makes the verdict. */
typedef struct {
	const char *id;
	bool is_suspect;
	bool (*applies)(const VerdictEvidence *evidence); /* NULL: always; of the last rule */
	void (*say)(GString *out, const VerdictEvidence *evidence);
	/* Appends the next command; NULL: it is the constant one, or there is none if that is NULL,
	   too. */
	void (*next)(GString *out, const VerdictEvidence *evidence);
	const char *command;
} VerdictRule;

/* Returns the verdict of these rules, which takes the calls of the evidence. Free it with
 * verdict_free(). */
Verdict *verdict_judge(const VerdictRule *rules, VerdictEvidence *evidence);

/* Appends a command that shows who keeps objects of a cache. */
void verdict_append_held_command(GString *out, const char *cache);

/* Returns what a call proves: 0: it keeps too little; 1: it keeps much; 2: and its cache grew by
   that. */
int verdict_call_rank(const VerdictEvidence *evidence, const VerdictCall *call);

/* Finds the calls of a run that keep what they allocate. The source of the view must have cells of
   held objects, with their times. held_check: what held_check_new() returned. */
void verdict_find_calls(VerdictEvidence *evidence, const View *view, const Session *session,
			const GArray *held_check);

/* Judges the evidence about what a run holds, and takes it. */
Verdict *verdict_of_held(VerdictEvidence *evidence);

/* Judges the overview of slab caches and memory. */
Verdict *verdict_of_slabs(const SlabTable *slabs);

/* Judges the growth of caches that were asked for, with their traced allocations; processes:
   (element-type ViewProcess), those with most first. */
Verdict *verdict_of_growth(const SlabGrowth *growth, const GArray *processes);

/* verdict may be NULL. */
void verdict_free(Verdict *verdict);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Verdict, verdict_free)
