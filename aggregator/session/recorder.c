/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tap of the session that writes its batches into a recording. With pieces, the thread of the
 * session begins the next one between two batches, and another thread syncs and closes the piece
 * before and deletes the oldest. live_run.c rotates it at its ticks.
 */
#include "session/recorder.h"

#include "record/batch.h"
#include "record/format.h"
#include "record/batch_writer.h"
#include "record/recording.h"
#include "session/piece_names.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

/* CPUs send what they have every 100 ms. One that does not must not let a piece grow. */
#define LAST_EVENTS_NS_MAX 10000000000ULL

struct Recorder {
	RecorderPlan plan;
	Session *session; /* borrowed */
	Recording *recording;
	/* Of pieces only. */
	PieceNames *names;    /* NULL: one file */
	StreamState *state;   /* NULL: one file */
	GByteArray *adjusted; /* reused */
	uint64_t due_ns;      /* when the open piece is long enough; 0: it does not count yet */
	uint64_t state_bytes; /* its size when it began */
	uint64_t ended_ns;    /* its window has ended, and its last events are awaited; 0: no */
	GThread *closing;     /* a Closing; NULL: none */
	bool lacks_piece;     /* one was not completed, or one that is too many stays */
	char *problem;
};

/* A piece that is being closed, and the files that it replaces. */
typedef struct {
	Recording *recording; /* owned */
	GPtrArray *outdated;  /* (element-type utf8): paths; owned */
} Closing;

/* A BatchVisitor. */
static void take_batch(const Batch *batch, void *user_data)
{
	Recorder *recorder = user_data;
	GByteArray *copy = recorder->adjusted;
	Batch changed = *batch;

	if (recorder->state)
		stream_state_take(recorder->state, batch);
	if (!recorder->state || !stream_state_adjusts(recorder->state, batch)) {
		recording_add_batch(batch, recorder->recording);
		return;
	}
	/* Sums count from the start of the piece. */
	g_byte_array_set_size(copy, 0);
	g_byte_array_append(copy, batch->bytes, batch->header.batch_bytes);
	stream_state_adjust(recorder->state, copy->data, copy->len);
	changed.content = copy->data + (batch->content - batch->bytes);
	changed.bytes = copy->data;
	recording_add_batch(&changed, recorder->recording);
}

static Recording *create_piece(Recorder *recorder, GError **error)
{
	g_autofree char *path = piece_names_next(recorder->names, error);

	/* The pieces are bounded by rotation. */
	return path ? recording_create(path, UINT64_MAX, error) : NULL;
}

static Recording *create_first(Recorder *recorder, GError **error)
{
	const RecorderPlan *plan = &recorder->plan;

	if (!strcmp(plan->path, "-"))
		return recording_to_stream(STDOUT_FILENO);
	if (!plan->pieces)
		return recording_create(plan->path, plan->bytes_max, error);
	recorder->names = piece_names_new(plan->path, error);
	recorder->state = stream_state_new(recorder->session);
	recorder->adjusted = g_byte_array_new();
	return recorder->names ? create_piece(recorder, error) : NULL;
}

Recorder *recorder_new(const RecorderPlan *plan, Session *session, GError **error)
{
	g_autoptr(Recorder) recorder = g_new0(Recorder, 1);

	recorder->plan = *plan;
	recorder->session = session;
	recorder->recording = create_first(recorder, error);
	if (!recorder->recording)
		return NULL;
	session_add_tap(session, take_batch, recorder);
	return g_steal_pointer(&recorder);
}

static void set_problem(Recorder *recorder, const char *problem)
{
	if (!recorder->problem)
		recorder->problem = g_strdup(problem);
}

/* A GThreadFunc. Returns the error, or NULL. The oldest piece goes only when its successors are
   complete. */
static gpointer close_piece(gpointer user_data)
{
	Closing *closing = user_data;
	GError *error = NULL;
	bool is_closed = recording_close(closing->recording, &error);

	for (guint i = 0; is_closed && i < closing->outdated->len && !error; i++) {
		const char *path = closing->outdated->pdata[i];

		/* Pieces that stay would fill the disk. */
		if (unlink(path) && errno != ENOENT)
			error = g_error_new(G_IO_ERROR, g_io_error_from_errno(errno),
					    "the oldest piece cannot be deleted: %s: %s", path,
					    g_strerror(errno));
	}
	recording_free(closing->recording);
	g_ptr_array_unref(closing->outdated);
	g_free(closing);
	return error;
}

/* Takes the result of close_piece(). */
static void note_closed(Recorder *recorder, GError *problem)
{
	g_autoptr(GError) error = problem;

	if (!error)
		return;
	recorder->lacks_piece = true;
	set_problem(recorder, error->message);
}

/* Waits until the piece before is closed. */
static void await_closing(Recorder *recorder)
{
	if (recorder->closing)
		note_closed(recorder, g_thread_join(g_steal_pointer(&recorder->closing)));
}

void recorder_free(Recorder *recorder)
{
	if (!recorder)
		return;
	session_remove_tap(recorder->session, take_batch);
	await_closing(recorder);
	recording_free(recorder->recording);
	stream_state_free(recorder->state);
	piece_names_free(recorder->names);
	if (recorder->adjusted)
		g_byte_array_unref(recorder->adjusted);
	g_free(recorder->problem);
	g_free(recorder);
}

