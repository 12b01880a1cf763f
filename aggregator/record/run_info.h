/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"

#include <glib.h>

/*
 * RunInfo holds what a stream says about its host and run: the fields of its info batches.
 *
 * A field that comes again replaces the earlier value. Text is checked UTF-8 of bounded length,
 * control characters replaced.
 */
typedef struct {
	bool known[KMT_FIELD_IDS];
	uint64_t number[KMT_FIELD_IDS];
	char *text[KMT_FIELD_IDS]; /* owned; NULL for numbers and absent fields */
} RunInfo;

RunInfo *run_info_new(void);
void run_info_free(RunInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunInfo, run_info_free)

/* Takes over the fields of a batch of kind KMT_BATCH_INFO; damaged or unknown fields are skipped.
 */
void run_info_read_batch(RunInfo *info, const Batch *batch);

/* Whether a field of that id is a number; false for text and for unknown ids. */
bool run_info_is_number(uint16_t id);

/* Returns the number, or fallback when the stream did not say it. */
uint64_t run_info_number(const RunInfo *info, enum KmtFieldId id, uint64_t fallback);

/* Returns the text, borrowed, or NULL when the stream did not say it. */
const char *run_info_text(const RunInfo *info, enum KmtFieldId id);

/* Converts a CLOCK_MONOTONIC instant of the stream to ns since 1970; 0 when it has no clock pair,
   and for UINT64_MAX, a start that never came. */
uint64_t run_info_realtime_ns(const RunInfo *info, uint64_t monotonic_ns);
