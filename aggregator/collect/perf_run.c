/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_run.h"

#include "collect/clock.h"
#include "collect/cpu_list.h"
#include "collect/kmem_points.h"
#include "collect/memory_watch.h"
#include "collect/perf_clock.h"
#include "collect/perf_state.h"
#include "collect/pid_namespace.h"
#include "collect/task_cgroup.h"

#include <gio/gio.h>
#include <unistd.h>

enum {
	ROUND_MS = 100, /* every CPU is read so often, and says until when it is complete */
};
/* A record's time is taken before it is in the ring; meanwhile a hypervisor may stop the CPU. */
#define SETTLED_NS 20000000ULL

static PerfRun *run_of(LiveRun *live)
{
	return (PerfRun *)live;
}

/* A BatchSender. */
static void send_batch(const void *batch, size_t bytes, void *user_data)
{
	PerfRun *run = user_data;

	session_feed(run->live.parts.session, batch, bytes);
}

static uint64_t settled_until(void)
{
	return clock_monotonic_ns() - SETTLED_NS;
}

static gboolean time_for_round(gpointer user_data)
{
	PerfRun *run = user_data;
	uint64_t until_ns = settled_until();

	if (run->live.phase != PHASE_LIVE)
		return G_SOURCE_CONTINUE;
	perf_read_round(run, until_ns);
	perf_cpus_judge(run, until_ns + SETTLED_NS);
	task_table_settle(run->tasks, until_ns);
	return G_SOURCE_CONTINUE;
}

/* The end. */

/* Once the events have ended, what the kernel counted is what came and what was lost. */
static void settle_losses(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];
		uint64_t counted = perf_events_count(run->events, cpu->perf);
		EventCpu *event_cpu = &cpu->event_cpu;

		if (counted > cpu->read)
			event_cpu->events_lost = MAX(event_cpu->events_lost, counted - cpu->read);
	}
}

static void end_events(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		perf_events_disable(run->events, cpu->perf);
	}
}

static void end(LiveRun *live)
{
	live->phase = PHASE_ENDING;
	g_main_loop_quit(live->loop);
}

static void drain(LiveRun *live)
{
	PerfRun *run = run_of(live);

	end_events(run);
	/* What is there is read before the losses are told, which so lie behind it. */
	perf_read_round(run, 0);
	settle_losses(run);
	perf_read_round(run, clock_monotonic_ns());
	end(live);
}

static char *memory_problem(const LiveRun *live)
{
	const PerfRun *run = (const PerfRun *)live;
	const MemoryWatch watch = {
		.root = "",
		.bytes_max = live->parts.request->memory_bytes_max,
		.buffer_bytes = run->plan->buffer_bytes,
	};

	return memory_watch_problem(&watch);
}

static const LiveEngine perf_engine = {
	.drain = drain,
	.end = end,
	.hurry = end,
	.trace_cpus = perf_cpus_trace,
	.memory_problem = memory_problem,
};

/* Kernels before 5.2 walk no stack for tracepoints unless they were built with frame pointers. */
static void tell_missing_frames(PerfRun *run)
{
	if (run->stack_depth && run->lacks_frames && !run->has_frames)
		run_facts_write_text(run->live.batches, KMT_FIELD_NOT_RECORDED,
				     "call chains, so these are call sites; --collector=stap has "
				     "them");
}

static bool finish(PerfRun *run, GError **error)
{
	static const RunLosses losses = { .counted_to_end = true, .drained = true };

	live_run_end_command(&run->live);
	if (!live_run_has_result(&run->live, error))
		return false;
	tell_missing_frames(run);
	live_run_write_end(&run->live, &losses);
	return true;
}

/* The start. */

/* What becomes of tasks is told from before they are looked up: so nothing is missed. */
static void enable_all(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		const PerfRunCpu *cpu = run->cpus->pdata[i];

		perf_events_enable_tasks(run->events, cpu->perf);
	}
	if (!run->scope.threads)
		task_table_scan(run->tasks);
	for (guint i = 0; i < run->cpus->len; i++)
		perf_cpus_enable(run, run->cpus->pdata[i]);
}

