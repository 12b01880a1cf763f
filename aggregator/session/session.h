/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/loss.h"
#include "count/profile.h"
#include "base/memory_budget.h"
#include "record/run_info.h"
#include "record/run_text.h"
#include "symbols/symbol_store.h"

/*
 * A Session takes a record stream and holds all that is known from it.
 *
 * This is the one door between collectors and the rest: a collector feeds bytes or batches,
 * importers feed events that came as text, and everything after is a function of these. Each batch
 * of events is decoded once, and handed to all sinks.
 */
typedef struct {
	MemoryBudget *memory; /* owned: of all that follows, and of the report that is made of it */
	Profile *profile;
	LossLedger *loss;
	RunInfo *info;
	RunText *text;
	SymbolStore *symbols;
	BatchReader *reader;
	InnerKmallocs inner; /* of the traced kernel, once inner_is_known */
	bool inner_is_known; /* the kernel's symbols came before its events */
	EventReader *events; /* private, as the next five */
	GArray *sinks;
	GArray *taps;
	bool inner_was_sought;
	bool is_counted_elsewhere;
	ProfileTotals counted; /* ... */
	bool enough;           /* a tap has what it wants: the rest of a file is not read */
	bool imported;         /* counted from a foreign text format: names come with it */
	bool source_is_silent; /* ... which does not say what was lost */
	bool cut_short;        /* the stream ended in the middle, or a recording was never closed */
	uint64_t unreadable_lines; /* of an import: what no importer understood */
} Session;

/* Returns an empty session; free it with session_free(). */
Session *session_new(size_t memory_bytes_max);
void session_free(Session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Session, session_free)

/* Counts a part of the run only; to be called before the first bytes. */
void session_set_slice(Session *session, RunSlice slice);

/* Returns how long the whole run was, as far as that is known by now, whatever the slice; 0: it is
   not known. */
uint64_t session_length_ns(const Session *session);

/* Finds the inner events of large kmallocs by these symbols, unless they are known. Without a call
   they are found by the symbols of the stream, when its first events come. */
void session_find_inner_kmallocs(Session *session, const SymbolStore *symbols);

/* From here on calls tap with every whole batch, after it was counted; several are called in order.
 */
void session_add_tap(Session *session, BatchVisitor tap, void *user_data);
void session_remove_tap(Session *session, BatchVisitor tap);

/* From here on every decoded batch goes to that sink, too; several are called in order. The first
   one is session->profile. */
void session_add_sink(Session *session, EventSink sink, void *user_data);
void session_remove_sink(Session *session, EventSink sink);

/* The events are counted by a sink that says so itself: session_totals() are what it says. Unless
   both are wanted, the session's profile counts nothing from here on. */
void session_count_elsewhere(Session *session, bool both);

/* Takes note of what such a sink has counted since it said so before: sums of its own profiles. */
void session_add_counted(Session *session, const ProfileTotals *totals);

/* Returns the sums of what is shown: of session->profile, unless events are counted elsewhere. */
ProfileTotals session_totals(const Session *session);

/* For importers: what a text says of its run, and its events. */
void session_set_number(Session *session, enum KmtFieldId id, uint64_t number);
void session_take_text(Session *session, const EventText *text);

/* Takes a whole batch. */
void session_take_batch(Session *session, const Batch *batch);

/* Reads the next bytes of the stream. */
void session_feed(Session *session, const void *bytes, size_t length);

/* Ends the stream. */
void session_finish(Session *session);
