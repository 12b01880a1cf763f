/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_reader.h"

/*
 * A report during a run shows the run up to a time that events of all CPUs have reached. Some CPUs
 * have already sent later ones. A CountCut keeps their batches, so these events are counted after
 * the report, each of them once. If a CPU is silent, these may be many: without memory for another
 * batch, the report becomes one of the run up to the last event that has arrived.
 */
typedef struct CountCut CountCut;

/* Returns a cut at that time (monotonic); free it with count_cut_free(). */
CountCut *count_cut_new(uint64_t at_ns);
void count_cut_free(CountCut *cut);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CountCut, count_cut_free)

/* Returns its time. */
uint64_t count_cut_ns(const CountCut *cut);

/* Returns the memory in use, with that of another batch of this size. */
size_t count_cut_memory(const CountCut *cut, size_t batch_bytes);

/* Moves the cut to the last event of the batches that it keeps. They have to be given and forgotten
   then. Returns false if there are none. */
bool count_cut_advance(CountCut *cut);
void count_cut_forget(CountCut *cut);

/* Keeps a copy of the batch if it has events after the cut. */
void count_cut_take(CountCut *cut, const Batch *batch, const Events *events);

/* Passes what it keeps to the sink, decoded with this reader. */
void count_cut_give(CountCut *cut, EventReader *reader, EventSink sink, void *user_data);
