/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs of a run: opens and closes their events, lets twins take turns, pays the cost, and
 * judges it against the limit, which changes periods or ends the run. Its data are the PerfCosts
 * and the PerfRunCpu of each CPU (perf_cpus.h). perf_run.c calls it, timers of its own drive the
 * turns.
 */
#include "collect/perf/perf_cpus.h"

#include "record/format.h"
#include "base/clock.h"
#include "base/hot_assert.h"
#include "collect/perf/perf_filter.h"
#include "collect/perf/perf_period.h"
#include "collect/perf/perf_state.h"
#include "collect/perf/perf_turn.h"
#include "collect/perf/perf_weight.h"
#include "collect/run/cpu_watch.h"
#include "record/address_sample.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <unistd.h>

enum { TURN_MS = 10 /* how often it is checked whose turn it is */ };

static gboolean ring_is_filling(int fd, GIOCondition condition, gpointer user_data)
{
	(void)fd;
	perf_round(user_data, 0);
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
	g_free(cpu->turns);
	g_free(cpu->paid);
	g_free(cpu->scatters);
	cache_calls_free(cpu->calls);
	g_free(cpu);
}

void perf_cpus_watch(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++)
		watch_rings(run, run->cpus->pdata[i]);
}

static PerfRunCpu *add_cpu(PerfRun *run, uint32_t number, PerfCpu *perf)
{
	PerfRunCpu *cpu = g_new0(PerfRunCpu, 1);

	cpu->weights = g_new0(PerfWeight, run->plan.events.points_count);
	cpu->turns = g_new0(PerfTurn, run->plan.events.points_count);
	cpu->paid = g_new0(HitsPaid, run->plan.events.points_count);
	cpu->scatters = g_new0(PerfScatter, run->plan.events.points_count);
	cpu->calls = run->names.sites ? cache_calls_new() : NULL;
	cpu->perf = perf;
	perf->owner = cpu;
	cpu->event_cpu.cpu = number;
	cpu->event_cpu.sampling_period = run->costs.bound.sampling_period;
	cpu->event_cpu.by_bits =
		run->plan.events.selects_later && run->costs.bound.sampling_period > 1;
	cpu->event_cpu.probe_ns = run->costs.cost.is_known ? 0 : KMT_NOT_MEASURED;
	g_ptr_array_add(run->cpus, cpu);
	return cpu;
}

/* The events do not count yet. Paired ones were opened with period 1, and keep it. */
static void init_point(const PerfRun *run, PerfRunCpu *cpu, unsigned point)
{
	const PerfStart whole_run = { .period = 1 };

	hot_assert(point < run->plan.events.points_count);
	cpu->weights[point] = (PerfWeight){ .lost = 0 };
	cpu->turns[point] = (PerfTurn){ .stage = PERF_TURN_NONE };
	cpu->paid[point] = (HitsPaid){ 0 };
	if (perf_read_pairs(&run->reader))
		perf_weight_start(&cpu->weights[point], 0, &whole_run);
}

/* Returns NULL with error set. If that fails, the counts of a CPU that was known begin at 0, too:
   its events are closed. */
static PerfRunCpu *open_cpu(PerfRun *run, uint32_t number, GError **error)
{
	PerfCpu *perf = perf_events_cpu(run->events, number);
	PerfRunCpu *cpu = perf ? perf->owner : NULL;

	/* Settles the counts of its events before they are closed. */
	if (cpu) {
		perf_round_of_cpu(run, cpu);
		perf_read_end_weights(&run->reader, cpu);
		perf_cpus_pay(run, cpu);
	}
	perf = perf_events_open(run->events, number, error);
	if (perf && !cpu)
		cpu = add_cpu(run, number, perf);
	for (unsigned i = 0; cpu && i < run->plan.events.points_count; i++)
		init_point(run, cpu, i);
	if (!perf)
		return NULL;
	cpu->enabled = (PerfEnabled){ 0 };
	return cpu;
}

