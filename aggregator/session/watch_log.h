/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "record/history.h"
#include "record/run_info.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* WatchLog keeps the readings of a watch that a stream has (record/history.h). */
typedef struct WatchLog WatchLog;

/* What a report compares. */
typedef struct {
	HistoryTime first; /* of all readings */
	HistoryTime last;
	HistoryTime from; /* of the two that are compared */
	HistoryTime to;
	guint readings;
} WatchSpan;

/* Returns a new one, which pays from that budget (borrowed); free it with watch_log_free(). */
WatchLog *watch_log_new(MemoryBudget *memory);
void watch_log_free(WatchLog *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WatchLog, watch_log_free)

/* Keeps a batch of KMT_BATCH_HISTORY. */
void watch_log_take(WatchLog *log, const Batch *batch);

/* Visits the readings, oldest first. */
void watch_log_visit(const WatchLog *log, HistoryVisitor visit, void *user_data);

/* Chooses two readings: the first and the last of the slice; NULL: of the newest boot. Appends
   their texts as batches of a run that began at the one and ended at the other. */
void watch_log_deliver(WatchLog *log, const RunSlice *slice, GByteArray *out);

/* Returns how long the watch was, as far as readings were delivered. */
uint64_t watch_log_length_ns(const WatchLog *log);

/* Returns what was chosen; no readings: nothing was. */
WatchSpan watch_log_span(const WatchLog *log);
