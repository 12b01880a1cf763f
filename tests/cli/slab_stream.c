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

/* A container took 40 MiB, short ones left something at their parent, and a unit is idle. */
#define CONTAINER                                                                                  \
	"/system.slice/"                                                                           \
	"docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope"
#define V2_COLUMNS                                                                                 \
	"columns kernel_bytes sockets_bytes slab_unreclaimable_bytes slab_reclaimable_bytes "      \
	"per_cpu_bytes kernel_stacks_bytes page_tables_bytes vmalloc_bytes dying\n"

static const char *const cgroups_v2[] = {
	"visible 5\ndying 1002\n" V2_COLUMNS
	"/\t209715200 0 100000000 50000000 5000000 2000000 6000000 500000 1002\n"
	"/system.slice\t104857600 0 50000000 20000000 4000000 500000 1000000 0 1000\n"
	"/system.slice/sshd\033[1m.service\t20971520 4096 9000000 1000000 40000 90000 9000 0 "
	"0\n" CONTAINER "\t20971520 0 9000000 1000000 40000 90000 9000 0 0\n"
	"/user.slice\t10485760 0 5000000 1000000 40000 90000 9000 0 2\n",
	"visible 5\ndying 1122\n" V2_COLUMNS
	"/\t262144000 1048576 140000000 50000000 5000000 2000000 6000000 500000 1122\n"
	"/system.slice\t157286400 1048576 90000000 20000000 4000000 500000 1000000 0 1120\n"
	"/system.slice/sshd\033[1m.service\t20971520 4096 9000000 1000000 40000 90000 9000 0 "
	"0\n" CONTAINER "\t62914560 1048576 49000000 1000000 40000 90000 9000 0 0\n"
	"/user.slice\t10485760 0 5000000 1000000 40000 90000 9000 0 2\n",
};

static const char *const cgroups_v1[] = {
	"visible 2\ndying 7\ncolumns kernel_bytes sockets_bytes\n"
	"/\t209715200 0\n/a\t20971520 0\n/b\t10485760 0\n",
	"unread 3\ncolumns kernel_bytes sockets_bytes\n"
	"/\t209715200 0\n/a\t20971520 0\n/b\t10485760 0\n",
};

static void add_host(GByteArray *stream, uint32_t reading, uint64_t time_ns, const char *memory,
		     const char *slabinfo, const char *cgroups)
{
	batch_write_reading(stream, KMT_BATCH_MEMORY, reading, time_ns, memory, strlen(memory));
	batch_write_reading(stream, KMT_BATCH_SLABINFO, reading, time_ns, slabinfo,
			    strlen(slabinfo));
	batch_write_reading(stream, KMT_BATCH_CGROUP_MEMORY, reading, time_ns, cgroups,
			    strlen(cgroups));
}

void overview_stream(GByteArray *stream, bool is_v1)
{
	static const char before[] = "total_bytes 1073741824\nfree_bytes 536870912\n"
				     "available_bytes 600000000\nanonymous_bytes 104857600\n"
				     "page_cache_bytes 209715200\n"
				     "slab_unreclaimable_bytes 104857600\nram_bytes 1100000000\n";
	static const char after[] = "total_bytes 1073741824\nfree_bytes 484442112\n"
				    "available_bytes 550000000\nanonymous_bytes 104857600\n"
				    "page_cache_bytes 209715200\n"
				    "slab_unreclaimable_bytes 157286400\nram_bytes 1100000000\n";
	const InfoField fields[] = { { KMT_FIELD_PAGE_BYTES, 4096, NULL },
				     { KMT_FIELD_CPUS_ONLINE, 2, NULL } };
	const char *const *cgroups = is_v1 ? cgroups_v1 : cgroups_v2;

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
	add_host(stream, KMT_READING_START, START_NS, before, SLABINFO("3400", "1890"), cgroups[0]);
	add_host(stream, KMT_READING_END, END_NS, after, SLABINFO("3990", "1890"), cgroups[1]);
}
