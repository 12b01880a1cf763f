/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_detail.h"
#include "session/session.h"
#include "tools/suite_child.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A Drill is a second collection that runs in parallel, of one slab cache and with stacks. It
 * collects in its own process and counts in its own thread, so its failures do not affect the first
 * collection. All functions are called by one thread, the first.
 */
typedef struct Drill Drill;

/* What to collect. Everything is borrowed for the call. */
typedef struct {
	SuiteRequest beside;
	const char *cache;    /* its folded name; NULL is an error: some events lack their cache */
	const Dimension *key; /* rate_detail_key() */
	uint64_t memory_bytes_max; /* for its tables */
	const GArray *cells;       /* (element-type CellFilter): conditions; NULL: all count */
} DrillRequest;

/* Starts a drill. Returns NULL with error set, one line. */
Drill *drill_start(const DrillRequest *request, GError **error);

/* Returns the data so far if it is new, at most about once a second; else NULL. Never blocks. If
   the collection has failed, the last detail contains the reason. */
RateDetail *drill_poll(Drill *drill);

/* The collecting process, for CollectRequest.left_out_pids. */
guint32 drill_pid(const Drill *drill);

/* Groups by that key from now on, "process" or "cgroup", and provides a detail at once. */
void drill_set_group(Drill *drill, const char *key);

/* Asks the drill to end; does not wait. */
void drill_leave(Drill *drill);

/* Whether it has ended, so that drill_stop() does not wait. */
bool drill_is_over(Drill *drill);

/* Ends the drill, by force after some seconds, and frees it. Leaves nothing behind. */
void drill_stop(Drill *drill);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Drill, drill_stop)

/* Returns a session's data so far about one slab cache: of a second collection, or of a run or a
   recording with stacks of its own. It takes as long as a report, so do not call it often. cells
   are as in RateDetailRequest. */
RateDetail *session_detail_new(Session *session, const char *cache, const Dimension *key,
			       const GArray *cells);
