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
/* A part of a run, in ns from its start; both ends are in it. */
typedef struct {
	uint64_t from_ns;
	uint64_t to_ns; /* UINT64_MAX: the end of the run */
} RunSlice;

/* The window as the stream has it; UINT64_MAX as start: it has not begun. */
typedef struct {
	bool start_known, end_known;
	uint64_t start_ns, end_ns; /* of the stream's clock */
} RunWindow;

typedef struct {
	bool known[KMT_FIELD_IDS];
	uint64_t number[KMT_FIELD_IDS];
	char *text[KMT_FIELD_IDS]; /* owned; NULL for numbers and absent fields */
	bool sliced;
	RunSlice slice;
	RunWindow recorded; /* while sliced: what the fields of the window were */
	uint64_t first_ns;  /* while sliced: when a stream without a start began; 0: not known */
} RunInfo;

RunInfo *run_info_new(void);
void run_info_free(RunInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunInfo, run_info_free)

/* Takes over the fields of a batch of kind KMT_BATCH_INFO; damaged or unknown fields are skipped.
 */
void run_info_read_batch(RunInfo *info, const Batch *batch);

/* Sets a field that is a number, or a text of so many bytes, as if a batch had it. */
void run_info_set_number(RunInfo *info, enum KmtFieldId id, uint64_t number);
void run_info_set_text(RunInfo *info, enum KmtFieldId id, const char *text, size_t bytes);

/* Limits the fields of the window to a part of the run: all readers then see that part alone. To be
   called before the first batch is read. */
void run_info_set_slice(RunInfo *info, RunSlice slice);

/* A stream that does not say when its run began did so at that time: of its first events. */
void run_info_begin_at(RunInfo *info, uint64_t first_ns);

/* Returns when the run began on the stream's clock, whatever the slice; 0: not known. */
uint64_t run_info_start_ns(const RunInfo *info);

/* Whether a field of that id is a number; false for text and for unknown ids. */
bool run_info_is_number(uint16_t id);

/* Returns the number, or fallback when the stream did not say it. */
uint64_t run_info_number(const RunInfo *info, enum KmtFieldId id, uint64_t fallback);

/* Returns the text, borrowed, or NULL when the stream did not say it. */
const char *run_info_text(const RunInfo *info, enum KmtFieldId id);

/* Converts a CLOCK_MONOTONIC instant of the stream to ns since 1970; 0 when it has no clock pair,
   and for UINT64_MAX, a start that never came. */
uint64_t run_info_realtime_ns(const RunInfo *info, uint64_t monotonic_ns);
