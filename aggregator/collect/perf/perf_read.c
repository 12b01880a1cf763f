/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a record in a ring to the batch, for allocations: parse, weigh, find task and cache, write.
 * This is the hot path of the perf collector; how to weigh a sample, whose it is, and which were
 * lost, serves perf_hits.c, too. Also takes the records of tasks. perf_round.c reads the rings.
 */
#include "collect/perf/perf_read.h"

#include "base/clock.h"
#include "base/hot_assert.h"
#include "collect/facts/host_facts.h"
#include "collect/perf/perf_ring.h"
#include "collect/perf/perf_weight.h"
#include "collect/tracefs/kmem_points.h"
#include "process/child.h"
#include "record/address_sample.h"

#include <unistd.h>

#define SCAN_NS 1000000000ULL

/* The start and the end. */

/* perf_event_max_stack limits every event (since 4.6; 127 before, and by default). */
uint32_t perf_read_depth_max(void)
{
	enum { MAX_STACK_DEFAULT = 127 };
	g_autofree char *text = NULL;
	uint64_t bound = MAX_STACK_DEFAULT;

	if (g_file_get_contents("/proc/sys/kernel/perf_event_max_stack", &text, NULL, NULL))
		bound = g_ascii_strtoull(text, NULL, 10);
	return (uint32_t)CLAMP(bound, 2, UINT16_MAX);
}

/* Objects are sampled when events are read: if the kernel skipped events, those left could not be
   paired. */
static AddressSample sample_addresses(const PerfReader *reader)
{
	uint32_t period = reader->request->what.sampling_period;
	AddressSample sample = { .seed = (uint64_t)g_random_int() << 32 | g_random_int() };

	if (perf_read_pairs(reader) && period > 1)
		sample.level = g_bit_storage(period - 1);
	sample.level = MIN(sample.level, KMT_ADDRESS_LEVEL_MAX);
	return sample;
}

void perf_read_init(PerfReader *reader, BatchSender send, void *user_data)
{
	reader->tasks = task_table_new("");
	reader->writer = event_writer_new(send, user_data);
	reader->self = (uint32_t)getpid();
	reader->in_container = !pid_namespace_is_first("");
	/* One more frame than requested shows whether there are more; one may come twice. */
	reader->stack_depth = MIN(reader->request->what.stack_depth, perf_read_depth_max() - 2);
	reader->addresses = sample_addresses(reader);
}

void perf_read_clear(PerfReader *reader)
{
	task_table_free(reader->tasks);
	event_writer_free(reader->writer);
}

void perf_read_set_events(PerfReader *reader, const PerfEvents *events)
{
	reader->events = events;
	reader->sample_type = perf_events_layout(events).sample_type;
}

bool perf_read_find_clock(PerfReader *reader)
{
	return perf_clock_offset(&reader->clock_offset_ns);
}

void perf_read_begin(PerfReader *reader, PerfRunCpu *cpu)
{
	reader->cpu = cpu;
	cpu->position = cpu->perf->samples.tail;
	event_writer_open(reader->writer, &cpu->event_cpu);
}

/* The hot path: from a record to the batch. */

static inline bool is_left_out(const CollectWhose *whose, uint32_t tgid)
{
	const GArray *pids = whose->left_out_pids;

	for (guint i = 0; pids && i < pids->len; i++)
		if (g_array_index(pids, guint32, i) == tgid)
			return true;
	return false;
}

bool perf_read_is_own(const PerfReader *reader, const PerfSample *sample, uint8_t context)
{
	const CollectWhose *whose = &reader->request->whose;

	return context == KMT_CONTEXT_TASK && !whose->include_self &&
	       (sample->tgid == reader->self || child_is_own(sample->tgid) ||
		is_left_out(whose, sample->tgid));
}

bool perf_read_select(PerfReader *reader, bool is_counted, uint8_t context, uint32_t weight)
{
	const CollectWhose *whose = &reader->request->whose;

	if (whose->scope == COLLECT_SCOPE_HOST)
		return true;
	if (!is_counted)
		return false;
	if (context == KMT_CONTEXT_TASK || whose->with_interrupts)
		return true;
	reader->cpu->event_cpu.left_out_interrupt += weight;
	return false;
}

/* Writes the program's own allocation, without its stack, if frees are recorded: it only explains
   its free, which may come much later, in an interrupt. */
