/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "collect/perf/perf_hits.h"
#include "collect/perf/perf_names.h"
#include "collect/perf/perf_period.h"
#include "collect/perf/perf_state.h"
#include "collect/perf/perf_weight.h"
#include "collect/run/cpu_watch.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <sched.h>

enum {
	DRAW_MS = 10, /* how often a sampled CPU gets a new period ... */
};
/* ... and the longest time between two new periods, if few samples come. */
#define BLOCK_NS_MAX 100000000ULL
/* How long to wait for an event of each CPU; events in that time are not sampled. */
#define AIM_NS_MAX 30000ULL

static gboolean ring_is_filling(int fd, GIOCondition condition, gpointer user_data)
{
	(void)fd;
	perf_read_round(user_data, 0);
	/* Since 6.15 the end of an event, when its CPU goes offline, ends this source. The rest of
	   its data is read in the regular rounds. */
	return condition & (G_IO_HUP | G_IO_ERR | G_IO_NVAL) ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void end_source(GSource **source)
{
	if (*source)
		g_source_destroy(*source);
	g_clear_pointer(source, g_source_unref);
}

static void watch_fd(PerfRun *run, int fd, GSource **source)
{
	end_source(source);
	*source = g_source_ref(g_unix_fd_source_new(fd, G_IO_IN));
	live_run_add_source(&run->live, *source, (GSourceFunc)(void (*)(void))ring_is_filling);
}

static void watch_rings(PerfRun *run, PerfRunCpu *cpu)
{
	watch_fd(run, cpu->perf->samples_fd, &cpu->samples_source);
	watch_fd(run, cpu->perf->tasks_fd, &cpu->tasks_source);
	if (cpu->perf->slab_frees_fd >= 0)
		watch_fd(run, cpu->perf->slab_frees_fd, &cpu->slab_frees_source);
}

void perf_run_cpu_free(gpointer data)
{
	PerfRunCpu *cpu = data;

	end_source(&cpu->samples_source);
	end_source(&cpu->tasks_source);
	end_source(&cpu->slab_frees_source);
	g_free(cpu->weights);
	g_free(cpu->hits_paid);
	g_free(cpu->scatters);
	cache_calls_free(cpu->calls);
	g_free(cpu);
}

void perf_cpus_watch(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++)
		watch_rings(run, run->cpus->pdata[i]);
}

static PerfRunCpu *find_cpu(const PerfRun *run, uint32_t number)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		if (cpu->event_cpu.cpu == number)
			return cpu;
	}
	return NULL;
}

/* Settles the counts of its events before they are closed. */
static void end_weights(PerfRun *run, PerfRunCpu *cpu)
{
	cpu->head = perf_ring_head(&cpu->perf->samples);
	perf_read_cpu(run, cpu);
	perf_read_end_weights(run, cpu);
}

static PerfRunCpu *add_cpu(PerfRun *run, uint32_t number, PerfCpu *perf)
{
	PerfRunCpu *cpu = g_new0(PerfRunCpu, 1);

	cpu->weights = g_new0(PerfWeight, run->request.points_count);
	cpu->hits_paid = g_new0(uint64_t, run->request.points_count);
	cpu->scatters = g_new0(PerfScatter, run->request.points_count);
	cpu->calls = run->sites ? cache_calls_new() : NULL;
	cpu->perf = perf;
	cpu->event_cpu.cpu = number;
	cpu->event_cpu.sampling_period = run->bound.sampling_period;
	cpu->event_cpu.probe_ns = run->cost.is_known ? 0 : KMT_NOT_MEASURED;
	g_ptr_array_add(run->cpus, cpu);
	return cpu;
}

/* The events do not count yet. */
static void init_weight(const PerfRun *run, PerfWeight *weight)
{
	const PerfChange whole_run = { .period = 1 };

	perf_weight_init(weight, run->request.sampling_period);
	if (perf_run_pairs(run))
		perf_weight_change(weight, &whole_run, 0);
}

