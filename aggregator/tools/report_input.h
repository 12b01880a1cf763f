/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "report/source.h"

/* What a report is about: known once it was read, or when a run has ended. Everything is borrowed.
 */
typedef struct {
	Session *session;              /* NULL: several recordings */
	const struct ManyInputs *many; /* these; NULL: one session */
	const struct OlderRun *older;  /* what --diff names; NULL: nothing is compared */
	RateChart *chart;              /* of the session, if the format shows one; NULL: none */
} ReportSubject;

/* What a report of a session is made of, as the options ask. */
typedef struct {
	HeldCells *held_cells;
	CacheNames *caches;
	CgroupNames *cgroups;
	RunNames *runs;
	ViewOptions options;
	View *view;
	ReportSource source; /* of the members above, the session and the options */
} ReportInput;

/* Returns the size of the terminal that stdout is, with the lines of messages on it; 0: none. */
TerminalSize terminal_size(void);

/* Returns what the options and the format say about a report, without its contents. */
ReportSource report_source_of_options(const Options *options, const Renderer *renderer);

/* Of the subject's session. The subject, the options and the renderer must outlive the result; free
   it with report_input_free(). */
ReportInput *report_input_new(const ReportSubject *subject, const Options *options,
			      const Renderer *renderer);
void report_input_free(ReportInput *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReportInput, report_input_free)

/* Returns a text that is the same for the same run, though it is read from another file, and
   another one for each piece of a run. path: what the session was read from. The caller frees the
   text. */
char *run_identity(const Session *session, const char *path);

/* Adds the run of a session to the names, by what its stream says. path: as above. Returns its
   number. */
uint32_t run_identity_add(RunNames *names, const Session *session, const char *path);
