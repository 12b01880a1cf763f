/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one path of bytes into counters. It owns the batch reader, the event decoder, what counts
 * (counter.c: profile, pairing, durations or list), ledger, facts, texts, symbols and names, and
 * hands each batch to those that want its kind. Collectors and inputs feed it; table/ and report/
 * read what it has when the run ends, or at a cut.
 */
#include "session/session.h"

#include "record/format.h"
#include "base/clock.h"
#include "record/batch.h"
#include "symbols/known_functions.h"

/* If the stream lacks it. No kernel has smaller pages. */
enum { PAGE_BYTES_DEFAULT = 4096 };

/* In percent of the memory limit: for what keeps to its limit itself. */
enum { USER_SHARE = 36 };

typedef struct {
	BatchVisitor visit;
	void *user_data;
} Tap;

typedef struct {
	EventSink take;
	void *user_data;
} Sink;

static size_t user_share(const Session *session)
{
	return session->memory->bytes_max / 100 * USER_SHARE;
}

static void apply_info(Session *session)
{
	const RunInfo *info = session->info;
	uint64_t start_ns = run_info_number(info, KMT_FIELD_WINDOW_START_NS, 0);
	uint64_t end_ns = run_info_number(info, KMT_FIELD_WINDOW_END_NS, UINT64_MAX);

	profile_set_window(session->profile, start_ns, end_ns);
	loss_ledger_set_window(session->loss, start_ns, end_ns);
	if (session->counter->read_info)
		session->counter->read_info(session);
	symbol_store_set_text(session->symbols, run_info_number(info, KMT_FIELD_TEXT_START, 0),
			      run_info_number(info, KMT_FIELD_TEXT_END, 0));
	code_objects_set_text(session->code, run_info_number(info, KMT_FIELD_TEXT_START, 0),
			      run_info_number(info, KMT_FIELD_TEXT_END, 0));
}

void session_find_inner_kmallocs(Session *session, const SymbolStore *symbols)
{
	uint64_t page_bytes =
		run_info_number(session->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_DEFAULT);

	if (!session->inner_is_known)
		session->inner_is_known = inner_kmallocs_find(&session->inner, symbols, page_bytes);
}

/* Searches once: a damaged stream may have many batches and many symbols, all of them wrong. */
static void find_inner_kmallocs(Session *session)
{
	if (session->inner_was_sought || !symbol_store_has_symbols(session->symbols))
		return;
	session->inner_was_sought = true;
	session_find_inner_kmallocs(session, session->symbols);
}

/* Counts decoded events, and passes them to all sinks. Returns false if their times are
   impossible. */
static bool hand_out(Session *session, const Events *events)
{
	bool is_sound = true;

	session->counter->take(session, events);
	for (guint i = 0; i < session->sinks->len; i++) {
		const Sink *sink = &g_array_index(session->sinks, Sink, i);

		is_sound &= sink->take(events, sink->user_data);
	}
	return is_sound;
}

/* A reader that starts slowly gets much of one CPU before the first batch of another one, whose
   events may be earlier. A CPU that went offline at the start never sends one. */
static bool awaits_cpus(const Session *session, uint64_t complete_ns)
{
	const uint64_t wait_ns_max = 10 * (uint64_t)NS_PER_SECOND;
	uint64_t online = run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 0);

	return loss_ledger_cpus(session->loss) < online &&
	       complete_ns < run_info_start_ns(session->info) + wait_ns_max;
}

void session_pair_until(Session *session, uint64_t until_ns)
{
	uint64_t complete_ns = loss_ledger_complete_until(session->loss);

	if (!awaits_cpus(session, complete_ns))
		session_release(session, MIN(until_ns, complete_ns));
}

/* Forgets processes that ended before every event of the rest of the stream. */
static void settle_maps(Session *session)
{
	uint64_t complete_ns = loss_ledger_complete_until(session->loss);

	if (complete_ns > USER_MAPS_KEPT_NS && !awaits_cpus(session, complete_ns))
		user_maps_settle(session->user_maps, complete_ns - USER_MAPS_KEPT_NS);
}

