/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "code/user/user_names.h"
#include "count/held_readings.h"
#include "count/loss.h"
#include "count/profile.h"
#include "held/durations.h"
#include "held/pairing.h"
#include "record/event_reader.h"
#include "record/run_info.h"
#include "record/run_text.h"
#include "symbols/code_objects.h"
#include "symbols/line_table.h"
#include "session/watch_log.h"
#include "symbols/symbol_store.h"

typedef struct Session Session;

/*
 * A Counter is the way in which a session counts its events: as they arrive, one by one in a list,
 * too, or paired first, as time spans or as objects that are held. A session has one at a time;
 * counter.c has them all: whatever differs between them is here.
 */
typedef struct {
	bool is_held; /* what is counted are held objects, not allocations */
	void (*take)(Session *session, const Events *events);
	/* The rest may be NULL. Pairs the events before that time; NULL: none wait. */
	void (*release)(Session *session, uint64_t until_ns);
	void (*read_info)(Session *session); /* the facts of the stream have changed */
	/* Returns how many events found no room, beyond those of the profile. */
	uint64_t (*over_bound)(const Session *session);
	uint64_t (*end_ns)(const Session *session); /* of a stream that does not say it */
} Counter;

/* Lets the session count events as they arrive. */
void counter_init(Session *session);

/* Lets the session also list hits, or pair the begins and ends of time spans, with at most about
   that much memory. Hits that are paired are not counted themselves. */
void counter_list_hits(Session *session, size_t bytes_max);
void counter_pair_hits(Session *session, size_t bytes_max);

/* Lets the session count readings of what is held: see session_take_held(). */
void counter_count_readings(Session *session);

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

/* Counts what it keeps in the session. */
void count_cut_give(CountCut *cut, Session *session);

/* What the name and place of a kernel's record say about it. Its text does not contain this. */
typedef struct {
	EventCache cache; /* of all its objects; no name: unknown */
	uint64_t tick_ns; /* length of a jiffy of its kernel; 0: unknown */
	uint64_t now_ns;  /* when it was read, on the clock of its times; 0: unknown */
	bool is_compared; /* with another reading */
} HeldRecord;

/*
 * A Session takes a record stream and contains all data from it.
 *
 * It is the only interface between collectors and the rest: collectors feed bytes or batches,
 * importers feed events with stacks as text, and all results are computed from these. Each batch of
 * events is decoded once, counted, and passed to all sinks.
 */
struct Session {
	MemoryBudget *memory; /* owned: for all members below, and for the report */
	Profile *profile;
	LossLedger *loss;
	RunInfo *info;
	RunText *text;
	SymbolStore *symbols;
	CodeObjects *code; /* files of the kernel and its modules */
	LineTable *lines;  /* source lines of places in code, as far as they were looked up */
	UserObjects *user_objects; /* programs and libraries whose frames are in user stacks */
	UserMaps *user_maps;
	UserNames *user_names;
	PointList *points;    /* probe points of the stream */
	WatchLog *watch;      /* the readings of a watch; NULL: it is a run */
	Durations *durations; /* private; NULL: the points are not the ends of time spans */
	GArray *listed_cells; /* private */
	EventList *list;      /* hits one by one; NULL: they are only counted */
	BatchReader *reader;
	InnerKmallocs inner; /* of the traced kernel, once inner_is_known */
	bool inner_is_known; /* the kernel's symbols came before its events */
	EventReader *events; /* private, as the next seven members */
	const Counter *counter;
	GArray *sinks;
	GArray *taps;
	CountCut *cut; /* NULL: everything that arrived is counted */
	bool inner_was_sought;
	bool is_counted_elsewhere;
	ProfileTotals counted;    /* ... */
	bool enough;              /* a tap needs no more: the rest of a file is not read */
	bool imported;            /* from a foreign text format, which includes names */
	const char *read_as;      /* ... this one; NULL: none. Of a constant table */
	bool source_is_silent;    /* ... and does not report losses */
	uint64_t text_page_bytes; /* page size of the kernel of a text, if given; else 0 */
	bool page_bytes_assumed;  /* the text does not say it, and it was needed */
	bool cut_short; /* the stream ended in the middle, or a recording was not closed */
	uint64_t unreadable_lines; /* of an import: lines that could not be parsed */
	uint64_t unknown_records;  /* of kinds that this version does not know */
	/* For objects held when a record of the kernel was read. */
	HeldReadings *held_readings; /* private; NULL: none */
	HeldReadings *held_places;   /* once counted: the places, with their ages; NULL: none */
	HeldRecord held_record;      /* of the record that is read */
	Pairing *pairing;            /* private; NULL: allocations are not paired */
	char *cannot_pair;           /* owned: why an import cannot be paired; NULL: it can */
	HeldTotals held_totals;
	uint64_t held_unsized;    /* of the last reading: objects whose sizes are not known ... */
	uint64_t held_inaccurate; /* ... and rows that the kernel marks as inaccurate */
};

