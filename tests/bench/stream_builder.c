/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/stream_builder.h"

#include "record/format.h"

#include <stdio.h>
#include <string.h>

enum { BATCH_AGE_NS = 100 * 1000 * 1000, PAD_BYTES = 16 };

void stream_sink_bytes(const void *bytes, size_t length, void *byte_array)
{
	g_byte_array_append(byte_array, bytes, (guint)length);
}

void stream_sink_stdout(const void *bytes, size_t length, void *unused)
{
	(void)unused;
	if (fwrite(bytes, 1, length, stdout) != length)
		g_error("cannot write the stream");
}

void stream_cpu_init(StreamCpu *cpu, uint32_t number, GByteArray *out)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->cpu = number;
	cpu->frame_base = 0xffffffff00000000ULL;
	cpu->sink = stream_sink_bytes;
	cpu->user_data = out;
	cpu->now_ns = 1000;
}

uint64_t stream_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void open_batch(StreamCpu *cpu)
{
	cpu->length = sizeof(struct KmtBatchHeader);
	cpu->base_time_ns = cpu->now_ns;
	cpu->events = 0;
	cpu->stacks = cpu->origins = cpu->tasks = 0;
	cpu->task = UINT32_MAX;
	memset(cpu->seen, 0, sizeof(cpu->seen));
}

void stream_close_batch(StreamCpu *cpu)
{
	uint32_t batch_bytes = cpu->length + (uint32_t)sizeof(struct KmtBatchTrailer);
	struct KmtBatchHeader header = {
		.magic = KMT_MAGIC,
		.version = KMT_VERSION,
		.word_bytes = 8,
		.header_bytes = sizeof(header),
		.batch_bytes = batch_bytes,
		.kind = KMT_BATCH_EVENTS,
		.heartbeats = cpu->heartbeats,
		.field_set = KMT_FIELD_SET,
		.cpu = cpu->cpu,
		.batch_number = cpu->batch_number,
		.base_time_ns = cpu->base_time_ns,
		.frame_base = cpu->frame_base,
		.events = cpu->events,
		.sampling_period = 1,
		.events_total = cpu->events_total,
	};
	struct KmtBatchTrailer trailer = { KMT_END_MAGIC, header.batch_number };
	static const uint8_t padding[PAD_BYTES];

	if (!cpu->length)
		return;
	memcpy(cpu->data, &header, sizeof(header));
	memcpy(cpu->data + cpu->length, &trailer, sizeof(trailer));
	cpu->sink(cpu->data, batch_bytes, cpu->user_data);
	cpu->sink(padding, -batch_bytes % PAD_BYTES, cpu->user_data);
	cpu->length = 0;
	cpu->heartbeats = 0;
	cpu->batch_number++;
}

void *stream_put_record(StreamCpu *cpu, uint8_t type, uint16_t index, size_t bytes)
{
	struct KmtRecordHead head = { type, 0, index };
	uint8_t *record;

	if (!cpu->length)
		open_batch(cpu);
	record = cpu->data + cpu->length;
	bytes = (bytes + KMT_RECORD_UNIT_BYTES - 1) & ~(size_t)(KMT_RECORD_UNIT_BYTES - 1);
	head.units = (uint8_t)(bytes / KMT_RECORD_UNIT_BYTES);
	memset(record, 0, bytes);
	memcpy(record, &head, sizeof(head));
	cpu->length += (uint32_t)bytes;
	return record;
}

static void put_task(StreamCpu *cpu, const StreamTask *task)
{
	struct KmtTask *record;

	if (cpu->task == task->tgid)
		return;
	record = stream_put_record(cpu, KMT_RECORD_TASK, cpu->tasks++, sizeof(*record));
	record->tgid = task->tgid;
	record->tid = task->tgid;
	record->start_time_ns = task->tgid * 1000ULL;
	memcpy(record->comm, task->comm, sizeof(record->comm));
	cpu->task = task->tgid;
}

