/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rate_stream.h"

#include "record/format.h"

#include "event_batch.h"
#include "record/batch_writer.h"

#include <string.h>

#define NS_PER_MS 1000000ULL
#define START_NS 2000000000ULL
#define END_NS (START_NS + 1100 * NS_PER_MS)
#define REALTIME_NS 1700000000000000000ULL
#define BATCH_NS (200 * NS_PER_MS)

enum { CPUS = 2, BATCHES = 6, LOST_BATCH = 3, LOST_EVENTS = 5 };

static const char cache_names[] = "dentry\n"
				  "filp\tftrace_event_field\n"
				  "kmalloc-64\n";

/* In use at both ends: what was traced of dentry is what it grew by; of the module's cache no free
   was seen, and yet it did not grow. */
#define SLABINFO(dentries, filps)                                                                  \
	"slabinfo - version: 2.1\n"                                                                \
	"dentry " dentries " 2100 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n"                \
	"filp " filps " 320 256 16 1 : tunables 0 0 0 : slabdata 20 20 0\n"                        \
	"a_cache_of_a_module_whose_name_is_long 40 40 1024 4 1 : tunables 0 0 0 : "                \
	"slabdata 10 10 0\n"
static const char slabinfo_start[] = SLABINFO("2000", "300"),
		  slabinfo_end[] = SLABINFO("2067", "318");

/* A cache, or none (NULL), before the others: its class of kmalloc is derived, or unknown. */
static const struct {
	const char *cache;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
} origins[] = {
	{ NULL, 40, 64 },
	{ NULL, 0, 0 },
	{ "filp", 232, 256 },
	{ "dentry(7:user.slice)", 192, 192 },
	{ "a_cache_of_a_module_whose_name_is_long", 1000, 1024 },
	{ "evil\033[2J\"cache\\", 8, 8 },
};
enum { UNNAMED, UNREPORTED, FILP, DENTRY, LONG, EVIL };

/* What happens at a time: so many events, 10 us apart. */
static const struct {
	unsigned at_ms;
	uint8_t cpu;
	uint8_t type;
	uint16_t origin;
	uint16_t task;
	unsigned events;
} loads[] = {
	{ 10, 0, KMT_RECORD_ALLOC, FILP, 0, 30 },
	{ 20, 1, KMT_RECORD_ALLOC, FILP, 1, 10 },
	{ 100, 0, KMT_RECORD_FREE, FILP, 0, 25 },
	{ 240, 1, KMT_RECORD_ALLOC, DENTRY, 1, 70 },
	/* Over the edge of an interval: 0.25 s. */
	{ 249, 0, KMT_RECORD_ALLOC, UNNAMED, 0, 300 },
	{ 300, 0, KMT_RECORD_FREE, DENTRY, 1, 7 },
	/* None from 0.5 s to 0.75 s. */
	{ 760, 1, KMT_RECORD_ALLOC, LONG, 1, 12 },
	{ 770, 0, KMT_RECORD_ALLOC, EVIL, 2, 9 },
	{ 980, 1, KMT_RECORD_ALLOC, DENTRY, 0, 4 },
	{ 1050, 0, KMT_RECORD_ALLOC, FILP, 2, 3 },
	/* Blind: kfree() as perf events have it. */
	{ 400, 0, KMT_RECORD_FREE, UNREPORTED, 0, 60 },
};

/* A free is of the object that was allocated first. */
static uint64_t pointer_of(gsize load, unsigned event)
{
	/* What kfree() does not say. */
	uint16_t origin = loads[load].origin == UNREPORTED ? UNNAMED : loads[load].origin;
	uint64_t number = event;

	for (gsize i = 0; i < load; i++)
		if (loads[i].type == loads[load].type && loads[i].origin == loads[load].origin)
			number += loads[i].events;
	return 0xffff888000000000 + ((uint64_t)origin << 20) + (number << 10);
}

