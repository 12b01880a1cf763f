/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <stdbool.h>

/*
 * The losses of a session, by cause, and whether its result is complete: for the exit status and
 * for reports.
 *
 * Numbers are events of the window. The causes do not overlap.
 */
typedef struct {
	LossRange transport;     /* for lack of buffer space */
	LossRange not_delivered; /* counted by the kernel, but never delivered */
	LossRange unread;        /* shown only by the counters at the reader's end */
	LossRange skipped;       /* probe hits, and soft errors of the probes */
	LossRange missed;        /* hits of kprobes that the kernel missed */
	LossRange reentrant;
	LossRange damaged; /* announced by damaged batches; lines that could not be parsed */
	/* Counted, but a table was full: the events have no row of their own, or lack their task or
	   cache. */
	uint64_t over_bound;
	uint64_t of_past_tasks; /* they held nothing, and are counted by name, without a pid */
	uint64_t of_other_tasks;
	uint64_t of_other_caches;
	/* Lines about programs, of which user stacks are made: mappings and names that found no
	   room, and lines that were not understood. */
	uint64_t user_lines;
	uint64_t user_lines_unreadable;
	uint64_t damaged_bytes; /* unreadable input with an unknown number of events */
	uint64_t untraced_ns;   /* time of online CPUs, with an unknown number of events */
	bool counted_to_end;    /* the number of events in damaged input is known anyway */
	bool end_unknown;       /* something may have been lost after the last heartbeats */
	bool has_whole_run;     /* of a slice: some losses are known of the whole run only */
	const char *bpf_blind;  /* tracepoints whose events BPF programs held back; NULL: none */
	bool source_is_silent;  /* an import whose text does not report losses */
} Losses;

/* Returns all losses of a session so far. */
Losses losses_of(const Session *session);

/* Returns the events that were not counted: all causes except over_bound. */
LossRange losses_uncounted(const Losses *losses);

/* Returns the sum of all causes. */
LossRange losses_all(const Losses *losses);

/* Returns the number of events counted in the window, by whichever sink. */
uint64_t losses_counted(const Session *session);

/* Returns an upper bound of the time of the last event that was not counted, over all causes except
   over_bound. 0: none; UINT64_MAX: no bound is known, or some frees were never observed. */
uint64_t losses_last_ns(const Session *session);

/* Returns the number of events of the window that arrived, counted or not: of the whole host, even
   if only one process counts. Losses are of the whole host, too: a share divides by both. */
uint64_t losses_received(const Session *session);

/* Returns lost in percent of all events, received and lost; 0 if there are none. */
double losses_percent(const Session *session, uint64_t lost);

/* Whether the stream exceeds the permitted loss: more than percent_max of its events (0: any), or a
   loss with an unknown number of events. Full tables are ignored. */
bool losses_exceed(const Session *session, double percent_max);

/* Whether a table of events, or of what their stacks are made of, was full. */
bool losses_by_full_tables(const Losses *losses);

/* Returns how many walks of stacks differed from the kernel's, in the whole run. If any did,
   recorded stacks may be wrong, though no event is lost: the exit status is then 3. */
uint64_t losses_walks_different(const Session *session);

/* Returns how many names of slab caches differed from those that probes recorded, where both were
   compared. The exit status is then 3, too. */
uint64_t losses_names_different(const Session *session);

/* Whether so many events were lost that a warning says so, below the result. */
bool losses_are_many(const Session *session);

/* Whether the losses make the result incomplete: the exit status is then 3. */
bool losses_make_incomplete(const Session *session, double percent_max);

/* Returns advice against the largest part of the loss, or NULL. can_load: SystemTap's collector can
   be used on the host. */
const char *losses_remedy(const Session *session, bool can_load);
