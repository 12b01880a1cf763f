/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a stream to stdout for the command line tests:
 *
 *	make_fixture swap < STREAM    the same stream in the other byte order
 *	make_fixture sample PERIOD [SCATTER] < STREAM
 *	                              the same stream, but each event stands for so many; SCATTER:
 *	                              what it says of the scatter, in percent
 *	make_fixture throttle PERIOD < STREAM
 *	                              the same, but for the events of CPU 0
 *	make_fixture walks COMPARED DIFFERENT < STREAM
 *	                              the same stream of a collector that compared so many walks of
 *	                              stacks; if any differed, the kernel walked the later ones
 *	make_fixture names COMPARED DIFFERENT < STREAM
 *	                              ... that compared so many names of slab caches
 *	make_fixture memory READINGS < STREAM
 *	                              the same stream, with one or two readings of the state of
 *	                              memory
 *	make_fixture s390x            big-endian, 64-bit, kernel text at 1 MB
 *	make_fixture i686             little-endian, 32-bit
 *	make_fixture aarch64          CPUs were not traced for a time, by a collector with another
 *	                              clock that does not measure its cost
 *	make_fixture riscv64          a newer version wrote it: it has unknown kinds of parts
 *	make_fixture cgroups          tasks in several cgroups, with their slab caches
 *	make_fixture rates            two CPUs over several intervals
 *	make_fixture rates-blind      the same, but some frees name no cache
 *	make_fixture rates-held       ... and it can be paired
 *	make_fixture slab             slab caches by name, and two readings of /proc/slabinfo
 *	make_fixture overview         two readings of a host, with v2 cgroups, and no run
 *	make_fixture overview-v1      the same, with v1 cgroups, of which not all were read
 *	make_fixture slab-part        the same, of some caches only, and not all by name
 *	make_fixture held SEED ORDER  five CPUs that allocate and free; ORDER chooses the order of
 *	                              their batches
 *	make_fixture hits             hits of probe points, with values
 *	make_fixture spans            time spans between probe points
 *	make_fixture lines FOLDER     stacks in files that the folder describes: see line_stream.h
 *	make_fixture leak             a leak, a working set, churn, a burst, and unseen frees
 *	make_fixture leak-blind       ... of which /proc/slabinfo knows
 *	make_fixture change SEED [bursts-|command-]old|new
 *	                              a load on two builds of a kernel; the newer run has a leak;
 *	                              not with bursts-, where each action makes eight allocations,
 *	                              and command-, where the load is a command
 *	make_fixture limited          a run of which little is known
 *	make_fixture changing         slab caches come, go and return: more than there are labels
 *	make_fixture crowded          more tasks, caches and modules than the least memory holds
 */
#include "record/format.h"
#include "cgroup_stream.h"
#include "change_stream.h"
#include "event_batch.h"
#include "fixtures/held_run.h"
#include "hit_stream.h"
#include "leak_stream.h"
#include "limit_stream.h"
#include "line_stream.h"
#include "record/batch_writer.h"
#include "rate_stream.h"
#include "sample_stream.h"
#include "slab_stream.h"
#include "swap_stream.h"

#include <stdio.h>
#include <unistd.h>

/* A host whose recording is made by hand. */
typedef struct {
	const char *arch;
	uint8_t word_bytes;
	bool big_endian;
	uint64_t text_start;
	uint64_t text_end;
	uint32_t kmalloc; /* address of the allocator; what else is called follows it */
	const char *symbols;
	const char *modules;
	uint64_t probe_ns;     /* of the whole run */
	bool newer;            /* there are parts of unknown kinds */
	const InfoField *more; /* beside the facts that all have; ends with id 0; NULL: none */
} Machine;

static const InfoField partly_traced[] = {
	{ KMT_FIELD_COLLECTOR, 0, "hands" },
	{ KMT_FIELD_UNTRACED_NS, 2100000001, NULL },
	{ KMT_FIELD_UNTRACED_CPUS, 0, "1,3-5" },
	/* Whatever a recording says: nothing of it may reach a terminal unescaped. */
	{ KMT_FIELD_CLOCK, 0, "CLOCK_\302\233SUNDIAL" },
	{ KMT_FIELD_NOT_RECORDED, 0, "names of caches, nodes" },
	{ 0, 0, NULL },
};

