/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
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

/* Reads the recording that options->diff names. Returns NULL with error set if it cannot be read,
   or not be compared with this command line. */
OlderRun *older_run_read(const Options *options, int argc, char **argv, GError **error);
void older_run_free(OlderRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OlderRun, older_run_free)

/* Whether its events compare with those of the newer run, which was read. Returns false with error
   set if not. */
bool older_run_fits(const OlderRun *run, const Options *options, const Session *newer,
		    GError **error);

/* Warns on stderr if the newer run, which was read from a file, is the same one. */
void older_run_warn(const OlderRun *run, const Options *options, const Session *newer);
