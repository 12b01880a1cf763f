/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

#include <glib.h>

/*
 * A live run's facts about itself in the stream's info batches. At the start: what is observed and
 * how. At the end: what was lost and how the run ended.
 */

/* Appends the facts known before the start. collector is the text of KMT_FIELD_COLLECTOR. */
void run_facts_write_start(GByteArray *out, const CollectRequest *request, const char *collector,
			   uint64_t buffer_bytes);

/* Appends the load average and the current time. root: folder of /proc. */
void run_facts_write_load(GByteArray *out, const char *root);

/* Losses that are known at the end of a run, in addition to those in the batches. */
typedef struct {
	uint64_t skipped;        /* probes, as reported by the collector */
	uint64_t transport_lost; /* messages, as reported by the collector */
	uint64_t damaged_bytes;
	bool counted_to_end; /* the counters of CPUs whose last batches are missing were read */
	bool drained;        /* the last batches of every CPU arrived */
} RunLosses;

/* Appends the facts of the end; the last one marks the stream as complete. bound: why the run ended
   early; NULL: it did not. */
void run_facts_write_end(GByteArray *out, const RunLosses *losses, const CollectOutcome *outcome,
			 const char *bound);

/* Appends a text; NULL: nothing. */
void run_facts_write_text(GByteArray *out, unsigned id, const char *text);

/* Appends the probe points (lines: see point_list.h), the expression of what their hits are worth,
   and why points are missing; NULL: none. */
void run_facts_write_points(GByteArray *out, const GString *lines, const char *value_name,
			    const char *missing);

/* Appends a number. */
void run_facts_write_number(GByteArray *out, unsigned id, uint64_t number);
