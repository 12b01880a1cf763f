/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/facts/host_snapshot.h"
#include "probes/preset.h"
#include "record/probe_kinds.h"
#include "session/recorder.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Options of a collector whose arguments are names. */

/* How SystemTap's collector walks a stack (--stack-walk). The numbers are the values of the probe
   module's parameter kmt_stack_walk. */
typedef enum {
	STACK_WALK_KERNEL = 0,
	STACK_WALK_AUTO = 1,    /* the collector itself, the kernel where that is not possible */
	STACK_WALK_COMPARE = 2, /* both, and the results are compared */
} StackWalk;

/* How slab caches are found that a tracepoint does not record (--cache-names). */
typedef enum {
	CACHE_NAMES_AUTO,    /* the cheapest possible way */
	CACHE_NAMES_PROBES,  /* by probes at the allocator's entries */
	CACHE_NAMES_COMPARE, /* both ways, and compare the results */
} CacheNaming;

/* The arguments, by StackWalk and by CacheNaming; each list ends with NULL. */
extern const char *const stack_walk_names[];
extern const char *const cache_naming_names[];

/* Returns the index of a name in such a list; -1: it is not there. */
int choice_lookup(const char *const *names, const char *name);

/* Whose allocations the kernel side records. */
typedef enum {
	COLLECT_SCOPE_HOST,    /* of all tasks */
	COLLECT_SCOPE_COMMAND, /* of the command, its threads and descendants */
	COLLECT_SCOPE_PIDS,    /* of every thread of the listed processes */
} CollectScope;

/* The kernel side compares each cache's name with all of them. */
enum { COLLECT_CACHES_MAX = 16 };

/* What is recorded. */
typedef struct {
	unsigned events;      /* bits of ProbeKindBit */
	const Preset *preset; /* probe points to observe instead; NULL: allocations */
	/* Count only allocations from slab caches with these names, including their per-cgroup
	   copies; NULL: all. At most COLLECT_CACHES_MAX kernel names, NULL-terminated. */
	char **caches;
	/* Allocations will be paired with their frees: record the frees of the whole host from the
	   observed sources, also those that tracepoints do not show, and mark the collector's own
	   allocations instead of leaving them out. sampling_period then samples by address. */
	bool held;
	uint32_t stack_depth; /* frames; 0: call sites only */
	uint32_t user_depth;  /* user frames of hits of probe points; 0: none */
	/* Of copies of the user stack, to unwind it; a multiple of 8. 0: by frame pointers. */
	uint32_t user_stack_bytes;
	uint32_t sampling_period; /* take one of this many events; 1: all */
	/* Allocations that differ only in time and pointer may arrive as one event with a count, if
	   they lie between the same two multiples of this interval. The window starts at a
	   multiple. 0: one event for each allocation. */
	uint32_t repeat_ns;
	CacheNaming cache_names; /* with perf events */
} CollectWhat;

/* Whose events count. */
typedef struct {
	CollectScope scope;
	const GArray *pids;   /* (element-type guint32), for COLLECT_SCOPE_PIDS */
	bool with_interrupts; /* with a process filter, count softirq and hardirq, too */
	bool include_self;    /* count the collector's own processes */
	/* (element-type guint32) further processes of the program, which perf events exclude like
	   the collector's own; NULL: none. The array may change during the run. */
	const GArray *left_out_pids;
} CollectWhose;

/* The command of the run. */
typedef struct {
	char **words;     /* argument vector, NULL: none */
	const char *user; /* runs it as this user; NULL: as the current user */
} CollectCommand;

/* How far a run may go. */
typedef struct {
	/* Probes' share of a CPU's time; a CPU above it takes fewer events; 0: no bound. */
	uint32_t overhead_percent_max;
	double duration_seconds;   /* from the moment the probes are live; 0: until stopped */
	uint32_t buffer_megabytes; /* of all transport buffers; 0: default of run_memory.h */
	uint64_t memory_bytes_max; /* of the tables and of SystemTap's queue; 0: no bound */
} CollectBounds;

