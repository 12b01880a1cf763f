/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a native stream to stdout, as two CPUs' emitters would: see --help. */
#include "record/format.h"
#include "bench/stream_builder.h"
#include "record/batch_writer.h"

#include <stdio.h>
#include <string.h>

enum {
	CPUS = 2,
	TURN_EVENTS = 256, /* of one CPU before the other's */
	RATE = 400000,     /* events a second */
	NS_PER_S = 1000000000,
	STRIDE = 40503, /* visits every stack once a pass */
};
#define KERNEL_TEXT 0xffffffff81000000ULL
#define KERNEL_TEXT_BYTES 0x1000000ULL

typedef struct {
	gint64 events;
	gint64 rate; /* of events, by their times, a second */
	gint stacks;
	gint depth;
	gint tasks;
	gint working_set;
	char *symbols;
} Options;

typedef struct {
	const Options *options;
	GArray *addresses; /* (element-type guint64) of functions */
	uint64_t *frames;  /* depth of each stack */
	uint64_t random;
} Generator;

/* Functions of a kallsyms text, or evenly spaced addresses where there is none. */
static GArray *function_addresses(const char *kallsyms)
{
	GArray *addresses = g_array_new(FALSE, FALSE, sizeof(guint64));

	for (const char *line = kallsyms; line && *line; line = strchr(line, '\n')) {
		char *end;
		guint64 address;

		line += *line == '\n';
		address = g_ascii_strtoull(line, &end, 16);
		if (address >= KERNEL_TEXT && g_ascii_tolower(end[0] ? end[1] : 0) == 't')
			g_array_append_val(addresses, address);
	}
	for (guint64 at = KERNEL_TEXT; !kallsyms && at < KERNEL_TEXT + KERNEL_TEXT_BYTES; at += 512)
		g_array_append_val(addresses, at);
	return addresses;
}

static void make_frames(Generator *generator)
{
	const Options *options = generator->options;
	size_t count = (size_t)options->stacks * (size_t)options->depth;

	generator->frames = g_new(uint64_t, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t at = stream_random(&generator->random) % generator->addresses->len;

		generator->frames[i] = g_array_index(generator->addresses, guint64, at) + 5;
	}
}

static void write_bytes(GByteArray *bytes)
{
	stream_sink_stdout(bytes->data, bytes->len, NULL);
	g_byte_array_unref(bytes);
}

static void write_symbols(const char *kallsyms, size_t length)
{
	static const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, 1, NULL },
		{ KMT_FIELD_REALTIME_NS, 1000000000, NULL },
		{ KMT_FIELD_RELEASE, 0, "6.12.0-bench" },
		{ KMT_FIELD_HOST, 0, "bench" },
		{ KMT_FIELD_CPUS_ONLINE, CPUS, NULL },
	};
	GByteArray *bytes = g_byte_array_new();

	batch_write_info(bytes, fields, G_N_ELEMENTS(fields));
	if (kallsyms)
		batch_write_text(bytes, KMT_BATCH_SYMBOLS, 0, kallsyms, length);
	write_bytes(bytes);
}

/* Which stack an event has: every one in turn, or any of the few of this stretch of time. */
static uint32_t pick_stack(Generator *generator, uint64_t event)
{
	uint64_t stacks = (uint64_t)generator->options->stacks;
	uint64_t working_set = (uint64_t)generator->options->working_set;

	if (!working_set || working_set >= stacks)
		return (uint32_t)(event * STRIDE % stacks);
	return (uint32_t)((event / TURN_EVENTS * working_set +
			   stream_random(&generator->random) % working_set) %
			  stacks);
}

