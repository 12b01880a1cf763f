/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the rings of all CPUs in rounds: task records first, then ends of slabs, then samples, up
 * to ends that were noted before, so that the task and the slab of every sample are known.
 * perf_read.c takes the samples of allocations, perf_hits.c those of probe points. perf_run.c calls
 * a round each 100 ms, perf_cpus.c when a ring is filling.
 */
#include "collect/perf/perf_state.h"

#include "base/clock.h"
#include "base/hot_assert.h"
#include "collect/perf/perf_weight.h"
#include "process/child.h"

enum { REST_LOOK_US = 500 };
/* Events that have not arrived this long after the end are lost. */
#define REST_NS 200000000ULL

/* Whose ring of tasks is being read. */
typedef struct {
	PerfRun *run;
	PerfRunCpu *cpu;
} TaskRing;

/* A PerfRecordVisitor. */
static void take_task_record(const struct perf_event_header *record, void *user_data)
{
	const TaskRing *ring = user_data;
	PerfRun *run = ring->run;
	struct PerfTaskRecord parsed;

	if (record->type == PERF_RECORD_SAMPLE) {
		perf_read_take_birth(&run->reader, record);
		return;
	}
	if (record->type == PERF_RECORD_MMAP2) {
		perf_hits_take_mapping(&run->hits, record);
		return;
	}
	if (!perf_task_record_parse(record, record + 1, record->size - sizeof(*record), &parsed))
		return;
	parsed.time_ns += (uint64_t)run->reader.clock_offset_ns;
	perf_hits_take_task(&run->hits, &parsed);
	perf_read_take_task(&run->reader, ring->cpu, &parsed);
}

static void read_tasks(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		TaskRing ring = { run, run->cpus->pdata[i] };
		PerfRing *tasks = &ring.cpu->perf->tasks;

		hot_assert(ring.cpu->perf->owner == ring.cpu);
		perf_ring_read(tasks, perf_ring_head(tasks), take_task_record, &ring);
	}
	perf_hits_write_maps(&run->hits);
}

static uint64_t own_time(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Reads up to cpu->head. The time that the program takes for that is a cost of the CPU's samples.
 */
static void read_samples(PerfRun *run, PerfRunCpu *cpu)
{
	PerfRecordVisitor take = run->plan.hits ? perf_hits_take : perf_read_take;
	void *taker = run->plan.hits ? (void *)&run->hits : (void *)&run->reader;
	uint64_t began_ns = own_time(), read = cpu->read, taken = cpu->taken, took_ns;

	perf_read_begin(&run->reader, cpu);
	if (!perf_ring_read(&cpu->perf->samples, cpu->head, take, taker))
		cpu->has_unreadable = true;
	perf_hits_flush(&run->hits);
	took_ns = own_time() - began_ns;
	cpu_cost_add_reading(&cpu->cost, took_ns);
	cpu_cost_add_taken(&cpu->cost, took_ns, cpu->taken - taken, cpu->read - read);
	reader_time_add(&run->costs.time, took_ns);
}

/* All other work of the program and its children since the last round is for all CPUs alike. */
static void share_rest(PerfRun *run)
{
	uint64_t share_ns =
		reader_time_share(&run->costs.time, own_time() + child_cpu_ns(), run->cpus->len);

	for (guint i = 0; i < run->cpus->len; i++)
		((PerfRunCpu *)run->cpus->pdata[i])->cost.rest_ns += share_ns;
}

void perf_round_of_cpu(PerfRun *run, PerfRunCpu *cpu)
{
	cpu->head = perf_ring_head(&cpu->perf->samples);
	read_tasks(run);
	perf_names_begin_round(&run->names);
	read_samples(run, cpu);
	event_writer_close(run->reader.writer);
}

void perf_round(PerfRun *run, uint64_t complete_until_ns)
{
	uint64_t noted_ns = clock_monotonic_ns();

	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		cpu->head = perf_ring_head(&cpu->perf->samples);
	}
	read_tasks(run);
	perf_names_begin_round(&run->names);
	share_rest(run);
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		read_samples(run, cpu);
		perf_cpus_sum_cost(&run->costs, cpu);
		if (complete_until_ns) {
			perf_read_settle_weights(&run->reader, cpu);
			event_writer_beat(run->reader.writer, complete_until_ns);
			cpu->complete_until_ns = complete_until_ns;
		}
		event_writer_close(run->reader.writer);
	}
	perf_names_settle(&run->names, noted_ns - PERF_READ_SETTLED_NS);
	live_run_check_recording(&run->live);
}

/* The end. */

static bool is_all_read(const PerfRun *run)
{
	unsigned twins = perf_request_twins(&run->plan.events);

	for (guint i = 0; i < run->cpus->len; i++) {
		const PerfRunCpu *cpu = run->cpus->pdata[i];

		for (unsigned j = 0; j < run->plan.events.points_count * twins; j++) {
			const PerfEventId event = { j / twins, j % twins };

			if (perf_weight_is_behind(&cpu->weights[event.point], event.twin,
						  perf_events_count(run->events, cpu->perf, event)))
				return false;
		}
	}
	return true;
}

static uint64_t not_delivered(const PerfRun *run, const PerfRunCpu *cpu)
{
	uint64_t lost;

	if (cpu->has_unreadable || !perf_events_lost(run->events, cpu->perf, &lost) ||
	    cpu->lost_samples <= lost)
		return 0;
	lost = cpu->lost_samples - lost;
	return run->reader.addresses.level ? lost << cpu->selected_level
					   : lost * cpu->event_cpu.sampling_period;
}

/* An event is counted before its record is in the ring. An interrupt of the CPU between the two,
   such as the end of the events, delays this record and the records that the interrupt adds. */
uint64_t perf_round_rest(PerfRun *run)
{
	uint64_t until_ns = clock_monotonic_ns() + REST_NS, missing = 0;

	perf_round(run, 0);
	while (!is_all_read(run) && clock_monotonic_ns() < until_ns) {
		g_usleep(REST_LOOK_US);
		perf_round(run, 0);
	}
	/* Now that the events have ended: counted = arrived + lost. */
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		perf_read_end_weights(&run->reader, cpu);
		missing += not_delivered(run, cpu);
	}
	return missing;
}