static void take_own(PerfReader *reader, const PerfSample *sample, const TaskSample *whose,
		     const EventFacts *facts, uint32_t weight)
{
	EventFacts own = *facts;
	EventTask task;

	reader->cpu->event_cpu.left_out_self += weight;
	if (!reader->request->what.held && !(reader->request->what.events & PROBE_FREE)) {
		reader->cpu->event_cpu.passed_over += weight;
		return;
	}
	own.kind = KMT_KIND_OWN;
	task_table_find(reader->tasks, whose, &task);
	event_writer_add(reader->writer, sample->time_ns, &task, &own, weight, NULL, 0, false);
}

/* Whether the events of an object are taken; failed allocations of a sample never are. */
static inline bool is_taken(const PerfReader *reader, uint64_t pointer)
{
	const AddressSample *sample = &reader->addresses;

	return !sample->level ||
	       (pointer && kmt_address_is_taken_by_bits(pointer, sample->seed, sample->level));
}

static inline TaskSample whose_is(const PerfReader *reader, const PerfSample *sample)
{
	/* In a container, processes outside have no pid. The idle tasks have no pid anywhere. */
	bool is_outside = reader->in_container && !sample->tid;

	return (TaskSample){
		.tgid = is_outside ? TASK_ID_UNKNOWN : sample->tgid,
		.tid = is_outside ? TASK_ID_UNKNOWN : sample->tid,
		.cpu = reader->cpu->event_cpu.cpu,
		.cgroup_id = sample->cgroup_id,
		.time_ns = sample->time_ns,
	};
}

bool perf_read_find_task(PerfReader *reader, const PerfSample *sample, EventTask *task)
{
	const TaskSample whose = whose_is(reader, sample);

	return task_table_find(reader->tasks, &whose, task);
}

static void take_event(PerfReader *reader, const PerfSample *sample, const EventFacts *facts,
		       uint32_t weight)
{
	const TaskSample whose = whose_is(reader, sample);
	/* A stack of one frame shows the allocator only: the call site is more useful. */
	uint32_t depth = sample->depth > 1 ? sample->depth : 0;
	EventTask task;
	bool is_counted;

	if (!is_taken(reader, facts->pointer))
		return;
	reader->cpu->taken++;
	reader->has_frames |= depth > 0;
	reader->lacks_frames |= !depth && !facts->free;
	if (!facts->free && perf_read_is_own(reader, sample, facts->context)) {
		take_own(reader, sample, &whose, facts, weight);
		return;
	}
	is_counted = task_table_find(reader->tasks, &whose, &task);
	if (facts->free || perf_read_select(reader, is_counted, facts->context, weight))
		event_writer_add(reader->writer, sample->time_ns, &task, facts, weight,
				 sample->frames, MIN(depth, reader->stack_depth),
				 depth > reader->stack_depth);
	else
		reader->cpu->event_cpu.passed_over += weight;
}

/* Writes the objects of a record of several. An allocation that is not seen does not matter: its
   free is of an unknown object. */
static void take_objects(PerfReader *reader, const PerfSample *sample, const KmemPoint *point,
			 EventFacts *facts, uint32_t weight)
{
	uint64_t pointers[KMEM_POINTERS_MAX];
	uint64_t count = kmem_point_read_pointers(point, sample->raw, sample->raw_bytes, pointers);

	if (count > KMEM_POINTERS_MAX && facts->free)
		reader->unread_objects += count - KMEM_POINTERS_MAX;
	for (uint64_t i = 0; i < MIN(count, KMEM_POINTERS_MAX); i++) {
		facts->pointer = pointers[i];
		if (pointers[i])
			take_event(reader, sample, facts, weight);
	}
}

/* Reports this CPU's known loss. */
static void report_lost(PerfRunCpu *cpu)
{
	cpu->event_cpu.events_lost = cpu->lost + cpu->lost_tasks;
}

/* Adds the losses of a point since its state was before. If the kernel selects addresses, each
   event that it lost stands for those that it left out. */
static void add_losses(PerfRunCpu *cpu, const PerfWeight *weight, const PerfWeight *before)
{
	uint32_t period = MAX(cpu->event_cpu.sampling_period, 1);
	unsigned left_out = weight->in_force ? cpu->selected_level : 0;

	cpu->lost_rest += (weight->lost - before->lost) << left_out;
	cpu->lost_samples += weight->lost_samples - before->lost_samples;
	cpu->lost += cpu->lost_rest / period;
	cpu->lost_rest %= period;
}

