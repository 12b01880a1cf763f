/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the start of a later piece has to repeat: symbols (as compressed frames of the first and the
 * newest epoch), points, facts, cgroups, maps and the counters of loss. Const tables say which
 * facts are counted from the start of the run, and are rebased. recorder.c writes it at the begin
 * of each piece.
 */
#include "record/format.h"
#include "session/recorder.h"

#include "base/hot_assert.h"
#include "record/batch.h"
#include "record/batch_writer.h"
#include "record/frames.h"

#include <string.h>

/* Facts that are counted from the start of the run. */
static const uint16_t cumulative[] = {
	KMT_FIELD_SKIPPED,         KMT_FIELD_TRANSPORT_LOST,  KMT_FIELD_DAMAGED_BYTES,
	KMT_FIELD_UNTRACED_NS,     KMT_FIELD_NOT_DELIVERED,   KMT_FIELD_PROBES_MISSED,
	KMT_FIELD_WALKS_COMPARED,  KMT_FIELD_WALKS_DIFFERENT, KMT_FIELD_NAMES_COMPARED,
	KMT_FIELD_NAMES_DIFFERENT, KMT_FIELD_NOT_UNWOUND,     KMT_FIELD_TASKS_LOST,
};

/* Facts of one recording, which the next one does not begin with. */
static const uint16_t of_a_recording[] = {
	KMT_FIELD_WINDOW_START_NS, KMT_FIELD_WINDOW_END_NS,  KMT_FIELD_RUN_START_NS,
	KMT_FIELD_RUN_END_NS,      KMT_FIELD_UNTRACED_CPUS,  KMT_FIELD_BOUND,
	KMT_FIELD_COMMAND_STATUS,  KMT_FIELD_COUNTED_TO_END, KMT_FIELD_COMPLETE,
};

/* Batches of text, compressed. */
typedef struct {
	GByteArray *frames; /* whole frames; owned */
	FrameWriter *writer;
	uint32_t epoch;
	bool is_open; /* a frame */
} Kept;

struct StreamState {
	const Session *session;       /* borrowed */
	Kept *first;                  /* symbols, modules and sections of the first epoch */
	Kept *newest;                 /* ... of the newest one; NULL: there is one only */
	Kept *points;                 /* probe points */
	uint64_t base[KMT_FIELD_IDS]; /* of the cumulative facts */
	bool is_based;                /* one of them is not 0 */
};

/* A FrameSink. */
static void append_frames(const void *bytes, size_t length, void *user_data)
{
	Kept *kept = user_data;

	g_byte_array_append(kept->frames, bytes, (guint)length);
}

static Kept *kept_new(uint32_t epoch)
{
	Kept *kept = g_new0(Kept, 1);

	kept->epoch = epoch;
	kept->frames = g_byte_array_new();
	kept->writer = frame_writer_new(append_frames, kept);
	return kept;
}

static void kept_free(Kept *kept)
{
	if (!kept)
		return;
	frame_writer_free(kept->writer);
	g_byte_array_unref(kept->frames);
	g_free(kept);
}

static void kept_add(Kept *kept, const Batch *batch)
{
	frame_writer_add(kept->writer, batch->bytes, batch->header.batch_bytes);
	kept->is_open = true;
}

static void kept_write(Kept *kept, Recording *recording)
{
	if (!kept)
		return;
	if (kept->is_open)
		frame_writer_end(kept->writer);
	kept->is_open = false;
	recording_add_frames(recording, kept->frames->data, kept->frames->len);
}

StreamState *stream_state_new(const Session *session)
{
	StreamState *state = g_new0(StreamState, 1);

	state->session = session;
	state->points = kept_new(0);
	return state;
}

void stream_state_free(StreamState *state)
{
	if (!state)
		return;
	kept_free(state->first);
	kept_free(state->newest);
	kept_free(state->points);
	g_free(state);
}

/* A later epoch replaces the modules of the one before. */
static Kept *kept_of_epoch(StreamState *state, uint32_t epoch)
{
	if (!state->first)
		state->first = kept_new(epoch);
	if (state->first->epoch == epoch)
		return state->first;
	if (state->newest && state->newest->epoch != epoch)
		g_clear_pointer(&state->newest, kept_free);
	if (!state->newest)
		state->newest = kept_new(epoch);
	return state->newest;
}

void stream_state_take(StreamState *state, const Batch *batch)
{
	switch (batch->header.kind) {
	case KMT_BATCH_SYMBOLS:
	case KMT_BATCH_MODULES:
	case KMT_BATCH_SECTIONS:
		kept_add(kept_of_epoch(state, batch_text(batch).epoch), batch);
		break;
	case KMT_BATCH_POINTS:
		kept_add(state->points, batch);
		break;
	default:
		break;
	}
}

uint64_t stream_state_start_ns(const StreamState *state)
{
	uint64_t window_ns = run_info_start_ns(state->session->info);

	return MAX(MAX(loss_ledger_complete_until(state->session->loss), window_ns), 1);
}

