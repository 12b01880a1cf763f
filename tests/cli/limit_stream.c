/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "limit_stream.h"

#include "record/format.h"

#include "event_batch.h"
#include "record/batch_writer.h"

#include <string.h>

static const uint64_t second = 1000 * 1000 * 1000;

static const uint32_t frames[] = { 0x81000210, 0x81000420 };

static void add_large_events(GByteArray *stream)
{
	/* Three of them are more than 64 bits can hold. */
	const uint64_t bytes = UINT64_MAX / 2;
	EventBatch batch = event_batch_begin(stream, 0, 0, 2 * second);
	uint16_t origin;

	event_batch_task(&batch, 7, "work");
	origin = event_batch_origin(&batch, frames, G_N_ELEMENTS(frames), bytes, bytes);
	event_batch_allocate(&batch, origin, 3, KMT_CONTEXT_TASK);
	event_batch_header(&batch)->left_out_self = 3;
	event_batch_header(&batch)->left_out_interrupt = 17;
	event_batch_heartbeat(&batch, 3 * second, 0, second / 1000);
	event_batch_end(&batch, 3);
}

void limited_stream(GByteArray *stream)
{
	static const InfoField fields[] = {
		{ KMT_FIELD_RELEASE, 0, "6.12.0-test" },
		{ KMT_FIELD_STACK_DEPTH, 64, NULL },
		{ KMT_FIELD_SCOPE, 0, "command" },
		{ KMT_FIELD_COMMAND, 0, "work hard" },
		{ KMT_FIELD_COMMAND_STATUS, 9, NULL }, /* killed */
		{ KMT_FIELD_ADDRESSES_HIDDEN, 1, NULL },
		{ KMT_FIELD_CLOCK, 0, "CLOCK_SUNDIAL" },
		{ KMT_FIELD_BOUND, 0, "the disk is nearly full" },
		{ KMT_FIELD_BPF_BLIND, 0, "kmalloc (BPF program 12)" },
		{ KMT_FIELD_BPF_ATTACHED, 0, "kfree (BPF program 13)" },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
	add_large_events(stream);
}

/* Returns how many events this CPU has made so far. */
static uint64_t add_crowd(GByteArray *stream, unsigned first, unsigned count, uint64_t events)
{
	uint32_t number = first / count;
	EventBatch batch = event_batch_begin(stream, 0, number, (2 + number) * second);

	for (unsigned i = first; i < first + count; i++) {
		g_autofree char *name = g_strdup_printf("crowd_%u", i);
		uint16_t origin;

		event_batch_task(&batch, 100 + i, name);
		event_batch_cache(&batch, name, 64, 64);
		origin = event_batch_origin(&batch, frames, G_N_ELEMENTS(frames), 60, 64);
		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, i - first, KMT_CONTEXT_TASK,
				  0x1000);
	}
	events += event_batch_header(&batch)->events;
	event_batch_heartbeat(&batch, (3 + number) * second, 0, 0);
	event_batch_end(&batch, events);
	return events;
}

void crowded_stream(GByteArray *stream)
{
	enum { CROWD = 12000, A_BATCH = 200, MODULES = 400000 };
	g_autoptr(GString) modules = g_string_new(NULL);
	uint64_t events = 0;

	for (unsigned i = 0; i < MODULES; i++)
		g_string_append(modules, "m 1 1 -\n");
	batch_write_text(stream, KMT_BATCH_MODULES, 0, modules->str, modules->len);
	for (unsigned i = 0; i < CROWD; i += A_BATCH)
		events = add_crowd(stream, i, A_BATCH, events);
}

enum { CHANGING = 1500, TURNS = 8, IN_USE = 900, STEP = 300, OF_A_BATCH = 100 };

/* A batch of some of the caches that are used in a second; each has some events more than the one
   before it. */
static uint64_t add_changing(GByteArray *stream, unsigned turn, unsigned first, uint64_t events)
{
	EventBatch batch = event_batch_begin(
		stream, 0, turn * (IN_USE / OF_A_BATCH) + first / OF_A_BATCH, (1 + turn) * second);

	event_batch_task(&batch, 100, "task");
	for (unsigned i = first; i < first + OF_A_BATCH; i++) {
		unsigned number = (turn * STEP + i) % CHANGING;
		g_autofree char *name = g_strdup_printf("cache_%u", number);
		uint16_t origin;

		event_batch_cache(&batch, name, 64, 64);
		origin = event_batch_origin(&batch, frames, G_N_ELEMENTS(frames), 60, 64);
		for (unsigned event = 0; event <= number % 3; event++)
			event_batch_event(&batch, KMT_RECORD_ALLOC, origin, i, KMT_CONTEXT_TASK,
					  0x1000);
	}
	events += event_batch_header(&batch)->events;
	event_batch_heartbeat(&batch, (1 + turn) * second + second / 2, 0, 0);
	event_batch_end(&batch, events);
	return events;
}

void changing_stream(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_WINDOW_START_NS, second, NULL },
		{ KMT_FIELD_MONOTONIC_NS, second, NULL },
		{ KMT_FIELD_REALTIME_NS, 1700000000000000000, NULL },
	};
	uint64_t events = 0;

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
	for (unsigned turn = 0; turn < TURNS; turn++)
		for (unsigned i = 0; i < IN_USE; i += OF_A_BATCH)
			events = add_changing(stream, turn, i, events);
}
