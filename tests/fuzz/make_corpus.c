/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the seeds of the stream's fuzz target into a folder: make_corpus FOLDER */
#include "record/format.h"
#include "bench/stream_builder.h"
#include "record/batch_writer.h"
#include "record/event_writer.h"

#include <stdio.h>
#include <string.h>

#define FRAME_BASE 0xffffffff80000000ULL

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff812a4d00 T __kmalloc\n"
			       "ffffffff81500000 t tcp_sendmsg\n"
			       "ffffffffc0a40000 t ext4_find_entry\t[ext4]\n"
			       "ffffffff82000000 T _etext\n";
static const char modules[] =
	"kernel 0 0x0 ffeeddccbbaa99887766554433221100ffeeddcc\n"
	"ext4 942080 ffffffffc0a40000 00112233445566778899aabbccddeeff00112233\n"
	"nfs 65536 ffffffffc0c00000 -\n";
static const char sections[] = "ext4 .text 0xffffffffc0a40000\n"
			       "ext4 .text.unlikely 0xffffffffc0a48000\n"
			       "nfs .text 0xffffffffc0c00000\n";

static const uint64_t near_frames[] = { 0xffffffff812a4d3b, 0xffffffff81500184,
					0xffffffffc0a40010 };
static const uint64_t far_frames[] = { 0xffffffff812a4d3b, 0x2, 0x7f0011223344,
				       0xffff800000000000 };

static const InfoField info_fields[] = {
	{ KMT_FIELD_MONOTONIC_NS, 1000000, NULL },
	{ KMT_FIELD_REALTIME_NS, 1700000000000000000, NULL },
	{ KMT_FIELD_RELEASE, 0, "6.12.0" },
	{ KMT_FIELD_HOST, 0, "host" },
	{ KMT_FIELD_CPUS_ONLINE, 2, NULL },
	{ KMT_FIELD_TEXT_START, 0xffffffff81000000, NULL },
	{ KMT_FIELD_TEXT_END, 0xffffffff82000000, NULL },
	{ KMT_FIELD_COMMAND_LINE, 0, "kmalloc-top -m 10 -t 3" },
	{ KMT_FIELD_SCOPE, 0, "host" },
	{ KMT_FIELD_WINDOW_START_NS, 500, NULL },
};

static void put_events(StreamCpu *cpu, unsigned events)
{
	static const StreamTask tasks[] = { { 100, "httpd" }, { 2211, "find" } };
	const StreamOrigin origins[] = {
		{ 0, near_frames, G_N_ELEMENTS(near_frames), 100, 128 },
		{ 1, far_frames, G_N_ELEMENTS(far_frames), 24, 32 },
		{ 2, NULL, 0, 4000, 4096 },
	};

	for (unsigned i = 0; i < events; i++) {
		cpu->now_ns += 1000;
		stream_put_event(cpu, &tasks[i / 4 % 2], &origins[i % 3],
				 i % 5 == 4 ? KMT_RECORD_FREE : KMT_RECORD_ALLOC,
				 i % 7 == 6 ? 0 : 0xffff888100000000ULL + i);
	}
}

/* Every kind of record that a reader may meet in a batch of events. */
static void put_rare_records(StreamCpu *cpu)
{
	struct KmtRepeated *repeated;
	struct KmtWeighted *weighted;

	stream_put_record(cpu, KMT_RECORD_TASK_USE, 0, 8);
	weighted = stream_put_record(cpu, KMT_RECORD_WEIGHTED, 0, sizeof(*weighted));
	weighted->weight = 1000;
	repeated = stream_put_record(cpu, KMT_RECORD_REPEATED, 0, sizeof(*repeated));
	repeated->events = 7;
	repeated->span_ns = 1000000;
	stream_put_record(cpu, KMT_RECORD_PAD, 0, 24);
	stream_put_record(cpu, 200, 0, 16);
	stream_put_heartbeat(cpu);
}

