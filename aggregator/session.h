/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/loss.h"
#include "count/profile.h"
#include "memory_budget.h"
#include "record/run_info.h"
#include "record/run_text.h"
#include "symbols/symbol_store.h"

/* Counts a batch of kind KMT_BATCH_EVENTS. Returns how many events were decoded. */
typedef uint64_t (*SessionCounter)(const Batch *batch, void *user_data);

/* Counts events that came as text. */
typedef void (*SessionTextCounter)(const ProfileText *events, void *user_data);

/*
 * A Session takes a record stream and holds all that is known from it.
 *
 * This is the one door between collectors and the rest: a collector feeds bytes, live ones also
 * the batches that the program adds itself, and everything after is a function of those bytes.
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
	GArray *taps;        /* private, as the next five */
	SessionCounter counter;
	void *counter_data;
	SessionTextCounter text_counter;
	void *text_counter_data;
	bool inner_was_sought;
	bool has_counter;      /* private: one was set, then or now */
	ProfileTotals counted; /* private: what it has counted */
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

/* Replaces the default counter, which counts in session->profile; NULL restores it. */
void session_set_counter(Session *session, SessionCounter counter, void *user_data);

/* Takes note of what a counter has counted since it said so before: sums of its own profiles. */
void session_add_counted(Session *session, const ProfileTotals *totals);

/* Returns the sums of what is shown: the counter's where there was one, else those of
   session->profile. */
ProfileTotals session_totals(const Session *session);

/* As session_set_counter() for events that come as text. */
void session_set_text_counter(Session *session, SessionTextCounter counter, void *user_data);

/* For importers: what a text says of its run, and its events. */
void session_set_number(Session *session, enum KmtFieldId id, uint64_t number);
void session_count_text(Session *session, const ProfileText *events);

/* Reads the next bytes of the stream. */
void session_feed(Session *session, const void *bytes, size_t length);

/* Ends the stream. */
void session_finish(Session *session);
