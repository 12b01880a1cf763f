/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a native stream of allocations and frees to stdout, as several CPUs' emitters would, with
   a constant number of live objects: see --help. */
#include "record/format.h"
#include "bench/stream_builder.h"
#include "record/batch_writer.h"

#include <stdio.h>
#include <string.h>

enum {
	CPUS_MAX = 256,
	NS_PER_S = 1000000000,
	OBJECT_BYTES = 64,
	STRETCH_EVENTS = 16384, /* that share a working set of stacks */
	WORKING_SET = 16,
	FREE_SITES = 16,
	/* Addresses between a free and the next allocation: the kernel uses them again soon. */
	REUSED_AFTER = 1 << 16,
};
#define KERNEL_TEXT 0xffffffff81000000ULL
#define OBJECTS 0xffff888100000000ULL

typedef struct {
	gint64 events;
	gint64 live;
	gint64 rate; /* of events, by their times, a second */
	gint cpus;
	gint turn; /* events of one CPU before the next one's */
	gint stacks;
	gint depth;
	gint at_once; /* percent */
} Options;

typedef struct {
	const Options *options;
	StreamCpu *cpus;
	uint64_t *frames; /* depth of each stack */
	uint32_t *live;   /* numbers of the addresses in use */
	uint32_t *unused; /* numbers of the others: a ring of REUSED_AFTER */
	uint32_t unused_at;
	uint64_t written;
	uint64_t random;
} Generator;

static void write_info(const Options *options)
{
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, 1, NULL },
		{ KMT_FIELD_REALTIME_NS, NS_PER_S, NULL },
		{ KMT_FIELD_RELEASE, 0, "6.12.0-bench" },
		{ KMT_FIELD_HOST, 0, "bench" },
		{ KMT_FIELD_CPUS_ONLINE, (uint64_t)options->cpus, NULL },
		{ KMT_FIELD_HELD, 1, NULL },
	};
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	batch_write_info(bytes, fields, G_N_ELEMENTS(fields));
	stream_sink_stdout(bytes->data, bytes->len, NULL);
}

/* Every CPU has a heartbeat at the same time: none may keep the others waiting. */
static void put_heartbeats(Generator *generator, uint64_t now_ns)
{
	for (gint i = 0; i < generator->options->cpus; i++) {
		generator->cpus[i].now_ns = now_ns;
		stream_put_heartbeat(&generator->cpus[i]);
		stream_close_batch(&generator->cpus[i]);
	}
}

static void put_event(Generator *generator, const StreamOrigin *origin, uint8_t type,
		      uint32_t address)
{
	const Options *options = generator->options;
	uint64_t event = generator->written++;
	StreamCpu *cpu =
		&generator->cpus[event / (uint64_t)options->turn % (uint64_t)options->cpus];
	const StreamTask task = { .tgid = 1000 + cpu->cpu, .comm = "worker" };
	uint64_t now_ns = NS_PER_S + event * NS_PER_S / (uint64_t)options->rate;

	if (event % ((uint64_t)options->rate / 10) == 0)
		put_heartbeats(generator, now_ns);
	cpu->now_ns = now_ns;
	stream_put_event(cpu, &task, origin, type, OBJECTS + (uint64_t)address * OBJECT_BYTES);
}

static uint32_t pick_stack(Generator *generator)
{
	uint64_t stretch = generator->written / STRETCH_EVENTS;

	return (uint32_t)((stretch * WORKING_SET +
			   stream_random(&generator->random) % WORKING_SET) %
			  (uint64_t)generator->options->stacks);
}

static void put_alloc(Generator *generator, uint32_t address)
{
	const Options *options = generator->options;
	uint32_t stack = pick_stack(generator);
	const StreamOrigin origin = {
		.number = stack,
		.frames = generator->frames + (size_t)stack * (size_t)options->depth,
		.depth = (uint16_t)options->depth,
		.bytes_requested = 24 + stack % 40,
		.bytes_allocated = OBJECT_BYTES,
	};

	put_event(generator, &origin, KMT_RECORD_ALLOC, address);
}

static void put_free(Generator *generator, uint32_t address)
{
	uint32_t site = (uint32_t)(stream_random(&generator->random) % FREE_SITES);
	const StreamOrigin origin = { .number = (uint32_t)generator->options->stacks + site };

	put_event(generator, &origin, KMT_RECORD_FREE, address);
}

