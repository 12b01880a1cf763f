/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/hostile_shapes.h"

#include "record/format.h"

#include "bench/stream_builder.h"
#include "record/batch_writer.h"

#include <string.h>

enum {
	DEPTH = 100,
	FRAMES = 20000, /* beside modules and cgroups */
	MODULE_BYTES = 4096,
};
#define KERNEL_TEXT 0xffffffff81000000ULL
#define MODULES_START 0xffffffffc0000000ULL
#define FAR_CPU 65535

/* The inverse of 0x9e3779b97f4a7c15 modulo 2^64. */
#define GOLDEN_INVERSE 0xf1de83e19937733dULL

guint64 hostile_frame(unsigned number)
{
	/* The product's upper half is 0, its lower half the number. */
	return (2 * (guint64)number * GOLDEN_INVERSE) >> 1;
}

static void put_event(StreamCpu *cpu, const guint64 *frames, guint16 depth, guint32 number)
{
	const StreamTask task = { .tgid = 1, .comm = "task" };
	const StreamOrigin origin = {
		.number = number,
		.frames = frames,
		.depth = depth,
		.bytes_requested = 8,
		.bytes_allocated = 8,
	};

	cpu->now_ns += 1000;
	stream_put_event(cpu, &task, &origin, KMT_RECORD_ALLOC, KERNEL_TEXT);
}

/* Events of that many distinct frames. */
static void append_frames(GByteArray *out, unsigned parts, guint64 (*address)(unsigned))
{
	g_autofree StreamCpu *cpu = g_new(StreamCpu, 1);
	guint64 frames[DEPTH];
	guint16 depth = 0;

	stream_cpu_init(cpu, 0, out);
	for (unsigned i = 0; i < parts; i++) {
		frames[depth++] = address(i);
		if (depth < DEPTH && i + 1 < parts)
			continue;
		put_event(cpu, frames, depth, i);
		depth = 0;
	}
	stream_close_batch(cpu);
}

/* Stacks of one frame, which none of them returns to. */
static void append_colliding(GByteArray *out, unsigned parts)
{
	g_autofree StreamCpu *cpu = g_new(StreamCpu, 1);

	stream_cpu_init(cpu, 0, out);
	for (unsigned i = 1; i <= parts; i++) {
		const guint64 frame = hostile_frame(i);

		put_event(cpu, &frame, 1, i);
	}
	stream_close_batch(cpu);
}

static guint64 module_frame(unsigned number)
{
	return MODULES_START + number * 16ULL;
}

/* Modules of one symbol each, and frames in some of them. */
static void append_modules(GByteArray *out, unsigned parts)
{
	g_autoptr(GString) symbols = g_string_new(NULL);

	for (unsigned i = 0; i < parts; i++)
		g_string_append_printf(symbols, "%" G_GINT64_MODIFIER "x t f\t[m%u]\n",
				       (guint64)(MODULES_START + (guint64)i * MODULE_BYTES), i);
	batch_write_text(out, KMT_BATCH_SYMBOLS, 0, symbols->str, symbols->len);
	append_frames(out, FRAMES, module_frame);
}

/* Headers of batches that claim to be as long as a batch may be, one behind the other. */
static void append_headers(GByteArray *out, unsigned parts)
{
	const struct KmtBatchHeader header = {
		.magic = KMT_MAGIC,
		.version = KMT_VERSION,
		.word_bytes = 8,
		.header_bytes = sizeof(header),
		.kind = KMT_BATCH_EVENTS,
		.batch_bytes = KMT_BATCH_BYTES_MAX,
	};

	for (unsigned i = 0; i < parts; i++)
		g_byte_array_append(out, (const guint8 *)&header, sizeof(header));
}

/* Ids of cgroups that are alike in their lower halves. */
static guint64 cgroup_id(unsigned number)
{
	return (guint64)number << 32 | 1;
}

static void append_cgroups(GByteArray *out, unsigned parts)
{
	g_autoptr(GString) paths = g_string_new(NULL);

	for (unsigned i = 1; i <= parts; i++)
		g_string_append_printf(paths, "%" G_GUINT64_FORMAT " /%x\n", cgroup_id(i), i);
	batch_write_text(out, KMT_BATCH_CGROUPS, 0, paths->str, paths->len);
	append_frames(out, FRAMES, module_frame);
}

/* Batches of one CPU beside another one with a high number. */
static void append_cpus(GByteArray *out, unsigned parts)
{
	g_autofree StreamCpu *cpu = g_new(StreamCpu, 1), *far = g_new(StreamCpu, 1);
	const guint64 frame = KERNEL_TEXT;

	stream_cpu_init(far, FAR_CPU, out);
	put_event(far, &frame, 1, 0);
	stream_close_batch(far);
	stream_cpu_init(cpu, 0, out);
	for (unsigned i = 0; i < parts; i++) {
		put_event(cpu, &frame, 1, 0);
		stream_close_batch(cpu);
	}
}

/* Ranges of modules, all in one epoch. */
static void append_ranges(GByteArray *out, unsigned parts)
{
	g_autoptr(GString) ranges = g_string_new(NULL);

	for (unsigned i = 0; i < parts; i++)
		g_string_append(ranges, "m 1 1 -\n");
	batch_write_text(out, KMT_BATCH_MODULES, 0, ranges->str, ranges->len);
	append_frames(out, DEPTH, module_frame);
}

/* Two modules whose lines take turns. */
static void append_turns(GByteArray *out, unsigned parts)
{
	g_autoptr(GString) symbols = g_string_new(NULL);

	for (unsigned i = 0; i < parts; i++)
		g_string_append_printf(symbols, "%x t f\t[%c]\n", i + 1, i % 2 ? 'a' : 'b');
	batch_write_text(out, KMT_BATCH_SYMBOLS, 0, symbols->str, symbols->len);
	append_frames(out, DEPTH, module_frame);
}

const HostileShape hostile_shapes[] = {
	{ "frames", "frames that collide", append_colliding, 200000 },
	{ "modules", "modules beside 20,000 frames", append_modules, 20000 },
	{ "headers", "headers of batches that never end", append_headers, 250000 },
	{ "cgroups", "ids of cgroups that collide", append_cgroups, 200000 },
	{ "cpus", "batches of one CPU beside CPU 65,535", append_cpus, 100000 },
	{ "ranges", "ranges of modules", append_ranges, 4000000 },
	{ "turns", "lines of two modules in turn", append_turns, 1000000 },
	{ NULL, NULL, NULL, 0 },
};

const HostileShape *hostile_shape_lookup(const char *name)
{
	for (const HostileShape *shape = hostile_shapes; shape->name; shape++)
		if (g_str_equal(shape->name, name))
			return shape;
	return NULL;
}