/* Skips CPUs that are not online yet. */
bool perf_cpus_open(PerfRun *run, const GArray *numbers, GError **error)
{
	GError *problem = NULL;

	for (guint i = 0; i < numbers->len; i++) {
		if (open_cpu(run, g_array_index(numbers, guint32, i), &problem))
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

/* Whose twins take turns. */
typedef struct {
	PerfRun *run;
	PerfRunCpu *cpu;
} TurningCpu;

static void read_ring(void *user_data)
{
	const TurningCpu *turn = user_data;

	perf_round_of_cpu(turn->run, turn->cpu);
}

static void end_series(PerfEventId event, uint64_t count, void *user_data)
{
	const TurningCpu *turn = user_data;

	perf_read_end_series(turn->cpu, event, count);
}

static PerfTurnPlace place_of(TurningCpu *turn, unsigned point)
{
	PerfRun *run = turn->run;
	PerfRunCpu *cpu = turn->cpu;

	hot_assert(point < run->plan.events.points_count);
	return (PerfTurnPlace){
		.turn = &cpu->turns[point],
		.weight = &cpu->weights[point],
		.events = run->events,
		.cpu = cpu->perf,
		.point = point,
		.random = &run->costs.random,
		.nominal = cpu->event_cpu.sampling_period,
		.read = read_ring,
		.end = end_series,
		.user_data = turn,
	};
}

/* Returns whether some points of the CPU are sampled. */
static bool look_at_turns(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	uint32_t nominal = cpu->event_cpu.sampling_period;
	TurningCpu turn = { run, cpu };
	bool any = false;

	for (unsigned i = 0; i < run->plan.events.points_count; i++) {
		const PerfTurnPlace at = place_of(&turn, i);

		if (!perf_turn_is_needed(&cpu->turns[i], nominal))
			continue;
		perf_turn_look(&at, now_ns);
		any = true;
	}
	return any;
}

static gboolean time_for_turns(gpointer user_data)
{
	PerfRun *run = user_data;
	uint64_t now_ns = clock_monotonic_ns();

	run->costs.is_drawing = false;
	for (guint i = 0; i < run->cpus->len && run->live.phase == PHASE_LIVE; i++)
		run->costs.is_drawing |= look_at_turns(run, run->cpus->pdata[i], now_ns);
	return run->costs.is_drawing ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void take_turns(PerfRun *run)
{
	if (run->costs.is_drawing)
		return;
	run->costs.is_drawing = true;
	live_run_add_timeout(&run->live, TURN_MS, time_for_turns);
}

static void draw_helpers_period(PerfRun *run, const PerfRunCpu *cpu)
{
	uint32_t nominal = cpu->event_cpu.sampling_period;

	perf_events_set_helpers_period(run->events, cpu->perf,
				       perf_period_draw(&run->costs.random, nominal));
}

/* Every event is taken until the first series begins. */
static void begin_series(PerfRun *run, PerfRunCpu *cpu)
{
	TurningCpu turn = { run, cpu };

	draw_helpers_period(run, cpu);
	for (unsigned i = 0; i < run->plan.events.points_count; i++) {
		const PerfTurnPlace at = place_of(&turn, i);

		perf_turn_first(&at);
	}
	if (cpu->event_cpu.sampling_period > 1)
		take_turns(run);
}

/* As long as all addresses are taken, the kernel can leave out some. */
static PerfSpent spent_by(const PerfRun *run, const PerfRunCpu *cpu)
{
	bool may_select = run->plan.events.selects_later && !run->reader.addresses.level;

	return (PerfSpent){ cpu->event_cpu.probe_ns,
			    may_select ? cpu->cost.samples_ns : cpu->cost.taken_ns };
}

/* A rejected event costs as much as the parities that are tested: all of the first one, and for
   half of the events also the second (doc/PERFORMANCE.md). */
enum { REJECTED_TIMES = 5 /* what an event costs that is only counted */ };

/* Has the kernel select the addresses of a sample. Where it cannot, the reader does. Both events of
   a point record for a moment: the record of the second one comes first (perf_weight.c). */
static void select_in_kernel(PerfRun *run, PerfRunCpu *cpu)
{
	unsigned level = MIN(run->reader.addresses.level, (unsigned)KMT_PARITY_LEVELS);

	cpu->selected_level = level;
	for (unsigned i = 0; level && i < run->plan.events.points_count; i++) {
		const PerfPoint *point = &run->plan.events.points[i];
		g_autofree char *filter =
			perf_filter_by_bits(point->filter, run->plan.points->pdata[i],
					    run->reader.addresses.seed, level);
		PerfStart start = { .period = 1 };

		if (!filter || !perf_events_select(run->events, cpu->perf, i, filter, &start.other))
			continue;
		perf_weight_start(&cpu->weights[i], 1, &start);
		run->costs.hit_costs[i].rejected_ns =
			MAX(run->costs.hit_costs[i].rejected_ns,
			    run->costs.cost.untaken_ns * REJECTED_TIMES);
	}
}

void perf_cpus_enable(PerfRun *run, PerfRunCpu *cpu)
{
	PerfSpent spent = spent_by(run, cpu);
	uint64_t now_ns;

	perf_events_enable_samples(run->events, cpu->perf);
	if (!perf_read_pairs(&run->reader))
		begin_series(run, cpu);
	else if (run->plan.events.selects_later)
		select_in_kernel(run, cpu);
	now_ns = clock_monotonic_ns();
	cpu->throttle.judged_ns = cpu->hits.judged_ns = cpu->judged_ns = now_ns;
	perf_mean_begin(&cpu->mean, now_ns, &spent);
	if (!cpu->enabled_at_ns)
		cpu->enabled_at_ns = now_ns;
	cpu_watch_set_traced(run->live.cpus, cpu->event_cpu.cpu, true, now_ns);
}

static void trace_again(PerfRun *run, uint32_t number)
{
	PerfRunCpu *cpu = open_cpu(run, number, NULL);

	if (!cpu)
		return;
	watch_rings(run, cpu);
	perf_events_enable_tasks(run->events, cpu->perf);
	perf_names_forget(&run->names, "ends of slabs on a CPU that came online were not seen");
	perf_cpus_enable(run, cpu);
}

void perf_cpus_trace(LiveRun *live)
{
	PerfRun *run = perf_run_of(live);
	g_autoptr(GArray) untraced = NULL;
	/* Includes what the previous check may have missed. */
	uint64_t since_ns = live->looked_ns - MIN(live->looked_ns, PERF_ENABLED_GRAIN_NS);

	/* Events end with their CPU and do not restart when it returns, even between two checks. */
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		if (!perf_events_are_counting(run->events, cpu->perf, &cpu->enabled))
			cpu_watch_set_traced(live->cpus, cpu->event_cpu.cpu, false, since_ns);
	}
	untraced = cpu_watch_untraced_now(live->cpus);
	for (guint i = 0; i < untraced->len; i++)
		trace_again(run, g_array_index(untraced, guint32, i));
}

/* The cost. */

void perf_costs_init(PerfCosts *costs, PerfBound bound)
{
	costs->bound = bound;
	costs->random = clock_monotonic_ns() ^ (uint64_t)getpid() << 32;
}

void perf_costs_clear(PerfCosts *costs)
{
	g_clear_pointer(&costs->hit_costs, g_free);
}

void perf_cpus_set_costs(PerfRun *run, const PerfCost *cost, HitCost *hit_costs)
{
	g_assert(!run->costs.hit_costs);
	run->costs.cost = *cost;
	run->costs.hit_costs = hit_costs;
	for (guint i = 0; cost->is_known && i < run->cpus->len; i++)
		((PerfRunCpu *)run->cpus->pdata[i])->event_cpu.probe_ns = 0;
}

/* If all hits have been taken, the samples and those that were lost show their number; each count
   takes an interrupt of the CPU. */
static bool takes_all(const PerfRun *run, const PerfRunCpu *cpu, unsigned point)
{
	hot_assert(point < run->plan.events.points_count);
	return perf_read_pairs(&run->reader) ||
	       (!cpu->weights[point].series[1].samples &&
		!perf_turn_is_needed(&cpu->turns[point], cpu->event_cpu.sampling_period));
}

/* Returns the hits that the events of a point have counted. */
static uint64_t counted_hits(PerfRun *run, PerfRunCpu *cpu, unsigned point)
{
	TurningCpu turn = { run, cpu };
	const PerfTurnPlace at = place_of(&turn, point);
	uint64_t samples = cpu->weights[point].lost_samples;

	hot_assert(point < run->plan.events.points_count);
	if (!takes_all(run, cpu, point))
		return perf_turn_events(&at);
	for (unsigned i = 0; i < PERF_TWINS; i++)
		samples += cpu->weights[point].series[i].samples;
	return samples;
}

/* Returns about how many hits of a point the kernel has left out by their address. */
static uint64_t left_out_by_address(const PerfRunCpu *cpu, unsigned point)
{
	const PerfWeight *weight = &cpu->weights[point];

	return cpu->selected_level ? (weight->series[1].samples << cpu->selected_level) -
					     weight->series[1].samples
				   : 0;
}

void perf_cpus_pay(PerfRun *run, PerfRunCpu *cpu)
{
	for (unsigned i = 0; run->costs.cost.is_known && i < run->plan.events.points_count; i++) {
		uint64_t counted = counted_hits(run, cpu, i);
		uint64_t calls = perf_events_calls(run->events, cpu->perf, i);

		cpu->cost.hits_ns +=
			hits_paid_pay(&cpu->paid[i], &run->costs.hit_costs[i], counted,
				      MAX(calls, counted + left_out_by_address(cpu, i)));
	}
	cpu_cost_interrupt(&cpu->cost, cpu->perf->interrupted_ns);
	perf_cpus_sum_cost(&run->costs, cpu);
}

/* A batch has one nominal period, so samples of the previous one are read first. A batch with the
   new period follows at once: a loss then lies between two batches of one period, so its period is
   known exactly. */
static void begin_period(PerfRun *run, PerfRunCpu *cpu, uint32_t period)
{
	cpu->event_cpu.sampling_period = period;
	cpu->event_cpu.by_bits = run->plan.events.selects_later && period > 1;
	event_writer_open(run->reader.writer, &cpu->event_cpu);
	event_writer_beat(run->reader.writer, cpu->complete_until_ns);
	event_writer_close(run->reader.writer);
}

/* Series of samples end when it was decided that they end. */
static void change_period(PerfRun *run, PerfRunCpu *cpu)
{
	perf_round_of_cpu(run, cpu);
	begin_period(run, cpu, perf_throttle_period(&cpu->throttle, &run->costs.bound));
	draw_helpers_period(run, cpu);
	take_turns(run);
	if (cpu->calls)
		cache_calls_forget(cpu->calls);
}

/* Follows fewer addresses from now on, on all CPUs, as an object may be freed on any. The kernel
   leaves out some once, which saves most; after that, the reader leaves out half of the rest. */
static void thin_addresses(PerfRun *run, const PerfRunCpu *costly)
{
	unsigned before = run->reader.addresses.level;
	unsigned level = before ? before + 1 : KMT_PARITY_LEVELS;
	uint64_t now_ns = clock_monotonic_ns();

	for (guint i = 0; i < run->cpus->len; i++)
		perf_round_of_cpu(run, run->cpus->pdata[i]);
	run->reader.addresses.level = level;
	run->costs.bound.sampling_period = 1U << level;
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];
		PerfSpent spent;

		begin_period(run, cpu, run->costs.bound.sampling_period);
		if (!before)
			select_in_kernel(run, cpu);
		spent = spent_by(run, cpu);
		perf_mean_begin(&cpu->mean, now_ns, &spent);
	}
	live_run_say_thinned(&run->live, costly->event_cpu.cpu, run->costs.bound.sampling_period);
}

