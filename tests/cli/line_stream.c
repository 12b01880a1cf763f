/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line_stream.h"

#include "record/format.h"

#include "record/batch_writer.h"
#include "record/event_writer.h"
#include "bench/stream_builder.h"

#include <string.h>

#define START_NS 2000000000ULL
#define END_NS 3000000000ULL

static const EventTask task = { .tgid = 100, .tid = 100, .start_time_ns = 5, .comm = "worker" };

/* Returns the text of a file, owned by the caller; NULL: there is none. */
static char *read_file(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

static void write_info(GByteArray *stream, const char *folder)
{
	g_autofree char *arch = read_file(folder, "arch");
	g_autofree char *text = read_file(folder, "text");
	char *end = NULL;
	uint64_t start = g_ascii_strtoull(text, &end, 16);
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, 1000000000, NULL },
		{ KMT_FIELD_REALTIME_NS, 1700000000000000000, NULL },
		{ KMT_FIELD_RELEASE, 0, "6.12.0-test" },
		{ KMT_FIELD_VERSION, 0, "#1 SMP Debian 6.12.0-1" },
		{ KMT_FIELD_HOST, 0, "handmade" },
		{ KMT_FIELD_ARCH, 0, g_strchomp(arch) },
		{ KMT_FIELD_CPUS_ONLINE, 1, NULL },
		{ KMT_FIELD_TEXT_START, start, NULL },
		{ KMT_FIELD_TEXT_END, g_ascii_strtoull(end, NULL, 16), NULL },
		{ KMT_FIELD_STACK_DEPTH, 64, NULL },
		{ KMT_FIELD_USER_DEPTH, 64, NULL },
		{ KMT_FIELD_COLLECTOR, 0, "perf events" },
		{ KMT_FIELD_RUN_START_NS, START_NS, NULL },
		{ KMT_FIELD_RUN_END_NS, END_NS, NULL },
		{ KMT_FIELD_WINDOW_START_NS, START_NS, NULL },
		{ KMT_FIELD_WINDOW_END_NS, END_NS, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

static void write_points_info(GByteArray *stream)
{
	static const InfoField fields[] = {
		{ KMT_FIELD_POINTS_TITLE, 0, "Page allocations" },
		{ KMT_FIELD_POINTS_NOUN, 0, "allocation" },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

static void write_text(GByteArray *stream, uint8_t kind, const char *folder, const char *name)
{
	g_autofree char *text = read_file(folder, name);

	if (text)
		batch_write_text(stream, kind, 0, text, strlen(text));
}

/* Returns the number of addresses in a text. */
static uint32_t parse_frames(const char *text, uint64_t frames[KMT_STACK_DEPTH_MAX])
{
	uint32_t depth = 0;
	char *end;

	for (uint64_t frame; depth < KMT_STACK_DEPTH_MAX; text = end) {
		frame = g_ascii_strtoull(text, &end, 16);
		if (end == text)
			break;
		frames[depth++] = frame;
	}
	return depth;
}

static void add_allocation(EventWriter *writer, uint64_t time_ns, const char *stack)
{
	uint64_t frames[KMT_STACK_DEPTH_MAX];
	uint32_t depth = parse_frames(stack, frames);
	const EventFacts facts = {
		.call_site = depth > 1 ? frames[1] : 0,
		.pointer = time_ns,
		.bytes_requested = 40,
		.bytes_allocated = 64,
		.node = -1,
		.source = KMT_SOURCE_KMALLOC,
	};

	event_writer_add(writer, time_ns, &task, &facts, 1, frames, depth, false);
}

static void add_hit(EventWriter *writer, uint64_t time_ns, const char *stack)
{
	uint64_t frames[KMT_STACK_DEPTH_MAX], user_frames[KMT_STACK_DEPTH_MAX];
	const char *user = strchr(stack, '|');
	const PointHit hit = {
		.time_ns = time_ns,
		.weight = 1,
		.depth = parse_frames(stack, frames),
		.user_depth = user ? parse_frames(user + 1, user_frames) : 0,
		.frames = frames,
		.user_frames = user_frames,
	};

	event_writer_add_hit(writer, &task, &hit);
}

static void write_stacks(GByteArray *stream, const char *folder, bool has_points)
{
	g_autofree char *text = read_file(folder, "stacks");
	g_auto(GStrv) stacks = g_strsplit(g_strchomp(text), "\n", -1);
	EventCpu cpu = { .sampling_period = 1 };
	g_autoptr(EventWriter) writer = event_writer_new(stream_sink_bytes, stream);

	if (has_points)
		event_writer_take_points(writer);
	event_writer_open(writer, &cpu);
	for (guint i = 0; stacks[i]; i++)
		(has_points ? add_hit : add_allocation)(writer, START_NS + i * 1000, stacks[i]);
	event_writer_beat(writer, END_NS);
	event_writer_close(writer);
}

void line_stream(GByteArray *stream, const char *folder)
{
	g_autofree char *maps = g_build_filename(folder, "maps", NULL);
	bool has_points = g_file_test(maps, G_FILE_TEST_EXISTS);

	write_info(stream, folder);
	if (has_points)
		write_points_info(stream);
	write_text(stream, KMT_BATCH_MODULES, folder, "modules");
	write_text(stream, KMT_BATCH_SECTIONS, folder, "sections");
	write_text(stream, KMT_BATCH_SYMBOLS, folder, "symbols");
	write_text(stream, KMT_BATCH_POINTS, folder, "points");
	write_text(stream, KMT_BATCH_MAPS, folder, "maps");
	write_stacks(stream, folder, has_points);
	write_text(stream, KMT_BATCH_USER_SYMBOLS, folder, "user_symbols");
}
