/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session.h"

#include <glib.h>

/* Whether a CPU took fewer events than was asked for, as its probes needed too much time. */
bool sampling_is_throttled(const Session *session);

/* Appends the line "Sampled: ..." where not every event was taken. */
void append_sampling_line(GString *out, const Session *session);