static const Machine machines[] = {
	{
		.arch = "s390x",
		.word_bytes = 8,
		.big_endian = true,
		.text_start = 0x100000,
		.text_end = 0x900000,
		.kmalloc = 0x200000,
		.symbols = "0000000000100000 T _stext\n"
			   "0000000000200000 T __kmalloc_noprof\n"
			   "0000000000200400 T alloc_pipe_info\n"
			   "0000000000200800 T system_call\n"
			   "0000000000900000 T _etext\n"
			   "000003ff80001000 t ext4_find_extent\t[ext4]\n"
			   "000003ff80001800 t ext4_last\t[ext4]\n",
		.modules = "ext4 65536 0x000003ff80000000 -\n",
		.probe_ns = 500000,
	},
	{
		.arch = "i686",
		.word_bytes = 4,
		.text_start = 0xc1000000,
		.text_end = 0xc1900000,
		.kmalloc = 0xc1200000,
		.symbols = "c1000000 T _stext\n"
			   "c1200000 T __kmalloc\n"
			   "c1200400 T alloc_pipe_info\n"
			   "c1200800 T do_fast_syscall_32\n"
			   "c1900000 T _etext\n"
			   "f8001000 t ext4_find_extent\t[ext4]\n"
			   "f8001800 t ext4_last\t[ext4]\n",
		.modules = "ext4 65536 0xf8000000 -\n",
		.probe_ns = 500000,
	},
	{
		.arch = "aarch64",
		.word_bytes = 8,
		.text_start = 0x100000,
		.text_end = 0x900000,
		.kmalloc = 0x200000,
		.symbols = "0000000000100000 T _stext\n"
			   "0000000000200000 T __kmalloc_noprof\n"
			   "0000000000200400 T alloc_pipe_info\n"
			   "0000000000200800 T el0_svc\n"
			   "0000000000900000 T _etext\n"
			   "000003ff80001000 t ext4_find_extent\t[ext4]\n"
			   "000003ff80001800 t ext4_last\t[ext4]\n",
		.modules = "ext4 65536 0x000003ff80000000 -\n",
		.probe_ns = KMT_NOT_MEASURED,
		.more = partly_traced,
	},
	{
		.arch = "riscv64",
		.word_bytes = 8,
		.text_start = 0x100000,
		.text_end = 0x900000,
		.kmalloc = 0x200000,
		.symbols = "0000000000100000 T _stext\n"
			   "0000000000200000 T __kmalloc_noprof\n"
			   "0000000000200400 T alloc_pipe_info\n"
			   "0000000000200800 T do_trap_ecall_u\n"
			   "0000000000900000 T _etext\n",
		.modules = "",
		.probe_ns = 500000,
		.newer = true,
	},
};

/* No version has these kinds. */
enum { UNKNOWN_BATCH = 200, UNKNOWN_RECORD = 201 };

static void add_info(GByteArray *stream, const Machine *machine)
{
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, 1000000000, NULL },
		{ KMT_FIELD_REALTIME_NS, 1700000000000000000, NULL },
		{ KMT_FIELD_RELEASE, 0, "6.12.0-test" },
		{ KMT_FIELD_HOST, 0, "handmade" },
		{ KMT_FIELD_ARCH, 0, machine->arch },
		{ KMT_FIELD_CPUS_ONLINE, 1, NULL },
		{ KMT_FIELD_TEXT_START, machine->text_start, NULL },
		{ KMT_FIELD_TEXT_END, machine->text_end, NULL },
		{ KMT_FIELD_STACK_DEPTH, 64, NULL },
		{ KMT_FIELD_WINDOW_START_NS, 2000000000, NULL },
		{ KMT_FIELD_WINDOW_END_NS, 3000000000, NULL },
		{ KMT_FIELD_COMPLETE, 1, NULL },
	};

	for (const InfoField *field = machine->more; field && field->id; field++)
		batch_write_info(stream, field, 1);
	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

/* A stack of 8-byte frames, for addresses that the base does not reach. */
static void add_wide_stack(EventBatch *batch, const uint64_t *frames, uint16_t depth)
{
	struct {
		struct KmtStack stack;
		uint64_t frames[8];
	} stack = { .stack = { .depth = depth } };
	struct KmtOrigin origin = {
		.stack = batch->stacks,
		.cache = KMT_NONE,
		.call_site = frames[1],
		.bytes_requested = 40,
		.bytes_allocated = 64,
		.node = -1,
		.source = KMT_SOURCE_KMALLOC,
	};

	memcpy(stack.frames, frames, depth * sizeof(*frames));
	event_batch_add(batch, &stack, sizeof(stack.stack) + depth * sizeof(*frames),
			KMT_RECORD_STACK8, batch->stacks++);
	event_batch_add(batch, &origin, sizeof(origin), KMT_RECORD_ORIGIN, batch->origins++);
}