static bool open_cpu(PerfRun *run, uint32_t number, GError **error)
{
	PerfRunCpu *cpu = find_cpu(run, number);
	PerfCpu *perf;

	if (cpu)
		end_weights(run, cpu);
	perf = perf_events_open(run->events, number, error);
	if (!perf)
		return false;
	if (!cpu)
		cpu = add_cpu(run, number, perf);
	cpu->enabled = (PerfEnabled){ 0 };
	for (unsigned i = 0; i < run->request.points_count; i++)
		init_weight(run, &cpu->weights[i]);
	return true;
}

/* Skips CPUs that are not online yet. */
bool perf_cpus_open(PerfRun *run, GError **error)
{
	GError *problem = NULL;

	for (guint i = 0; i < run->online->len; i++) {
		if (open_cpu(run, g_array_index(run->online, guint32, i), &problem))
			continue;
		if (!g_error_matches(problem, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)) {
			g_propagate_error(error, problem);
			return false;
		}
		g_clear_error(&problem);
	}
	return true;
}

/* Which events are taken. */

static void set_period(PerfRun *run, PerfRunCpu *cpu, unsigned point, uint32_t period, bool is_aim)
{
	PerfWeight *weight = &cpu->weights[point];
	PerfChange change;

	if (!perf_weight_can_change(weight)) {
		cpu->head = perf_ring_head(&cpu->perf->samples);
		perf_read_cpu(run, cpu);
	}
	/* If the list is still full, keep the period until one of its samples arrives. */
	if (!perf_weight_can_change(weight))
		return;
	change = perf_events_set_period(run->events, cpu->perf, point, period);
	change.is_aim = is_aim;
	perf_weight_change(weight, &change, perf_events_count(run->events, cpu->perf, point));
}

static void note_change(PerfRunCpu *cpu, bool is_aiming)
{
	cpu->changed_head = perf_ring_head(&cpu->perf->samples);
	cpu->changed_ns = clock_monotonic_ns();
	cpu->is_aiming = is_aiming;
}

static void draw_periods(PerfRun *run, PerfRunCpu *cpu)
{
	uint32_t nominal = cpu->event_cpu.sampling_period;

	for (unsigned i = 0; i < run->request.points_count; i++)
		set_period(run, cpu, i, perf_period_draw(&run->random, nominal), false);
	perf_events_set_helpers_period(run->events, cpu->perf,
				       perf_period_draw(&run->random, nominal));
	note_change(cpu, false);
}

static void aim(PerfRun *run, PerfRunCpu *cpu)
{
	for (unsigned i = 0; i < run->request.points_count; i++)
		set_period(run, cpu, i, perf_period_aim(&run->random), true);
	note_change(cpu, true);
}

static bool has_samples(const PerfRunCpu *cpu, uint64_t bytes)
{
	return perf_ring_head(&cpu->perf->samples) >= cpu->changed_head + bytes;
}

/* A CPU with few events keeps its period for longer: a block of a few samples is mostly edges. */
static bool is_due(const PerfRunCpu *cpu)
{
	enum { BLOCK_BYTES = 4096 }; /* 16 or more samples with stacks */

	if (cpu->event_cpu.sampling_period == 1 || cpu->is_aiming)
		return false;
	return has_samples(cpu, BLOCK_BYTES) ||
	       (has_samples(cpu, 1) && clock_monotonic_ns() > cpu->changed_ns + BLOCK_NS_MAX);
}

static void aim_all(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		if (is_due(cpu))
			aim(run, cpu);
	}
}

static bool all_have_events(const PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		const PerfRunCpu *cpu = run->cpus->pdata[i];

		if (cpu->is_aiming && !has_samples(cpu, 1))
			return false;
	}
	return true;
}

/* Other events in that time come from an interrupt or, if this program lost its CPU, from another
   task. */
static void excuse(const PerfRun *run, PerfRunCpu *cpu, unsigned point, uint64_t count_before)
{
	enum { OWN_EVENTS_MAX = 64 };
	uint64_t events = perf_events_count(run->events, cpu->perf, point) - count_before;

	if (events <= OWN_EVENTS_MAX)
		perf_weight_excuse(&cpu->weights[point], events);
}