/* The stream of a probe module alone does not contain the start of the run. */
static void begin_at(Session *session, const Batch *batch)
{
	if (!session->info->sliced || session->info->first_ns)
		return;
	run_info_begin_at(session->info, batch->header.base_time_ns);
	apply_info(session);
}

/* Counts what a report waits with, and lets it show these events, too: there is no memory for
   more. */
static void move_cut(Session *session)
{
	uint64_t before_ns = count_cut_ns(session->cut);

	if (!count_cut_advance(session->cut))
		return;
	profile_set_part(session->profile, before_ns + 1, count_cut_ns(session->cut));
	count_cut_give(session->cut, session);
	count_cut_forget(session->cut);
	profile_set_part(session->profile, 0, count_cut_ns(session->cut));
}

/* Takes memory for a batch that may have to be kept: nothing is lost without it. */
static void make_room_for_late(Session *session, const Batch *batch)
{
	size_t limit = memory_budget_limit(session->memory, MEMORY_LATE);
	size_t bytes = count_cut_memory(session->cut, batch->header.batch_bytes);

	if (bytes > limit)
		move_cut(session);
	bytes = count_cut_memory(session->cut, batch->header.batch_bytes);
	memory_budget_set(session->memory, MEMORY_LATE, MIN(bytes, limit));
}

static void take_events(Session *session, const Batch *batch)
{
	bool may_be_late = session->cut && !session->counter->release;
	const Events *events;
	bool is_sound;

	if (may_be_late)
		make_room_for_late(session, batch);
	events = event_reader_decode(session->events, batch);
	is_sound = hand_out(session, events);
	if (may_be_late)
		count_cut_take(session->cut, batch, events);
	session->unknown_records += events->unknown_records;
	loss_ledger_enter(session->loss, events, is_sound ? events->decoded : 0);
	if (events->heartbeats_count && !session->is_counted_elsewhere)
		session_pair_until(session, session->cut ? count_cut_ns(session->cut) : UINT64_MAX);
	if (events->heartbeats_count)
		settle_maps(session);
}

static TextPart text_of(const Batch *batch)
{
	BatchText part = batch_text(batch);

	return (TextPart){ part.text, part.bytes };
}

void session_take_batch(Session *session, const Batch *batch)
{
	if (session->enough)
		return;
	switch (batch->header.kind) {
	case KMT_BATCH_EVENTS:
	case KMT_BATCH_POINT_EVENTS:
		begin_at(session, batch);
		find_inner_kmallocs(session);
		take_events(session, batch);
		break;
	case KMT_BATCH_INFO:
		run_info_read_batch(session->info, batch);
		apply_info(session);
		/* This fact comes before the hits that have columns. */
		if (run_info_text(session->info, KMT_FIELD_COLUMNS))
			counter_list_hits(session, user_share(session) / 2);
		break;
	case KMT_BATCH_SECTIONS:
		code_objects_read_batch(session->code, batch);
		break;
	case KMT_BATCH_MODULES:
		code_objects_read_batch(session->code, batch);
		/* fallthrough */
	case KMT_BATCH_SYMBOLS:
		event_reader_set_epoch(session->events,
				       symbol_store_read_batch(session->symbols, batch));
		break;
	case KMT_BATCH_POINTS:
		point_list_parse(session->points, text_of(batch));
		if (point_list_has_pairs(session->points))
			counter_pair_hits(session, user_share(session) / 4);
		break;
	case KMT_BATCH_MAPS:
		user_maps_parse(session->user_maps, text_of(batch));
		break;
	case KMT_BATCH_USER_SYMBOLS:
		user_names_parse(session->user_names, text_of(batch));
		break;
	case KMT_BATCH_HISTORY:
		if (!session->watch)
			session->watch = watch_log_new(session->memory);
		watch_log_take(session->watch, batch);
		break;
	default:
		run_text_read_batch(session->text, batch);
		break;
	}
	for (guint i = 0; i < session->taps->len; i++) {
		const Tap *tap = &g_array_index(session->taps, Tap, i);

		tap->visit(batch, tap->user_data);
	}
}

/* A BatchVisitor. */
static void take_batch(const Batch *batch, void *user_data)
{
	session_take_batch(user_data, batch);
}