static void add_events(GByteArray *stream, const Machine *machine)
{
	uint32_t text = machine->kmalloc;
	uint64_t module = machine->word_bytes == 8 ? 0x3ff80001010 : 0xf8001010;
	/* The last one is junk: it lies in no text. */
	const uint32_t narrow[] = { text + 0x10, text + 0x420, text + 0x810, 0x42 };
	const uint64_t wide[] = { narrow[0], module, narrow[2] };
	EventBatch before = event_batch_begin(stream, 0, 0, 1900000000);
	EventBatch batch;
	uint16_t pipe;

	event_batch_heartbeat(&before, 1900000000, 0,
			      machine->probe_ns == KMT_NOT_MEASURED ? KMT_NOT_MEASURED : 0);
	event_batch_end(&before, 0);
	batch = event_batch_begin(stream, 0, 1, 2000000000);

	event_batch_header(&batch)->frame_base = 0;
	event_batch_header(&batch)->word_bytes = machine->word_bytes;
	/* A name is whatever a process likes: nothing of it may reach a terminal unescaped. */
	event_batch_task(&batch, 77, "pipe\033[31mmaker");
	pipe = event_batch_origin(&batch, narrow, 4, 100, 128);
	add_wide_stack(&batch, wide, 3);
	for (uint32_t i = 0; i < 5; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, pipe, 1000 * i, KMT_CONTEXT_TASK,
				  0x10000 + i * 128);
	event_batch_event(&batch, KMT_RECORD_ALLOC, 1, 6000, KMT_CONTEXT_SOFTIRQ, 0x20000);
	event_batch_event(&batch, KMT_RECORD_ALLOC, 1, 7000, KMT_CONTEXT_TASK, 0);
	if (machine->newer)
		event_batch_add(&batch, &(struct KmtHeartbeat){ .head = { 0 } },
				sizeof(struct KmtHeartbeat), UNKNOWN_RECORD, 0);
	event_batch_heartbeat(&batch, 2900000000, 0, machine->probe_ns);
	event_batch_end(&batch, 7);
}

static void make(GByteArray *stream, const Machine *machine)
{
	add_info(stream, machine);
	stream_add_text(stream, KMT_BATCH_MODULES, machine->modules);
	stream_add_text(stream, KMT_BATCH_SYMBOLS, machine->symbols);
	if (machine->newer)
		batch_write_text(stream, UNKNOWN_BATCH, 0, "news\n", strlen("news\n"));
	add_events(stream, machine);
	if (machine->big_endian == (G_BYTE_ORDER == G_LITTLE_ENDIAN))
		swap_stream(stream);
}

static void add_walks(GByteArray *stream, uint64_t compared, uint64_t different)
{
	const InfoField fields[] = {
		{ KMT_FIELD_WALKS_COMPARED, compared, NULL },
		{ KMT_FIELD_WALKS_DIFFERENT, different, NULL },
		/* Nothing of it may reach a terminal unescaped. */
		{ KMT_FIELD_KERNEL_WALKS, 0, "a walk\302\233 differed" },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields) - !different);
}

static void add_names(GByteArray *stream, uint64_t compared, uint64_t different)
{
	const InfoField fields[] = {
		{ KMT_FIELD_NAMES_COMPARED, compared, NULL },
		{ KMT_FIELD_NAMES_DIFFERENT, different, NULL },
	};

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
}

/* The lines that are skipped may have any form. */
static void add_memory(GByteArray *stream, uint64_t readings)
{
	static const char start[] = "total_bytes 25276502016\n"
				    "free_bytes 16535624090\n"
				    "available_bytes 20615843020\n"
				    "slab_bytes 325058560\n"
				    "slab_unreclaimable_bytes 199229440\n"
				    "major_faults 1988\n"
				    "reclaim_stalls 7\n"
				    "oom_kills 1\n"
				    "pressure_some_us 4000000\n"
				    "pressure_full_us 3000000\n";
	static const char end[] = "free_bytes 16213501540\n"
				  "available_bytes 20401094656\n"
				  "\033[31mred 1\n"
				  "slab_bytes 549453824\n"
				  "slab_unreclaimable_bytes 421527552\n"
				  "major_faults 2000\n"
				  "reclaim_stalls 1241\n"
				  "oom_kills 1\n"
				  "pressure_some_us 4120000\n"
				  "pressure_full_us 3000500\n";

	batch_write_reading(stream, KMT_BATCH_MEMORY, KMT_READING_START, 2000000000, start,
			    strlen(start));
	if (readings > 1)
		batch_write_reading(stream, KMT_BATCH_MEMORY, KMT_READING_END, 12000000000, end,
				    strlen(end));
}

