/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "record/batch_reader.h"

#include <glib.h>

/*
 * RunText stores the small texts of a stream: names of slab caches, readings of /proc/slabinfo and
 * of the state of memory, paths of cgroups. symbol_store.h stores symbols and modules.
 */
typedef struct RunText RunText;

/* Returns a new one; free it with run_text_free(). */
RunText *run_text_new(void);
void run_text_free(RunText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunText, run_text_free)

/* Sets the budget (borrowed) for the memory of the texts and of the tables made from their lines.
   Without it only the length of a text is limited. */
void run_text_set_memory(RunText *text, MemoryBudget *memory);

/* Appends a batch to the text of its kind. The stream is not trusted: text above a limit of some
   MiB is dropped, in whole lines. */
void run_text_read_batch(RunText *text, const Batch *batch);

/* Appends a line, for importers of other texts, within the same limits. */
void run_text_add_line(RunText *text, uint8_t kind, const char *line);

/* Returns the text of a kind (of readings: of an enum KmtReading); NULL if there is none. It may
   contain any bytes, but ends after a whole line. */
const GString *run_text_of(const RunText *text, uint8_t kind, uint32_t reading);

/* Returns when its first batch was made, on the stream's clock; 0 if there is none. */
uint64_t run_text_time_ns(const RunText *text, uint8_t kind, uint32_t reading);