static bool is_among(uint16_t id, const uint16_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static bool is_cumulative(uint16_t id)
{
	return is_among(id, cumulative, G_N_ELEMENTS(cumulative));
}

/* The heartbeats have those that are otherwise known only at the end of the run. */
static uint64_t total_of(const Session *session, uint16_t id)
{
	switch (id) {
	case KMT_FIELD_SKIPPED:
		return loss_ledger_all_skipped(session->loss);
	case KMT_FIELD_TRANSPORT_LOST:
		return loss_ledger_all_transport_failures(session->loss);
	case KMT_FIELD_DAMAGED_BYTES:
		return batch_reader_totals(session->reader).damaged_bytes;
	default:
		return run_info_number(session->info, (enum KmtFieldId)id, 0);
	}
}

void stream_state_rebase(StreamState *state)
{
	state->is_based = false;
	for (size_t i = 0; i < G_N_ELEMENTS(cumulative); i++) {
		uint64_t total = total_of(state->session, cumulative[i]);

		state->base[cumulative[i]] = total;
		state->is_based |= total != 0;
	}
}

static void write_facts(const StreamState *state, uint64_t start_ns, uint64_t begun_ns,
			GByteArray *out)
{
	const RunInfo *info = state->session->info;
	g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(InfoField));
	const InfoField window[] = { { KMT_FIELD_RUN_START_NS, begun_ns, NULL },
				     { KMT_FIELD_WINDOW_START_NS, start_ns, NULL } };

	for (uint16_t id = 0; id < KMT_FIELD_IDS; id++) {
		/* A recording that begins now has no sums so far. */
		InfoField field = { id, is_cumulative(id) ? 0 : info->number[id], info->text[id] };

		if (info->known[id] && !is_among(id, of_a_recording, G_N_ELEMENTS(of_a_recording)))
			g_array_append_val(fields, field);
	}
	g_array_append_vals(fields, window, G_N_ELEMENTS(window));
	batch_write_info(out, (const InfoField *)(const void *)fields->data, fields->len);
}

void stream_state_write(StreamState *state, Recording *recording, uint64_t start_ns,
			uint64_t begun_ns)
{
	g_autoptr(GByteArray) out = g_byte_array_new();
	const GString *cgroups = run_text_of(state->session->text, KMT_BATCH_CGROUPS, 0);
	g_autoptr(GString) maps = g_string_new(NULL);

	write_facts(state, start_ns, begun_ns, out);
	recording_add_bytes(recording, out->data, out->len);
	kept_write(state->first, recording);
	kept_write(state->newest, recording);
	kept_write(state->points, recording);
	g_byte_array_set_size(out, 0);
	if (cgroups)
		batch_write_text(out, KMT_BATCH_CGROUPS, 0, cgroups->str, cgroups->len);
	user_maps_append(state->session->user_maps, maps);
	if (maps->len)
		batch_write_text(out, KMT_BATCH_MAPS, 0, maps->str, maps->len);
	loss_ledger_write_counters(state->session->loss, stream_state_start_ns(state), out);
	recording_add_bytes(recording, out->data, out->len);
}

static void adjust_field(const StreamState *state, uint8_t *record, size_t bytes)
{
	struct KmtField field;
	uint64_t number;

	if (bytes < sizeof(field) + sizeof(number))
		return;
	memcpy(&field, record, sizeof(field));
	if (field.head.type != KMT_RECORD_FIELD || !is_cumulative(field.head.index))
		return;
	memcpy(&number, record + sizeof(field), sizeof(number));
	number -= MIN(number, state->base[field.head.index]);
	memcpy(record + sizeof(field), &number, sizeof(number));
}

static void adjust_batch(const StreamState *state, uint8_t *at, uint8_t *end)
{
	while (end - at >= KMT_RECORD_UNIT_BYTES) {
		size_t bytes = (size_t)at[1] * KMT_RECORD_UNIT_BYTES;

		if (!bytes || bytes > (size_t)(end - at))
			return;
		adjust_field(state, at, bytes);
		at += bytes;
	}
}

bool stream_state_adjusts(const StreamState *state, const Batch *batch)
{
	return state->is_based && batch->header.kind == KMT_BATCH_INFO && !batch->swapped;
}

void stream_state_adjust(const StreamState *state, uint8_t *bytes, size_t length)
{
	struct KmtBatchHeader header;

	for (size_t at = 0; state->is_based && at + sizeof(header) <= length;
	     at += header.batch_bytes) {
		memcpy(&header, bytes + at, sizeof(header));
		if (header.batch_bytes < sizeof(header) || header.batch_bytes > length - at)
			return;
		if (header.kind == KMT_BATCH_INFO)
			adjust_batch(state, bytes + at + header.header_bytes,
				     bytes + at + header.batch_bytes -
					     sizeof(struct KmtBatchTrailer));
	}
}