Session *session_new(size_t memory_bytes_max)
{
	Session *session = g_new0(Session, 1);

	session->memory = memory_budget_new(memory_bytes_max);
	session->profile = profile_new(memory_bytes_max);
	profile_set_budget(session->profile, session->memory);
	session->events = event_reader_new(&session->inner);
	session->sinks = g_array_new(FALSE, FALSE, sizeof(Sink));
	counter_init(session);
	session->loss = loss_ledger_new();
	loss_ledger_set_memory(session->loss, session->memory);
	session->info = run_info_new();
	session->text = run_text_new();
	run_text_set_memory(session->text, session->memory);
	session->points = point_list_new();
	session->user_objects = user_objects_new(user_share(session) / 4);
	session->user_maps = user_maps_new(session->user_objects, user_share(session) / 2);
	session->user_names = user_names_new(session->user_objects, user_share(session));
	profile_set_user_maps(session->profile, session->user_maps);
	session->symbols = symbol_store_new();
	symbol_store_set_memory(session->symbols, session->memory);
	session->code = code_objects_new();
	session->lines = line_table_new(user_share(session));
	session->taps = g_array_new(FALSE, FALSE, sizeof(Tap));
	session->reader = batch_reader_new(take_batch, session);
	return session;
}

void session_free(Session *session)
{
	if (!session)
		return;
	batch_reader_free(session->reader);
	count_cut_free(session->cut);
	watch_log_free(session->watch);
	held_readings_free(session->held_readings);
	held_readings_free(session->held_places);
	pairing_free(session->pairing);
	g_free(session->cannot_pair);
	g_array_unref(session->taps);
	g_array_unref(session->sinks);
	event_reader_free(session->events);
	durations_free(session->durations);
	event_list_free(session->list);
	g_clear_pointer(&session->listed_cells, g_array_unref);
	point_list_free(session->points);
	user_names_free(session->user_names);
	user_maps_free(session->user_maps);
	user_objects_free(session->user_objects);
	line_table_free(session->lines);
	code_objects_free(session->code);
	symbol_store_free(session->symbols);
	run_text_free(session->text);
	run_info_free(session->info);
	loss_ledger_free(session->loss);
	profile_free(session->profile);
	g_free(session->memory);
	g_free(session);
}

void session_set_slice(Session *session, RunSlice slice)
{
	run_info_set_slice(session->info, slice);
	apply_info(session);
}

uint64_t session_run_end_ns(const Session *session)
{
	uint64_t until_ns = loss_ledger_complete_until(session->loss);

	return session->cut ? count_cut_ns(session->cut)
			    : run_info_number(session->info, KMT_FIELD_RUN_END_NS, until_ns);
}

uint64_t session_length_ns(const Session *session)
{
	const RunInfo *info = session->info;
	uint64_t start_ns = run_info_start_ns(info);
	uint64_t end_ns = session_run_end_ns(session);

	if (session->watch)
		return watch_log_length_ns(session->watch);
	if (info->sliced && info->recorded.end_known)
		end_ns = info->recorded.end_ns;
	else if (!info->sliced && !session->cut)
		end_ns = run_info_number(info, KMT_FIELD_WINDOW_END_NS, end_ns);
	return start_ns && end_ns > start_ns ? end_ns - start_ns : 0;
}

uint64_t session_end_ns(const Session *session)
{
	uint64_t run_end_ns = session_run_end_ns(session);
	uint64_t end_ns =
		session->cut ? run_end_ns
			     : run_info_number(session->info, KMT_FIELD_WINDOW_END_NS, run_end_ns);

	return end_ns || !session->counter->end_ns ? end_ns : session->counter->end_ns(session);
}

void session_cut(Session *session, uint64_t at_ns)
{
	session_end_cut(session);
	session->cut = count_cut_new(at_ns);
	if (!session->counter->release)
		profile_set_part(session->profile, 0, at_ns);
}

bool session_cut_is_complete(const Session *session)
{
	g_assert(session->cut);
	return loss_ledger_complete_until(session->loss) > count_cut_ns(session->cut);
}