/* With --held, by a collector that samples addresses. */
static void add_held_facts(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_HELD, 1, NULL },
		{ KMT_FIELD_SAMPLED_BY, 0, "address" },
		{ KMT_FIELD_SAMPLE_SEED, 1, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

static void add_facts(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_RELEASE, 0, "6.12.0-test" },
		{ KMT_FIELD_PROGRAM, 0, "hands" },
		{ KMT_FIELD_PAGE_BYTES, 4096, NULL },
		{ KMT_FIELD_CPUS_ONLINE, CPUS, NULL },
		{ KMT_FIELD_STACK_DEPTH, 0, NULL },
		{ KMT_FIELD_EVENTS, 0, "kmalloc,cache,free" },
		{ KMT_FIELD_COVERED, 0, "kmalloc, kmem_cache_alloc" },
		{ KMT_FIELD_NOT_COVERED, 0, "vmalloc" },
		{ KMT_FIELD_WINDOW_START_NS, START_NS, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

/* What a heartbeat of the program says. */
static void add_load(GByteArray *stream, unsigned at_ms, const char *load_average)
{
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, START_NS + at_ms * NS_PER_MS, NULL },
		{ KMT_FIELD_REALTIME_NS, REALTIME_NS + at_ms * NS_PER_MS, NULL },
		{ KMT_FIELD_LOAD_AVERAGE, 0, load_average },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

static void add_end(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_WINDOW_END_NS, END_NS, NULL },
		{ KMT_FIELD_COUNTED_TO_END, 1, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

static void add_origins(EventBatch *batch)
{
	static const uint32_t site[] = { 0x81000210 };

	for (gsize i = 0; i < G_N_ELEMENTS(origins); i++) {
		if (origins[i].cache)
			event_batch_cache(batch, origins[i].cache,
					  (uint32_t)origins[i].bytes_requested,
					  (uint32_t)origins[i].bytes_allocated);
		event_batch_origin(batch, site, 1, origins[i].bytes_requested,
				   origins[i].bytes_allocated);
	}
}

static void add_task(EventBatch *batch, uint16_t task)
{
	static const struct {
		uint32_t tgid;
		const char *comm;
	} tasks[] = { { 100, "find" }, { 200, "sh\033[31m" }, { 300, "kworker/0:1" } };

	event_batch_task(batch, tasks[task].tgid, tasks[task].comm);
}

/* As every CPU speaks before a run begins. */
static void add_first_batch(GByteArray *stream, uint32_t cpu)
{
	EventBatch batch = event_batch_begin(stream, cpu, 0, START_NS - BATCH_NS);

	event_batch_heartbeat(&batch, START_NS, 0, 0);
	event_batch_end(&batch, 0);
}

/* Appends a batch of a CPU, with what happens in its time; *total counts its events. */
static void add_batch(GByteArray *stream, uint32_t cpu, uint32_t number, gsize load_count,
		      uint64_t *total)
{
	uint64_t from_ns = number * BATCH_NS;
	bool after_loss = cpu == 1 && number >= LOST_BATCH;
	EventBatch batch =
		event_batch_begin(stream, cpu, number + 1 + after_loss, START_NS + from_ns);

	add_origins(&batch);
	for (gsize i = 0; i < load_count; i++) {
		uint64_t at_ns = loads[i].at_ms * NS_PER_MS;

		if (loads[i].cpu != cpu || at_ns < from_ns || at_ns >= from_ns + BATCH_NS)
			continue;
		add_task(&batch, loads[i].task);
		for (unsigned event = 0; event < loads[i].events; event++)
			event_batch_event(&batch, loads[i].type, loads[i].origin,
					  (uint32_t)(at_ns - from_ns + event * 10000),
					  KMT_CONTEXT_TASK, pointer_of(i, event));
	}
	event_batch_heartbeat(&batch, START_NS + from_ns + BATCH_NS, 0, (number + 1) * NS_PER_MS);
	*total += event_batch_header(&batch)->events;
	event_batch_end(&batch, *total + (after_loss ? LOST_EVENTS : 0));
}

void rate_stream(GByteArray *stream, bool blind, bool held)
{
	gsize load_count = G_N_ELEMENTS(loads) - !blind;
	uint64_t totals[CPUS] = { 0 };

	add_facts(stream);
	if (held)
		add_held_facts(stream);
	stream_add_text(stream, KMT_BATCH_CACHE_NAMES, cache_names);
	if (blind)
		batch_write_reading(stream, KMT_BATCH_SLABINFO, KMT_READING_START, START_NS,
				    slabinfo_start, strlen(slabinfo_start));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_first_batch(stream, cpu);
	add_load(stream, 0, "0.38 0.21 0.12 1/342 13297");
	/* CPU 1 comes a batch later than CPU 0. */
	for (uint32_t number = 0; number <= BATCHES; number++) {
		if (number < BATCHES)
			add_batch(stream, 0, number, load_count, &totals[0]);
		if (number > 0)
			add_batch(stream, 1, number - 1, load_count, &totals[1]);
		if (number == BATCHES / 2)
			add_load(stream, 500, "0.42 0.22 0.12 3/342 13301");
	}
	if (blind)
		batch_write_reading(stream, KMT_BATCH_SLABINFO, KMT_READING_END, END_NS,
				    slabinfo_end, strlen(slabinfo_end));
	add_end(stream);
}
