/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/collector.h"
#include "collect/perf_events.h"

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Whose events are opened: everybody's, or those of single threads, which then cost nothing to
 * others. Events of threads follow what these start; what that would cost is bounded.
 */
typedef struct {
	GArray *threads;      /* (element-type pid_t), owned; NULL: everybody's */
	bool inherit;         /* what threads start is wanted, too */
	bool inherit_threads; /* ... as far as these are new threads */
	bool by_task;         /* what is read has to be looked at by process */
	const char *why_wide; /* why everybody's are opened although fewer are wanted, or NULL */
} PerfScope;

enum { PERF_DESCRIPTORS_MAX = 4096 };

/* Decides for a request whose command (if there is one) waits as that process. each_thread: how
   many descriptors a thread takes, on all CPUs. */
void perf_scope_init(PerfScope *scope, const CollectRequest *request, pid_t command,
		     uint64_t each_thread);
void perf_scope_clear(PerfScope *scope);

/* Whether the threads are still the same: one that came while events were opened may lack them, or
   have them twice. */
bool perf_scope_is_current(const PerfScope *scope, const CollectRequest *request);

/* Opens everybody's instead, for that reason. */
void perf_scope_widen(PerfScope *scope, const char *why);
