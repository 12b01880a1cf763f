/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "report/merged.h"
#include "report/source.h"
#include "session/session.h"
#include "tools/source_lines.h"

#include <glib.h>

/* The older run that --diff compares with. It is made as the newer one is: by the same command
   line, but with its recording as input. */
typedef struct OlderRun {
	Options *options; /* owned, as the other members */
	Session *session;
	SourceLines *lines;
} OlderRun;

/* Reads the recording that options->output.diff names. Returns NULL with error set if it cannot be
   read, or not be compared with this command line. */
OlderRun *older_run_read(const Options *options, int argc, char **argv, GError **error);
void older_run_free(OlderRun *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(OlderRun, older_run_free)

/* Whether its events compare with those of the newer run, which was read. Returns false with error
   set if not. */
bool older_run_fits(const OlderRun *run, const Options *options, const Session *newer,
		    GError **error);

/* Warns on stderr if the newer run, which was read from a file, is the same one. */
void older_run_warn(const OlderRun *run, const Options *options, const Session *newer);

/* Several recordings, merged for one report. */
typedef struct ManyInputs {
	RunNames *names;
	ManyRuns *runs;
	Merged *merged;
	ViewOptions options;
	View *view;
	char *parts;         /* of the report; NULL: none */
	ReportSource source; /* of the members above and the options */
	/* Private: while recordings are read. */
	char *kind;       /* what the first one has; others must have the same */
	GHashTable *seen; /* (element-type utf8 utf8), owned: paths by identity of the run */
	bool incomplete;  /* one was not read, or lost events in a way that nobody can count */
	guint flawed;     /* those that were read, but are not complete */
} ManyInputs;

/* Whether -i was given several times, or names a folder. */
bool many_inputs_are_given(const InputOptions *input);

/*
 * Reads each recording in turn into a session of its own, and keeps what the report needs. The
 * merged data and the current recording have half of --max-memory each. A recording that cannot be
 * used is named on stderr and left out; one that was read already is left out with a note. Returns
 * NULL with error set if none can be used. Free the result with many_inputs_free(); the options
 * must outlive it.
 */
ManyInputs *many_inputs_read(Options *options, GError **error);
void many_inputs_free(ManyInputs *many);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ManyInputs, many_inputs_free)

/* Whether all recordings were read, and no more events were lost than --max-loss allows. Losses are
   also reported on stderr. */
bool many_inputs_are_complete(const ManyInputs *many, const Options *options);