/* Events missing before a sample were lost. */
static void take_losses(PerfReader *reader, PerfRunCpu *cpu, const PerfWeight *weight,
			const PerfWeight *before)
{
	if (G_LIKELY(weight->lost == before->lost))
		return;
	/* The current batch ends before the loss. */
	event_writer_close(reader->writer);
	add_losses(cpu, weight, before);
	report_lost(cpu);
}

void perf_read_end_series(PerfRunCpu *cpu, PerfEventId event, uint64_t count)
{
	PerfWeight *weight = &cpu->weights[event.point];
	const PerfWeight before = *weight;

	hot_assert(event.twin < G_N_ELEMENTS(weight->series));
	perf_weight_end(weight, event.twin, count);
	add_losses(cpu, weight, &before);
	report_lost(cpu);
}

void perf_read_end_weights(PerfReader *reader, PerfRunCpu *cpu)
{
	unsigned twins = perf_request_twins(&reader->plan->events);

	for (unsigned i = 0; i < reader->plan->events.points_count * twins; i++) {
		const PerfEventId event = { i / twins, i % twins };

		perf_read_end_series(cpu, event,
				     perf_events_count(reader->events, cpu->perf, event));
	}
}

void perf_read_settle_weights(PerfReader *reader, PerfRunCpu *cpu)
{
	for (unsigned i = 0; i < reader->plan->events.points_count; i++) {
		const PerfWeight before = cpu->weights[i];

		perf_weight_settle(&cpu->weights[i]);
		take_losses(reader, cpu, &cpu->weights[i], &before);
	}
}

uint32_t perf_read_weigh(PerfReader *reader, PerfEventId event, const PerfSample *sample)
{
	PerfRunCpu *cpu = reader->cpu;
	PerfWeight *weight = &cpu->weights[event.point];
	const PerfWeight before = { .lost = weight->lost, .lost_samples = weight->lost_samples };
	uint32_t events = perf_weight_take(weight, event.twin, cpu->position, sample->count);

	hot_assert(event.point < reader->plan->events.points_count);
	take_losses(reader, cpu, weight, &before);
	if (weight->has_begun)
		perf_scatter_begin(&cpu->scatters[event.point], perf_weight_period(weight));
	return events;
}

static bool parse_sample(const PerfReader *reader, const struct perf_event_header *record,
			 PerfSample *sample)
{
	return perf_sample_parse(record + 1, record->size - sizeof(*record), reader->sample_type,
				 sample) &&
	       sample->raw_bytes >= sizeof(uint16_t);
}

/* Returns the point of the sample; NULL: unreadable. */
static const KmemPoint *point_of(const PerfReader *reader, const PerfSample *sample)
{
	const KmemPoint *point =
		kmem_points_lookup(reader->plan->points, kmem_raw_common_type(sample->raw));

	return point && sample->raw_bytes >= point->raw_bytes_min ? point : NULL;
}

/* Always inline: a compiler leaves a large frame out of a small one. */
static inline __attribute__((always_inline)) void
take_sample(PerfReader *reader, const struct perf_event_header *record)
{
	PerfRunCpu *cpu = reader->cpu;
	PerfSample sample;
	EventFacts facts;
	EventCache cache;
	PerfEventId event;
	uint32_t weight;
	bool is_sampled, is_sample = parse_sample(reader, record, &sample);
	const KmemPoint *point = is_sample ? point_of(reader, &sample) : NULL;

	if (is_sample && !point && perf_names_take_call(reader->names, cpu, &sample))
		return;
	/* Unreadable samples are lost: lost = counted by the kernel − read. */
	if (!point || !perf_events_find(reader->events, cpu->perf, sample.event_id, &event)) {
		cpu->has_unreadable = true;
		return;
	}
	cpu->read++;
	hot_assert(point->number < reader->plan->events.points_count);
	sample.time_ns += (uint64_t)reader->clock_offset_ns;
	/* Of addresses that are left out, the kernel takes samples, too. */
	is_sampled = cpu->event_cpu.sampling_period > 1 && !reader->addresses.level;
	cpu->cost.samples_ns += perf_cost_of_sample(reader->cost, sample.depth, is_sampled);
	weight = perf_read_weigh(reader, event, &sample);
	if (!weight)
		return;
	perf_sample_drop_double(&sample);
	if (!kmem_point_read(point, sample.raw, sample.raw_bytes, &facts, &cache))
		return;
	weight <<= reader->addresses.level;
	if (weight > 1 && !reader->addresses.level)
		perf_scatter_add(&cpu->scatters[point->number], scatter_row(sample.tgid),
				 facts.call_site);
	if (!point->cache_name && facts.source == KMT_SOURCE_CACHE && !facts.free &&
	    !point->is_kprobe)
		facts.cache = perf_names_find(reader->names, cpu, &sample, &facts, !is_sampled);
	if (point->pointers)
		take_objects(reader, &sample, point, &facts, weight);
	else
		take_event(reader, &sample, &facts, weight);
}

