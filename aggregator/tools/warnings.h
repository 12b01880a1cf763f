/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/exit_status.h"
#include "options/tool_description.h"
#include "render/text/render_text.h"

/* What is wrong in a result, in lines on stderr, and the exit status that follows from it. */

/* Counts from now on the lines of g_printerr() on the terminal. */
void lines_said_count(void);

/* Returns how many lines these were, as wide as the terminal is. */
unsigned lines_said(void);

/* Prints one line of the text report, if it has any text. */
void fact_line_print(const Facts *facts, FactLineOfRun *append);

/* Prints each reason for which a result is incomplete, with a remedy if there is one. */
void fact_lines_print_incomplete(const Session *session, const Options *options);

/* Warns if anything differed of what was compared, on request or to be sure. */
void warn_of_differences(const Session *session);

/* Returns the status of a complete or incomplete result. */
ExitStatus result_status(const Session *session, const Options *options);

/* Warns of what is wrong in a result, and returns its status. */
ExitStatus warn_of_result(const Session *session, const Options *options);

/* Says on stderr which globs of --process and --cgroup match nothing on this host, before a live
   run. */
void warn_of_unmatched(const Options *options);
