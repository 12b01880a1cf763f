/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the rings of all CPUs in rounds: task records first, then ends of slabs, then samples, up
 * to ends that were noted before. From a record to the batch it is the hot path of the perf
 * collector: parse, weigh, find task and cache, write. perf_run.c calls a round each 100 ms or when
 * a ring is filling.
 */
#include "base/clock.h"
#include "base/hot_assert.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/perf/perf_hits.h"
#include "collect/perf/perf_names.h"
#include "collect/perf/perf_sample.h"
#include "collect/perf/perf_scatter.h"
#include "collect/perf/perf_state.h"
#include "collect/perf/perf_weight.h"
#include "process/child.h"
#include "record/address_sample.h"

/* The hot path: from a record to the batch. */

static inline bool is_left_out(const CollectRequest *request, uint32_t tgid)
{
	const GArray *pids = request->left_out_pids;

	for (guint i = 0; pids && i < pids->len; i++)
		if (g_array_index(pids, guint32, i) == tgid)
			return true;
	return false;
}

bool perf_read_is_own(const PerfRun *run, const PerfSample *sample, uint8_t context)
{
	const CollectRequest *request = run->live.parts.request;

	return context == KMT_CONTEXT_TASK && !request->include_self &&
	       (sample->tgid == run->self || child_is_own(sample->tgid) ||
		is_left_out(request, sample->tgid));
}

bool perf_read_is_wanted(PerfRun *run, bool is_counted, uint8_t context, uint32_t weight)
{
	const CollectRequest *request = run->live.parts.request;

	if (request->scope == COLLECT_SCOPE_HOST)
		return true;
	if (!is_counted)
		return false;
	if (context == KMT_CONTEXT_TASK || request->with_interrupts)
		return true;
	run->reading->event_cpu.left_out_interrupt += weight;
	return false;
}

/* Writes the program's own allocation, without its stack, if frees are recorded: it only explains
   its free, which may come much later, in an interrupt. */
static void take_own(PerfRun *run, const PerfSample *sample, const TaskSample *whose,
		     const EventFacts *facts, uint32_t weight)
{
	EventFacts own = *facts;
	EventTask task;

	run->reading->event_cpu.left_out_self += weight;
	if (!run->live.parts.request->held && !(run->live.parts.request->events & PROBE_FREE)) {
		run->reading->event_cpu.passed_over += weight;
		return;
	}
	own.kind = KMT_KIND_OWN;
	task_table_find(run->tasks, whose, &task);
	event_writer_add(run->writer, sample->time_ns, &task, &own, weight, NULL, 0, false);
}

/* Whether the events of an object are taken; failed allocations of a sample never are. */
static inline bool is_taken(const PerfRun *run, uint64_t pointer)
{
	const AddressSample *sample = &run->addresses;

	return !sample->level ||
	       (pointer && kmt_address_is_taken(pointer, sample->seed, sample->level));
}

static inline TaskSample whose_is(const PerfRun *run, const PerfSample *sample)
{
	/* In a container, processes outside have no pid. The idle tasks have no pid anywhere. */
	bool is_outside = run->in_container && !sample->tid;

	return (TaskSample){
		.tgid = is_outside ? TASK_ID_UNKNOWN : sample->tgid,
		.tid = is_outside ? TASK_ID_UNKNOWN : sample->tid,
		.cpu = run->reading->event_cpu.cpu,
		.cgroup_id = sample->cgroup_id,
		.time_ns = sample->time_ns,
	};
}

bool perf_read_find_task(PerfRun *run, const PerfSample *sample, EventTask *task)
{
	const TaskSample whose = whose_is(run, sample);

	return task_table_find(run->tasks, &whose, task);
}

static void take_event(PerfRun *run, const PerfSample *sample, const EventFacts *facts,
		       uint32_t weight)
{
	const TaskSample whose = whose_is(run, sample);
	/* A stack of one frame shows the allocator only: the call site is more useful. */
	uint32_t depth = sample->depth > 1 ? sample->depth : 0;
	EventTask task;
	bool is_counted;

	if (!is_taken(run, facts->pointer))
		return;
	run->has_frames |= depth > 0;
	run->lacks_frames |= !depth && !facts->free;
	if (!facts->free && perf_read_is_own(run, sample, facts->context)) {
		take_own(run, sample, &whose, facts, weight);
		return;
	}
	is_counted = task_table_find(run->tasks, &whose, &task);
	if (facts->free || perf_read_is_wanted(run, is_counted, facts->context, weight))
		event_writer_add(run->writer, sample->time_ns, &task, facts, weight, sample->frames,
				 MIN(depth, run->stack_depth), depth > run->stack_depth);
	else
		run->reading->event_cpu.passed_over += weight;
}