static GByteArray *small_stream(void)
{
	GByteArray *out = g_byte_array_new();
	g_autofree StreamCpu *cpu = g_new(StreamCpu, 1);

	batch_write_info(out, info_fields, G_N_ELEMENTS(info_fields));
	batch_write_text(out, KMT_BATCH_SYMBOLS, 0, kallsyms, strlen(kallsyms));
	batch_write_text(out, KMT_BATCH_MODULES, 0, modules, strlen(modules));
	batch_write_text(out, KMT_BATCH_SECTIONS, 0, sections, strlen(sections));
	stream_cpu_init(cpu, 0, out);
	cpu->frame_base = FRAME_BASE;
	put_events(cpu, 24);
	put_rare_records(cpu);
	stream_close_batch(cpu);
	batch_write_text(out, KMT_BATCH_MODULES, 1, "", 0);
	put_events(cpu, 6);
	stream_close_batch(cpu);
	return out;
}

static GByteArray *one_batch(void)
{
	GByteArray *out = g_byte_array_new();
	g_autofree StreamCpu *cpu = g_new(StreamCpu, 1);

	stream_cpu_init(cpu, 1, out);
	cpu->frame_base = FRAME_BASE;
	put_events(cpu, 3);
	stream_close_batch(cpu);
	return out;
}

/* Hits of probe points. */

#define PROGRAM 0x555555554000ULL
#define LIBRARY 0x7ffff7c00000ULL
#define GENERATED 0x7ffff0000000ULL
#define SECOND_NS 1000000000ULL

static const char plain_points[] = "0 hit 0 exceptions:page_fault_user\n"
				   "1 hit 0 syscalls:sys_enter_brk\n";
static const char paired_points[] = "0 begin 0 syscalls:sys_enter_shmget\n"
				    "1 end 0 syscalls:sys_exit_shmget\n"
				    "2 begin 1 vmscan:mm_vmscan_direct_reclaim_begin\n"
				    "3 end 1 vmscan:mm_vmscan_direct_reclaim_end\n"
				    "4 hit 0 oom:mark_victim\n";
static const char maps[] =
	"m 100 7 555555554000 10000 1000 8:1 2a 0 - /usr/bin/worker\n"
	"m 100 7 7ffff7c00000 100000 28000 8:1 2b 9 00112233445566778899 /usr/lib/libc.so.6\n"
	"m 100 7 7ffff7fc1000 2000 0 0:0 0 0 - [vdso]\n"
	"m 100 7 7ffff0000000 2000 0 0:0 0 0 - //anon\n"
	"f 200 9 7\n"
	"m 900000000 7 7ffff7c10000 1000 0 8:1 2c 0 - /usr/lib/plugin.so\n"
	"x 1000002000 9\n"
	"m 1000002000 9 555555554000 10000 1000 8:1 2d 0 - /usr/bin/other\n"
	"e 1000009000 9\n";
static const char user_symbols[] = "v I:8:1:2a 1000 10000 401000\n"
				   "v b:00112233445566778899 28000 100000 28000\n"
				   "s I:8:1:2a 101f f 40 main\n"
				   "s b:00112233445566778899 28010 10 200 __libc_start_call_main\n"
				   "s jit:7 7ffff0000010 0 0 LazyCompile:~f\n";

static const EventTask worker = { .tgid = 7, .tid = 8, .start_time_ns = 5, .comm = "worker" };
static const EventTask child = { .tgid = 9, .tid = 9, .start_time_ns = 200, .comm = "child" };

static const uint64_t user_frames[][3] = {
	{ LIBRARY + 0x20, PROGRAM + 0x20, LIBRARY + 0x11 },
	{ GENERATED + 0x10, PROGRAM + 0x20, 0x1234 },
};

static const InfoField hit_fields[] = {
	{ KMT_FIELD_WINDOW_START_NS, 500, NULL },
	{ KMT_FIELD_POINTS_TITLE, 0, "Page faults" },
	{ KMT_FIELD_POINTS_NOUN, 0, "fault" },
	{ KMT_FIELD_VALUE_NAME, 0, "size" },
	{ KMT_FIELD_VALUE_UNIT, 0, "bytes" },
	{ KMT_FIELD_USER_DEPTH, 16, NULL },
	{ KMT_FIELD_POINTS_MISSING, 0, "vmscan:none: not on this kernel" },
};
static const InfoField list_fields[] = {
	{ KMT_FIELD_COLUMNS, 0, "time\tprocess\tpid\ttid\tcpu\tpoint\tSIZE\tlatency\tRETURN" },
};

