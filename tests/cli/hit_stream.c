/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hit_stream.h"

#include "record/format.h"

#include "record/batch_writer.h"
#include "record/event_writer.h"
#include "bench/stream_builder.h"
#include "event_batch.h"

#include <string.h>

#define TEXT 0xffffffff81000000ULL
#define MS 1000000ULL
#define START_NS 2000000000ULL
#define END_NS 3000000000ULL

enum { FRAMES_MAX = 4 };

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81000200 T __alloc_pages_noprof\n"
			      "ffffffff81000300 T alloc_pages_mpol\n"
			      "ffffffff81000400 T do_anonymous_page\n"
			      "ffffffff81000500 T asm_exc_page_fault\n"
			      "ffffffff81000600 T do_syscall_64\n"
			      "ffffffff81000700 T net_rx_action\n"
			      "ffffffff81001000 T _etext\n"
			      "ffffffffc0000100 t sock_fill\t[tls]\n"
			      "ffffffffc0000200 t sock_last\t[tls]\n";

/* Two processes of one program, at different addresses, and one that makes code itself. The name of
   its library is whatever its owner likes. */
static const char maps[] =
	"m 1900000000 100 555555554000 10000 1000 8:1 2a 0 aabbccdd /usr/bin/worker\n"
	"m 1900000000 100 7f1100000000 100000 28000 8:1 2b 0 - /usr/lib/libc.so.6\n"
	"m 1900000000 101 565555554000 10000 1000 8:1 2a 0 aabbccdd /usr/bin/worker\n"
	"m 1900000000 101 7f2200000000 100000 28000 8:1 2b 0 - /usr/lib/libc.so.6\n"
	"m 1900000000 200 555555554000 10000 0 8:1 2c 0 - /usr/bin/we\033[31mb\n"
	"m 1900000000 200 7f3300000000 100000 28000 8:1 2b 0 - /usr/lib/libc.so.6\n"
	"m 1900000000 200 7f0000000000 4000 0 0:0 0 0 - //anon\n";

/* Places of return addresses are those of the calls, one byte before them. */
static const char user_symbols[] = "s I:8:1:2b 28100 0 200 malloc\n"
				   "s I:8:1:2b 2817f 7f 100 __libc_start_call_main\n"
				   "s b:aabbccdd 100f f 80 render\n"
				   "s b:aabbccdd 110f f 100 main\n"
				   "s b:aabbccdd 120f f 40 re\033[31mload\n"
				   "s jit:200 7f0000000020 10 100 Handler.run\n";

/* The processes; in the kernel thread, nothing is mapped. */
static const EventTask first = { .tgid = 100, .tid = 100, .start_time_ns = 5, .comm = "worker" };
static const EventTask second = { .tgid = 101, .tid = 102, .start_time_ns = 6, .comm = "worker" };
static const EventTask web = { .tgid = 200, .tid = 200, .start_time_ns = 7, .comm = "we\033b" };
static const EventTask kernel = { .tgid = 9, .tid = 9, .start_time_ns = 1, .comm = "kswapd0" };

/* A stack, innermost frame first; ends with 0. */
typedef uint64_t Stack[FRAMES_MAX + 1];

static const Stack fault = { TEXT + 0x210, TEXT + 0x310, TEXT + 0x410, TEXT + 0x510 };
static const Stack system_call = { TEXT + 0x210, TEXT + 0x310, TEXT + 0x610 };
static const Stack module = { TEXT + 0x210, TEXT + 0x310, 0xffffffffc0000110, TEXT + 0x710 };
static const Stack none = { 0 };

static const Stack render_first = { 0x7f1100000100, 0x555555554010, 0x555555554110,
				    0x7f1100000180 };
static const Stack render_second = { 0x7f2200000100, 0x565555554010, 0x565555554110,
				     0x7f2200000180 };
static const Stack reload_first = { 0x7f1100000100, 0x555555554210, 0x555555554110 };
/* The third frame is no code: what follows it is not part of the stack. */
static const Stack junk_second = { 0x7f2200000100, 0x565555554010, 0x10, 0x565555554110 };
static const Stack generated = { 0x7f0000000020, 0x555555554321 };

/* Hits of one kind: as many as count, from time_ns on, one a microsecond. */
typedef struct {
	const EventTask *task;
	const uint64_t *frames;
	const uint64_t *user_frames;
	uint64_t time_ns;
	uint64_t value;
	unsigned count;
	uint16_t point;
	uint8_t context;
} Hits;

static const char points[] =
	"0 hit 0 kmem:mm_page_alloc\n1 hit 1 u:/usr/bin/wor\033[31mker:render\n";