/* Writes the objects of a record of several. An allocation that is not seen does not matter: its
   free is of an unknown object. */
static void take_objects(PerfRun *run, const PerfSample *sample, const KmemPoint *point,
			 EventFacts *facts, uint32_t weight)
{
	uint64_t pointers[KMEM_POINTERS_MAX];
	uint64_t count = kmem_point_read_pointers(point, sample->raw, sample->raw_bytes, pointers);

	if (count > KMEM_POINTERS_MAX && facts->free)
		run->unread_objects += count - KMEM_POINTERS_MAX;
	for (uint64_t i = 0; i < MIN(count, KMEM_POINTERS_MAX); i++) {
		facts->pointer = pointers[i];
		if (pointers[i])
			take_event(run, sample, facts, weight);
	}
}

/* Adds the losses of a point since its state was before. */
static void add_losses(PerfRunCpu *cpu, const PerfWeight *weight, const PerfWeight *before)
{
	uint32_t period = MAX(cpu->event_cpu.sampling_period, 1);

	cpu->lost_rest += weight->lost - before->lost;
	cpu->lost_samples += weight->lost_samples - before->lost_samples;
	cpu->lost += cpu->lost_rest / period;
	cpu->lost_rest %= period;
}

/* Events missing before a sample were lost. */
static void take_losses(PerfRun *run, PerfRunCpu *cpu, const PerfWeight *weight,
			const PerfWeight *before)
{
	if (G_LIKELY(weight->lost == before->lost))
		return;
	/* The current batch ends before the loss. */
	event_writer_close(run->writer);
	add_losses(cpu, weight, before);
	perf_read_report_lost(cpu);
}

void perf_read_end_series(PerfRunCpu *cpu, PerfEventId event, uint64_t count)
{
	PerfWeight *weight = &cpu->weights[event.point];
	const PerfWeight before = *weight;

	hot_assert(event.twin < G_N_ELEMENTS(weight->series));
	perf_weight_end(weight, event.twin, count);
	add_losses(cpu, weight, &before);
	perf_read_report_lost(cpu);
}

void perf_read_end_weights(PerfRun *run, PerfRunCpu *cpu)
{
	unsigned twins = perf_request_twins(&run->request);

	for (unsigned i = 0; i < run->request.points_count * twins; i++) {
		const PerfEventId event = { i / twins, i % twins };

		perf_read_end_series(cpu, event, perf_events_count(run->events, cpu->perf, event));
	}
}

static void settle_weights(PerfRun *run, PerfRunCpu *cpu)
{
	for (unsigned i = 0; i < run->request.points_count; i++) {
		const PerfWeight before = cpu->weights[i];

		perf_weight_settle(&cpu->weights[i]);
		take_losses(run, cpu, &cpu->weights[i], &before);
	}
}

uint32_t perf_read_weigh(PerfRun *run, PerfEventId event, const PerfSample *sample)
{
	PerfRunCpu *cpu = run->reading;
	PerfWeight *weight = &cpu->weights[event.point];
	const PerfWeight before = { .lost = weight->lost, .lost_samples = weight->lost_samples };
	uint32_t events = perf_weight_take(weight, event.twin, cpu->position, sample->count);

	take_losses(run, cpu, weight, &before);
	if (weight->has_begun)
		perf_scatter_begin(&cpu->scatters[event.point], perf_weight_period(weight));
	return events;
}

/* Reads a sample that shows the cache of an allocation. Returns false if it is of another kind. */
static bool take_call(PerfRun *run, const PerfSample *sample)
{
	CacheProbeCall call;

	if (!run->sites ||
	    !cache_probes_read(run->plan->probes, sample->raw, sample->raw_bytes, &call))
		return false;
	call.call.tid = sample->tid;
	run->reading->cost.samples_ns += run->cost.helper_ns;
	cache_sites_enter(run->sites, run->reading->calls, &call.call,
			  call.has_cache ? &call.cache : NULL);
	return true;
}

static bool parse_sample(const PerfRun *run, const struct perf_event_header *record,
			 PerfSample *sample)
{
	return perf_sample_parse(record + 1, record->size - sizeof(*record), run->sample_type,
				 sample) &&
	       sample->raw_bytes >= sizeof(uint16_t);
}

