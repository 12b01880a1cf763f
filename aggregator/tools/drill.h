/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_detail.h"
#include "tools/suite_child.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A Drill is a second collection beside the one that runs, of one slab cache and with its stacks.
 * It collects in a process, and is counted in a thread, of its own: what goes wrong there does not
 * touch the first. All of this is called by one thread, the first.
 */
typedef struct Drill Drill;

/* What it is to collect. Everything is borrowed for the call. */
typedef struct {
	SuiteRequest beside;
	const char *cache;    /* its folded name; NULL is an error: not every event has its cache */
	const Dimension *key; /* rate_detail_key() */
	uint64_t memory_bytes_max; /* of its tables */
	const GArray *cells;       /* (element-type CellFilter): what counts; NULL: all */
} DrillRequest;

/* Starts it. Returns NULL with error set, one line. */
Drill *drill_start(const DrillRequest *request, GError **error);

/* Returns what is known by now, if that is news, at most about once a second; else NULL. Never
   blocks. When the collection has failed, the last detail says why. */
RateDetail *drill_poll(Drill *drill);

/* The process that collects, for CollectRequest.left_out_pids. */
guint32 drill_pid(const Drill *drill);

/* Groups by that key from now on, "process" or "cgroup", and gives a detail at once. */
void drill_set_group(Drill *drill, const char *key);

/* Asks it to end, and does not wait. */
void drill_leave(Drill *drill);

/* Whether it has ended, so that drill_stop() does not wait. */
bool drill_is_over(Drill *drill);

/* Ends it, by force after some seconds, and frees it. Nothing stays behind. */
void drill_stop(Drill *drill);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Drill, drill_stop)
