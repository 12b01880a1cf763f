/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the seeds of the stream's fuzz target into a folder: make_corpus FOLDER */
#include "bench/stream_builder.h"
#include "record/batch_writer.h"

#include <stdio.h>
#include <string.h>

#define FRAME_BASE 0xffffffff80000000ULL

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff812a4d00 T __kmalloc\n"
			       "ffffffff81500000 t tcp_sendmsg\n"
			       "ffffffffc0a40000 t ext4_find_entry\t[ext4]\n"
			       "ffffffff82000000 T _etext\n";
static const char modules[] =
	"ext4 942080 ffffffffc0a40000 00112233445566778899aabbccddeeff00112233\n"
	"nfs 65536 ffffffffc0c00000 -\n";

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

static void start_cpu(StreamCpu *cpu, uint32_t number, GByteArray *out)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->cpu = number;
	cpu->frame_base = FRAME_BASE;
	cpu->sink = stream_sink_bytes;
	cpu->user_data = out;
	cpu->now_ns = 1000;
}

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
	start_cpu(cpu, 0, out);
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

	start_cpu(cpu, 1, out);
	put_events(cpu, 3);
	stream_close_batch(cpu);
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