/* Returns the point of the sample; NULL: unreadable. */
static const KmemPoint *point_of(const PerfRun *run, const PerfSample *sample)
{
	const KmemPoint *point =
		kmem_points_lookup(run->plan->points, kmem_raw_common_type(sample->raw));

	return point && sample->raw_bytes >= point->raw_bytes_min ? point : NULL;
}

static void take_sample(PerfRun *run, const struct perf_event_header *record)
{
	PerfSample sample;
	EventFacts facts;
	EventCache cache;
	PerfEventId event;
	uint32_t weight;
	bool is_sample = parse_sample(run, record, &sample);
	const KmemPoint *point = is_sample ? point_of(run, &sample) : NULL;

	if (is_sample && !point && take_call(run, &sample))
		return;
	/* Unreadable samples are lost: lost = counted by the kernel − read. */
	if (!point || !perf_events_find(run->events, run->reading->perf, sample.event_id, &event)) {
		run->reading->has_unreadable = true;
		return;
	}
	run->reading->read++;
	sample.time_ns += (uint64_t)run->clock_offset_ns;
	run->reading->cost.samples_ns += perf_cost_of_sample(
		&run->cost, sample.depth, run->reading->event_cpu.sampling_period > 1);
	weight = perf_read_weigh(run, event, &sample);
	if (!weight)
		return;
	perf_sample_drop_double(&sample);
	if (!kmem_point_read(point, sample.raw, sample.raw_bytes, &facts, &cache))
		return;
	weight <<= run->addresses.level;
	if (weight > 1 && !run->addresses.level)
		perf_scatter_add(&run->reading->scatters[point->number], scatter_row(sample.tgid),
				 facts.call_site);
	if (!point->cache_name && facts.source == KMT_SOURCE_CACHE && !facts.free &&
	    !point->is_kprobe)
		facts.cache = perf_names_find(run, &sample, &facts);
	if (point->pointers)
		take_objects(run, &sample, point, &facts, weight);
	else
		take_event(run, &sample, &facts, weight);
}

/* A PerfRecordVisitor. */
static void take_record(const struct perf_event_header *record, void *user_data)
{
	PerfRun *run = user_data;
	PerfRunCpu *cpu = run->reading;
	struct PerfTaskRecord parsed;

	if (record->type == PERF_RECORD_SAMPLE && run->plan->hits)
		perf_hits_take(run, record);
	else if (G_LIKELY(record->type == PERF_RECORD_SAMPLE))
		take_sample(run, record);
	else if (record->type == PERF_RECORD_THROTTLE)
		run->is_throttled = true;
	/* The count in the next sample of each event shows how many events were lost. */
	else if (perf_task_record_parse(record, record + 1, record->size - sizeof(*record),
					&parsed) &&
		 parsed.kind == PERF_TASK_LOST) {
		cpu_cost_add_lost(&cpu->cost, parsed.lost, cpu->read);
		if (cpu->calls)
			cache_calls_forget(cpu->calls);
	}
	cpu->position += record->size;
}

void perf_read_report_lost(PerfRunCpu *cpu)
{
	cpu->event_cpu.events_lost = cpu->lost + cpu->lost_tasks;
}

/* Task records. */

static void tasks_were_lost(PerfRun *run, uint64_t lost)
{
	if (!run->tasks_lost)
		g_printerr("%s: the kernel lost task records: some names of processes may be "
			   "outdated\n",
			   g_get_prgname());
	run->tasks_lost += MAX(lost, 1);
	run->scan_is_due = true;
	/* A process whose fork was lost is not counted: at least one event each. */
	if (run->live.parts.request->scope == COLLECT_SCOPE_COMMAND)
		run->reading->lost_tasks += lost;
	perf_read_report_lost(run->reading);
}

/* The name that the kernel gives to a task that it creates: see TaskBirths. */
static void take_birth(PerfRun *run, const struct perf_event_header *record)
{
	PerfSample sample;
	TaskBirth birth;

	if (!run->plan->births ||
	    !perf_sample_parse(record + 1, record->size - sizeof(*record), PERF_SAMPLE_NEEDED,
			       &sample) ||
	    !task_births_read(run->plan->births, sample.raw, sample.raw_bytes, &birth))
		return;
	task_table_comm(run->tasks, birth.is_thread ? sample.tgid : birth.tid, birth.tid,
			birth.comm, sample.time_ns + (uint64_t)run->clock_offset_ns);
}

