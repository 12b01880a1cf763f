/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "record/batch_reader.h"

#include <glib.h>

/*
 * RunText keeps the texts of a stream that are few and short: names of slab caches, readings of
 * /proc/slabinfo and /proc/meminfo, paths of cgroups. Symbols and modules are symbol_store.h's.
 */
typedef struct RunText RunText;

RunText *run_text_new(void);
void run_text_free(RunText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunText, run_text_free)

/* The memory of the texts, and of the tables that are made of their lines, is taken from that
   budget, which is borrowed. Without it only the length of a text is bounded. */
void run_text_set_memory(RunText *text, MemoryBudget *memory);

/* Whether batches of that kind are kept here. */
bool run_text_keeps(uint8_t kind);

/* Appends a batch of such a kind to what came before. What is beyond a bound of some MiB is
   dropped, and lines stay whole: it is the stream of somebody else. */
void run_text_read_batch(RunText *text, const Batch *batch);

/* Returns the text of a kind (and of slabinfo: of an enum KmtReading), which may contain any bytes
   but ends after a whole line; NULL where none came. */
const GString *run_text_of(const RunText *text, uint8_t kind, uint32_t reading);

/* Returns when the first batch of it came, on the stream's clock; 0 where none came. */
uint64_t run_text_time_ns(const RunText *text, uint8_t kind, uint32_t reading);
