/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/clock.h"
#include "collect/perf_state.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <string.h>

static gboolean ring_is_filling(int fd, GIOCondition condition, gpointer user_data)
{
	(void)fd;
	perf_read_round(user_data, 0);
	/* Since 6.15 the end of an event, as its CPU goes away, ends this; what is there is read
	   all the same, now and then. */
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
}

void perf_run_cpu_free(gpointer data)
{
	PerfRunCpu *cpu = data;

	end_source(&cpu->samples_source);
	end_source(&cpu->tasks_source);
	g_free(cpu->early_samples);
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

/* How many samples of an event come too early, on kernels that do that. */
enum { EARLY_AFTER_OPENING = 2, EARLY_AFTER_CHANGE = 1 };

static void expect_early_samples(const PerfRun *run, PerfRunCpu *cpu, uint8_t each)
{
	bool will_come = run->samples_come_early && cpu->event_cpu.sampling_period > 1;

	memset(cpu->early_samples, will_come ? each : 0, run->request.points_count);
}

static bool open_cpu(PerfRun *run, uint32_t number, GError **error)
{
	PerfCpu *perf = perf_events_open(run->events, number, error);
	PerfRunCpu *cpu = find_cpu(run, number);

	if (!perf)
		return false;
	if (!cpu) {
		cpu = g_new0(PerfRunCpu, 1);
		cpu->early_samples = g_new0(uint8_t, run->request.points_count);
		cpu->calls = run->sites ? cache_calls_new() : NULL;
		cpu->perf = perf;
		cpu->event_cpu.cpu = number;
		cpu->event_cpu.sampling_period = run->request.sampling_period;
		cpu->event_cpu.probe_ns = run->cost.is_known ? 0 : KMT_NOT_MEASURED;
		g_ptr_array_add(run->cpus, cpu);
	}
	cpu->enabled = (PerfEnabled){ 0 };
	expect_early_samples(run, cpu, EARLY_AFTER_OPENING);
	return true;
}

/* One that is not online is none of ours, until it is. */
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

void perf_cpus_enable(PerfRun *run, PerfRunCpu *cpu)
{
	uint64_t now_ns;

	perf_events_enable_samples(run->events, cpu->perf);
	now_ns = clock_monotonic_ns();
	cpu->throttle.judged_ns = now_ns;
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
	perf_cpus_enable(run, cpu);
}

/* Events end with their CPU, and do not begin again when it comes back, even between two looks. */
static void find_ended(PerfRun *run)
{
	/* What the look before may not have seen belongs to it. */
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

/* What it costs. */

/* Samples do not say their period: those of the one before are read first. */
static void change_period(PerfRun *run, PerfRunCpu *cpu)
{
	uint32_t period = perf_throttle_period(&cpu->throttle, &run->bound);

	cpu->head = perf_events_set_period(run->events, cpu->perf, period);
	perf_read_cpu(run, cpu);
	cpu->event_cpu.sampling_period = period;
	if (cpu->calls)
		cache_calls_forget(cpu->calls);
	expect_early_samples(run, cpu, EARLY_AFTER_CHANGE);
}

static void judge(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	if (run->cost.is_known &&
	    perf_throttle_judge(&cpu->throttle, &run->bound, now_ns, cpu->event_cpu.probe_ns))
		change_period(run, cpu);
}

void perf_cpus_judge(PerfRun *run, uint64_t now_ns)
{
	for (guint i = 0; i < run->cpus->len; i++)
		judge(run, run->cpus->pdata[i], now_ns);
}
