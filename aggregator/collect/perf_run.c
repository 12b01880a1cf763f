/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_run.h"

#include "collect/clock.h"
#include "collect/cpu_list.h"
#include "collect/kmem_points.h"
#include "collect/live_run.h"
#include "collect/memory_watch.h"
#include "collect/perf_clock.h"
#include "collect/perf_cost.h"
#include "collect/perf_events.h"
#include "collect/perf_sample.h"
#include "collect/perf_scope.h"
#include "collect/perf_throttle.h"
#include "collect/pid_namespace.h"
#include "collect/task_cgroup.h"
#include "collect/task_table.h"
#include "record/event_writer.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <unistd.h>

enum {
	ROUND_MS = 100, /* every CPU is read so often, and says until when it is complete */
};
/* A record's time is taken before it is in the ring; meanwhile a hypervisor may stop the CPU. */
#define SETTLED_NS 20000000ULL

/* One CPU while the run lasts. */
typedef struct {
	EventCpu event_cpu; /* first: what the writer borrows */
	PerfCpu *perf;
	uint64_t head;      /* of the round at hand */
	uint64_t read;      /* samples that came */
	uint64_t told_lost; /* as the kernel told on the way */
	uint64_t enabled_ns;
	PerfThrottle throttle;
} Cpu;

typedef struct {
	LiveRun live; /* first: it is what callbacks get */
	const PerfRunPlan *plan;
	PerfScope scope;
	PerfRequest request;
	PerfEvents *events;
	PerfCost cost;
	PerfBound bound;
	uint64_t sample_type;
	uint32_t stack_depth;
	int64_t clock_offset_ns; /* from the samples' times to the stream's */
	GArray *online;          /* (element-type guint32), owned: the CPUs at the start */
	GPtrArray *cpus;         /* (element-type Cpu), owned */
	TaskTable *tasks;
	EventWriter *writer;
	Cpu *reading; /* the CPU whose records are being read */
	uint32_t self;
	bool in_container; /* pids are those of another pid namespace than the first */
	bool tasks_lost_told;
	bool has_frames;   /* an allocation's sample had */
	bool lacks_frames; /* one had none */
	bool unbounded_told;
} PerfRun;

static PerfRun *run_of(LiveRun *live)
{
	return (PerfRun *)live;
}

/* The hot path: from a record to the batch. */

/* The program's own; an interrupt's are nobody's, whoever it interrupted. */
static inline bool is_own(const PerfRun *run, const PerfSample *sample, uint8_t context)
{
	return sample->tgid == run->self && context == KMT_CONTEXT_TASK &&
	       !run->live.parts.request->include_self;
}

/* Whether an allocation is asked for; is_counted: by its process. */
static inline bool is_wanted(PerfRun *run, bool is_counted, uint8_t context)
{
	const CollectRequest *request = run->live.parts.request;

	if (request->scope == COLLECT_SCOPE_HOST)
		return true;
	if (run->scope.by_task && !is_counted)
		return false;
	if (context == KMT_CONTEXT_TASK || request->with_interrupts)
		return true;
	run->reading->event_cpu.left_out_interrupt++;
	return false;
}

static void take_event(PerfRun *run, const PerfSample *sample, const EventFacts *facts)
{
	/* Seen from a container, what is outside has no pid of its own; the idle tasks have none
	   anywhere. */
	bool is_outside = run->in_container && !sample->tid;
	const TaskSample whose = {
		.tgid = is_outside ? TASK_ID_UNKNOWN : sample->tgid,
		.tid = is_outside ? TASK_ID_UNKNOWN : sample->tid,
		.cpu = run->reading->event_cpu.cpu,
		.cgroup_id = sample->cgroup_id,
		.time_ns = sample->time_ns,
	};
	EventTask task;
	bool is_counted;

	run->has_frames |= sample->depth > 0;
	run->lacks_frames |= !sample->depth && !facts->free;
	if (!facts->free && is_own(run, sample, facts->context)) {
		run->reading->event_cpu.left_out_self++;
		return;
	}
	is_counted = task_table_find(run->tasks, &whose, &task);
	if (facts->free || is_wanted(run, is_counted, facts->context))
		event_writer_add(run->writer, sample->time_ns, &task, facts, sample->frames,
				 MIN(sample->depth, run->stack_depth),
				 sample->depth > run->stack_depth);
}

