/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the records in the rings to batches: the hot path of the BPF collector. Each ring says once
 * which task and which origin the next events have; the reader keeps those of each ring, and where
 * the open batch has an origin, so an event is a copy of 16 bytes. A CPU's two rings are merged by
 * time. bpf_run.c calls it.
 */
#include "collect/bpf/bpf_read.h"

#include "base/clock.h"
#include "base/hot_assert.h"
#include "collect/perf/perf_read.h"
#include "process/child.h"
#include "record/format.h"
#include "symbols/known_functions.h"

#include <string.h>

/* What a number of an origin means in a ring. */
typedef struct {
	WrittenOrigin written; /* where the open batch has it */
	EventFacts facts;
	EventCache cache;
	uint32_t depth;
	bool truncated;
	uint64_t frames[]; /* innermost first */
} RingOrigin;

typedef struct {
	BpfRing ring;
	uint64_t tail, head; /* what is being read */
	uint64_t base_ns;
	EventTask task;
	uint64_t rules_taken;                 /* those that its state missed */
	bool is_own;                          /* the task is a process of the program */
	RingOrigin *origins[KMT_BPF_ORIGINS]; /* owned; NULL: not defined yet */
} RingReader;

typedef struct {
	EventCpu event_cpu;
	RingReader rings[2];
	uint64_t left_out_own; /* by the reader */
} BpfCpu;

struct BpfReader {
	BpfReaderPlan plan;
	EventWriter *writer;
	BpfCpu *cpus;
	uint32_t depth_max; /* of the kernel's walks */
	uint64_t start_ns;  /* CPU time of the program */
};

BpfReader *bpf_reader_new(const BpfReaderPlan *plan)
{
	BpfReader *reader = g_new0(BpfReader, 1);

	reader->plan = *plan;
	reader->writer = event_writer_new(plan->send, plan->user_data);
	reader->cpus = g_new0(BpfCpu, plan->cpus);
	reader->start_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	reader->depth_max = MIN(perf_read_depth_max(), KMT_BPF_FRAMES);
	for (uint32_t i = 0; i < plan->cpus; i++) {
		BpfCpu *cpu = &reader->cpus[i];

		cpu->event_cpu = (EventCpu){ .cpu = i, .sampling_period = 1 };
		cpu->rings[0].ring = bpf_programs_ring(plan->programs, i, false);
		cpu->rings[1].ring = bpf_programs_ring(plan->programs, i, true);
	}
	return reader;
}

static void free_origins(BpfCpu *cpu)
{
	for (unsigned i = 0; i < KMT_BPF_ORIGINS; i++) {
		g_free(cpu->rings[0].origins[i]);
		g_free(cpu->rings[1].origins[i]);
	}
}

void bpf_reader_free(BpfReader *reader)
{
	if (!reader)
		return;
	for (uint32_t i = 0; i < reader->plan.cpus; i++)
		free_origins(&reader->cpus[i]);
	event_writer_free(reader->writer);
	g_free(reader->cpus);
	g_free(reader);
}

/* Definitions. */

static bool is_own(const BpfReader *reader, uint32_t tgid)
{
	const CollectWhose *whose = &reader->plan.request->whose;
	const GArray *pids = whose->left_out_pids;

	if (whose->include_self)
		return false;
	for (guint i = 0; pids && i < pids->len; i++)
		if (g_array_index(pids, guint32, i) == tgid)
			return true;
	return child_is_own(tgid);
}

static void take_task(const BpfReader *reader, RingReader *ring, const struct kmt_bpf_task *record)
{
	ring->base_ns = record->time_ns;
	ring->is_own = is_own(reader, record->tgid);
	ring->task = (EventTask){
		.tgid = record->tgid,
		.tid = record->tid,
		.start_time_ns = record->start_time_ns,
		.cgroup_id = record->cgroup_id,
	};
	memcpy(ring->task.comm, record->comm, sizeof(record->comm));
	memcpy(ring->task.leader, record->leader, sizeof(record->leader));
}

