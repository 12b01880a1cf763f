/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf events deliver: a tracepoint's description, a NUL, then a record with its header. The
 * header's type is taken, its length is what there is.
 */
#include "collect/perf/perf_sample.h"
#include "collect/tracefs/tracepoint_format.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Keeps reads that only a sanitizer is to see. */
static volatile uint64_t seen;

static void expect_layout(const TracepointFormat *format)
{
	for (unsigned i = 0; i < format->field_count; i++) {
		const TracepointField *field = &format->fields[i];

		if (!*field->name || field->offset + field->size > TRACEPOINT_RECORD_BYTES_MAX ||
		    tracepoint_format_lookup(format, field->name) != field)
			abort();
	}
}

static void read_text(const TracepointField *field, const PerfSample *sample)
{
	uint32_t length;
	const char *text = tracepoint_field_text(field, sample->raw, sample->raw_bytes, &length);

	for (uint32_t i = 0; text && i < length; i++)
		seen += (uint8_t)text[i];
}

static void read_fields(const TracepointFormat *format, const PerfSample *sample)
{
	for (unsigned i = 0; i < format->field_count; i++) {
		uint64_t value;

		if (tracepoint_field_number(&format->fields[i], sample->raw, sample->raw_bytes,
					    &value))
			seen += value;
		read_text(&format->fields[i], sample);
	}
}

static void read_sample(const TracepointFormat *format, const void *body, size_t bytes,
			uint64_t sample_type)
{
	PerfSample sample;

	if (!perf_sample_parse(body, bytes, sample_type, &sample))
		return;
	for (uint32_t i = 0; i < sample.depth; i++) {
		if (sample.frames[i] >= (uint64_t)PERF_CONTEXT_MAX)
			abort();
		seen += sample.frames[i];
	}
	for (uint32_t i = 0; i < sample.raw_bytes; i++)
		seen += sample.raw[i];
	if (format)
		read_fields(format, &sample);
}

static void read_numbers(const uint64_t *numbers, uint64_t count)
{
	for (uint64_t i = 0; numbers && i < count; i++)
		seen += numbers[i];
}

/* Samples of probe points: with user frames, with what is needed to unwind user stacks, and with
   the registers of a probe. */
static void read_hits(const void *body, size_t bytes)
{
	enum {
		USER_REGISTERS = 17,
		COUNTED_STACK = PERF_SAMPLE_NEEDED | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN
	};
	const uint64_t head = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR | PERF_SAMPLE_CGROUP_BIT |
			      PERF_SAMPLE_READ_LOST_BIT | COUNTED_STACK;
	const PerfHitForm forms[] = {
		{ .sample_type = head },
		{ .sample_type = head | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		  .user_registers = USER_REGISTERS },
		{ .sample_type = head | PERF_SAMPLE_REGS_INTR, .registers = 1 },
		{ .sample_type = PERF_HIT_KNOWN, .registers = 6, .user_registers = USER_REGISTERS },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
		PerfHit hit;

		if (!perf_hit_parse(body, bytes, &forms[i], &hit))
			continue;
		read_numbers(hit.sample.frames, hit.sample.depth);
		read_numbers(hit.user_frames, hit.user_depth);
		read_numbers(hit.registers, forms[i].registers);
		read_numbers(hit.user_registers, forms[i].user_registers);
		for (uint64_t byte = 0; hit.user_stack && byte < hit.user_stack_bytes; byte++)
			seen += hit.user_stack[byte];
	}
}

static void read_mapping(const struct perf_event_header *header, const void *body, size_t bytes)
{
	PerfMapRecord mapping;

	if (!perf_map_record_parse(header, body, bytes, &mapping))
		return;
	if (mapping.build_id_bytes > sizeof(mapping.build_id))
		abort();
	seen += strlen(mapping.path);
}

static void read_record(const TracepointFormat *format, const uint8_t *record, size_t size)
{
	static const uint64_t sample_types[] = {
		PERF_SAMPLE_NEEDED,
		PERF_SAMPLE_NEEDED | PERF_SAMPLE_CALLCHAIN,
		PERF_SAMPLE_NEEDED | PERF_SAMPLE_CGROUP_BIT,
		PERF_SAMPLE_KNOWN,
	};
	struct perf_event_header header;
	struct PerfTaskRecord task;
	g_autofree uint8_t *body = NULL;

	if (size < sizeof(header))
		return;
	memcpy(&header, record, sizeof(header));
	size -= sizeof(header);
	/* Aligned, and of the exact size. */
	body = g_malloc(MAX(size, (size_t)1));
	memcpy(body, record + sizeof(header), size);
	for (size_t i = 0; i < G_N_ELEMENTS(sample_types); i++)
		read_sample(format, body, size, sample_types[i]);
	read_hits(body, size);
	read_mapping(&header, body, size);
	if (perf_task_record_parse(&header, body, size, &task))
		seen += strlen(task.comm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) : size;
	g_autoptr(TracepointFormat) format =
		tracepoint_format_parse((const char *)data, length, NULL);

	if (format)
		expect_layout(format);
	if (end)
		read_record(format, end + 1, size - length - 1);
	return 0;
}
