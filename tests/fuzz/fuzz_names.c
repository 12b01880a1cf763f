/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of a stream, each ended by a NUL: lines of /proc/kallsyms, of modules, names of caches,
 * paths of cgroups, /proc/slabinfo at the start and at the end, the state of memory at both times,
 * sections of modules, memory of cgroups at both times, lines of a watch. Events of the addresses
 * are added.
 */
#include "record/format.h"
#include "bench/stream_builder.h"
#include "fuzz/fuzz.h"
#include "names/host_state.h"
#include "names/slabinfo.h"
#include "record/batch_writer.h"
#include "report/slab_readings.h"
#include "symbols/symbol_list.h"

#include <string.h>

enum { MEMORY_BYTES = 1 << 20, FRAMES_MAX = 64, PAGE_BYTES = 4096 };

static const struct {
	uint8_t kind;
	uint32_t epoch;
} texts[] = {
	{ KMT_BATCH_SYMBOLS, 0 },
	{ KMT_BATCH_MODULES, 0 },
	{ KMT_BATCH_CACHE_NAMES, 0 },
	{ KMT_BATCH_CGROUPS, 0 },
	{ KMT_BATCH_SLABINFO, 0 },
	{ KMT_BATCH_SLABINFO, 1 },
	{ KMT_BATCH_MEMORY, 0 },
	{ KMT_BATCH_MEMORY, 1 },
	{ KMT_BATCH_SECTIONS, 0 },
	{ KMT_BATCH_CGROUP_MEMORY, 0 },
	{ KMT_BATCH_CGROUP_MEMORY, 1 },
	{ KMT_BATCH_HISTORY, KMT_BATCH_INFO },
	{ KMT_BATCH_HISTORY, KMT_BATCH_SLABINFO },
	{ KMT_BATCH_HISTORY, KMT_BATCH_MEMORY },
};

/* One stack of each address that the symbols name. */
static void add_events(GByteArray *out, TextPart symbols)
{
	static const StreamTask task = { 100, "httpd" };
	g_autofree StreamCpu *cpu = g_new0(StreamCpu, 1);
	KallsymsLine parsed;
	TextPart line;

	cpu->sink = stream_sink_bytes;
	cpu->user_data = out;
	cpu->now_ns = 1000;
	for (uint32_t i = 0; i < FRAMES_MAX && text_part_next_line(&symbols, &line); i++) {
		uint64_t frames[] = { 1, 2 };
		const StreamOrigin origin = { i, frames, G_N_ELEMENTS(frames), 96, 128 };

		if (!kallsyms_line_parse(line, &parsed))
			continue;
		frames[0] = parsed.address;
		frames[1] = parsed.address + 1;
		stream_put_event(cpu, &task, &origin, KMT_RECORD_ALLOC, 4096);
	}
	stream_put_heartbeat(cpu);
	stream_close_batch(cpu);
}

static void read_slabinfo(const char *text, size_t length)
{
	g_autoptr(GString) copy = g_string_new_len(text, (gssize)length);
	g_autoptr(Slabinfo) slabinfo = slabinfo_new(copy, PAGE_BYTES);

	for (guint i = 0; i < slabinfo_count(slabinfo); i++)
		if (!slabinfo_find(slabinfo, slabinfo_at(slabinfo, i)->name))
			g_error("a cache is not found by its name");
}

/* What was read comes back when it is written. */
static void read_memory(const char *text, size_t length)
{
	g_autoptr(GString) copy = g_string_new_len(text, (gssize)length);
	HostState state = host_state_parse(copy), again;

	g_string_truncate(copy, 0);
	host_state_append(copy, &state);
	again = host_state_parse(copy);
	for (int figure = 0; figure < HOST_FIGURES; figure++)
		if (state.known[figure] != again.known[figure] ||
		    state.numbers[figure] != again.numbers[figure])
			g_error("a figure of memory is not what it was");
}

/* No row has more memory than its cgroup. */
static void read_cgroups(const char *text, size_t length)
{
	g_autoptr(GString) copy = g_string_new_len(text, (gssize)length);
	g_autoptr(CgroupReading) start = cgroup_reading_new(NULL);
	g_autoptr(CgroupReading) end = cgroup_reading_new(copy);
	const SlabTable slabs = { .cgroups = { start, end, 1 } };
	g_autoptr(Table) table = cgroup_table_new(&slabs, TABLE_JSON);

	for (guint i = 0; i < table->count; i++) {
		const CgroupRow *row = &g_array_index(table->rows, CgroupRow, i);

		if (row->own_bytes > cgroup_kernel_bytes(row->cgroup))
			g_error("a row has more memory than its cgroup");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	TextPart symbols = { (const char *)data, size };
	const char *at = (const char *)data, *end = at + size;

	for (size_t i = 0; i < G_N_ELEMENTS(texts) && at < end; i++) {
		size_t length = strnlen(at, (size_t)(end - at));

		batch_write_text(stream, texts[i].kind, texts[i].epoch, at, length);
		if (!i)
			symbols.length = length;
		if (texts[i].kind == KMT_BATCH_SLABINFO)
			read_slabinfo(at, length);
		if (texts[i].kind == KMT_BATCH_MEMORY)
			read_memory(at, length);
		if (texts[i].kind == KMT_BATCH_CGROUP_MEMORY)
			read_cgroups(at, length);
		at += MIN(length + 1, (size_t)(end - at));
	}
	add_events(stream, symbols);
	session_feed(session, stream->data, stream->len);
	session_finish(session);
	fuzz_add_lines(session);
	fuzz_report(session);
	fuzz_rates(stream->data, stream->len, MEMORY_BYTES);
	return 0;
}
