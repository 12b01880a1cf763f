/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "losses.h"

#include <glib.h>

/* Appends the line "Ended early: ..." where something other than its end ended the run. */
void append_early_line(GString *out, const Session *session);

/* Appends the line "Lost: ...", which every report ends with. */
void append_lost_line(GString *out, const Session *session);

/* Appends the line "Full tables: ..." where events are of tasks or caches that found no room. */
void append_full_line(GString *out, const Session *session);

/* Appends the line "Beside BPF: ..." where programs were attached to tracepoints whose events
   arrived. */
void append_bpf_line(GString *out, const Session *session);

/* Appends "12,000", or "12,000 to 15,000" where that is all that is known. */
void append_range(GString *out, LossRange events);

/* Appends "CPU 1 not traced for 0.412 s", of a session in which one was not. */
void append_untraced(GString *out, const Session *session);
