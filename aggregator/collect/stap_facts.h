/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/collector.h"
#include "collect/stap_messages.h"
#include "collect/stap_tool.h"

#include <glib.h>

/*
 * What the SystemTap collector says of itself in the stream's info batches: at the start what is
 * observed and how, at the end what was lost and how it ended.
 */

/* Appends the facts known before the start. */
void stap_facts_write_start(GByteArray *out, const CollectRequest *request, const StapTool *tool,
			    uint64_t buffer_bytes);

/* What is known at the end. Everything is borrowed. */
typedef struct {
	StapMessageTotals messages;
	const CollectOutcome *outcome;
	uint64_t damaged_bytes;
	bool counted_to_end; /* where a CPU's last batches did not come its counters are told */
	bool drained;        /* every CPU's last batches came */
	const char *bound;   /* why the run ended early, NULL: it did not */
} StapEnd;

/* Appends the facts of the end; the last one says that the stream is complete. */
void stap_facts_write_end(GByteArray *out, const StapEnd *end);

/* Appends one number. */
void stap_facts_write_number(GByteArray *out, enum KmtFieldId id, uint64_t number);