/* A hit of one of two tasks; every third one has columns. */
static void put_hit(EventWriter *writer, unsigned number, uint16_t point)
{
	const PointHit hit = {
		.time_ns = SECOND_NS + number * 1000ULL,
		.value = number % 4 == 3 ? (uint64_t)-8 : 4096ULL << number % 8,
		.weight = number % 11 == 10 ? 0 : 1 + number % 2,
		.point = point,
		.context = number % 6 == 5 ? KMT_CONTEXT_SOFTIRQ : KMT_CONTEXT_TASK,
		.depth = number % 5 ? G_N_ELEMENTS(near_frames) : 0,
		.frames = near_frames,
		.user_depth = number % 6 == 5 ? 0 : G_N_ELEMENTS(user_frames[0]),
		.user_frames = user_frames[number / 2 % 2],
		.columns = number % 3 ? "12\tbash \x1b[1m" : NULL,
		.columns_bytes = 12,
	};

	event_writer_add_hit(writer, number % 8 < 6 ? &worker : &child, &hit);
}

/* Hits of these points in turn, on two CPUs in turn. */
static void put_hits(GByteArray *out, unsigned hits, uint16_t points)
{
	EventCpu cpus[2] = { { .cpu = 0, .sampling_period = 1 },
			     { .cpu = 1, .sampling_period = 1 } };
	g_autoptr(EventWriter) writer = event_writer_new(stream_sink_bytes, out);

	event_writer_take_points(writer);
	for (unsigned i = 0; i < hits; i++) {
		event_writer_open(writer, &cpus[i / 4 % 2]);
		put_hit(writer, i, (uint16_t)(i % points));
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(cpus); i++) {
		event_writer_open(writer, &cpus[i]);
		event_writer_beat(writer, 2 * SECOND_NS);
	}
	event_writer_close(writer);
}

static void write_user_texts(GByteArray *out)
{
	batch_write_text(out, KMT_BATCH_MAPS, 0, maps, strlen(maps));
	batch_write_text(out, KMT_BATCH_USER_SYMBOLS, 0, user_symbols, strlen(user_symbols));
}

/* Hits with values and user stacks: counted, or a list, too. */
static GByteArray *hits_stream(bool is_list)
{
	GByteArray *out = g_byte_array_new();

	batch_write_info(out, hit_fields, G_N_ELEMENTS(hit_fields));
	if (is_list)
		batch_write_info(out, list_fields, G_N_ELEMENTS(list_fields));
	batch_write_text(out, KMT_BATCH_POINTS, 0, plain_points, strlen(plain_points));
	batch_write_text(out, KMT_BATCH_SYMBOLS, 0, kallsyms, strlen(kallsyms));
	write_user_texts(out);
	put_hits(out, 24, 2);
	return out;
}

/* Time spans. */
static GByteArray *spans_stream(bool is_list)
{
	GByteArray *out = g_byte_array_new();

	batch_write_info(out, hit_fields, G_N_ELEMENTS(hit_fields));
	if (is_list)
		batch_write_info(out, list_fields, G_N_ELEMENTS(list_fields));
	batch_write_text(out, KMT_BATCH_POINTS, 0, paired_points, strlen(paired_points));
	write_user_texts(out);
	put_hits(out, 30, 5);
	return out;
}

static void save(const char *folder, const char *name, GByteArray *bytes)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autoptr(GError) error = NULL;

	if (!g_file_set_contents(path, (char *)bytes->data, (gssize)bytes->len, &error))
		g_error("%s", error->message);
	g_byte_array_unref(bytes);
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : ".";
	GByteArray *bytes;

	save(folder, "small.kms", small_stream());
	save(folder, "one_batch.kms", one_batch());
	save(folder, "hits.kms", hits_stream(false));
	save(folder, "hits_list.kms", hits_stream(true));
	save(folder, "spans.kms", spans_stream(false));
	save(folder, "spans_list.kms", spans_stream(true));
	bytes = small_stream();
	g_byte_array_set_size(bytes, bytes->len - 100);
	save(folder, "cut.kms", bytes);
	bytes = small_stream();
	memset(bytes->data + bytes->len / 2, 0xff, 64);
	save(folder, "damaged.kms", bytes);
	/* The record lengths of one batch point past its end. */
	bytes = one_batch();
	bytes->data[sizeof(struct KmtBatchHeader) + 1] = 0xff;
	save(folder, "long_record.kms", bytes);
	return 0;
}