/* Causes events of this program, on this CPU. No sample is counted at that time: without
   perf_weight_excuse(), samples of other tasks would stand for them. */
static void make_own_events(const PerfRun *run)
{
	PerfRunCpu *cpu = find_cpu(run, (uint32_t)sched_getcpu());
	g_autofree uint64_t *counts = NULL;

	if (!cpu || !cpu->is_aiming)
		return;
	counts = g_new(uint64_t, run->request.points_count);
	for (unsigned i = 0; i < run->request.points_count; i++)
		counts[i] = perf_events_count(run->events, cpu->perf, i);
	perf_cost_make_pipe();
	for (unsigned i = 0; i < run->request.points_count; i++)
		excuse(run, cpu, i, counts[i]);
}

/*
 * Aiming needs an event between the two changes. On this CPU, only we can cause it; on a CPU with
 * few events, the last period is good enough. The second change also restarts an event that the
 * kernel stopped after the first one. If other programs' perf events were enabled on the CPU while
 * the period was 1, its last period is 1, too (since 6.13; see perf_events_set_period()).
 */
static void wait_for_events(const PerfRun *run)
{
	uint64_t until_ns = clock_monotonic_ns() + AIM_NS_MAX;

	make_own_events(run);
	while (!all_have_events(run) && clock_monotonic_ns() < until_ns)
		;
}

static bool any_is_sampled(const PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		const PerfRunCpu *cpu = run->cpus->pdata[i];

		if (cpu->event_cpu.sampling_period > 1)
			return true;
	}
	return false;
}

static gboolean time_to_draw(gpointer user_data)
{
	PerfRun *run = user_data;

	run->is_drawing = run->live.phase == PHASE_LIVE && any_is_sampled(run);
	if (!run->is_drawing)
		return G_SOURCE_REMOVE;
	aim_all(run);
	wait_for_events(run);
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		if (cpu->is_aiming)
			draw_periods(run, cpu);
	}
	return G_SOURCE_CONTINUE;
}

static void draw_again_and_again(PerfRun *run)
{
	if (run->is_drawing)
		return;
	run->is_drawing = true;
	live_run_add_timeout(&run->live, DRAW_MS, time_to_draw);
}

/* The first periods. Paired events were opened with period 1 and keep it. */
static void begin_periods(PerfRun *run, PerfRunCpu *cpu)
{
	if (perf_run_pairs(run))
		return;
	draw_periods(run, cpu);
	if (cpu->event_cpu.sampling_period > 1)
		draw_again_and_again(run);
}

void perf_cpus_enable(PerfRun *run, PerfRunCpu *cpu)
{
	uint64_t now_ns;

	perf_events_enable_samples(run->events, cpu->perf);
	begin_periods(run, cpu);
	now_ns = clock_monotonic_ns();
	cpu->throttle.judged_ns = cpu->traps.judged_ns = now_ns;
	if (!cpu->enabled_at_ns)
		cpu->enabled_at_ns = now_ns;
	cpu_watch_set_traced(run->live.cpus, cpu->event_cpu.cpu, true, now_ns);
}

static void trace_again(PerfRun *run, uint32_t number)
{
	PerfRunCpu *cpu;

	if (!open_cpu(run, number, NULL))
		return;
	cpu = find_cpu(run, number);
	watch_rings(run, cpu);
	perf_events_enable_tasks(run->events, cpu->perf);
	perf_names_forget(run, "ends of slabs on a CPU that came online were not seen");
	perf_cpus_enable(run, cpu);
}

/* Events end with their CPU and do not restart when it returns, even between two checks. */
static void find_ended(PerfRun *run)
{
	/* Includes what the previous check may have missed. */
	uint64_t since_ns = run->live.looked_ns - MIN(run->live.looked_ns, PERF_ENABLED_GRAIN_NS);

	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		if (!perf_events_are_counting(run->events, cpu->perf, &cpu->enabled))
			cpu_watch_set_traced(run->live.cpus, cpu->event_cpu.cpu, false, since_ns);
	}
}

