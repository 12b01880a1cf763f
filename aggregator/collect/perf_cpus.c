/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/clock.h"
#include "collect/perf_state.h"

#include <gio/gio.h>
#include <glib-unix.h>

static gboolean ring_is_filling(int fd, GIOCondition condition, gpointer user_data)
{
	(void)fd;
	/* That of a thread that has ended, whose children's samples still come. */
	if (condition & (G_IO_HUP | G_IO_ERR | G_IO_NVAL))
		return G_SOURCE_REMOVE;
	perf_read_round(user_data, 0);
	return G_SOURCE_CONTINUE;
}

static void watch_fd(PerfRun *run, int fd)
{
	live_run_add_source(&run->live, g_unix_fd_source_new(fd, G_IO_IN),
			    (GSourceFunc)(void (*)(void))ring_is_filling);
}

static void watch_rings(PerfRun *run, const PerfRunCpu *cpu)
{
	watch_fd(run, cpu->perf->samples_fd);
	watch_fd(run, cpu->perf->tasks_fd);
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

static bool open_cpu(PerfRun *run, uint32_t number, GError **error)
{
	PerfCpu *perf = perf_events_open(run->events, number, error);
	PerfRunCpu *cpu = find_cpu(run, number);

	if (!perf)
		return false;
	if (!cpu) {
		cpu = g_new0(PerfRunCpu, 1);
		cpu->perf = perf;
		cpu->event_cpu.cpu = number;
		cpu->event_cpu.sampling_period = run->request.sampling_period;
		cpu->event_cpu.probe_ns = run->cost.is_known ? 0 : KMT_NOT_MEASURED;
		g_ptr_array_add(run->cpus, cpu);
	}
	cpu->enabled_ns = 0;
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
	cpu_watch_set_traced(run->live.cpus, cpu->event_cpu.cpu, true, now_ns);
}

static void trace_again(PerfRun *run, uint32_t number)
{
	bool is_known = find_cpu(run, number) != NULL;
	PerfRunCpu *cpu;

	if (!open_cpu(run, number, NULL))
		return;
	cpu = find_cpu(run, number);
	if (!is_known)
		watch_rings(run, cpu);
	perf_events_enable_tasks(run->events, cpu->perf);
	perf_cpus_enable(run, cpu);
}

/* Events end with their CPU, and do not begin again when it comes back, even between two looks. */
static void find_ended(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		if (!perf_events_are_counting(run->events, cpu->perf, &cpu->enabled_ns))
			cpu_watch_set_traced(run->live.cpus, cpu->event_cpu.cpu, false,
					     run->live.looked_ns);
	}
}

/* Events of threads are on every CPU that was online at the start, whatever becomes of it; the
   report tells of others. */
void perf_cpus_trace(LiveRun *live)
{
	PerfRun *run = (PerfRun *)live;
	g_autoptr(GArray) untraced = NULL;

	if (run->request.threads)
		return;
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
}

/* Children of threads keep the period that their events began with: these cannot be bounded. */
static void tell_unbounded(PerfRun *run, const PerfRunCpu *cpu)
{
	if (!run->unbounded_told)
		g_printerr("kmalloc-top: probes take more than %u %% of CPU %u, as perf events of "
			   "single processes may: --sample takes fewer events (--max-overhead)\n",
			   run->bound.percent_max, cpu->event_cpu.cpu);
	run->unbounded_told = true;
}

static void judge(PerfRun *run, PerfRunCpu *cpu, uint64_t now_ns)
{
	if (!run->cost.is_known ||
	    !perf_throttle_judge(&cpu->throttle, &run->bound, now_ns, cpu->event_cpu.probe_ns))
		return;
	if (!run->request.threads) {
		change_period(run, cpu);
		return;
	}
	cpu->throttle.doublings = 0;
	tell_unbounded(run, cpu);
}

void perf_cpus_judge(PerfRun *run, uint64_t now_ns)
{
	for (guint i = 0; i < run->cpus->len; i++)
		judge(run, run->cpus->pdata[i], now_ns);
}
