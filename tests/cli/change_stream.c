/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "change_stream.h"

#include "record/format.h"

#include "event_batch.h"
#include "record/batch_writer.h"

#include <math.h>

#define START_NS 2000000000ULL
#define NS_PER_SECOND 1000000000ULL
#define SLICE_NS (NS_PER_SECOND / SLICES)
#define MEAN_MIN 2.0
#define MEAN_GROWTH 1.2

enum {
	PATHS = 40,
	PROCESSES = 5,
	SIZES = 6,
	LEAKING = 17,
	LEAKED = 300,
	SECONDS_OLDER = 4,
	SECONDS_NEWER = 6,
	FUNCTION_BYTES = 0x100,
	SLICES = 50, /* of a second */
};

static void add_facts(GByteArray *stream, const ChangeRun *run)
{
	const bool newer = run->newer;
	const uint64_t seconds = newer ? SECONDS_NEWER : SECONDS_OLDER;
	const InfoField command = { KMT_FIELD_COMMAND, 0, "./load" };
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, 1000000000, NULL },
		{ KMT_FIELD_REALTIME_NS, newer ? 1700086400000000000 : 1700000000000000000, NULL },
		{ KMT_FIELD_RELEASE, 0, newer ? "6.12.1-test" : "6.6.0-test" },
		{ KMT_FIELD_HOST, 0, "handmade" },
		{ KMT_FIELD_ARCH, 0, "x86_64" },
		{ KMT_FIELD_PAGE_BYTES, 4096, NULL },
		{ KMT_FIELD_CPUS_ONLINE, 1, NULL },
		{ KMT_FIELD_TEXT_START, 0xffffffff81000000, NULL },
		{ KMT_FIELD_TEXT_END, 0xffffffff81010000, NULL },
		{ KMT_FIELD_STACK_DEPTH, 64, NULL },
		{ KMT_FIELD_EVENTS, 0, "kmalloc" },
		{ KMT_FIELD_SCOPE, 0, "host" },
		{ KMT_FIELD_WINDOW_START_NS, START_NS, NULL },
		{ KMT_FIELD_WINDOW_END_NS, START_NS + seconds * NS_PER_SECOND, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
	if (run->is_command)
		batch_write_info(stream, &command, 1);
}

/* The newer kernel has its functions elsewhere, and copies of some. */
static uint32_t address_of(unsigned function, bool newer)
{
	return 0x81000000 + FUNCTION_BYTES * (newer ? 2 * function + 7 : function + 1);
}

enum { ALLOCATOR = PATHS, SYSTEM_CALL, FUNCTIONS };

static void append_symbol(GString *symbols, unsigned function, bool newer)
{
	g_string_append_printf(symbols, "ffffffff%08x T ", address_of(function, newer));
	if (function == ALLOCATOR)
		g_string_append_printf(symbols, "__kmalloc%s", newer ? "_noprof" : "");
	else if (function == SYSTEM_CALL)
		g_string_append(symbols, "do_syscall_64");
	else
		g_string_append_printf(symbols, "path_%02u%s", function,
				       newer && function % 3 == 0 ? ".isra.0" : "");
	g_string_append_c(symbols, '\n');
}

static void add_symbols(GByteArray *stream, bool newer)
{
	g_autoptr(GString) symbols = g_string_new("ffffffff81000000 T _stext\n");

	for (unsigned function = 0; function < FUNCTIONS; function++)
		append_symbol(symbols, function, newer);
	g_string_append(symbols, "ffffffff81010000 T _etext\n");
	batch_write_text(stream, KMT_BATCH_SYMBOLS, 0, symbols->str, symbols->len);
	stream_add_text(stream, KMT_BATCH_MODULES, "");
}

/* Counts the events of a run whose distances are exponentially distributed. */
static uint32_t poisson(GRand *random, double mean)
{
	uint32_t events = 0;

	for (double time = -log(g_rand_double(random)); time < mean;
	     time -= log(g_rand_double(random)))
		events++;
	return events;
}

static uint16_t add_origin(EventBatch *batch, unsigned path, bool newer)
{
	/* Offsets in functions differ, too. */
	const uint32_t frames[] = {
		address_of(ALLOCATOR, newer) + (newer ? 0x20 : 0x10),
		address_of(path, newer) + (newer ? 0x44 : 0x14),
		address_of(SYSTEM_CALL, newer) + 0x18,
	};
	const uint32_t bytes = 64U << path % SIZES;
	g_autofree char *cache = g_strdup_printf("kmalloc-%u", bytes);

	event_batch_cache(batch, cache, bytes, bytes);
	return event_batch_origin(batch, frames, G_N_ELEMENTS(frames), bytes - path % 8, bytes);
}

/* Adds what the load does in a slice of time. Returns the number of events. */
static uint32_t add_slice(GByteArray *stream, GRand *random, const ChangeRun *run, unsigned slice)
{
	const double pace =
		run->is_command && run->newer ? (double)SECONDS_OLDER / SECONDS_NEWER : 1;
	uint32_t events_of_slice;
	EventBatch batch = event_batch_begin(stream, 0, slice, START_NS + slice * SLICE_NS);

	for (unsigned path = 0; path < PATHS; path++) {
		double mean = MEAN_MIN * pow(MEAN_GROWTH, path) / SLICES / run->burst;
		uint32_t events = run->burst * poisson(random, mean * pace);
		g_autofree char *process = g_strdup_printf("load-%c", 'a' + path % PROCESSES);

		event_batch_task(&batch, 100 + path % PROCESSES, process);
		if (run->leaks && path == LEAKING)
			events += LEAKED / SLICES / SECONDS_NEWER;
		if (events)
			event_batch_repeated(&batch, add_origin(&batch, path, run->newer), 1000,
					     events, 1000);
	}
	events_of_slice = event_batch_header(&batch)->events;
	event_batch_end(&batch, run->events + events_of_slice);
	return events_of_slice;
}

void change_stream(GByteArray *stream, guint32 seed, ChangeRun run)
{
	const unsigned seconds = run.newer ? SECONDS_NEWER : SECONDS_OLDER;
	g_autoptr(GRand) random = g_rand_new_with_seed(2 * seed + run.newer);

	add_facts(stream, &run);
	add_symbols(stream, run.newer);
	for (unsigned slice = 0; slice < seconds * SLICES; slice++)
		run.events += add_slice(stream, random, &run, slice);
}
