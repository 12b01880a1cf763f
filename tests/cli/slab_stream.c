/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slab_stream.h"

#include "record/format.h"

#include "event_batch.h"
#include "record/batch_writer.h"

#include <string.h>

#define START_NS 2000000000ULL
#define END_NS 12000000000ULL

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81000200 T kmem_cache_alloc_noprof\n"
			      "ffffffff81000300 T alloc_empty_file\n"
			      "ffffffff81000400 T do_sys_openat2\n"
			      "ffffffff81000500 T __kmalloc_cache_noprof\n"
			      "ffffffff81000600 T alloc_pipe_info\n"
			      "ffffffff81000700 T process_one_work\n"
			      "ffffffff81001000 T _etext\n";

static const char cache_names[] = "filp\tftrace_event_field\n"
				  "kmalloc-192\n"
				  "kmalloc-cg-192\n"
				  "vm_area_struct\n";

#define SLABINFO(filp, kmalloc)                                                                    \
	"slabinfo - version: 2.1\n"                                                                \
	"# name <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>\n"                  \
	"filp " filp " 4000 256 16 1 : tunables 0 0 0 : slabdata 250 250 0\n"                      \
	"kmalloc-192 " kmalloc " 2100 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n"            \
	"vm_area_struct 900 1000 200 20 1 : tunables 0 0 0 : slabdata 50 50 0\n"

/* Origins. */
enum { UNNAMED, OPEN, PIPE, WORK };

/* What one process allocates. */
typedef struct {
	uint32_t tgid;
	const char *comm;
	uint16_t origin;
	enum KmtContext context;
	unsigned allocations;
} Load;

/* Two processes of one name, workers that are one to people, an interrupt, and a name that no
   terminal may obey. */
static const Load loads[] = {
	{ 100, "crond", OPEN, KMT_CONTEXT_TASK, 9 },
	{ 101, "crond", OPEN, KMT_CONTEXT_TASK, 3 },
	{ 101, "crond", PIPE, KMT_CONTEXT_TASK, 2 },
	{ 200, "kworker/0:1", WORK, KMT_CONTEXT_TASK, 4 },
	{ 201, "kworker/u8:3", WORK, KMT_CONTEXT_TASK, 5 },
	{ 300, "sh\033[31m", PIPE, KMT_CONTEXT_TASK, 6 },
	{ 300, "sh\033[31m", PIPE, KMT_CONTEXT_SOFTIRQ, 1 },
	{ 400, "make", UNNAMED, KMT_CONTEXT_TASK, 3 },
};

static void add_facts(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, 1000000000, NULL },
		{ KMT_FIELD_REALTIME_NS, 1700000000000000000, NULL },
		{ KMT_FIELD_RELEASE, 0, "6.12.0-test" },
		{ KMT_FIELD_HOST, 0, "handmade" },
		{ KMT_FIELD_ARCH, 0, "x86_64" },
		{ KMT_FIELD_PAGE_BYTES, 4096, NULL },
		{ KMT_FIELD_CPUS_ONLINE, 1, NULL },
		{ KMT_FIELD_TEXT_START, 0xffffffff81000000, NULL },
		{ KMT_FIELD_TEXT_END, 0xffffffff81001000, NULL },
		{ KMT_FIELD_STACK_DEPTH, 64, NULL },
		{ KMT_FIELD_EVENTS, 0, "kmalloc,cache" },
		{ KMT_FIELD_SCOPE, 0, "host" },
		{ KMT_FIELD_WINDOW_START_NS, START_NS, NULL },
		{ KMT_FIELD_WINDOW_END_NS, END_NS, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

static void add_facts_of_part(GByteArray *stream)
{
	const InfoField fields[] = {
		{ KMT_FIELD_CACHE_FILTER, 0, "filp\tvm_area_struct" },
		{ KMT_FIELD_CACHES_UNKNOWN, 0, "the kernel \033[31mrefuses kprobes" },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

static void add_load(EventBatch *batch, const Load *load)
{
	event_batch_task(batch, load->tgid, load->comm);
	event_batch_allocate(batch, load->origin, load->allocations, load->context);
}

/* Without its size an event cannot even be named by that. */
static void add_events(GByteArray *stream, bool is_part)
{
	static const uint32_t open[] = { 0x81000210, 0x81000310, 0x81000410 };
	static const uint32_t pipe[] = { 0x81000510, 0x81000610 };
	static const uint32_t work[] = { 0x81000510, 0x81000710 };
	EventBatch batch = event_batch_begin(stream, 0, 0, START_NS);

	event_batch_origin(&batch, pipe, G_N_ELEMENTS(pipe), 40, is_part ? 0 : 64);
	event_batch_cache(&batch, "filp", 232, 256);
	event_batch_origin(&batch, open, G_N_ELEMENTS(open), 232, 256);
	event_batch_cache(&batch, "kmalloc-192(12:cron)", 192, 192);
	event_batch_origin(&batch, pipe, G_N_ELEMENTS(pipe), 168, 192);
	event_batch_cache(&batch, "kmalloc-cg-192", 192, 192);
	event_batch_origin(&batch, work, G_N_ELEMENTS(work), 176, 192);
	for (gsize i = 0; i < G_N_ELEMENTS(loads); i++)
		add_load(&batch, &loads[i]);
	event_batch_heartbeat(&batch, END_NS, 0, 500000);
	event_batch_end_only(&batch);
}

void slab_stream(GByteArray *stream, bool is_part)
{
	static const char before[] = SLABINFO("3400", "1890");
	static const char after[] = SLABINFO("3900", "1880");

	add_facts(stream);
	if (is_part)
		add_facts_of_part(stream);
	stream_add_text(stream, KMT_BATCH_SYMBOLS, symbols);
	stream_add_text(stream, KMT_BATCH_MODULES, "");
	stream_add_text(stream, KMT_BATCH_CACHE_NAMES, cache_names);
	batch_write_reading(stream, KMT_BATCH_SLABINFO, KMT_READING_START, START_NS, before,
			    strlen(before));
	add_events(stream, is_part);
	batch_write_reading(stream, KMT_BATCH_SLABINFO, KMT_READING_END, END_NS, after,
			    strlen(after));
}
