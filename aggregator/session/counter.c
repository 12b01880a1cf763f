/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a session counts: one row for each way. The profile counts events as they arrive; a list
 * keeps hits one by one, too; begins and ends of time spans, or allocations and frees, wait until
 * they are paired. session.c and losses.c ask the row for whatever differs. Beside them, the cut of
 * a report during a run: copies of the batches that reach beyond it. When the report has been made,
 * they are decoded and counted again, with only their part behind the cut.
 */
#include "session/session.h"

#include "base/hot_assert.h"
#include "record/format.h"
#include "record/batch.h"

#include <string.h>

static void take_nothing(Session *session, const Events *events)
{
	(void)session;
	(void)events;
}

static void take_events(Session *session, const Events *events)
{
	profile_take(session->profile, events);
}

static void take_listed(Session *session, const Events *events)
{
	GArray *cells = session->listed_cells;

	hot_assert(session->list);
	if (cells->len < events->events_count)
		g_array_set_size(cells, (guint)events->events_count);
	profile_take_noting(session->profile, events, (uint32_t *)(void *)cells->data);
	event_list_take(session->list, events, (const uint32_t *)(const void *)cells->data);
}

static void take_span_ends(Session *session, const Events *events)
{
	hot_assert(session->durations);
	durations_take(session->durations, events);
}

static void release_spans(Session *session, uint64_t until_ns)
{
	durations_release(session->durations, until_ns);
}

static uint64_t spans_over_bound(const Session *session)
{
	return durations_totals(session->durations).over_bound;
}

static void take_frees(Session *session, const Events *events)
{
	hot_assert(session->pairing);
	pairing_take(session->pairing, events);
}

static void release_objects(Session *session, uint64_t until_ns)
{
	pairing_release(session->pairing, until_ns, loss_ledger_last_loss_ns(session->loss));
}

static void read_info_of_frees(Session *session)
{
	const RunInfo *info = session->info;

	pairing_set_seed(
		session->pairing, run_info_number(info, KMT_FIELD_SAMPLE_SEED, 0),
		!g_strcmp0(run_info_text(info, KMT_FIELD_SAMPLED_BY), KMT_SAMPLED_BY_BITS));
	if (info->sliced)
		pairing_cut_frees(session->pairing);
}

static uint64_t objects_over_bound(const Session *session)
{
	return pairing_over_bound(session->pairing);
}

static uint64_t objects_end_ns(const Session *session)
{
	return pairing_end_ns(session->pairing);
}

static const Counter counts_events = { .take = take_events };
static const Counter counts_elsewhere = { .take = take_nothing };
static const Counter counts_listed = { .take = take_listed };
static const Counter counts_spans = {
	.take = take_span_ends,
	.release = release_spans,
	.over_bound = spans_over_bound,
};
static const Counter counts_readings = { .is_held = true, .take = take_events };
static const Counter counts_readings_elsewhere = { .is_held = true, .take = take_nothing };
static const Counter counts_held = {
	.is_held = true,
	.take = take_frees,
	.release = release_objects,
	.read_info = read_info_of_frees,
	.over_bound = objects_over_bound,
	.end_ns = objects_end_ns,
};

void counter_init(Session *session)
{
	session->counter = &counts_events;
}

/* A session that pairs frees, or is counted elsewhere, counts no hits. */
static bool may_count_hits(const Session *session)
{
	return session->counter != &counts_held && session->counter != &counts_elsewhere;
}

void counter_list_hits(Session *session, size_t bytes_max)
{
	if (session->list || !may_count_hits(session))
		return;
	session->list = event_list_new(bytes_max);
	session->listed_cells = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	if (session->durations)
		durations_set_list(session->durations, session->list);
	else
		session->counter = &counts_listed;
}

void counter_pair_hits(Session *session, size_t bytes_max)
{
	if (session->durations || !may_count_hits(session))
		return;
	session->durations = durations_new(session->profile, session->points, bytes_max);
	durations_set_list(session->durations, session->list);
	session->counter = &counts_spans;
}

void counter_count_readings(Session *session)
{
	if (session->counter == &counts_elsewhere)
		session->counter = &counts_readings_elsewhere;
	else if (!session->counter->is_held)
		session->counter = &counts_readings;
}

void session_pair(Session *session, bool with_freers)
{
	g_assert(!session->pairing && !session->durations && !session->list);
	memory_budget_pair(session->memory);
	profile_set_budget(session->profile, session->memory);
	session->pairing =
		pairing_new(session->profile, memory_budget_floor(session->memory, MEMORY_PAIRING));
	pairing_set_budget(session->pairing, session->memory);
	session->counter = &counts_held;
	if (with_freers)
		pairing_note_freers(session->pairing);
	else
		profile_merge_frees(session->profile);
}

void session_count_elsewhere(Session *session, bool both)
{
	session->is_counted_elsewhere = true;
	if (!both && session->counter == &counts_events)
		session->counter = &counts_elsewhere;
}

/* The cut. */

/* A batch with events after the cut. */
typedef struct {
	Batch batch;   /* points into bytes */
	guint8 *bytes; /* owned */
	uint64_t last_ns;
	uint32_t epoch; /* of the symbols for its addresses */
} Late;

struct CountCut {
	uint64_t at_ns;
	GArray *late; /* (element-type Late), owned */
	size_t bytes; /* of their batches */
};

static void late_clear(gpointer late)
{
	g_free(((Late *)late)->bytes);
}

CountCut *count_cut_new(uint64_t at_ns)
{
	CountCut *cut = g_new0(CountCut, 1);

	cut->at_ns = at_ns;
	cut->late = g_array_new(FALSE, FALSE, sizeof(Late));
	g_array_set_clear_func(cut->late, late_clear);
	return cut;
}

void count_cut_free(CountCut *cut)
{
	if (!cut)
		return;
	g_array_unref(cut->late);
	g_free(cut);
}

uint64_t count_cut_ns(const CountCut *cut)
{
	return cut->at_ns;
}

size_t count_cut_memory(const CountCut *cut, size_t batch_bytes)
{
	return cut->bytes + batch_bytes + (cut->late->len + 1) * sizeof(Late);
}

bool count_cut_advance(CountCut *cut)
{
	for (guint i = 0; i < cut->late->len; i++)
		cut->at_ns = MAX(cut->at_ns, g_array_index(cut->late, Late, i).last_ns);
	return cut->late->len;
}

void count_cut_forget(CountCut *cut)
{
	g_array_set_size(cut->late, 0);
	cut->bytes = 0;
}

void count_cut_take(CountCut *cut, const Batch *batch, const Events *events)
{
	Late late = { .batch = *batch, .last_ns = events->last_ns, .epoch = events->epoch };

	if (events->last_ns <= cut->at_ns)
		return;
	late.bytes = g_malloc(batch->header.batch_bytes);
	memcpy(late.bytes, batch->bytes, batch->header.batch_bytes);
	late.batch.content = late.bytes + (batch->content - batch->bytes);
	late.batch.bytes = late.bytes;
	cut->bytes += batch->header.batch_bytes;
	g_array_append_val(cut->late, late);
}

void count_cut_give(CountCut *cut, Session *session)
{
	uint32_t epoch = event_reader_epoch(session->events);
	for (guint i = 0; i < cut->late->len; i++) {
		const Late *late = &g_array_index(cut->late, Late, i);

		event_reader_set_epoch(session->events, late->epoch);
		session->counter->take(session, event_reader_decode(session->events, &late->batch));
	}
	event_reader_set_epoch(session->events, epoch);
}