/* Whether a frame is of the program, whose code is nowhere, or of what called it. */
static bool is_tracer(const BpfReader *reader, uint64_t frame)
{
	Symbol symbol;
	TextPart name;

	if (frame < reader->plan.text_start || frame >= reader->plan.text_end)
		return true;
	if (!symbol_store_lookup(reader->plan.symbols, 0, frame, &symbol) || !symbol.name)
		return false;
	name = (TextPart){ symbol.name, strlen(symbol.name) };
	return tracer_functions_have(name);
}

/* Returns the number of frames before the allocator. */
static uint32_t tracer_frames(const BpfReader *reader, const struct kmt_bpf_origin *record,
			      uint32_t depth)
{
	for (uint32_t i = 0; i < depth; i++)
		if (!is_tracer(reader, record->frames[i]))
			return i;
	return 0;
}

static void set_cache(RingOrigin *origin, const struct kmt_bpf_origin *record)
{
	uint32_t bytes = MIN(record->name_bytes, sizeof(origin->cache.name));

	origin->cache.object_bytes = record->object_bytes;
	origin->cache.slot_bytes = record->slot_bytes;
	origin->cache.name_bytes = (uint16_t)bytes;
	memcpy(origin->cache.name, record->name, bytes);
	origin->facts.cache = bytes ? &origin->cache : NULL;
}

static void take_origin(const BpfReader *reader, RingReader *ring,
			const struct kmt_bpf_origin *record)
{
	uint32_t depth = MIN(record->depth, KMT_BPF_FRAMES);
	uint32_t first = tracer_frames(reader, record, depth);
	uint32_t wanted = MIN(depth - first, reader->plan.request->what.stack_depth);
	RingOrigin **place = &ring->origins[record->origin & (KMT_BPF_ORIGINS - 1)];
	RingOrigin *origin = g_malloc0(sizeof(*origin) + wanted * sizeof(*origin->frames));

	origin->facts = (EventFacts){
		.call_site = record->call_site,
		.bytes_requested = record->bytes_requested,
		.bytes_allocated = record->bytes_allocated,
		.gfp_flags = record->gfp_flags,
		.node = record->node,
		.source = record->source,
	};
	set_cache(origin, record);
	origin->depth = wanted;
	origin->truncated = depth >= reader->depth_max || wanted < depth - first;
	memcpy(origin->frames, record->frames + first, wanted * sizeof(*origin->frames));
	g_free(*place);
	*place = origin;
	for (uint32_t i = 0; reader->plan.rules && i < depth; i++)
		bpf_rules_add(reader->plan.rules, record->frames[i]);
}

/* Records. */

static const void *record_at(const RingReader *ring)
{
	return ring->ring.ring + (ring->tail & (ring->ring.ring_bytes - 1));
}

/* Takes definitions up to the next event, and returns that; NULL: all is read. */
static const struct kmt_bpf_event *next_event(const BpfReader *reader, RingReader *ring)
{
	while (ring->tail < ring->head) {
		const struct kmt_bpf_origin *record = record_at(ring);

		if (G_LIKELY(record->type == KMT_BPF_ALLOC))
			return (const struct kmt_bpf_event *)record;
		if (record->type == KMT_BPF_TASK) {
			take_task(reader, ring, record_at(ring));
			ring->tail += sizeof(struct kmt_bpf_task);
		} else {
			hot_assert(record->type == KMT_BPF_ORIGIN);
			take_origin(reader, ring, record);
			ring->tail += sizeof(*record) + record->depth * sizeof(*record->frames);
		}
	}
	return NULL;
}

static uint64_t time_of(const RingReader *ring, const struct kmt_bpf_event *event)
{
	return event ? ring->base_ns + event->since_ns : UINT64_MAX;
}