static void put_events(Generator *generator)
{
	const Options *options = generator->options;
	StreamCpu *cpus = g_new0(StreamCpu, CPUS);

	for (uint32_t i = 0; i < CPUS; i++) {
		cpus[i].cpu = i;
		cpus[i].frame_base = 0xffffffff00000000ULL;
		cpus[i].sink = stream_sink_stdout;
	}
	for (uint64_t event = 0; event < (uint64_t)options->events; event++) {
		uint32_t stack = pick_stack(generator, event);
		StreamCpu *cpu = &cpus[event / TURN_EVENTS % CPUS];
		uint64_t turn = event / MAX((uint64_t)TURN_EVENTS, (uint64_t)options->stacks);
		StreamTask task = { .tgid = 1000 + (uint32_t)(turn % (uint64_t)options->tasks) };
		StreamOrigin origin = {
			.number = stack,
			.frames = generator->frames + (size_t)stack * (size_t)options->depth,
			.depth = (uint16_t)options->depth,
			.bytes_requested = 24 + stack % 100,
			.bytes_allocated = 128,
		};

		g_snprintf(task.comm, sizeof(task.comm), "task%u", task.tgid);
		cpu->now_ns = NS_PER_S + event * NS_PER_S / (uint64_t)options->rate;
		stream_put_event(cpu, &task, &origin, KMT_RECORD_ALLOC,
				 0xffff888100000000ULL + event * 64);
	}
	for (uint32_t i = 0; i < CPUS; i++) {
		stream_put_heartbeat(&cpus[i]);
		stream_close_batch(&cpus[i]);
	}
	g_free(cpus);
}

static bool parse_options(Options *options, int *argc, char ***argv, GError **error)
{
	GOptionEntry entries[] = {
		{ "events", 0, 0, G_OPTION_ARG_INT64, &options->events, "events in all", "N" },
		{ "rate", 0, 0, G_OPTION_ARG_INT64, &options->rate, "events a second", "N" },
		{ "stacks", 0, 0, G_OPTION_ARG_INT, &options->stacks, "distinct stacks", "N" },
		{ "depth", 0, 0, G_OPTION_ARG_INT, &options->depth, "frames of each", "N" },
		{ "tasks", 0, 0, G_OPTION_ARG_INT, &options->tasks, "processes", "N" },
		{ "working-set", 0, 0, G_OPTION_ARG_INT, &options->working_set,
		  "stacks that alternate within 256 events; 0: all, in turn", "N" },
		{ "symbols", 0, 0, G_OPTION_ARG_FILENAME, &options->symbols,
		  "kallsyms text to embed and to take addresses from", "FILE" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	g_autoptr(GOptionContext) context = g_option_context_new("> FILE");

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, argc, argv, error))
		return false;
	if (options->events >= 0 && options->rate > 0 && options->stacks > 0 &&
	    options->tasks > 0 && options->depth > 0 && options->depth <= KMT_STACK_DEPTH_MAX &&
	    options->working_set >= 0)
		return true;
	g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "value out of range");
	return false;
}

int main(int argc, char **argv)
{
	Options options = {
		.events = 1000000, .rate = RATE, .stacks = 100, .depth = 20, .tasks = 4
	};
	Generator generator = { .options = &options, .random = 88172645463325252ULL };
	g_autoptr(GError) error = NULL;
	g_autofree char *kallsyms = NULL;
	gsize length = 0;

	if (!parse_options(&options, &argc, &argv, &error) ||
	    (options.symbols &&
	     !g_file_get_contents(options.symbols, &kallsyms, &length, &error))) {
		fprintf(stderr, "make_stream: %s\n", error->message);
		return 2;
	}
	generator.addresses = function_addresses(kallsyms);
	if (!generator.addresses->len) {
		fprintf(stderr, "make_stream: %s has no kernel addresses; read it as root\n",
			options.symbols);
		return 1;
	}
	make_frames(&generator);
	write_symbols(kallsyms, length);
	put_events(&generator);
	g_array_unref(generator.addresses);
	g_free(generator.frames);
	g_free(options.symbols);
	return fflush(stdout) ? 1 : 0;
}
