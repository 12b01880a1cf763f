/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * RunInfo contains the facts of a stream about its host and run: the fields of its info batches.
 *
 * A repeated field replaces the earlier value. Text is checked UTF-8 of limited length, with
 * control characters replaced.
 */
/* A part of a run, in ns from its start; inclusive. */
typedef struct {
	uint64_t from_ns;
	uint64_t to_ns; /* UINT64_MAX: the end of the run */
} RunSlice;

/* The window in the stream. Start UINT64_MAX: the window has not begun. */
typedef struct {
	bool start_known, end_known;
	uint64_t start_ns, end_ns; /* on the stream's clock */
} RunWindow;

typedef struct {
	/* Each by enum KmtFieldId, which only those who ask for a field need (format.h). */
	bool *known;
	uint64_t *number;
	char **text; /* owned; NULL for numbers and absent fields */
	bool sliced;
	RunSlice slice;
	RunWindow recorded; /* if sliced: the window fields of the stream */
	uint64_t first_ns;  /* if sliced: start of a stream without a start field; 0: unknown */
} RunInfo;

/* Returns a new one; free it with run_info_free(). */
RunInfo *run_info_new(void);
void run_info_free(RunInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunInfo, run_info_free)

/* Reads the fields of a KMT_BATCH_INFO batch; skips damaged or unknown fields. */
void run_info_read_batch(RunInfo *info, const Batch *batch);

/* Set a number field, or a text field of this many bytes, like a field of a batch. */
void run_info_set_number(RunInfo *info, unsigned id, uint64_t number);
void run_info_set_text(RunInfo *info, unsigned id, const char *text, size_t bytes);

/* Limits the window fields to a part of the run, for all readers. Call this before the first batch
   is read. */
void run_info_set_slice(RunInfo *info, RunSlice slice);

/* Sets the start of a stream without a start field: the time of its first events. */
void run_info_begin_at(RunInfo *info, uint64_t first_ns);

/* Returns the start of the run on the stream's clock, independent of the slice; 0: unknown. */
uint64_t run_info_start_ns(const RunInfo *info);

/* Whether a field is a number; false for text and for unknown ids. */
bool run_info_is_number(uint16_t id);

/* Returns the number, or fallback if the stream lacks it. */
uint64_t run_info_number(const RunInfo *info, unsigned id, uint64_t fallback);

/* Returns the text, borrowed, or NULL if the stream lacks it. */
const char *run_info_text(const RunInfo *info, unsigned id);

/* Converts a CLOCK_MONOTONIC time of the stream to ns since 1970. Returns 0 if the stream has no
   clock pair, and for UINT64_MAX (no start). */
uint64_t run_info_realtime_ns(const RunInfo *info, uint64_t monotonic_ns);