static gboolean begin(gpointer user_data)
{
	PerfRun *run = user_data;

	if (run->live.phase != PHASE_STARTING)
		return G_SOURCE_REMOVE;
	enable_all(run);
	live_run_go_live(&run->live);
	return G_SOURCE_REMOVE;
}

/* perf_event_max_stack bounds every event (since 4.6; 127 before, and by default). */
static uint32_t stack_depth_of(const CollectRequest *request)
{
	enum { MAX_STACK_DEFAULT = 127 };
	g_autofree char *text = NULL;
	uint64_t bound = MAX_STACK_DEFAULT;

	if (g_file_get_contents("/proc/sys/kernel/perf_event_max_stack", &text, NULL, NULL))
		bound = g_ascii_strtoull(text, NULL, 10);
	/* One frame more than wanted tells that there are more. */
	return (uint32_t)MIN(request->stack_depth, MAX(bound, 1) - 1);
}

static PerfPoint *points_of(const PerfRunPlan *plan)
{
	PerfPoint *points = g_new(PerfPoint, plan->points->len);

	for (guint i = 0; i < plan->points->len; i++) {
		const KmemPoint *point = plan->points->pdata[i];

		points[i] = (PerfPoint){ point->format->id, point->type->is_free };
	}
	return points;
}

static void fill_request(PerfRun *run)
{
	const CollectRequest *request = run->live.parts.request;

	run->stack_depth = stack_depth_of(request);
	run->bound = (PerfBound){ request->sampling_period, request->overhead_percent_max };
	run->request = (PerfRequest){
		.points = points_of(run->plan),
		.points_count = run->plan->points->len,
		.stack_depth = run->stack_depth,
		.sampling_period = perf_throttle_period(&(PerfThrottle){ 0 }, &run->bound),
		.ring_bytes = run->plan->ring_bytes,
		.with_cgroups = task_cgroup_sample_is_usable(""),
		.threads = run->scope.threads,
		.inherit = run->scope.inherit,
		.inherit_threads = run->scope.inherit_threads,
		.own_clock = run->plan->own_clock,
	};
}

static bool open_events(PerfRun *run, GError **error)
{
	run->request.threads = run->scope.threads;
	perf_events_make_room(&run->request, run->online->len);
	g_ptr_array_set_size(run->cpus, 0);
	perf_events_free(run->events);
	run->events = perf_events_new(&run->request);
	return perf_cpus_open(run, error);
}

/* Opens them for the threads of the processes: all of them, and none twice. */
static bool open_scope(PerfRun *run, GError **error)
{
	enum { ATTEMPTS = 3 };
	const CollectRequest *request = run->live.parts.request;
	pid_t command = run->live.command ? command_pid(run->live.command) : 0;
	uint64_t each_thread = (uint64_t)(run->request.points_count + 1) * run->online->len;

	for (int i = 0; i < ATTEMPTS; i++) {
		perf_scope_clear(&run->scope);
		perf_scope_init(&run->scope, request, command, each_thread);
		run->request.inherit = run->scope.inherit;
		run->request.inherit_threads = run->scope.inherit_threads;
		if (!open_events(run, error))
			return false;
		if (perf_scope_is_current(&run->scope, request))
			return true;
	}
	perf_scope_widen(&run->scope, "their threads change too fast");
	return open_events(run, error);
}

static void count_scope(PerfRun *run)
{
	const CollectRequest *request = run->live.parts.request;

	task_table_set_inherit(run->tasks, request->scope == COLLECT_SCOPE_COMMAND);
	if (request->scope == COLLECT_SCOPE_COMMAND)
		task_table_count(run->tasks, (uint32_t)command_pid(run->live.command));
	for (guint i = 0; request->scope == COLLECT_SCOPE_PIDS && i < request->pids->len; i++)
		task_table_count(run->tasks, g_array_index(request->pids, guint32, i));
	if (run->scope.why_wide)
		g_printerr("kmalloc-top: the whole host is traced and these processes are picked "
			   "when it is read: %s\n",
			   run->scope.why_wide);
}