void session_end_cut(Session *session)
{
	g_autoptr(CountCut) cut = g_steal_pointer(&session->cut);

	if (!cut)
		return;
	profile_set_part(session->profile, count_cut_ns(cut) + 1, UINT64_MAX);
	count_cut_give(cut, session);
	profile_set_part(session->profile, 0, UINT64_MAX);
	memory_budget_set(session->memory, MEMORY_LATE, 0);
}

void session_add_tap(Session *session, BatchVisitor visit, void *user_data)
{
	const Tap tap = { visit, user_data };

	g_array_append_val(session->taps, tap);
}

void session_remove_tap(Session *session, BatchVisitor visit)
{
	for (guint i = session->taps->len; i-- > 0;)
		if (g_array_index(session->taps, Tap, i).visit == visit)
			g_array_remove_index(session->taps, i);
}

void session_add_sink(Session *session, EventSink take, void *user_data)
{
	const Sink sink = { take, user_data };

	g_array_append_val(session->sinks, sink);
}

void session_remove_sink(Session *session, EventSink take)
{
	for (guint i = session->sinks->len; i-- > 0;)
		if (g_array_index(session->sinks, Sink, i).take == take)
			g_array_remove_index(session->sinks, i);
}

void session_add_counted(Session *session, const ProfileTotals *totals)
{
	ProfileTotals *sum = &session->counted;

	sum->events += totals->events;
	sum->outside_window += totals->outside_window;
	sum->over_bound += totals->over_bound;
	sum->of_past_tasks += totals->of_past_tasks;
	sum->of_other_tasks += totals->of_other_tasks;
	sum->of_other_caches += totals->of_other_caches;
}

ProfileTotals session_totals(const Session *session)
{
	return session->is_counted_elsewhere ? session->counted : profile_totals(session->profile);
}

void session_set_number(Session *session, unsigned id, uint64_t number)
{
	run_info_set_number(session->info, id, number);
	apply_info(session);
}

void session_take_text(Session *session, const EventText *text)
{
	if (!hand_out(session, event_reader_decode_text(session->events, text)))
		session->unreadable_lines++;
}

void session_release(Session *session, uint64_t complete_until_ns)
{
	if (session->counter->release)
		session->counter->release(session, complete_until_ns);
}

static HeldReadings *held_readings(Session *session)
{
	if (!session->held_readings)
		session->held_readings =
			held_readings_new(memory_budget_limit(session->memory, MEMORY_TEXTS));
	counter_count_readings(session);
	return session->held_readings;
}

void session_take_held(Session *session, const HeldObjects *objects)
{
	held_readings_add(held_readings(session), objects);
}

void session_next_reading(Session *session)
{
	held_readings_next(held_readings(session));
	session->held_unsized = session->held_inaccurate = 0;
}

/* A HeldSink. */
static void take_held(const EventText *event, void *user_data)
{
	session_take_text(user_data, event);
}

static void count_held(Session *session)
{
	if (!session->held_readings)
		return;
	session->held_totals = held_readings_deliver(
		session->held_readings, session->held_record.now_ns, take_held, session);
	session->held_places = g_steal_pointer(&session->held_readings);
	/* They keep to this limit themselves. */
	memory_budget_take(session->memory, MEMORY_TEXTS,
			   MIN(held_readings_memory(session->held_places),
			       memory_budget_limit(session->memory, MEMORY_TEXTS) -
				       session->memory->bytes[MEMORY_TEXTS]));
}

void session_feed(Session *session, const void *bytes, size_t length)
{
	batch_reader_feed(session->reader, bytes, length);
}

/* Makes two readings of a watch those at the ends of a run. */
static void choose_watched(Session *session)
{
	const RunInfo *info = session->info;
	g_autoptr(GByteArray) texts = g_byte_array_new();

	if (!session->watch)
		return;
	watch_log_deliver(session->watch, info->sliced ? &info->slice : NULL, texts);
	session_feed(session, texts->data, texts->len);
}

void session_finish(Session *session)
{
	choose_watched(session);
	/* If reading was stopped in the middle of a batch, the batch is not damaged. */
	if (!session->enough)
		batch_reader_finish(session->reader);
	count_held(session);
	session_release(session, UINT64_MAX);
}