/* A PerfRecordVisitor. */
static void take_task_record(const struct perf_event_header *record, void *user_data)
{
	PerfRun *run = user_data;
	struct PerfTaskRecord parsed;

	if (record->type == PERF_RECORD_SAMPLE) {
		take_birth(run, record);
		return;
	}
	if (record->type == PERF_RECORD_MMAP2) {
		perf_hits_take_mapping(run, record);
		return;
	}
	if (!perf_task_record_parse(record, record + 1, record->size - sizeof(*record), &parsed))
		return;
	parsed.time_ns += (uint64_t)run->clock_offset_ns;
	perf_hits_take_task(run, &parsed);
	switch (parsed.kind) {
	case PERF_TASK_COMM:
		task_table_comm(run->tasks, parsed.tgid, parsed.tid, parsed.comm, parsed.time_ns);
		break;
	case PERF_TASK_FORK:
		task_table_fork(run->tasks, parsed.tgid, parsed.tid, parsed.parent_tgid,
				parsed.parent_tid, parsed.time_ns);
		break;
	case PERF_TASK_EXIT:
		task_table_exit(run->tasks, parsed.tgid, parsed.tid, parsed.time_ns);
		break;
	case PERF_TASK_LOST:
		tasks_were_lost(run, parsed.lost);
		break;
	default:
		break;
	}
}

/* One round over all CPUs. Task records are read after the rings' ends are noted and before their
   samples, so that every sample's task is known. */

static void note_heads(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		cpu->head = perf_ring_head(&cpu->perf->samples);
	}
}

static void read_tasks(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		run->reading = cpu;
		perf_ring_read(&cpu->perf->tasks, perf_ring_head(&cpu->perf->tasks),
			       take_task_record, run);
	}
	perf_hits_write_maps(run);
}

/* An estimate cannot exceed the whole time. */
void perf_read_sum_cost(const PerfRun *run, PerfRunCpu *cpu)
{
	uint64_t all_ns = clock_monotonic_ns() - cpu->enabled_at_ns;

	if (run->cost.is_known)
		cpu->event_cpu.probe_ns = MIN(cpu_cost_sum(&cpu->cost), all_ns);
}

static uint64_t own_time(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* The time that the program takes to read a ring is a cost of that CPU's samples. */
static void add_reading(PerfRun *run, PerfRunCpu *cpu, uint64_t began_ns)
{
	uint64_t took_ns = own_time() - began_ns;

	cpu_cost_add_reading(&cpu->cost, took_ns);
	run->reader.known_ns += took_ns;
}

static void read_samples(PerfRun *run, PerfRunCpu *cpu)
{
	uint64_t began_ns = own_time();

	run->reading = cpu;
	cpu->position = cpu->perf->samples.tail;
	event_writer_open(run->writer, &cpu->event_cpu);
	if (!perf_ring_read(&cpu->perf->samples, cpu->head, take_record, run))
		cpu->has_unreadable = true;
	perf_hits_flush(run);
	add_reading(run, cpu, began_ns);
}

/* All other work of the program and its children since the last round is for all CPUs alike. */
static void share_rest(PerfRun *run)
{
	uint64_t share_ns =
		reader_time_share(&run->reader, own_time() + child_cpu_ns(), run->cpus->len);

	for (guint i = 0; i < run->cpus->len; i++)
		((PerfRunCpu *)run->cpus->pdata[i])->cost.rest_ns += share_ns;
}

void perf_read_cpu(PerfRun *run, PerfRunCpu *cpu)
{
	read_tasks(run);
	perf_names_begin_round(run);
	read_samples(run, cpu);
	event_writer_close(run->writer);
}

void perf_read_round(PerfRun *run, uint64_t complete_until_ns)
{
	uint64_t noted_ns = clock_monotonic_ns();

	note_heads(run);
	read_tasks(run);
	perf_names_begin_round(run);
	share_rest(run);
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		read_samples(run, cpu);
		perf_read_sum_cost(run, cpu);
		if (complete_until_ns) {
			settle_weights(run, cpu);
			event_writer_beat(run->writer, complete_until_ns);
			cpu->complete_until_ns = complete_until_ns;
		}
		event_writer_close(run->writer);
	}
	perf_names_settle(run, noted_ns - PERF_READ_SETTLED_NS);
	live_run_check_recording(&run->live);
}
