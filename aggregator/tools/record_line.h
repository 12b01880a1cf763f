/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "session/session.h"

#include <stdio.h>

/* Whether a run is recorded, and no report of it was asked for: the recording is the result. */
bool record_is_result(const Options *options);

/* Prints instead of the report: events, time, file, size, losses, and the command that shows them.
   The recording is complete. */
void record_line_print(const Session *session, const Options *options, FILE *out);
