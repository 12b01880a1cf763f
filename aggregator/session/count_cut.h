/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_reader.h"

/*
 * A report during a run shows the run up to a time that events of all CPUs have reached. Some CPUs
 * have already sent later ones. A CountCut keeps their batches, so these events are counted after
 * the report, each of them once.
 */
typedef struct CountCut CountCut;

/* Returns a cut at that time (monotonic); free it with count_cut_free(). */
CountCut *count_cut_new(uint64_t at_ns);
void count_cut_free(CountCut *cut);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CountCut, count_cut_free)

uint64_t count_cut_ns(const CountCut *cut);

/* Keeps a copy of the batch if it has events after the cut. */
void count_cut_take(CountCut *cut, const Batch *batch, const Events *events);

/* Passes what it keeps to the sink, decoded with this reader. */
void count_cut_give(CountCut *cut, EventReader *reader, EventSink sink, void *user_data);
