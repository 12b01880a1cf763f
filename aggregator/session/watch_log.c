/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The readings of a watch in a stream, as they came. Two of them are given to the session as the
 * readings at the start and the end of a run, so the overview of caches needs to know nothing of
 * watches; charts visit all of them.
 */
#include "session/watch_log.h"

#include "record/batch.h"
#include "record/batch_writer.h"
#include "record/format.h"

struct WatchLog {
	MemoryBudget *memory;
	GByteArray *batches;
	WatchSpan span;
};

WatchLog *watch_log_new(MemoryBudget *memory)
{
	WatchLog *log = g_new0(WatchLog, 1);

	log->memory = memory;
	log->batches = g_byte_array_new();
	return log;
}

void watch_log_free(WatchLog *log)
{
	if (!log)
		return;
	g_byte_array_unref(log->batches);
	g_free(log);
}

/* The array may have twice the room that it needs. */
void watch_log_take(WatchLog *log, const Batch *batch)
{
	uint32_t bytes = batch->header.batch_bytes;

	if (memory_budget_take(log->memory, MEMORY_TEXTS, (size_t)bytes * 2))
		g_byte_array_append(log->batches, batch->bytes, bytes);
}

void watch_log_visit(const WatchLog *log, HistoryVisitor visit, void *user_data)
{
	g_autoptr(HistoryReader) reader = history_reader_new(visit, user_data);
	g_autoptr(BatchReader) batches = batch_reader_new(history_reader_take, reader);

	batch_reader_feed(batches, log->batches->data, log->batches->len);
	batch_reader_finish(batches);
	history_reader_finish(reader);
}

/* A HistoryVisitor. */
static void note_time(const HistoryTime *time, const HistoryLines *changes,
		      const HistoryLines *state, void *user_data)
{
	(void)changes;
	(void)state;
	g_array_append_val((GArray *)user_data, *time);
}

static const HistoryTime *time_at(const GArray *times, guint index)
{
	return &g_array_index(times, HistoryTime, index);
}

/* Whether a reading counts. */
static bool is_in(const GArray *times, guint index, const RunSlice *slice)
{
	const HistoryTime *time = time_at(times, index);
	uint64_t after_ns = time->at_ns - time_at(times, 0)->at_ns;

	if (slice)
		return after_ns >= slice->from_ns && after_ns <= slice->to_ns;
	return time->boot == time_at(times, times->len - 1)->boot;
}

static WatchSpan span_of(const GArray *times, const RunSlice *slice)
{
	WatchSpan span = { .first = *time_at(times, 0), .last = *time_at(times, times->len - 1) };

	for (guint i = 0; i < times->len; i++) {
		if (!is_in(times, i, slice))
			continue;
		if (!span.readings++)
			span.from = *time_at(times, i);
		span.to = *time_at(times, i);
	}
	/* The host has just been booted, or the slice is between two readings. */
	if (span.readings < 2) {
		span.from = span.first;
		span.to = span.last;
	}
	span.readings = times->len;
	return span;
}

typedef struct {
	const WatchSpan *span;
	GByteArray *out;
} Delivery;

/* The texts that a report reads. */
static const struct {
	uint8_t kind;
	bool is_of_all; /* it is no reading: one stands for the run */
} texts[] = {
	{ KMT_BATCH_CACHE_NAMES, true },    { KMT_BATCH_RECLAIMABLE, true },
	{ KMT_BATCH_MEMORY, false },        { KMT_BATCH_SLABINFO, false },
	{ KMT_BATCH_CGROUP_MEMORY, false },
};

static void deliver_texts(const Delivery *delivery, const HistoryLines *state,
			  enum KmtReading reading, uint64_t time_ns)
{
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		GString *text = history_lines_text(state, texts[i].kind);

		if (text && !texts[i].is_of_all)
			batch_write_reading(delivery->out, texts[i].kind, reading, time_ns,
					    text->str, text->len);
		else if (text && reading == KMT_READING_END)
			batch_write_text(delivery->out, texts[i].kind, 0, text->str, text->len);
		if (text)
			g_string_free(text, TRUE);
	}
}

/* A HistoryVisitor. */
static void deliver_reading(const HistoryTime *time, const HistoryLines *changes,
			    const HistoryLines *state, void *user_data)
{
	const Delivery *delivery = user_data;

	(void)changes;
	if (time->at_ns == delivery->span->from.at_ns)
		deliver_texts(delivery, state, KMT_READING_START, time->at_ns);
	if (time->at_ns == delivery->span->to.at_ns)
		deliver_texts(delivery, state, KMT_READING_END, time->at_ns);
}

void watch_log_deliver(WatchLog *log, const RunSlice *slice, GByteArray *out)
{
	g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(HistoryTime));
	Delivery delivery = { .span = &log->span, .out = out };

	watch_log_visit(log, note_time, times);
	if (!times->len)
		return;
	log->span = span_of(times, slice);
	watch_log_visit(log, deliver_reading, &delivery);
}

uint64_t watch_log_length_ns(const WatchLog *log)
{
	return log->span.last.at_ns - log->span.first.at_ns;
}

WatchSpan watch_log_span(const WatchLog *log)
{
	return log->span;
}