/* Frames that lie within 4 GB of the base take 4 bytes, as on x86-64. */
static uint16_t put_stack(StreamCpu *cpu, const StreamOrigin *origin)
{
	bool narrow = true;
	struct KmtStack *record;

	for (uint16_t i = 0; i < origin->depth; i++)
		narrow = narrow && origin->frames[i] - cpu->frame_base <= UINT32_MAX;
	record = stream_put_record(cpu, narrow ? KMT_RECORD_STACK4 : KMT_RECORD_STACK8, cpu->stacks,
				   sizeof(*record) + (size_t)origin->depth * (narrow ? 4 : 8));
	record->depth = origin->depth;
	for (uint16_t i = 0; i < origin->depth; i++) {
		uint64_t frame = origin->frames[i];
		uint32_t narrow_frame = (uint32_t)(frame - cpu->frame_base);

		if (narrow)
			memcpy((uint8_t *)(record + 1) + i * 4, &narrow_frame, 4);
		else
			memcpy((uint8_t *)(record + 1) + i * 8, &frame, 8);
	}
	return cpu->stacks++;
}

static uint16_t put_origin(StreamCpu *cpu, const StreamOrigin *origin)
{
	uint32_t at = origin->number % STREAM_SEEN;
	struct KmtOrigin *record;
	uint16_t stack;

	if (cpu->seen[at].number_plus_one == origin->number + 1)
		return cpu->seen[at].origin;
	stack = origin->depth ? put_stack(cpu, origin) : KMT_NONE;
	record = stream_put_record(cpu, KMT_RECORD_ORIGIN, cpu->origins, sizeof(*record));
	record->stack = stack;
	record->cache = KMT_NONE;
	record->call_site = origin->depth > 1 ? origin->frames[1] : cpu->frame_base;
	record->bytes_requested = origin->bytes_requested;
	record->bytes_allocated = origin->bytes_allocated;
	record->gfp_flags = 0xcc0;
	record->node = -1;
	record->source = KMT_SOURCE_KMALLOC;
	cpu->seen[at].number_plus_one = origin->number + 1;
	cpu->seen[at].origin = cpu->origins;
	return cpu->origins++;
}

static void make_room(StreamCpu *cpu, size_t bytes)
{
	if (cpu->length &&
	    (cpu->now_ns - cpu->base_time_ns > BATCH_AGE_NS ||
	     cpu->length + bytes + sizeof(struct KmtBatchTrailer) > STREAM_BATCH_BYTES))
		stream_close_batch(cpu);
	if (!cpu->length)
		open_batch(cpu);
}

void stream_put_heartbeat(StreamCpu *cpu)
{
	struct KmtHeartbeat *record;

	make_room(cpu, sizeof(*record));
	record = stream_put_record(cpu, KMT_RECORD_HEARTBEAT, 0, sizeof(*record));
	cpu->heartbeats++;
	record->complete_until_ns = cpu->now_ns;
	record->probe_ns = cpu->events_total * 400;
	cpu->heartbeat_ns = cpu->now_ns;
}

void stream_put_event(StreamCpu *cpu, const StreamTask *task, const StreamOrigin *origin,
		      uint8_t type, uint64_t pointer)
{
	struct KmtEvent *record;
	uint16_t index;

	if (cpu->now_ns - cpu->heartbeat_ns > BATCH_AGE_NS)
		stream_put_heartbeat(cpu);
	make_room(cpu, sizeof(struct KmtTask) + sizeof(struct KmtStack) + origin->depth * 8u +
			       sizeof(struct KmtOrigin) + sizeof(*record));
	put_task(cpu, task);
	index = put_origin(cpu, origin);
	record = stream_put_record(cpu, type, index, sizeof(*record));
	record->when = (uint32_t)(cpu->now_ns - cpu->base_time_ns);
	record->pointer = pointer;
	cpu->events++;
	cpu->events_total++;
}