void perf_cpus_trace(LiveRun *live)
{
	PerfRun *run = (PerfRun *)live;
	g_autoptr(GArray) untraced = NULL;

	find_ended(run);
	untraced = cpu_watch_untraced_now(live->cpus);
	for (guint i = 0; i < untraced->len; i++)
		trace_again(run, g_array_index(untraced, guint32, i));
}

/* The cost. */

/* A batch has one nominal period, so samples of the previous one are read first. A batch with the
   new period follows at once: a loss then lies between two batches of one period, so its period is
   known exactly. */
static void begin_nominal_period(PerfRun *run, PerfRunCpu *cpu)
{
	cpu->head = perf_ring_head(&cpu->perf->samples);
	perf_read_cpu(run, cpu);
	cpu->event_cpu.sampling_period = perf_throttle_period(&cpu->throttle, &run->bound);
	event_writer_open(run->writer, &cpu->event_cpu);
	event_writer_beat(run->writer, cpu->complete_until_ns);
	event_writer_close(run->writer);
}

static void change_period(PerfRun *run, PerfRunCpu *cpu)
{
	begin_nominal_period(run, cpu);
	aim(run, cpu);
	wait_for_events(run);
	draw_periods(run, cpu);
	if (cpu->event_cpu.sampling_period > 1)
		draw_again_and_again(run);
	if (cpu->calls)
		cache_calls_forget(cpu->calls);
}

static void end_run(PerfRun *run, const char *bound)
{
	live_run_set_bound(&run->live, bound);
	live_run_stop_at(&run->live, clock_monotonic_ns());
}

/* Of paired events, none may be left out: the run ends instead. */
static void judge_paired(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	g_autofree char *bound = NULL;

	if (run->is_throttled)
		end_run(run, "the kernel stopped perf events that came too fast: raise "
			     "kernel.perf_event_max_sample_rate, or use --collector=stap");
	if (!run->cost.is_known ||
	    !perf_throttle_is_over(&cpu->throttle, &run->bound, now_ns, cpu->event_cpu.probe_ns))
		return;
	bound = g_strdup_printf("tracing took more than %u %% of CPU %u: allow it more with "
				"--max-overhead, or sample addresses in the kernel with "
				"--collector=stap",
				run->bound.percent_max, cpu->event_cpu.cpu);
	end_run(run, bound);
}

/* Hits of probes that are not sampled cost, too. */
static void judge_traps(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	g_autofree char *bound = NULL;

	if (!run->plan->hits || !run->cost.is_known || !perf_hits_pay(run, cpu, now_ns))
		return;
	bound = g_strdup_printf("the probes alone took more than %u %% of CPU %u, whatever is "
				"recorded: choose a function that is called less often, or allow "
				"it more with --max-overhead",
				run->bound.percent_max, cpu->event_cpu.cpu);
	end_run(run, bound);
}

/* Neither end of a time span may be left out. */
static void judge_spans(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	g_autofree char *bound = NULL;

	if (!run->cost.is_known ||
	    !perf_throttle_is_over(&cpu->throttle, &run->bound, now_ns, cpu->event_cpu.probe_ns))
		return;
	bound = g_strdup_printf("tracing took more than %u %% of CPU %u: allow it more with "
				"--max-overhead, or observe some of the threads with --sample",
				run->bound.percent_max, cpu->event_cpu.cpu);
	end_run(run, bound);
}

static void judge(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	judge_traps(run, cpu, now_ns);
	if (run->live.parts.request->held)
		judge_paired(run, cpu, now_ns);
	else if (run->plan->hits && run->plan->hits->has_pairs)
		judge_spans(run, cpu, now_ns);
	else if (run->cost.is_known &&
		 perf_throttle_judge(&cpu->throttle, &run->bound, now_ns, cpu->event_cpu.probe_ns))
		change_period(run, cpu);
}

void perf_cpus_judge(PerfRun *run, uint64_t now_ns)
{
	for (guint i = 0; i < run->cpus->len; i++)
		judge(run, run->cpus->pdata[i], now_ns);
}