static void take_sample(PerfRun *run, const struct perf_event_header *record)
{
	const KmemPoint *point;
	PerfSample sample;
	EventFacts facts;

	if (!perf_sample_parse(record + 1, record->size - sizeof(*record), run->sample_type,
			       &sample) ||
	    sample.raw_bytes < sizeof(uint16_t))
		return;
	point = kmem_points_lookup(run->plan->points, kmem_raw_common_type(sample.raw));
	if (!point || sample.raw_bytes < point->raw_bytes_min)
		return;
	/* Whatever cannot be read is lost: what the kernel counted, less these. */
	run->reading->read++;
	sample.time_ns += (uint64_t)run->clock_offset_ns;
	run->reading->event_cpu.probe_ns += perf_cost_of(&run->cost, sample.depth);
	if (kmem_point_read(point, sample.raw, sample.raw_bytes, &facts))
		take_event(run, &sample, &facts);
}

/* The kernel finds no room for them when their stacks are walked: as deep as others, we take it. */
static void add_cost_of_lost(const PerfRun *run, Cpu *cpu, uint64_t lost)
{
	if (run->cost.is_known && cpu->read)
		cpu->event_cpu.probe_ns += cpu->event_cpu.probe_ns / cpu->read * lost;
}

/* A PerfRecordVisitor. */
static void take_record(const struct perf_event_header *record, void *user_data)
{
	PerfRun *run = user_data;
	Cpu *cpu = run->reading;
	struct PerfTaskRecord told;

	if (G_LIKELY(record->type == PERF_RECORD_SAMPLE)) {
		take_sample(run, record);
		return;
	}
	if (!perf_task_record_parse(record, record + 1, record->size - sizeof(*record), &told) ||
	    told.kind != PERF_TASK_LOST)
		return;
	cpu->told_lost += told.lost;
	add_cost_of_lost(run, cpu, told.lost);
	/* The batch at hand was before the loss. */
	event_writer_close(run->writer);
	cpu->event_cpu.events_lost = MAX(cpu->event_cpu.events_lost, cpu->told_lost);
}

/* What became of tasks. */

static void tasks_were_lost(PerfRun *run)
{
	if (!run->tasks_lost_told)
		g_printerr("kmalloc-top: the kernel lost records of what tasks became: some names "
			   "may be those of before\n");
	run->tasks_lost_told = true;
	task_table_scan(run->tasks);
}

/* A PerfRecordVisitor. */
static void take_task_record(const struct perf_event_header *record, void *user_data)
{
	PerfRun *run = user_data;
	struct PerfTaskRecord told;

	if (!perf_task_record_parse(record, record + 1, record->size - sizeof(*record), &told))
		return;
	told.time_ns += (uint64_t)run->clock_offset_ns;
	switch (told.kind) {
	case PERF_TASK_COMM:
		task_table_comm(run->tasks, told.tgid, told.tid, told.comm, told.time_ns);
		break;
	case PERF_TASK_FORK:
		task_table_fork(run->tasks, told.tgid, told.tid, told.parent_tgid, told.parent_tid,
				told.time_ns);
		break;
	case PERF_TASK_EXIT:
		task_table_exit(run->tasks, told.tgid, told.tid, told.time_ns);
		break;
	case PERF_TASK_LOST:
		tasks_were_lost(run);
		break;
	default:
		break;
	}
}

/* One round over all CPUs. What tasks became is read after the rings' ends are noted and before
   their samples, so that nothing is read of a task that was not told of. */

static void note_heads(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		Cpu *cpu = run->cpus->pdata[i];

		cpu->head = perf_ring_head(&cpu->perf->samples);
	}
}

static void read_tasks(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		Cpu *cpu = run->cpus->pdata[i];

		perf_ring_read(&cpu->perf->tasks, perf_ring_head(&cpu->perf->tasks),
			       take_task_record, run);
	}
}

static void read_samples(PerfRun *run, Cpu *cpu)
{
	run->reading = cpu;
	event_writer_open(run->writer, &cpu->event_cpu);
	perf_ring_read(&cpu->perf->samples, cpu->head, take_record, run);
}

/* complete_until_ns 0: says nothing about that. */
static void read_round(PerfRun *run, uint64_t complete_until_ns)
{
	note_heads(run);
	read_tasks(run);
	for (guint i = 0; i < run->cpus->len; i++) {
		read_samples(run, run->cpus->pdata[i]);
		if (complete_until_ns)
			event_writer_beat(run->writer, complete_until_ns);
		event_writer_close(run->writer);
	}
	live_run_check_recording(&run->live);
}

/* A BatchSender. */
static void send_batch(const void *batch, size_t bytes, void *user_data)
{
	PerfRun *run = user_data;

	session_feed(run->live.parts.session, batch, bytes);
}

