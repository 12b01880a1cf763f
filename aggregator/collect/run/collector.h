/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/host_snapshot.h"
#include "record/probe_kinds.h"
#include "record/recording.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Whose allocations the kernel side lets through. */
typedef enum {
	COLLECT_SCOPE_HOST,    /* everybody's */
	COLLECT_SCOPE_COMMAND, /* those of the command, its threads and descendants */
	COLLECT_SCOPE_PIDS,    /* those of every thread of the listed processes */
} CollectScope;

/* The kernel side compares a name with each of them. */
enum { COLLECT_CACHES_MAX = 16 };

/* The request to a live collector. Everything is borrowed for the call. */
typedef struct {
	unsigned events;      /* bits of ProbeKindBit */
	uint32_t stack_depth; /* frames; 0: call sites only */
	CollectScope scope;
	char **command;     /* argument vector, NULL: none */
	const char *user;   /* run the command as this user; NULL: as we are */
	const GArray *pids; /* (element-type guint32), for COLLECT_SCOPE_PIDS */
	/* Only allocations from slab caches of these names count, per-cgroup copies of them among
	   them; NULL: all. At most COLLECT_CACHES_MAX names as the kernel has them, ended by NULL.
	 */
	char **caches;
	bool with_interrupts; /* count softirq and hardirq under a process filter, too */
	bool include_self;    /* count the collector's own processes */
	/* (element-type guint32) further processes that are ours, which perf events leave out as
	   they do the collector's own; NULL: none. It may change while the run goes on. */
	const GArray *left_out_pids;
	uint32_t sampling_period;      /* take one of so many events; 1: all */
	uint32_t overhead_percent_max; /* of a CPU's time, for its probes; above it that CPU takes
					  fewer events; 0: no bound */
	/* Allocations that differ in time and pointer only may come as one event that stands for
	   them, between two multiples of this, of which the window's start is one; 0: each comes
	   for itself. */
	uint32_t repeat_ns;
	double duration_seconds;   /* from the moment the probes are live; 0: until stopped */
	uint32_t buffer_megabytes; /* transport memory of all CPUs together; 0: buffer_plan.h's */
	uint64_t memory_bytes_max; /* of the session's tables, of what SystemTap queues; 0: none */
	const char *record_path;   /* recording to write; NULL: none; "-": the stream, to stdout */
	uint64_t record_bytes_max; /* its bound */
	const char *stap_options;  /* -o; NULL: none */
	const char
		*module_path; /* --module: load this one, compile nothing; NULL: build or cache */
	const char *command_line; /* how the program was called, quoted for a shell */
	int verbose;              /* level of diagnostics on stderr */
	bool quiet;               /* say nothing on stderr but problems */
	bool prompt;              /* say on stderr how to stop, once the probes are live */
	bool progress;            /* a progress line on stderr is welcome */
	/* SIGUSR1: print a report of what is known so far. */
	void (*report_now)(Session *session, void *user_data);
	void *report_data;
	/* Ten times a second while the probes are live; NULL: nothing. Returns false when the run
	   is to end, as at the end of its duration. */
	bool (*tick)(Session *session, void *user_data);
	void *tick_data;
} CollectRequest;

/* How the collection ended, beside what is in the stream. */
typedef struct {
	bool command_ended;        /* command_status is valid */
	int command_status;        /* as waitpid() gives it */
	bool command_running;      /* the command outlived the collection; it was left alone */
	bool recording_unfinished; /* it could not be written to its end; the error was printed */
	bool reader_left;          /* whoever read the stream, so that the run ended */
} CollectOutcome;

/* The parts of a live run. Everything is borrowed. */
typedef struct {
	const CollectRequest *request;
	Session *session; /* takes the stream */
	CollectOutcome *outcome;
	HostSnapshot *host;
	Recording *recording; /* NULL: none */
} CollectRun;

struct CheckRow;
struct CheckHost;

/*
 * A live source of records. To add one: a file with such a table, a line in collector_types.c.
 */
typedef struct {
	const char *name;  /* as given to --collector: "stap" */
	const char *title; /* "SystemTap" */
	const char *about; /* what it is, for --check */
	/* The rows of --check for it, ended by a row without topic; NULL: none. */
	const struct CheckRow *checks;
	/* Whether it would begin at once, with nothing to compile and nothing that forbids it. Else
	   appends what it lacks, in a few words. NULL: it always would. */
	bool (*is_ready)(const struct CheckHost *host, GString *lacks);
	/* Collects into the session until the request is fulfilled or a signal ends it. Returns
	   false with error set when nothing was collected; the message is one line and names the
	   remedy. */
	bool (*collect)(const CollectRun *run, GError **error);
} CollectorType;

extern const CollectorType stap_collector;
extern const CollectorType perf_collector;
