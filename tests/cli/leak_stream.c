/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leak_stream.h"

#include "record/format.h"

#include "event_batch.h"
#include "record/batch_writer.h"

#include <string.h>

#define US 1000ULL
#define MS 1000000ULL
#define START_NS 2000000000ULL
#define END_NS (START_NS + 8000 * MS)
#define BATCH_NS (100 * MS)

enum { CPUS = 2 };

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81000200 T kmem_cache_alloc_noprof\n"
			      "ffffffff81000300 T alloc_empty_file\n"
			      "ffffffff81000400 T do_sys_openat2\n"
			      "ffffffff81000500 T __d_alloc\n"
			      "ffffffff81000600 T alloc_pipe_info\n"
			      "ffffffff81000700 T read_pages\n"
			      "ffffffff81000800 T mas_alloc_nodes\n"
			      "ffffffff81000900 T __fput\n"
			      "ffffffff81000a00 T __d_free\n"
			      "ffffffff81000b00 T free_pipe_info\n"
			      "ffffffff81000c00 T put_pages_list\n"
			      "ffffffff81000d00 T mt_free_rcu\n"
			      "ffffffff81001000 T _etext\n";

enum { OF_FILE, OF_DENTRY, OF_PIPE, OF_PAGES, OF_MAPLE, KINDS };

/* What a process allocates, and who frees it. */
static const struct {
	const char *comm;
	const char *cache;
	uint32_t bytes;
	uint32_t allocator; /* frames */
	uint32_t caller;
	uint32_t freer;
	uint64_t address;
} kinds[KINDS] = {
	{ "leaky", "filp", 192, 0x81000310, 0x81000410, 0x81000910, 0xffff888100000000ULL },
	{ "caching", "dentry", 192, 0x81000510, 0x81000410, 0x81000a10, 0xffff888200000000ULL },
	{ "busy", "kmalloc-192", 192, 0x81000210, 0x81000610, 0x81000b10, 0xffff888300000000ULL },
	{ "bursty", "kmalloc-4k", 4096, 0x81000210, 0x81000710, 0x81000c10, 0xffff888400000000ULL },
	{ "mapping", "maple_node", 256, 0x81000210, 0x81000810, 0x81000d10, 0xffff888500000000ULL },
};

typedef struct {
	uint64_t time_ns;
	uint64_t address;
	unsigned cpu;
	unsigned kind;
	bool is_free;
} Item;

static void add(GArray *items, unsigned kind, unsigned cpu, uint64_t time_ns, uint64_t number,
		bool is_free)
{
	const Item item = { START_NS + time_ns, kinds[kind].address + number * kinds[kind].bytes,
			    cpu, kind, is_free };

	if (item.time_ns <= END_NS)
		g_array_append_val(items, item);
}

static void add_leak(GArray *items)
{
	for (unsigned i = 0; i < 800; i++) {
		add(items, OF_FILE, 0, i * 10 * MS + 1 * MS, i, false);
		if (i % 8 == 7)
			add(items, OF_FILE, 1, i * 10 * MS + 2001 * MS, i, true);
	}
}

static void add_cache(GArray *items)
{
	for (unsigned i = 0; i < 1600; i++) {
		add(items, OF_DENTRY, 1, i * 5 * MS + 2 * US, i, false);
		add(items, OF_DENTRY, 1, i * 5 * MS + 200 * MS, i, true);
	}
}

static void add_churn(GArray *items)
{
	for (unsigned i = 0; i < 8000; i++) {
		add(items, OF_PIPE, 0, i * MS + 100 * US, i % 16, false);
		add(items, OF_PIPE, i % 4 == 0, i * MS + 108 * US, i % 16, true);
	}
}

static void add_burst(GArray *items)
{
	for (unsigned i = 0; i < 1000; i++) {
		add(items, OF_PAGES, 0, 1000 * MS + i * US, i, false);
		add(items, OF_PAGES, 0, 2000 * MS + i * US, i, true);
	}
}

static void add_unseen(GArray *items)
{
	for (unsigned i = 0; i < 80; i++) {
		add(items, OF_MAPLE, 0, i * 50 * MS + 7 * US, i % 20, false);
		if (i < 20)
			add(items, OF_MAPLE, 0, i * 50 * MS + 9 * US, i % 20, true);
	}
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const Item *of_a = a, *of_b = b;

	return (of_a->time_ns > of_b->time_ns) - (of_a->time_ns < of_b->time_ns);
}

/* Fewer objects of "leaky" are in use than it was not seen to free. */
static const char slabinfo_start[] =
	"slabinfo - version: 2.1\n"
	"filp 100 210 192 21 1 : tunables 0 0 0 : slabdata 10 10 0\n"
	"dentry 900 1050 192 21 1 : tunables 0 0 0 : slabdata 50 50 0\n"
	"maple_node 64 64 256 16 1 : tunables 0 0 0 : slabdata 4 4 0\n",
		  slabinfo_end[] = "slabinfo - version: 2.1\n"
				   "filp 68 210 192 21 1 : tunables 0 0 0 : slabdata 10 10 0\n"
				   "dentry 941 1050 192 21 1 : tunables 0 0 0 : slabdata 50 50 0\n"
				   "maple_node 80 80 256 16 1 : tunables 0 0 0 : slabdata 5 5 0\n";