/* The scheduler's clock is that of each CPU, though kept together. */
static bool adopt_clock(PerfRun *run, GError **error)
{
	if (perf_clock_offset(&run->clock_offset_ns)) {
		run_facts_write_text(run->live.batches, KMT_FIELD_CLOCK,
				     "each CPU's own (perf), moved to CLOCK_MONOTONIC");
		return true;
	}
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "this kernel's perf events have no clock that can be told (Linux "
			    "before 4.1): use --collector=stap");
	return false;
}

static void measure_cost(PerfRun *run)
{
	run->cost = perf_cost_measure(&run->request);
	for (guint i = 0; run->cost.is_known && i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];

		cpu->event_cpu.probe_ns = 0;
	}
	if (!run->cost.is_known && run->bound.percent_max)
		g_printerr("kmalloc-top: what the events cost could not be measured, so it is not "
			   "bounded: see --sample (--max-overhead)\n");
}

/* What is known of the samples only now. */
static bool describe_samples(PerfRun *run, GError **error)
{
	g_autofree char *missing = kmem_points_missing(run->plan->points);
	PerfLayout layout = perf_events_layout(run->events);
	GByteArray *out = run->live.batches;

	run->sample_type = layout.sample_type;
	run_facts_write_number(out, KMT_FIELD_STACK_DEPTH, run->stack_depth);
	run_facts_write_number(out, KMT_FIELD_SAMPLING_PERIOD, run->request.sampling_period);
	run_facts_write_text(out, KMT_FIELD_NOT_RECORDED, missing);
	if (!layout.monotonic_clock && !adopt_clock(run, error))
		return false;
	if (run->cost.is_known) {
		run_facts_write_number(out, KMT_FIELD_EVENT_COST_NS, run->cost.event_ns);
		run_facts_write_number(out, KMT_FIELD_FRAME_COST_NS, run->cost.frame_ns);
	}
	live_run_feed(&run->live);
	return true;
}

static bool start(PerfRun *run, GError **error)
{
	if (!live_run_describe(&run->live, "perf events", run->plan->buffer_bytes, error))
		return false;
	if (!run->online) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
				    "which CPUs there are cannot be seen: mount /sys");
		return false;
	}
	if (run->in_container)
		g_printerr("kmalloc-top: " PID_NAMESPACE_NOTE "\n");
	fill_request(run);
	if (!open_scope(run, error))
		return false;
	count_scope(run);
	measure_cost(run);
	if (!describe_samples(run, error))
		return false;
	live_run_tell(&run->live, "the events are open, and their cost is measured");
	perf_cpus_watch(run);
	live_run_add_timeout(&run->live, ROUND_MS, time_for_round);
	live_run_add_source(&run->live, g_idle_source_new(), begin);
	return true;
}

static void run_init(PerfRun *run, const CollectRun *parts)
{
	live_run_init(&run->live, &perf_engine, parts, "");
	run->online = cpu_list_read("", "online");
	run->cpus = g_ptr_array_new_with_free_func(g_free);
	run->tasks = task_table_new("");
	run->writer = event_writer_new(send_batch, run);
	run->self = (uint32_t)getpid();
	run->in_container = !pid_namespace_is_first("");
}

static void run_clear(PerfRun *run)
{
	live_run_clear(&run->live);
	perf_events_free(run->events);
	g_free((PerfPoint *)run->request.points);
	g_clear_pointer(&run->online, g_array_unref);
	g_ptr_array_unref(run->cpus);
	perf_scope_clear(&run->scope);
	task_table_free(run->tasks);
	event_writer_free(run->writer);
}

bool perf_run(const PerfRunPlan *plan, const CollectRun *parts, GError **error)
{
	PerfRun run = { .plan = plan };
	bool collected;

	run_init(&run, parts);
	collected = start(&run, error);
	if (collected) {
		live_run_loop(&run.live);
		collected = finish(&run, error);
	}
	run_clear(&run);
	return collected;
}
