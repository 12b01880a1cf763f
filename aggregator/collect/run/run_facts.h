/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

#include <glib.h>

/*
 * What a live run says of itself in the stream's info batches: at the start what is observed and
 * how, at the end what was lost and how it ended.
 */

/* Appends the facts known before the start. collector is the text of KMT_FIELD_COLLECTOR. */
void run_facts_write_start(GByteArray *out, const CollectRequest *request, const char *collector,
			   uint64_t buffer_bytes);

/* Appends the load average as it is now, and what time it is. root: below which /proc lies. */
void run_facts_write_load(GByteArray *out, const char *root);

/* Losses that are known at the end of a run, beside those in the batches. */
typedef struct {
	uint64_t skipped;        /* probes, as the collector says it */
	uint64_t transport_lost; /* messages, likewise */
	uint64_t damaged_bytes;
	bool counted_to_end; /* where a CPU's last batches did not come, its counters were read */
	bool drained;        /* every CPU's last batches came */
} RunLosses;

/* Appends the facts of the end; the last one says that the stream is complete. bound: why the run
   ended early, NULL: it did not. */
void run_facts_write_end(GByteArray *out, const RunLosses *losses, const CollectOutcome *outcome,
			 const char *bound);

/* Appends one text; NULL: nothing. */
void run_facts_write_text(GByteArray *out, enum KmtFieldId id, const char *text);

/* Appends one number. */
void run_facts_write_number(GByteArray *out, enum KmtFieldId id, uint64_t number);