static void held_stream(GByteArray *stream, uint64_t seed, uint64_t order)
{
	g_autoptr(HeldRun) run = held_run_new(seed);

	held_run_write(run, order, stream);
}

static void read_stdin(GByteArray *stream)
{
	guint8 buffer[65536];
	ssize_t length;

	while ((length = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		g_byte_array_append(stream, buffer, (guint)length);
}

static uint64_t number(const char *text)
{
	return g_ascii_strtoull(text, NULL, 10);
}

static ChangeRun change_run(const char *name)
{
	bool has_bursts = g_str_has_prefix(name, "bursts-");

	return (ChangeRun){
		.newer = g_str_has_suffix(name, "new"),
		.leaks = g_str_equal(name, "new"),
		.is_command = g_str_has_prefix(name, "command-"),
		.burst = has_bursts ? 8 : 1,
	};
}

int main(int argc, char **argv)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	const char *wanted = argc >= 2 ? argv[1] : "";

	if (g_str_equal(wanted, "swap")) {
		read_stdin(stream);
		swap_stream(stream);
	}
	if (g_str_equal(wanted, "sample") && argc >= 3) {
		read_stdin(stream);
		sample_stream(stream, (uint32_t)number(argv[2]), argc > 3 ? number(argv[3]) : 0);
	}
	if (g_str_equal(wanted, "throttle") && argc >= 3) {
		read_stdin(stream);
		throttle_stream(stream, (uint32_t)number(argv[2]));
	}
	if (g_str_equal(wanted, "walks") && argc >= 4) {
		add_walks(stream, number(argv[2]), number(argv[3]));
		read_stdin(stream);
	}
	if (g_str_equal(wanted, "names") && argc >= 4) {
		add_names(stream, number(argv[2]), number(argv[3]));
		read_stdin(stream);
	}
	if (g_str_equal(wanted, "memory") && argc >= 3) {
		add_memory(stream, number(argv[2]));
		read_stdin(stream);
	}
	if (g_str_equal(wanted, "cgroups"))
		cgroup_stream(stream);
	if (g_str_equal(wanted, "overview") || g_str_equal(wanted, "overview-v1"))
		overview_stream(stream, g_str_equal(wanted, "overview-v1"));
	if (g_str_equal(wanted, "slab") || g_str_equal(wanted, "slab-part"))
		slab_stream(stream, g_str_equal(wanted, "slab-part"));
	if (g_str_equal(wanted, "rates"))
		rate_stream(stream, false, false);
	if (g_str_equal(wanted, "rates-blind"))
		rate_stream(stream, true, false);
	if (g_str_equal(wanted, "rates-held"))
		rate_stream(stream, true, true);
	if (g_str_equal(wanted, "held") && argc >= 4)
		held_stream(stream, number(argv[2]), number(argv[3]));
	if (g_str_equal(wanted, "hits"))
		hit_stream(stream);
	if (g_str_equal(wanted, "hits-viewed") && argc >= 4)
		viewed_hit_stream(stream, argv[2], argv[3]);
	if (g_str_equal(wanted, "hits-other"))
		other_hit_stream(stream);
	if (g_str_equal(wanted, "spans"))
		span_stream(stream);
	if (g_str_equal(wanted, "lines") && argc >= 3)
		line_stream(stream, argv[2]);
	if (g_str_equal(wanted, "change") && argc >= 4)
		change_stream(stream, (guint32)number(argv[2]), change_run(argv[3]));
	if (g_str_equal(wanted, "leak") || g_str_equal(wanted, "leak-blind"))
		leak_stream(stream, g_str_equal(wanted, "leak-blind"));
	if (g_str_equal(wanted, "limited"))
		limited_stream(stream);
	if (g_str_equal(wanted, "crowded"))
		crowded_stream(stream);
	if (g_str_equal(wanted, "changing"))
		changing_stream(stream);
	for (gsize i = 0; i < G_N_ELEMENTS(machines); i++)
		if (g_str_equal(wanted, machines[i].arch))
			make(stream, &machines[i]);
	if (!stream->len) {
		fputs("usage: make_fixture "
		      "swap|sample|throttle|walks|names|memory|s390x|i686|aarch64|riscv64|cgroups|"
		      "rates|rates-blind|rates-held|held|hits|hits-other|spans|lines|leak|leak-"
		      "blind|slab|"
		      "slab-part|limited|crowded|changing|change\n",
		      stderr);
		return 2;
	}
	return fwrite(stream->data, 1, stream->len, stdout) != stream->len;
}
