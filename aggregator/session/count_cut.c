/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of the batches that reach beyond a cut. When the report has been made, they are decoded
 * and counted again, with only their part behind the cut. session.c uses it for reports during a
 * run.
 */
#include "record/batch.h"
#include "session/session.h"

#include <string.h>

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