/* Returns an empty session; free it with session_free(). */
Session *session_new(size_t memory_bytes_max);
void session_free(Session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Session, session_free)

/* Whether what is counted are held objects, not allocations. */
static inline bool session_is_held(const Session *session)
{
	return session->counter->is_held;
}

/* Counts only a part of the run. Call this before the first bytes. */
void session_set_slice(Session *session, RunSlice slice);

/* Returns the length of the whole run so far, independent of the slice; 0: unknown. */
uint64_t session_length_ns(const Session *session);

/* Returns the end of the run, or until when it is complete; 0: unknown. */
uint64_t session_run_end_ns(const Session *session);

/* Returns the end of the window, or until when it is complete; 0: unknown. */
uint64_t session_end_ns(const Session *session);

/* Counts events up to that time only, for a report of the run so far: from its start to exactly
   then, or to later if events after that take too much memory while a CPU is silent.
   session_cut_is_complete(): all of them have arrived. session_end_cut() counts the others
   that have arrived in the meantime. */
void session_cut(Session *session, uint64_t at_ns);
bool session_cut_is_complete(const Session *session);
void session_end_cut(Session *session);

/* Finds the inner events of large kmallocs with these symbols, if not yet known. Without this call,
   the symbols of the stream are used at its first events. */
void session_find_inner_kmallocs(Session *session, const SymbolStore *symbols);

/* Pairs allocations with their frees, and counts which call sites free if with_freers is set. Call
   this before the first bytes. */
void session_pair(Session *session, bool with_freers);

/* Calls tap with every later whole batch, after it was counted. Several taps are called in
   order. */
void session_add_tap(Session *session, BatchVisitor tap, void *user_data);
void session_remove_tap(Session *session, BatchVisitor tap);

/* Passes every later decoded batch to this sink, too. Several sinks are called in order, after the
   session has counted the batch. */
void session_add_sink(Session *session, EventSink sink, void *user_data);
void session_remove_sink(Session *session, EventSink sink);

/* Pairs the events before until_ns, as far as every CPU has sent its own. Only a sink that counts
   instead of the session calls this: it decides when. */
void session_pair_until(Session *session, uint64_t until_ns);

/* Lets another sink count the events: session_totals() returns its session_add_counted() sums.
   Unless both is set, the session's profile stops counting, unless it is needed for pairing. */
void session_count_elsewhere(Session *session, bool both);

/* Adds what such a sink counted since its last report: sums of its own profiles. */
void session_add_counted(Session *session, const ProfileTotals *totals);

/* Returns the sums of what is shown: from session->profile, or from the sink that counts
   instead. */
ProfileTotals session_totals(const Session *session);

/* For importers: facts about the run, and events with a stack as text. */
void session_set_number(Session *session, unsigned id, uint64_t number);
void session_take_text(Session *session, const EventText *text);

/* For importers whose events are paired: no event before complete_until_ns will follow. */
void session_release(Session *session, uint64_t complete_until_ns);

/* For importers of the kernel's records: adds held objects, which are counted when the stream ends.
   session_next_reading() begins the second of two readings: their difference is counted. */
void session_take_held(Session *session, const HeldObjects *objects);
void session_next_reading(Session *session);

/* Takes a whole batch. */
void session_take_batch(Session *session, const Batch *batch);

/* Reads the next bytes of the stream. */
void session_feed(Session *session, const void *bytes, size_t length);

/* Ends the stream. */
void session_finish(Session *session);