static void end_run(PerfRun *run, const char *bound)
{
	live_run_set_bound(&run->live, bound);
	live_run_stop_at(&run->live, clock_monotonic_ns());
}

/* Of paired events and of the ends of time spans, no period may leave out any. Objects can be left
   out by their address; else the run ends. */
static void judge_paired(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	bool is_held = run->live.parts.request->what.held;
	PerfSpent spent = spent_by(run, cpu);
	g_autofree char *bound = NULL;
	PerfVerdict verdict;

	if (!run->costs.cost.is_known)
		return;
	verdict = perf_mean_judge(&cpu->mean, &run->costs.bound, now_ns, &spent);
	if (verdict == PERF_COST_FITS)
		return;
	if (verdict == PERF_COST_THIN && is_held &&
	    run->reader.addresses.level < KMT_ADDRESS_LEVEL_MAX) {
		thin_addresses(run, cpu);
		return;
	}
	bound = g_strdup_printf("tracing took more than %u %% of CPU %u: raise --max-overhead "
				"(0: no limit), or %s",
				run->costs.bound.percent_max, cpu->event_cpu.cpu,
				is_held ? "sample addresses in the kernel with --collector=stap"
					: "observe some of the threads with --sample");
	end_run(run, bound);
}

/* No period makes hits cheaper that are not sampled. */
static void judge_hits(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	g_autofree char *bound = NULL;

	if (!run->costs.cost.is_known || run->live.parts.request->what.held ||
	    !perf_throttle_is_over(&cpu->hits, &run->costs.bound, now_ns, cpu->cost.hits_ns))
		return;
	bound = g_strdup_printf("the probes alone took more than %u %% of CPU %u, even without "
				"recording: %s, or raise --max-overhead (0: no limit)",
				run->costs.bound.percent_max, cpu->event_cpu.cpu,
				run->plan.hits ? "choose a function that is called less often"
					       : "observe fewer kinds of events");
	end_run(run, bound);
}

static void judge(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	perf_cpus_pay(run, cpu);
	judge_hits(run, cpu, now_ns);
	if (run->live.phase != PHASE_LIVE)
		return;
	if (run->live.parts.request->what.held) {
		if (run->reader.is_throttled)
			end_run(run, "the kernel stopped perf events that came too fast: raise "
				     "kernel.perf_event_max_sample_rate, or use --collector=stap");
		judge_paired(run, cpu, now_ns);
	} else if (run->plan.hits && run->plan.hits->has_pairs) {
		judge_paired(run, cpu, now_ns);
	} else if (run->costs.cost.is_known &&
		   perf_throttle_judge(&cpu->throttle, &run->costs.bound, now_ns,
				       cpu->event_cpu.probe_ns, cpu->cost.samples_ns)) {
		change_period(run, cpu);
	}
}

void perf_cpus_judge(PerfRun *run, uint64_t now_ns)
{
	for (guint i = 0; i < run->cpus->len && run->live.phase == PHASE_LIVE; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		if (now_ns - cpu->judged_ns < PERF_JUDGE_NS)
			continue;
		cpu->judged_ns = now_ns;
		judge(run, cpu, now_ns);
	}
}