void perf_read_take_other(PerfReader *reader, const struct perf_event_header *record)
{
	PerfRunCpu *cpu = reader->cpu;
	struct PerfTaskRecord parsed;

	/* The count in the next sample of each event shows how many events were lost. */
	if (record->type == PERF_RECORD_THROTTLE) {
		reader->is_throttled = true;
	} else if (perf_task_record_parse(record, record + 1, record->size - sizeof(*record),
					  &parsed) &&
		   parsed.kind == PERF_TASK_LOST) {
		cpu_cost_add_lost(&cpu->cost, parsed.lost, cpu->read);
		if (cpu->calls)
			cache_calls_forget(cpu->calls);
	}
}

void perf_read_take(const struct perf_event_header *record, void *user_data)
{
	PerfReader *reader = user_data;

	if (G_LIKELY(record->type == PERF_RECORD_SAMPLE))
		take_sample(reader, record);
	else
		perf_read_take_other(reader, record);
	perf_read_pass(reader, record);
}

/* Task records. */

static void tasks_were_lost(PerfReader *reader, PerfRunCpu *cpu, uint64_t lost)
{
	if (!reader->tasks_lost)
		g_printerr("%s: the kernel lost task records: some names of processes may be "
			   "outdated\n",
			   g_get_prgname());
	reader->tasks_lost += MAX(lost, 1);
	reader->scan_is_due = true;
	/* A process whose fork was lost is not counted: at least one event each. */
	if (reader->request->whose.scope == COLLECT_SCOPE_COMMAND)
		cpu->lost_tasks += lost;
	report_lost(cpu);
}

/* The name that the kernel gives to a task that it creates: see TaskBirths. */
void perf_read_take_birth(PerfReader *reader, const struct perf_event_header *record)
{
	const TaskBirths *births = reader->plan->births;
	PerfSample sample;
	TaskBirth birth;

	if (!births ||
	    !perf_sample_parse(record + 1, record->size - sizeof(*record), PERF_SAMPLE_NEEDED,
			       &sample) ||
	    !task_births_read(births, sample.raw, sample.raw_bytes, &birth))
		return;
	task_table_comm(reader->tasks, birth.is_thread ? sample.tgid : birth.tid, birth.tid,
			birth.comm, sample.time_ns + (uint64_t)reader->clock_offset_ns);
}

void perf_read_take_task(PerfReader *reader, PerfRunCpu *cpu, const struct PerfTaskRecord *record)
{
	switch (record->kind) {
	case PERF_TASK_COMM:
		task_table_comm(reader->tasks, record->tgid, record->tid, record->comm,
				record->time_ns);
		break;
	case PERF_TASK_FORK:
		task_table_fork(reader->tasks, record->tgid, record->tid, record->parent_tgid,
				record->parent_tid, record->time_ns);
		break;
	case PERF_TASK_EXIT:
		task_table_exit(reader->tasks, record->tgid, record->tid, record->time_ns);
		break;
	case PERF_TASK_LOST:
		tasks_were_lost(reader, cpu, record->lost);
		break;
	default:
		break;
	}
}

void perf_read_settle_tasks(PerfReader *reader, uint64_t now_ns, uint64_t until_ns)
{
	/* After reading the rings: a scan takes time, and may be requested repeatedly. */
	if (reader->scan_is_due && now_ns >= reader->scanned_ns + SCAN_NS) {
		reader->scan_is_due = false;
		reader->scanned_ns = now_ns;
		task_table_scan(reader->tasks);
	}
	task_table_settle(reader->tasks, until_ns);
}