/* What only SystemTap's collector needs. */
typedef struct {
	StackWalk walk;          /* perf events always let the kernel walk */
	const char *options;     /* -o; NULL: none */
	const char *module_path; /* --module: load this one; NULL: build or use the cache */
} CollectStap;

/* What the stream says of the run for its reports. */
typedef struct {
	const char *command_line; /* how the program was called, quoted for a shell */
	const char *rank;         /* of hits, as of -s: the metric that ranks the report ... */
	const char *keys;         /* ... and the keys of its rows, as of --by; "": stacks */
} CollectLabels;

/* What the run says on stderr, and to whom the keyboard belongs. */
typedef struct {
	int verbose;     /* level of diagnostics */
	bool quiet;      /* print only problems */
	bool reads_keys; /* the program reads the keyboard itself */
	bool prompt;     /* print how to stop, once the probes are live */
	bool progress;   /* a progress line is allowed */
} CollectTerminal;

/* Whom the run calls while it lasts. */
typedef struct {
	/* Called for SIGUSR1, and at each multiple of every_ns: prints a report of the data so far.
	   Returns false to end the run. NULL: none. */
	bool (*now)(Session *session, void *user_data);
	void *data;
	uint64_t every_ns; /* of the run; 0: only when asked for */
	/* Called ten times a second while the probes are live; NULL: none. Returns false to end the
	   run, as at the end of its duration. */
	bool (*tick)(Session *session, void *user_data);
	void *tick_data;
} CollectReports;

/* The request to a live collector; who needs one part only takes that. Everything is borrowed for
   the call. */
typedef struct {
	CollectWhat what;
	CollectWhose whose;
	CollectCommand command;
	CollectBounds bounds;
	RecorderPlan record; /* the recording to write; without path: none; "-": stream to stdout */
	CollectStap stap;
	CollectLabels labels;
	CollectTerminal terminal;
	CollectReports reports;
} CollectRequest;

/* Whether the request names things that only SystemTap's collector has: its user has chosen it. */
static inline bool collect_request_needs_stap(const CollectRequest *request)
{
	return request->stap.module_path || request->stap.options ||
	       request->stap.walk == STACK_WALK_COMPARE;
}

/* How the collection ended, in addition to the facts in the stream. */
typedef struct {
	bool command_ended;        /* command_status is valid */
	int command_status;        /* as waitpid() gives it */
	bool command_running;      /* the command outlived the collection and was left running */
	bool recording_unfinished; /* its end could not be written; the error was printed */
	bool reader_left;          /* the reader of the stream closed it, which ended the run */
} CollectOutcome;

/* The parts of a live run. Everything is borrowed. */
typedef struct {
	const CollectRequest *request;
	Session *session; /* receives the stream */
	CollectOutcome *outcome;
	HostSnapshot *host;
	Recorder *recorder; /* NULL: none */
} CollectRun;

struct CheckRow;
struct CheckHost;

/*
 * A live source of records. To add one, add a file with such a table and a line in
 * collector_types.c.
 */
typedef struct {
	const char *name;  /* as given to --collector: "stap" */
	const char *title; /* "SystemTap" */
	const char *about; /* description, for --check */
	bool by_name_only; /* never chosen without --collector */
	/* Its rows for --check, ended by a row without topic; NULL: none. */
	const struct CheckRow *checks;
	/* Whether it could start at once: nothing to compile, nothing that forbids it. If not,
	   appends the reason in a few words. NULL: always ready. */
	bool (*is_ready)(const struct CheckHost *host, GString *lacks);
	/* Collects into the session until the request is fulfilled or a signal ends it. Returns
	   false with error set if nothing was collected: one line with the remedy. */
	bool (*collect)(const CollectRun *run, GError **error);
} CollectorType;

extern const CollectorType stap_collector;
extern const CollectorType bpf_collector;
extern const CollectorType perf_collector;
