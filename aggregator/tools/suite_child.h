/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A SuiteChild is another process of this program that collects in parallel. When this program
 * ends, the child gets a signal, undoes its changes and ends.
 */
typedef struct SuiteChild SuiteChild;

/* What the child collects. Everything is borrowed. */
typedef struct {
	const CollectRequest *like;     /* request of the parent: same processes, same means */
	const CollectorType *collector; /* the parent's collector */
	const char *cgroup;  /* --cgroup of the parent, whose paths are needed; NULL: none */
	const char *program; /* path to execute instead of this program, for tests; NULL: none */
} SuiteRequest;

/* Returns the common words of the child's command line, beginning with the program's name. The
   caller may append more, then NULL. Returns NULL with error set if no child is possible. */
GPtrArray *suite_arguments_new(const SuiteRequest *request, GError **error);

/* Starts the child; arguments end with NULL. Call it from the first thread only, because the child
   ends with the thread that started it. Its stdout is a pipe or /dev/null. Returns NULL with error
   set. */
SuiteChild *suite_child_start(const SuiteRequest *request, char **arguments, bool with_stdout,
			      GError **error);

/* Ends the child if it still runs, by force after some seconds, and waits for its end. */
void suite_child_free(SuiteChild *child);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SuiteChild, suite_child_free)

/* Returns its pid. */
guint32 suite_child_pid(const SuiteChild *child);

/* Returns the descriptor of its stdout pipe, owned by the child. */
int suite_child_stdout(const SuiteChild *child);

/* Asks the child to end, as Ctrl-C does. Does not wait. */
void suite_child_interrupt(SuiteChild *child);

/* Waits for its end, at most patience_ms; 0: only checks. Returns whether it has ended. May be
   called by one thread at a time. */
bool suite_child_wait(SuiteChild *child, unsigned patience_ms);

/* Returns why an ended child failed, in one line; NULL: it did not fail. The caller frees it. */
char *suite_child_problem(SuiteChild *child);

/* Starts a child that records with stacks to the file PATH, which must not exist. Returns NULL with
   error set, one line. */
SuiteChild *suite_recording_start(const char *path, const SuiteRequest *request, GError **error);

/* Asks it to end, unless already asked. Does not wait. */
void suite_recording_leave(SuiteChild *recording);

/* Ends it, by force after some seconds, and frees it. Returns false with error set (one line) if
   the recording is incomplete. */
bool suite_recording_stop(SuiteChild *recording, GError **error);
