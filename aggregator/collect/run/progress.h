/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <stdint.h>

/* The progress line of a collection on stderr, redrawn in place. */
typedef struct {
	bool wanted;
	uint64_t start_ns; /* of the run; 0: the probes are not live yet */
	uint64_t shown_ns; /* when the line was last drawn */
	uint64_t events;   /* as last drawn */
} Progress;

/* Shows the state of the run, if it is time to. */
void progress_show(Progress *progress, const Session *session, uint64_t now_ns);

/* Clears the line for other output on stderr. */
void progress_clear(const Progress *progress);
