/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <stdint.h>

/* The line on stderr that shows a collection at work, redrawn in place. */
typedef struct {
	bool wanted;
	uint64_t start_ns; /* of the run; 0: the probes are not live yet */
	uint64_t shown_ns; /* when it was drawn last */
	uint64_t events;   /* as drawn last */
} Progress;

/* Draws the line. */
void progress_show(Progress *progress, const Session *session, uint64_t now_ns);

/* Makes room on stderr for something else. */
void progress_clear(const Progress *progress);