static void add_blindness(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_FREES_NOT_SEEN, 0, "kvfree_call_rcu: this kernel has no kprobes" },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
	batch_write_reading(stream, KMT_BATCH_SLABINFO, KMT_READING_START, START_NS, slabinfo_start,
			    strlen(slabinfo_start));
	batch_write_reading(stream, KMT_BATCH_SLABINFO, KMT_READING_END, END_NS, slabinfo_end,
			    strlen(slabinfo_end));
}

static void add_facts(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, 1000000000, NULL },
		{ KMT_FIELD_REALTIME_NS, 1700000000000000000, NULL },
		{ KMT_FIELD_RELEASE, 0, "6.12.0-test" },
		{ KMT_FIELD_HOST, 0, "handmade" },
		{ KMT_FIELD_ARCH, 0, "x86_64" },
		{ KMT_FIELD_PAGE_BYTES, 4096, NULL },
		{ KMT_FIELD_CPUS_ONLINE, CPUS, NULL },
		{ KMT_FIELD_TEXT_START, 0xffffffff81000000, NULL },
		{ KMT_FIELD_TEXT_END, 0xffffffff81001000, NULL },
		{ KMT_FIELD_STACK_DEPTH, 64, NULL },
		{ KMT_FIELD_EVENTS, 0, "kmalloc,cache,free" },
		{ KMT_FIELD_SCOPE, 0, "host" },
		{ KMT_FIELD_HELD, 1, NULL },
		{ KMT_FIELD_WINDOW_START_NS, START_NS, NULL },
		{ KMT_FIELD_WINDOW_END_NS, END_NS, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

/* The origins of a kind are 2 * kind, and 2 * kind + 1 of its frees. */
static EventBatch begin(GByteArray *stream, unsigned cpu, uint32_t number, uint64_t time_ns)
{
	EventBatch batch = event_batch_begin(stream, cpu, number, time_ns);

	for (unsigned i = 0; i < KINDS; i++) {
		const uint32_t frames[] = { kinds[i].allocator, kinds[i].caller };
		const uint32_t freer[] = { kinds[i].freer };

		event_batch_cache(&batch, kinds[i].cache, kinds[i].bytes, kinds[i].bytes);
		event_batch_origin(&batch, frames, G_N_ELEMENTS(frames), kinds[i].bytes,
				   kinds[i].bytes);
		event_batch_origin(&batch, freer, G_N_ELEMENTS(freer), 0, 0);
	}
	return batch;
}

/* Adds the events of a CPU from time_ns on. Returns their number. */
static uint64_t add_batch(GByteArray *stream, const GArray *items, unsigned cpu, uint64_t time_ns,
			  uint64_t events_before)
{
	EventBatch batch = begin(stream, cpu, (uint32_t)((time_ns - START_NS) / BATCH_NS), time_ns);
	uint64_t events;

	for (guint i = 0; i < items->len; i++) {
		const Item *item = &g_array_index(items, Item, i);

		if (item->cpu != cpu || item->time_ns < time_ns ||
		    item->time_ns >= time_ns + BATCH_NS)
			continue;
		event_batch_task(&batch, 100 + item->kind, kinds[item->kind].comm);
		event_batch_event(&batch, item->is_free ? KMT_RECORD_FREE : KMT_RECORD_ALLOC,
				  (uint16_t)(2 * item->kind + item->is_free),
				  (uint32_t)(item->time_ns - time_ns), KMT_CONTEXT_TASK,
				  item->address);
	}
	event_batch_heartbeat(&batch, time_ns + BATCH_NS, 0, 0);
	events = event_batch_header(&batch)->events;
	event_batch_end(&batch, events_before + events);
	return events;
}

void leak_stream(GByteArray *stream, bool is_blind)
{
	g_autoptr(GArray) items = g_array_new(FALSE, FALSE, sizeof(Item));
	uint64_t events[CPUS] = { 0 };

	add_leak(items);
	add_cache(items);
	add_churn(items);
	add_burst(items);
	add_unseen(items);
	g_array_sort(items, by_time);
	add_facts(stream);
	if (is_blind)
		add_blindness(stream);
	stream_add_text(stream, KMT_BATCH_SYMBOLS, symbols);
	stream_add_text(stream, KMT_BATCH_MODULES, "");
	for (uint64_t time_ns = START_NS; time_ns < END_NS; time_ns += BATCH_NS)
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			events[cpu] += add_batch(stream, items, cpu, time_ns, events[cpu]);
}
