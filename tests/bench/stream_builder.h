/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes native streams as the emitter in the kernel writes them: per CPU batches of just under
 * 8 KiB, each with its own definitions, events of 16 bytes, a heartbeat every tenth of a second.
 * For the benchmarks, the fuzz corpus and the tests.
 */

/* What an event is about. Two events of one number are one stack and one origin. */
typedef struct {
	uint32_t number;
	const uint64_t *frames;
	uint16_t depth;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
} StreamOrigin;

typedef struct {
	uint32_t tgid;
	char comm[KMT_COMM_BYTES];
} StreamTask;

enum { STREAM_SEEN = 128, STREAM_BATCH_BYTES = 8192 - 16 };

/* One CPU's writer; zeroed, then given its cpu, frame_base and sink. */
typedef struct {
	uint32_t cpu;
	uint64_t frame_base;
	void (*sink)(const void *bytes, size_t length, void *user_data);
	void *user_data;
	uint64_t now_ns;
	/* The open batch. */
	uint8_t data[8192];
	uint32_t length; /* 0: none is open */
	uint64_t base_time_ns;
	uint32_t events;
	uint8_t heartbeats;
	uint16_t stacks, origins, tasks;
	uint32_t task; /* tgid in force */
	struct {
		uint32_t number_plus_one;
		uint16_t origin;
	} seen[STREAM_SEEN];
	/* Since the start. */
	uint32_t batch_number;
	uint64_t events_total;
	uint64_t heartbeat_ns;
} StreamCpu;

/* Appends an event of now_ns; closes the open batch first when it is full or too old. */
void stream_put_event(StreamCpu *cpu, const StreamTask *task, const StreamOrigin *origin,
		      uint8_t type, uint64_t pointer);

/* Appends a heartbeat. */
void stream_put_heartbeat(StreamCpu *cpu);

/* Appends a record of any kind, without its head filled in, and returns it, zeroed. */
void *stream_put_record(StreamCpu *cpu, uint8_t type, uint16_t index, size_t bytes);

/* Hands the open batch over. */
void stream_close_batch(StreamCpu *cpu);

/* Begins the writer of a CPU in the kernel, which appends to out. */
void stream_cpu_init(StreamCpu *cpu, uint32_t number, GByteArray *out);

/* Returns the next random number; the state is not 0. */
uint64_t stream_random(uint64_t *state);

/* Sinks that append to a GByteArray, and that write to standard output. */
void stream_sink_bytes(const void *bytes, size_t length, void *byte_array);
void stream_sink_stdout(const void *bytes, size_t length, void *unused);