static const Hits hits[] = {
	{ &first, fault, render_first, 10 * MS, 1, 40, 0, KMT_CONTEXT_TASK },
	{ &second, fault, render_second, 20 * MS, 1, 20, 0, KMT_CONTEXT_TASK },
	{ &first, system_call, reload_first, 30 * MS, 16, 10, 0, KMT_CONTEXT_TASK },
	{ &second, fault, junk_second, 40 * MS, 1, 3, 0, KMT_CONTEXT_TASK },
	{ &web, system_call, generated, 50 * MS, 512, 4, 0, KMT_CONTEXT_TASK },
	{ &web, module, none, 60 * MS, 8, 5, 0, KMT_CONTEXT_SOFTIRQ },
	{ &kernel, system_call, none, 70 * MS, 2, 1, 0, KMT_CONTEXT_TASK },
	{ &second, none, render_second, 80 * MS, 1, 7, 1, KMT_CONTEXT_TASK },
	{ &first, none, none, 0, 0, 0, 0, 0 },
};

/* Another run: probe points have other numbers, and stacks other numbers of hits. */
static const char other_points[] =
	"0 hit 0 u:/usr/bin/wor\033[31mker:render\n1 hit 1 kmem:mm_page_alloc\n";

static const Hits other_hits[] = {
	{ &second, fault, render_second, 10 * MS, 4, 11, 1, KMT_CONTEXT_TASK },
	{ &first, system_call, reload_first, 20 * MS, 2, 5, 1, KMT_CONTEXT_TASK },
	{ &kernel, fault, none, 30 * MS, 1, 2, 1, KMT_CONTEXT_TASK },
	{ &web, module, none, 40 * MS, 8, 3, 1, KMT_CONTEXT_HARDIRQ },
	{ &first, none, render_first, 50 * MS, 1, 6, 0, KMT_CONTEXT_TASK },
	{ &first, none, none, 0, 0, 0, 0, 0 },
};

static const InfoField hit_facts[] = {
	{ KMT_FIELD_POINTS_TITLE, 0, "Page allocations" },
	{ KMT_FIELD_POINTS_NOUN, 0, "allocation" },
	{ KMT_FIELD_VALUE_NAME, 0, "pages(order)" },
	{ KMT_FIELD_VALUE_UNIT, 0, "pages" },
	{ KMT_FIELD_POINTS_MISSING, 0, "bulk: t:kmem:mm_\033[31mbulk: no such tracepoint" },
};

static const char span_points[] = "0 begin 0 vmscan:mm_vmscan_direct_reclaim_begin\n"
				  "1 end 0 vmscan:mm_vmscan_direct_reclaim_end\n"
				  "2 begin 1 vmscan:mm_vmscan_memcg_reclaim_begin\n"
				  "3 end 1 vmscan:mm_vmscan_memcg_reclaim_end\n";

/* Spans of 150 ns, 90 us, 90 us, 40 ms; an end without a begin, a begin after a begin (and so a
   span of 300 us), and two that did not end. */
static const Hits spans[] = {
	{ &kernel, system_call, none, 1 * MS, 7, 1, 1, KMT_CONTEXT_TASK },
	{ &first, fault, render_first, 10 * MS, 0, 1, 0, KMT_CONTEXT_TASK },
	{ &first, none, none, 10 * MS + 150, 32, 1, 1, KMT_CONTEXT_TASK },
	{ &second, fault, render_second, 20 * MS, 0, 1, 0, KMT_CONTEXT_TASK },
	{ &second, none, none, 20 * MS + 90000, 64, 1, 1, KMT_CONTEXT_TASK },
	{ &first, system_call, reload_first, 30 * MS, 0, 1, 0, KMT_CONTEXT_TASK },
	{ &first, none, none, 30 * MS + 90000, 64, 1, 1, KMT_CONTEXT_TASK },
	{ &web, system_call, generated, 40 * MS, 0, 1, 2, KMT_CONTEXT_TASK },
	{ &web, none, none, 80 * MS, 512, 1, 3, KMT_CONTEXT_TASK },
	{ &web, system_call, generated, 90 * MS, 0, 1, 2, KMT_CONTEXT_TASK },
	{ &web, system_call, generated, 91 * MS, 0, 1, 2, KMT_CONTEXT_TASK },
	{ &web, none, none, 91 * MS + 300000, 1, 1, 3, KMT_CONTEXT_TASK },
	{ &first, fault, render_first, 200 * MS, 0, 1, 0, KMT_CONTEXT_TASK },
	{ &second, fault, render_second, 201 * MS, 0, 1, 0, KMT_CONTEXT_TASK },
	{ &first, none, none, 0, 0, 0, 0, 0 },
};

static const InfoField span_facts[] = {
	{ KMT_FIELD_POINTS_TITLE, 0, "Waiting for memory to be reclaimed" },
	{ KMT_FIELD_POINTS_NOUN, 0, "stall" },
	{ KMT_FIELD_VALUE_NAME, 0, "nr_reclaimed" },
};