/* Returns an address that was freed a while ago, and puts another one in its place. */
static uint32_t exchange_unused(Generator *generator, uint32_t freed)
{
	uint32_t *at = &generator->unused[generator->unused_at++ % REUSED_AFTER];
	uint32_t address = *at;

	*at = freed;
	return address;
}

static void put_events(Generator *generator)
{
	const Options *options = generator->options;
	uint32_t live = (uint32_t)options->live;

	for (uint32_t i = 0; i < live; i++) {
		generator->live[i] = i;
		put_alloc(generator, i);
	}
	for (uint32_t i = 0; i < REUSED_AFTER; i++)
		generator->unused[i] = live + i;
	while (generator->written < (uint64_t)options->events) {
		bool is_at_once =
			stream_random(&generator->random) % 100 < (uint64_t)options->at_once;
		uint32_t at = (uint32_t)(stream_random(&generator->random) % live);
		uint32_t freed = is_at_once ? generator->unused[generator->unused_at % REUSED_AFTER]
					    : generator->live[at];
		uint32_t address = exchange_unused(generator, freed);

		put_alloc(generator, address);
		put_free(generator, freed);
		if (!is_at_once)
			generator->live[at] = address;
	}
	put_heartbeats(generator,
		       NS_PER_S + generator->written * NS_PER_S / (uint64_t)options->rate);
}

static void generate(const Options *options)
{
	Generator generator = { .options = options, .random = 88172645463325252ULL };
	size_t frames = (size_t)options->stacks * (size_t)options->depth;

	generator.cpus = g_new0(StreamCpu, (gsize)options->cpus);
	generator.frames = g_new(uint64_t, frames);
	generator.live = g_new(uint32_t, (gsize)options->live);
	generator.unused = g_new(uint32_t, REUSED_AFTER);
	for (size_t i = 0; i < frames; i++)
		generator.frames[i] = KERNEL_TEXT + stream_random(&generator.random) % (16 << 20);
	for (gint i = 0; i < options->cpus; i++) {
		generator.cpus[i].cpu = (uint32_t)i;
		generator.cpus[i].frame_base = 0xffffffff00000000ULL;
		generator.cpus[i].sink = stream_sink_stdout;
	}
	write_info(options);
	put_events(&generator);
	g_free(generator.cpus);
	g_free(generator.frames);
	g_free(generator.live);
	g_free(generator.unused);
}

static bool parse_options(Options *options, int *argc, char ***argv, GError **error)
{
	GOptionEntry entries[] = {
		{ "events", 0, 0, G_OPTION_ARG_INT64, &options->events, "events in all", "N" },
		{ "live", 0, 0, G_OPTION_ARG_INT64, &options->live, "live objects", "N" },
		{ "rate", 0, 0, G_OPTION_ARG_INT64, &options->rate, "events a second", "N" },
		{ "cpus", 0, 0, G_OPTION_ARG_INT, &options->cpus, "CPUs", "N" },
		{ "turn", 0, 0, G_OPTION_ARG_INT, &options->turn,
		  "events of one CPU before those of the next one", "N" },
		{ "stacks", 0, 0, G_OPTION_ARG_INT, &options->stacks, "distinct stacks", "N" },
		{ "depth", 0, 0, G_OPTION_ARG_INT, &options->depth, "frames of each", "N" },
		{ "at-once", 0, 0, G_OPTION_ARG_INT, &options->at_once,
		  "percent of the objects that are freed at once; the others live long", "PCT" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	g_autoptr(GOptionContext) context = g_option_context_new("> FILE");

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, argc, argv, error))
		return false;
	if (options->events >= 0 && options->live > 0 && options->live <= INT32_MAX &&
	    options->rate >= 10 && options->cpus > 0 && options->cpus <= CPUS_MAX &&
	    options->turn > 0 && options->stacks > 0 && options->depth > 0 &&
	    options->depth <= KMT_STACK_DEPTH_MAX)
		return true;
	g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "value out of range");
	return false;
}

int main(int argc, char **argv)
{
	Options options = { .events = 10000000,
			    .live = 1000000,
			    .rate = 1000000,
			    .cpus = 16,
			    .turn = 8,
			    .stacks = 1000,
			    .depth = 20 };
	g_autoptr(GError) error = NULL;

	if (!parse_options(&options, &argc, &argv, &error)) {
		fprintf(stderr, "make_held: %s\n", error->message);
		return 2;
	}
	generate(&options);
	return fflush(stdout) ? 1 : 0;
}