static gboolean ring_is_filling(int fd, GIOCondition condition, gpointer user_data)
{
	(void)fd;
	/* That of a thread that has ended, whose children's samples still come. */
	if (condition & (G_IO_HUP | G_IO_ERR | G_IO_NVAL))
		return G_SOURCE_REMOVE;
	read_round(user_data, 0);
	return G_SOURCE_CONTINUE;
}

/* CPUs come and go. */

static void watch_fd(PerfRun *run, int fd)
{
	live_run_add_source(&run->live, g_unix_fd_source_new(fd, G_IO_IN),
			    (GSourceFunc)(void (*)(void))ring_is_filling);
}

static void watch_rings(PerfRun *run, const Cpu *cpu)
{
	watch_fd(run, cpu->perf->samples_fd);
	watch_fd(run, cpu->perf->tasks_fd);
}

static Cpu *find_cpu(const PerfRun *run, uint32_t number)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		Cpu *cpu = run->cpus->pdata[i];

		if (cpu->event_cpu.cpu == number)
			return cpu;
	}
	return NULL;
}

static bool open_cpu(PerfRun *run, uint32_t number, GError **error)
{
	PerfCpu *perf = perf_events_open(run->events, number, error);
	Cpu *cpu = find_cpu(run, number);

	if (!perf)
		return false;
	if (!cpu) {
		cpu = g_new0(Cpu, 1);
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
static bool open_cpus(PerfRun *run, GError **error)
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

static void enable_samples(PerfRun *run, Cpu *cpu)
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
	Cpu *cpu;

	if (!open_cpu(run, number, NULL))
		return;
	cpu = find_cpu(run, number);
	if (!is_known)
		watch_rings(run, cpu);
	perf_events_enable_tasks(run->events, cpu->perf);
	enable_samples(run, cpu);
}

/* Events end with their CPU, and do not begin again when it comes back, even between two looks. */
static void find_ended(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		Cpu *cpu = run->cpus->pdata[i];

		if (!perf_events_are_counting(run->events, cpu->perf, &cpu->enabled_ns))
			cpu_watch_set_traced(run->live.cpus, cpu->event_cpu.cpu, false,
					     run->live.looked_ns);
	}
}

/* Events of threads are on every CPU that was online at the start, whatever becomes of it; the
   report tells of others. */
static void trace_cpus(LiveRun *live)
{
	PerfRun *run = run_of(live);
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
static void change_period(PerfRun *run, Cpu *cpu)
{
	uint32_t period = perf_throttle_period(&cpu->throttle, &run->bound);

	cpu->head = perf_events_set_period(run->events, cpu->perf, period);
	read_tasks(run);
	read_samples(run, cpu);
	event_writer_close(run->writer);
	cpu->event_cpu.sampling_period = period;
}

/* Children of threads keep the period that their events began with: these cannot be bounded. */
static void tell_unbounded(PerfRun *run, const Cpu *cpu)
{
	if (!run->unbounded_told)
		g_printerr("kmalloc-top: probes take more than %u %% of CPU %u, as perf events of "
			   "single processes may: --sample takes fewer events (--max-overhead)\n",
			   run->bound.percent_max, cpu->event_cpu.cpu);
	run->unbounded_told = true;
}

static void judge(PerfRun *run, Cpu *cpu, uint64_t now_ns)
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
	read_round(run, until_ns);
	for (guint i = 0; i < run->cpus->len; i++)
		judge(run, run->cpus->pdata[i], until_ns + SETTLED_NS);
	task_table_settle(run->tasks, until_ns);
	return G_SOURCE_CONTINUE;
}

/* The end. */

/* Once the events have ended, what the kernel counted is what came and what was lost. */
static void settle_losses(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		Cpu *cpu = run->cpus->pdata[i];
		uint64_t counted = perf_events_count(run->events, cpu->perf);
		EventCpu *event_cpu = &cpu->event_cpu;

		if (counted > cpu->read)
			event_cpu->events_lost = MAX(event_cpu->events_lost, counted - cpu->read);
	}
}

static void end_events(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		Cpu *cpu = run->cpus->pdata[i];

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
	read_round(run, 0);
	settle_losses(run);
	read_round(run, clock_monotonic_ns());
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
	.trace_cpus = trace_cpus,
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
		const Cpu *cpu = run->cpus->pdata[i];

		perf_events_enable_tasks(run->events, cpu->perf);
	}
	if (!run->scope.threads)
		task_table_scan(run->tasks);
	for (guint i = 0; i < run->cpus->len; i++)
		enable_samples(run, run->cpus->pdata[i]);
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
	return open_cpus(run, error);
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
		Cpu *cpu = run->cpus->pdata[i];

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
	for (guint i = 0; i < run->cpus->len; i++)
		watch_rings(run, run->cpus->pdata[i]);
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
