/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rank/view.h"
#include "session.h"

#include <glib.h>

/* Whether a CPU took fewer events than was asked for, as its probes needed too much time. */
bool sampling_is_throttled(const Session *session);

/* Appends the line "Sampled: ..." where not every event was taken. */
void append_sampling_line(GString *out, const Session *session);

/* The same, with the margin of all allocations together. */
void append_sampling_line_of_view(GString *out, const Session *session, const View *view);

/* Appends " (sampled, +-3.1 %)" to a number of allocations; nothing where it is exact. */
void append_sampled(GString *out, const Variance *variance, uint64_t allocations);
