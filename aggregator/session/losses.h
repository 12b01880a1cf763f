/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <stdbool.h>

/*
 * What a session says of its losses, by cause, and whether its result is complete: for the exit
 * status and for reports.
 *
 * Numbers are events of the window, each cause apart from the others.
 */
typedef struct {
	LossRange transport;     /* for want of a buffer */
	LossRange not_delivered; /* counted by the kernel, but never handed over */
	LossRange unread;        /* the counters alone, when the reader ended */
	LossRange skipped;       /* probe hits, and soft errors of the probes */
	LossRange reentrant;
	LossRange damaged; /* announced by damaged batches; lines that were not understood */
	/* Counted, but a table was full: in no row of their own, or in one of other tasks or other
	   caches. */
	uint64_t over_bound;
	uint64_t of_other_tasks;
	uint64_t of_other_caches;
	uint64_t damaged_bytes; /* unreadable input, whose events are not known */
	uint64_t untraced_ns;   /* of CPUs that were online: their events are not known, either */
	bool counted_to_end;    /* the number of events in damaged input is known anyway */
	bool end_unknown;       /* something may have been lost after the last heartbeats */
	bool has_whole_run;     /* of a slice: some of it is known of the whole run only */
	const char *bpf_blind;  /* tracepoints whose events BPF programs held back; NULL: none */
	bool source_is_silent;  /* of an import: its text does not say what was lost */
} Losses;

Losses losses_of(const Session *session);

/* Returns the events that were not counted: all causes but over_bound. */
LossRange losses_uncounted(const Losses *losses);

/* Returns all of them. */
LossRange losses_all(const Losses *losses);

/* Returns how many events were counted in the window, by whatever counted them. */
uint64_t losses_counted(const Session *session);

/* Returns a share of the events counted and lost together, in percent; of nothing: 0. */
double losses_percent(const Session *session, uint64_t lost);

/* Whether nothing was lost, or may have been. A source that is silent has lost nothing that is
   known. */
bool losses_are_none(const Losses *losses);

/* Whether the stream lacks more than it may: percent_max of its events (0: any), or something of
   which the events cannot be counted. What a full table left out is not looked at. */
bool losses_exceed(const Session *session, double percent_max);

/* Whether a table of events was full. */
bool losses_by_full_tables(const Losses *losses);

/* Whether the result does: the exit status is then 3. */
bool losses_make_incomplete(const Session *session, double percent_max);

/* Returns what helps against the largest part of the loss, or NULL. can_load: SystemTap's collector
   can be used there. */
const char *losses_remedy(const Session *session, bool can_load);
