/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes the batches that the program itself adds to a stream: facts about host and run, symbols
 * and modules. Each function appends whole batches in this machine's byte order to a byte array,
 * which the caller owns and passes to the stream's reader.
 */

/* One fact for batch_write_info(): a number, or text when text is not NULL. */
typedef struct {
	uint16_t id; /* enum KmtFieldId */
	uint64_t number;
	const char *text; /* borrowed; cut at a character boundary below the format's limit */
} InfoField;

/* The counters of a CPU's batch header. */
typedef struct {
	uint32_t cpu;
	uint64_t events_total;
	uint64_t dropped_reentrant;
	uint64_t left_out_self;
	uint64_t left_out_interrupt;
} CpuCounters;

/* Appends one KMT_BATCH_EVENTS batch with the CPU's counters at time_ns only. No emitter sends such
   a batch without events and heartbeats. */
void batch_write_counters(GByteArray *out, const CpuCounters *counters, uint64_t time_ns);

/* Appends one KMT_BATCH_EVENTS batch with the CPU's counters, its nominal sampling period and a
   heartbeat, as an emitter sends it when a CPU has no events. The head of the beat is filled in. */
void batch_write_heartbeat(GByteArray *out, const CpuCounters *counters, uint32_t sampling_period,
			   struct KmtHeartbeat beat, uint64_t time_ns);

/* Appends one KMT_BATCH_INFO batch with these fields. */
void batch_write_info(GByteArray *out, const InfoField *fields, size_t count);

/* Appends as many batches of this kind (KMT_BATCH_SYMBOLS and later kinds) as the text needs, split
   at line ends only. An empty text makes one batch, too: it announces the epoch. */
void batch_write_text(GByteArray *out, uint8_t kind, uint32_t epoch, const char *text,
		      size_t length);

/* Like batch_write_text(), for a reading (enum KmtReading) at time_ns. */
void batch_write_reading(GByteArray *out, uint8_t kind, uint32_t reading, uint64_t time_ns,
			 const char *text, size_t length);
