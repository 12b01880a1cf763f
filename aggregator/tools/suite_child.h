/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A SuiteChild is this program once more, in a process of its own that collects beside it. It gets
 * a signal when we are gone; it ends then, and undoes what it has begun.
 */
typedef struct SuiteChild SuiteChild;

/* What another collection is to collect. Everything is borrowed. */
typedef struct {
	const CollectRequest *like; /* the one beside which it runs: same processes, same means */
	const CollectorType *collector; /* that this one uses */
	const char *cgroup;  /* --cgroup of this one, whose paths are needed; NULL: none */
	const char *program; /* a path to execute instead of this program, for tests; NULL: none */
} SuiteRequest;

/* Returns the words for another collection, the program's name first, that do not depend on what
   it is for: more may be added, then NULL. Returns NULL with error set where there cannot be one.
 */
GPtrArray *suite_arguments_new(const SuiteRequest *request, GError **error);

/* Starts it; arguments end with NULL. To be called by the first thread only: the child ends when
   the thread that started it does. Its stdout is a pipe, or nothing. Returns NULL with error set.
 */
SuiteChild *suite_child_start(const SuiteRequest *request, char **arguments, bool with_stdout,
			      GError **error);

/* Ends it if it still runs, by force after some seconds, and waits for that. */
void suite_child_free(SuiteChild *child);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SuiteChild, suite_child_free)

guint32 suite_child_pid(const SuiteChild *child);

/* Returns what to read its stdout from; it stays the child's. */
int suite_child_stdout(const SuiteChild *child);

/* Asks it to end, as Ctrl-C does. Does not wait. */
void suite_child_interrupt(SuiteChild *child);

/* Waits so long for its end; 0 only looks. Returns whether it has ended. May be called by one
   thread at a time. */
bool suite_child_wait(SuiteChild *child, unsigned patience_ms);

/* Returns why a child that has ended failed, in one line of its own or of ours, which the caller
   frees; NULL: it did not fail. */
char *suite_child_problem(SuiteChild *child);

/* Starts a child that saves what it collects, with stacks, to the recording PATH, which must not
   exist. Returns NULL with error set, one line. */
SuiteChild *suite_recording_start(const char *path, const SuiteRequest *request, GError **error);

/* Asks it to end, if it was not asked before, and does not wait. */
void suite_recording_leave(SuiteChild *recording);

/* Ends it, by force after some seconds, and frees it. Returns false with error set, one line, when
   the recording is not whole. */
bool suite_recording_stop(SuiteChild *recording, GError **error);