static const InfoField run_facts[] = {
	{ KMT_FIELD_MONOTONIC_NS, 1000000000, NULL },
	{ KMT_FIELD_REALTIME_NS, 1700000000000000000, NULL },
	{ KMT_FIELD_RELEASE, 0, "6.12.0-test" },
	{ KMT_FIELD_HOST, 0, "handmade" },
	{ KMT_FIELD_ARCH, 0, "x86_64" },
	{ KMT_FIELD_CPUS_ONLINE, 2, NULL },
	{ KMT_FIELD_TEXT_START, TEXT, NULL },
	{ KMT_FIELD_TEXT_END, TEXT + 0x1000, NULL },
	{ KMT_FIELD_STACK_DEPTH, 64, NULL },
	{ KMT_FIELD_USER_DEPTH, 64, NULL },
	{ KMT_FIELD_BOOT_ID, 0, "00000000-0000-0000-0000-000000000000" },
	{ KMT_FIELD_COLLECTOR, 0, "perf events" },
	{ KMT_FIELD_PROGRAM, 0, "stack-top 0.2.0" },
	{ KMT_FIELD_COMMAND_LINE, 0, "stack-top made" },
	{ KMT_FIELD_EVENTS, 0, "probes" },
	{ KMT_FIELD_SCOPE, 0, "host" },
	{ KMT_FIELD_RUN_START_NS, START_NS, NULL },
	{ KMT_FIELD_RUN_END_NS, END_NS, NULL },
	{ KMT_FIELD_WINDOW_START_NS, START_NS, NULL },
	{ KMT_FIELD_WINDOW_END_NS, END_NS, NULL },
	{ KMT_FIELD_COMPLETE, 1, NULL },
};

static uint32_t depth_of(const uint64_t *stack)
{
	uint32_t depth = 0;

	while (stack[depth])
		depth++;
	return depth;
}

static void add_hits(EventWriter *writer, const Hits *of)
{
	PointHit hit = {
		.time_ns = START_NS + of->time_ns,
		.value = of->value,
		.weight = 1,
		.point = of->point,
		.context = of->context,
		.frames = of->frames,
		.depth = depth_of(of->frames),
		.user_frames = of->user_frames,
		.user_depth = depth_of(of->user_frames),
	};

	for (unsigned i = 0; i < of->count; i++) {
		event_writer_add_hit(writer, of->task, &hit);
		hit.time_ns += 1000;
	}
}

/* The hits end with one of which there are none. */
static void write_hits(GByteArray *stream, const Hits *of)
{
	EventCpu cpus[] = { { .cpu = 0, .sampling_period = 1 },
			    { .cpu = 1, .sampling_period = 1 } };
	g_autoptr(EventWriter) writer = event_writer_new(stream_sink_bytes, stream);

	event_writer_take_points(writer);
	for (unsigned i = 0; of[i].count; i++) {
		event_writer_open(writer, &cpus[of[i].task == &second]);
		add_hits(writer, &of[i]);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(cpus); i++) {
		event_writer_open(writer, &cpus[i]);
		event_writer_beat(writer, END_NS);
	}
	event_writer_close(writer);
}

static void write_stream(GByteArray *stream, const char *listed, const Hits *of)
{
	batch_write_info(stream, run_facts, G_N_ELEMENTS(run_facts));
	stream_add_text(stream, KMT_BATCH_SYMBOLS, symbols);
	stream_add_text(stream, KMT_BATCH_MODULES, "tls 65536 0xffffffffc0000000 -\n");
	stream_add_text(stream, KMT_BATCH_POINTS, listed);
	stream_add_text(stream, KMT_BATCH_MAPS, maps);
	write_hits(stream, of);
	stream_add_text(stream, KMT_BATCH_USER_SYMBOLS, user_symbols);
}

void viewed_hit_stream(GByteArray *stream, const char *rank, const char *keys)
{
	const InfoField view[] = { { KMT_FIELD_RANK, 0, rank }, { KMT_FIELD_KEYS, 0, keys } };

	batch_write_info(stream, view, G_N_ELEMENTS(view));
	hit_stream(stream);
}

void hit_stream(GByteArray *stream)
{
	batch_write_info(stream, hit_facts, G_N_ELEMENTS(hit_facts));
	write_stream(stream, points, hits);
}

void other_hit_stream(GByteArray *stream)
{
	batch_write_info(stream, hit_facts, G_N_ELEMENTS(hit_facts));
	write_stream(stream, other_points, other_hits);
}

void span_stream(GByteArray *stream)
{
	batch_write_info(stream, span_facts, G_N_ELEMENTS(span_facts));
	write_stream(stream, span_points, spans);
}