static void write_event(BpfReader *reader, BpfCpu *cpu, RingReader *ring,
			const struct kmt_bpf_event *event)
{
	RingOrigin *origin = ring->origins[event->origin & (KMT_BPF_ORIGINS - 1)];
	uint64_t time_ns = time_of(ring, event);

	ring->tail += sizeof(*event);
	hot_assert(origin);
	if (ring->is_own && event->context == KMT_CONTEXT_TASK) {
		cpu->left_out_own++;
		return;
	}
	origin->facts.pointer = event->pointer;
	origin->facts.context = event->context;
	if (!event_writer_add_again(reader->writer, time_ns, &ring->task, &origin->facts,
				    &origin->written))
		origin->written =
			event_writer_add(reader->writer, time_ns, &ring->task, &origin->facts, 1,
					 origin->frames, origin->depth, origin->truncated);
}

/* Rings. */

/* Begins to read what the CPU has written so far. */
static void begin_ring(RingReader *ring)
{
	ring->head = __atomic_load_n(&ring->ring.state->head, __ATOMIC_ACQUIRE);
}

/* Gives the room back. */
static void end_ring(RingReader *ring)
{
	__atomic_store_n(&ring->ring.state->tail, ring->tail, __ATOMIC_RELEASE);
}

static void make_rules(BpfReader *reader, RingReader *ring)
{
	if (reader->plan.rules)
		bpf_rules_add_wanted(reader->plan.rules, ring->ring.state, &ring->rules_taken);
}

static void read_rings(BpfReader *reader, BpfCpu *cpu)
{
	RingReader *first = &cpu->rings[0], *second = &cpu->rings[1];
	const struct kmt_bpf_event *a, *b;

	begin_ring(first);
	begin_ring(second);
	a = next_event(reader, first);
	b = next_event(reader, second);
	while (a || b) {
		if (time_of(first, a) <= time_of(second, b)) {
			write_event(reader, cpu, first, a);
			a = next_event(reader, first);
		} else {
			write_event(reader, cpu, second, b);
			b = next_event(reader, second);
		}
	}
	end_ring(first);
	end_ring(second);
	make_rules(reader, first);
	make_rules(reader, second);
}

BpfWalks bpf_reader_walks(const BpfReader *reader)
{
	BpfWalks walks = { 0 };

	for (uint32_t i = 0; i < 2 * reader->plan.cpus; i++) {
		const struct kmt_bpf_state *state = reader->cpus[i / 2].rings[i % 2].ring.state;

		walks.by_kernel += state->walks_by_kernel;
		walks.compared += state->walks_compared;
		walks.different += state->walks_different;
	}
	return walks;
}

uint64_t bpf_reader_cost_ns(const BpfReader *reader, uint32_t cpu)
{
	const RingReader *rings = reader->cpus[cpu].rings;
	uint64_t own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - reader->start_ns;

	return rings[0].ring.state->cost_ns + rings[1].ring.state->cost_ns +
	       own_ns / reader->plan.cpus;
}

static void take_counters(BpfCpu *cpu)
{
	const struct kmt_bpf_state *a = cpu->rings[0].ring.state, *b = cpu->rings[1].ring.state;
	EventCpu *event_cpu = &cpu->event_cpu;

	event_cpu->events_lost = a->lost + b->lost;
	event_cpu->left_out_self = a->left_out_self + b->left_out_self + cpu->left_out_own;
	event_cpu->left_out_interrupt = a->left_out_interrupt + b->left_out_interrupt;
	event_cpu->passed_over = a->passed_over + b->passed_over + cpu->left_out_own;
}

void bpf_reader_round(BpfReader *reader, uint64_t complete_until_ns)
{
	for (uint32_t i = 0; i < reader->plan.cpus; i++) {
		BpfCpu *cpu = &reader->cpus[i];

		event_writer_open(reader->writer, &cpu->event_cpu);
		read_rings(reader, cpu);
		take_counters(cpu);
		cpu->event_cpu.probe_ns = bpf_reader_cost_ns(reader, i);
		if (complete_until_ns)
			event_writer_beat(reader->writer, complete_until_ns);
		event_writer_close(reader->writer);
	}
}