bool recorder_is_due(Recorder *recorder, uint64_t now_ns)
{
	const RecorderPlan *plan = &recorder->plan;
	uint64_t bytes = recording_bytes(recorder->recording);

	if (!recorder->state || recorder_problem(recorder))
		return false;
	if (recorder->ended_ns)
		return loss_ledger_complete_until(recorder->session->loss) > recorder->ended_ns ||
		       now_ns - recorder->ended_ns > LAST_EVENTS_NS_MAX;
	if (!recorder->due_ns)
		recorder->due_ns =
			run_info_number(recorder->session->info, KMT_FIELD_RUN_START_NS, now_ns) +
			plan->piece_ns;
	/* A piece has at least as many bytes of events as of the state that it begins with. */
	if (bytes >= plan->bytes_max && bytes / 2 >= recorder->state_bytes)
		return true;
	return plan->piece_ns && now_ns >= recorder->due_ns;
}

/* Adds batches to the open piece only. */
static void add_beside(const Recorder *recorder, const GByteArray *batches)
{
	g_autoptr(GByteArray) copy = g_byte_array_new();

	g_byte_array_append(copy, batches->data, batches->len);
	stream_state_adjust(recorder->state, copy->data, copy->len);
	recording_add_bytes(recorder->recording, copy->data, copy->len);
}

static void write_fields(const Recorder *recorder, const InfoField *fields, size_t count)
{
	g_autoptr(GByteArray) out = g_byte_array_new();

	batch_write_info(out, fields, count);
	add_beside(recorder, out);
}

static void end_window(const Recorder *recorder, const RecorderEdge *edge)
{
	const InfoField fields[] = {
		{ KMT_FIELD_RUN_END_NS, edge->now_ns, NULL },
		{ KMT_FIELD_WINDOW_END_NS, edge->now_ns, NULL },
	};

	add_beside(recorder, edge->ends);
	write_fields(recorder, fields, G_N_ELEMENTS(fields));
}

static void recorder_complete(const Recorder *recorder)
{
	uint64_t damaged_bytes = batch_reader_totals(recorder->session->reader).damaged_bytes;
	const InfoField fields[] = {
		{ KMT_FIELD_DAMAGED_BYTES, damaged_bytes, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	write_fields(recorder, fields, G_N_ELEMENTS(fields));
}

/* Whether the stream is made for pairing allocations with their frees. */
static bool is_held(const Recorder *recorder)
{
	return run_info_number(recorder->session->info, KMT_FIELD_HELD, 0) != 0;
}

/* Returns the next piece with the state at its start, or NULL after setting the problem. */
static Recording *begin_piece(Recorder *recorder, const RecorderEdge *edge)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Recording) next = create_piece(recorder, &error);
	/* Events of one CPU may have arrived that are later than those of another CPU which will.
	   Counts have all that will. Pairing needs a time from which on it has all: the free of an
	   object that was allocated before may be in the piece before. */
	uint64_t start_ns =
		is_held(recorder) ? edge->now_ns : stream_state_start_ns(recorder->state);

	if (!next) {
		g_prefix_error(&error, "the next piece of the recording: ");
		set_problem(recorder, error->message);
		return NULL;
	}
	stream_state_write(recorder->state, next, start_ns, edge->now_ns);
	recording_add_bytes(next, edge->begins->data, edge->begins->len);
	recording_flush(next);
	if (!recording_problem(next))
		return g_steal_pointer(&next);
	set_problem(recorder, recording_problem(next));
	recording_discard(next);
	return NULL;
}

static void go_on_with(Recorder *recorder, Recording *next, uint64_t now_ns)
{
	Closing *closing = g_new0(Closing, 1);
	/* A piece ends when all CPUs have been read, up to 100 ms late. The next one still ends in
	   time, so on average pieces are as long as was asked for. */
	uint64_t length_ns = recorder->plan.piece_ns;
	bool is_in_time = now_ns >= recorder->due_ns && now_ns - recorder->due_ns < length_ns / 2;

	closing->recording = recorder->recording;
	closing->outdated = piece_names_outdated(recorder->names, recorder->plan.pieces);
	recorder->recording = next;
	recorder->due_ns = (is_in_time ? recorder->due_ns : now_ns) + length_ns;
	recorder->ended_ns = 0;
	g_assert(!recorder->closing);
	recorder->state_bytes = recording_bytes(next);
	recorder->closing = g_thread_try_new("recording", close_piece, closing, NULL);
	/* No thread can be had. */
	if (!recorder->closing)
		note_closed(recorder, close_piece(closing));
}

void recorder_rotate(Recorder *recorder, const RecorderEdge *edge)
{
	Recording *next;

	/* One file has no pieces. */
	g_assert(recorder->names && recorder->state);
	await_closing(recorder);
	if (recorder_problem(recorder))
		return;
	if (is_held(recorder) && !recorder->ended_ns) {
		end_window(recorder, edge);
		recorder->ended_ns = edge->now_ns;
		return;
	}
	next = begin_piece(recorder, edge);
	if (!next)
		return;
	if (!recorder->ended_ns)
		end_window(recorder, edge);
	recorder_complete(recorder);
	stream_state_rebase(recorder->state);
	go_on_with(recorder, next, edge->now_ns);
}

void recorder_tick(Recorder *recorder)
{
	recording_tick(recorder->recording);
}

const char *recorder_problem(const Recorder *recorder)
{
	return recorder->problem ? recorder->problem : recording_problem(recorder->recording);
}

bool recorder_reader_left(const Recorder *recorder)
{
	return recording_reader_left(recorder->recording);
}

const char *recorder_part(const Recorder *recorder)
{
	return recording_part(recorder->recording);
}

bool recorder_close(Recorder *recorder, GError **error)
{
	await_closing(recorder);
	if (!recording_close(recorder->recording, error))
		return false;
	if (!recorder->lacks_piece)
		return true;
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, recorder->problem);
	return false;
}

void recorder_discard(Recorder *recorder)
{
	recording_discard(recorder->recording);
}
