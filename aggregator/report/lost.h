/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session.h"

#include <glib.h>

/* Appends the line "Ended early: ..." where something other than its end ended the run. */
void append_early_line(GString *out, const Session *session);

/* Appends the line "Lost: ...", which every report ends with. */
void append_lost_line(GString *out, const Session *session);

/* Whether that says "none". */
bool report_lost_none(const Session *session);

/* Appends "CPU 1 not traced for 0.412 s", of a session for which report_has_untraced(). */
void append_untraced(GString *out, const Session *session);

/* Events lost so far before anybody could count them: what a full table left out is not among
   them. */
uint64_t report_events_never_counted(const Session *session);
