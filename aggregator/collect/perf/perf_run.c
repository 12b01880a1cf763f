/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of perf events from start to end, as a LiveEngine: opens, measures, describes, goes live,
 * has the rings read in rounds, drains, and settles what was lost (counted by the kernel, minus
 * what arrived). Owns the PerfRun, whose parts belong to perf_read.c, perf_names.c, perf_hits.c and
 * perf_cpus.c.
 */
#include "collect/perf/perf_run.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/clock.h"
#include "base/cpu_list.h"
#include "base/unconst.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/slabs/slab_probes.h"
#include "collect/run/run_memory.h"
#include "collect/perf/perf_filter.h"
#include "collect/perf/perf_ring.h"
#include "collect/perf/perf_state.h"
#include "collect/facts/host_facts.h"
#include "process/child.h"
#include "collect/tasks/task_proc.h"

#include <gio/gio.h>

enum {
	ROUND_MS = 100, /* how often every CPU is read and its completeness reported */
	OF_OBJECTS = ~(1U << KPROBE_FREE_SLAB), /* probes whose misses are lost events */
};

/* A BatchSender. */
static void send_batch(const void *bytes, size_t length, void *user_data)
{
	PerfRun *run = user_data;
	Batch batch;

	if (batch_parse(bytes, length, &batch))
		session_take_batch(run->live.parts.session, &batch);
}

static gboolean time_for_round(gpointer user_data)
{
	PerfRun *run = user_data;
	uint64_t now_ns = clock_monotonic_ns(), until_ns = now_ns - PERF_READ_SETTLED_NS;

	if (run->live.phase != PHASE_LIVE)
		return G_SOURCE_CONTINUE;
	perf_round(run, until_ns);
	perf_cpus_judge(run, now_ns);
	perf_read_settle_tasks(&run->reader, now_ns, until_ns);
	perf_hits_settle(&run->hits, until_ns);
	return G_SOURCE_CONTINUE;
}

/* The end. */

static void perf_run_end(LiveRun *live)
{
	live->phase = PHASE_ENDING;
	g_main_loop_quit(live->loop);
}

static void perf_run_drain(LiveRun *live)
{
	PerfRun *run = perf_run_of(live);

	for (guint i = 0; i < run->cpus->len; i++)
		perf_events_disable(run->events, ((PerfRunCpu *)run->cpus->pdata[i])->perf);
	/* Read the rest before the losses are written, so that the losses come after it. */
	run->findings.not_delivered += perf_round_rest(run);
	for (guint i = 0; i < run->cpus->len; i++)
		perf_cpus_pay(run, run->cpus->pdata[i]);
	perf_round(run, clock_monotonic_ns());
	perf_run_end(live);
}

/* Writes a finding if it is another one than before. Returns whether it is. */
static bool write_if_new(PerfRun *run, enum KmtFieldId id, char **before, char *now)
{
	bool is_new = g_strcmp0(*before, now) != 0;

	if (is_new)
		run_facts_write_text(run->live.batches, id, now ? now : "");
	g_free(*before);
	*before = now;
	return is_new;
}

/* Programs may be attached at any time. */
static void look_beside(PerfRun *run)
{
	g_autofree char *blind = NULL;
	bool is_new;

	bpf_beside_look(run->findings.beside);
	blind = bpf_beside_blind(run->findings.beside);
	/* Hits may be rare: if none arrives, none may have happened. */
	is_new = write_if_new(run, KMT_FIELD_BPF_BLIND, &run->findings.blind,
			      blind && run->plan.hits
				      ? g_strconcat(blind, ", unless none happened", NULL)
				      : g_strdup(blind));
	if (is_new && run->findings.blind)
		g_printerr("%s: no events arrive from %s: end the program that attached it, or use "
			   "--collector=stap\n",
			   g_get_prgname(), run->findings.blind);
	is_new |= write_if_new(run, KMT_FIELD_BPF_ATTACHED, &run->findings.attached,
			       bpf_beside_attached(run->findings.beside));
	if (is_new)
		live_run_feed(&run->live);
}

static BpfBeside *watch_for_programs(const PerfRunPlan *plan)
{
	BpfBeside *beside = bpf_beside_new();

	for (guint i = 0; i < plan->points->len; i++) {
		const KmemPoint *point = plan->points->pdata[i];

		bpf_beside_watch(beside, point->type->name, point->format->id);
	}
	for (guint i = 0; plan->hits && i < plan->hits->points->len; i++)
		bpf_beside_watch_point(beside, point_set_at(plan->hits, i)->event);
	return beside;
}

/* Writes how many events the probes at functions have missed so far: at least one for each hit. */
static void write_missed(PerfRun *run)
{
	KprobeCounts counts;
	uint64_t missed;

	if (!run->plan.kprobes || !run->live.parts.request->what.held)
		return;
	kprobe_group_count(run->plan.kprobes, OF_OBJECTS, &counts);
	missed = counts.missed + run->reader.unread_objects;
	if (missed <= run->findings.missed)
		return;
	run->findings.missed = missed;
	run_facts_write_number(run->live.batches, KMT_FIELD_PROBES_MISSED, missed);
}

/* Returns the scatter of rows as in the stream. */
static char *scatter_of_cpus(const PerfRun *run)
{
	g_autofree PerfScatter *sum = g_new0(PerfScatter, 1);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < run->cpus->len; i++) {
		const PerfRunCpu *cpu = run->cpus->pdata[i];

		for (unsigned j = 0; j < run->plan.events.points_count; j++)
			perf_scatter_sum(sum, &cpu->scatters[j]);
	}
	for (unsigned row = 0; row < SCATTER_ROWS; row++) {
		uint32_t percent = perf_scatter_percent(sum, row);

		if (percent > PERF_SCATTER_OF_DRAWS)
			g_string_append_printf(text, "%s%u %u %u", text->len ? " " : "", row,
					       percent, perf_scatter_part(sum, row));
	}
	return g_string_free(text, FALSE);
}

/* Writes the scatter measured so far; the value improves with time. */
static void write_scatter(PerfRun *run)
{
	g_autofree char *rows = NULL;

	if (run->hits.threads) {
		uint64_t percent = thread_scatter_percent(run->hits.threads);

		if (percent != run->findings.scatter_percent)
			run_facts_write_number(run->live.batches, KMT_FIELD_SAMPLING_SCATTER,
					       percent);
		run->findings.scatter_percent = percent;
		return;
	}
	rows = scatter_of_cpus(run);
	if (*rows || run->findings.is_scattered)
		run_facts_write_text(run->live.batches, KMT_FIELD_SCATTER_ROWS, rows);
	run->findings.is_scattered = *rows;
}

/* The scheduler's clock is not slewed like CLOCK_MONOTONIC. */
static void perf_run_look(LiveRun *live)
{
	PerfRun *run = perf_run_of(live);

	perf_cpus_trace(live);
	look_beside(run);
	write_scatter(run);
	write_missed(run);
	perf_names_write_compared(&run->names);
	if (run->reader.clock_offset_ns)
		perf_read_find_clock(&run->reader);
}

static char *memory_problem(const LiveRun *live)
{
	const PerfRun *run = (const PerfRun *)live;
	const MemoryWatch watch = {
		.root = "",
		.bytes_max = live->parts.request->bounds.memory_bytes_max,
		.buffer_bytes = run->plan.buffer_bytes,
	};

	return memory_watch_problem(&watch);
}

/* Writes how much could not be recorded so far, as far as the batches do not show it. */
static void write_counts(PerfRun *run)
{
	uint64_t tasks_lost = run->reader.tasks_lost;

	if (tasks_lost != run->findings.tasks_lost)
		run_facts_write_number(run->live.batches, KMT_FIELD_TASKS_LOST, tasks_lost);
	run->findings.tasks_lost = tasks_lost;
	write_missed(run);
	perf_hits_write_unwound(&run->hits);
}

static void before_report(LiveRun *live)
{
	PerfRun *run = perf_run_of(live);

	write_counts(run);
	live_run_feed(live);
	perf_hits_name(&run->hits);
}

static const LiveEngine perf_engine = {
	.drain = perf_run_drain,
	.end = perf_run_end,
	.hurry = perf_run_end,
	.trace_cpus = perf_run_look,
	.before_report = before_report,
	.memory_problem = memory_problem,
};

static void append_missing(GString *out, const char *missing)
{
	if (missing)
		g_string_append_printf(out, "%s%s", out->len ? "; " : "", missing);
}

/* Appends what is missing from the start on. */
static void append_always_missing(const PerfRun *run, GString *out)
{
	g_autofree char *missing = kmem_points_missing(run->plan.points);

	append_missing(out, missing);
	append_missing(out, run->reader.in_container ? "pids and names outside of this container"
						     : NULL);
}

/* What is missing that was not known before. Before 5.2, kernels walk no stack for tracepoints
   unless built with frame pointers. */
static void write_missing(PerfRun *run)
{
	bool lacks_frames =
		run->reader.stack_depth && run->reader.lacks_frames && !run->reader.has_frames;
	bool lacks_cgroups = task_table_has_unread_cgroups(run->reader.tasks);
	g_autoptr(GString) text = g_string_new(NULL);

	if (!lacks_frames && !lacks_cgroups)
		return;
	append_missing(text, lacks_frames ? "call chains, so these are call sites "
					    "(--collector=stap has them)"
					  : NULL);
	append_always_missing(run, text);
	append_missing(text, lacks_cgroups ? "some moves between cgroups, as too many processes "
					     "had events (--collector=stap has them)"
					   : NULL);
	run_facts_write_text(run->live.batches, KMT_FIELD_NOT_RECORDED, text->str);
}

static bool perf_run_finish(PerfRun *run, GError **error)
{
	static const RunLosses losses = { .counted_to_end = true, .drained = true };

	live_run_end_command(&run->live);
	if (!live_run_has_result(&run->live, error))
		return false;
	write_missing(run);
	look_beside(run);
	write_scatter(run);
	perf_names_end(&run->names);
	write_counts(run);
	perf_hits_name(&run->hits);
	if (run->findings.not_delivered)
		run_facts_write_number(run->live.batches, KMT_FIELD_NOT_DELIVERED,
				       run->findings.not_delivered);
	live_run_write_end(&run->live, &losses);
	return true;
}

/* The start. */

/* Enables task records before the tasks are looked up, so that nothing is missed. */
static void enable_all(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		const PerfRunCpu *cpu = run->cpus->pdata[i];

		perf_events_enable_tasks(run->events, cpu->perf);
	}
	task_table_scan(run->reader.tasks);
	perf_hits_scan(&run->hits);
	for (guint i = 0; i < run->cpus->len; i++) {
		const PerfRunCpu *cpu = run->cpus->pdata[i];

		perf_events_enable_frees(run->events, cpu->perf);
	}
	perf_names_begin_round(&run->names);
	reader_time_begin(&run->costs.time, clock_ns(CLOCK_PROCESS_CPUTIME_ID) + child_cpu_ns());
	for (guint i = 0; i < run->cpus->len; i++)
		perf_cpus_enable(run, run->cpus->pdata[i]);
}

static gboolean perf_run_begin(gpointer user_data)
{
	PerfRun *run = user_data;

	if (run->live.phase != PHASE_STARTING)
		return G_SOURCE_REMOVE;
	/* No hit can have arrived yet. */
	if (run->plan.hits)
		bpf_beside_look(run->findings.beside);
	else
		look_beside(run);
	enable_all(run);
	live_run_go_live(&run->live);
	return G_SOURCE_REMOVE;
}

static PerfPoint *points_of(const PerfRunPlan *plan, const CollectRequest *request,
			    const InnerKmallocs *inner)
{
	PerfPoint *points = g_new(PerfPoint, plan->points->len);

	for (guint i = 0; i < plan->points->len; i++) {
		const KmemPoint *point = plan->points->pdata[i];
		bool is_paired = point->type->is_free && request->what.held;
		char *by_cache =
			is_paired ? perf_filter_of_free(plan->points, point, request->what.caches)
				  : perf_filter_new(point, request->what.caches);
		char *filter = is_paired && !by_cache ? object_probes_filter(plan->points, point)
						      : by_cache;

		points[i] = (PerfPoint){
			.id = point->format->id,
			.is_free = point->type->is_free,
			.filters_caches = by_cache != NULL,
			.has_cache_name = point->cache_name != NULL,
			.counts_calls = by_cache != NULL,
			.filter = perf_filter_without_inner(filter, point, inner),
		};
	}
	return points;
}

/* Completes what is to be opened. */
static void complete_plan(PerfRun *run)
{
	const CollectRequest *request = run->live.parts.request;
	Session *session = run->live.parts.session;
	PerfRunPlan *plan = &run->plan;
	PerfRequest *events = &plan->events;
	bool is_paired = perf_read_pairs(&run->reader);

	/* The host's symbols were fed earlier. */
	session_find_inner_kmallocs(session, session->symbols);
	events->points = points_of(plan, request, &session->inner);
	events->points_count = plan->points->len;
	events->stack_depth = run->reader.stack_depth;
	events->depth_max = perf_read_depth_max();
	/* Paired events have no other period. */
	events->sampling_period = is_paired ? 1 : PERF_PARKED;
	events->selects_later = is_paired && request->what.held;
	events->has_twins = !is_paired || events->selects_later;
	events->with_cgroups = task_cgroup_sample_is_usable("");
	/* The tracepoint only has the pids of the first namespace. */
	if (plan->births && !run->reader.in_container)
		events->births_id = task_births_id(plan->births);
	if (plan->slab_probe)
		events->slab_frees_id = slab_probe_id(plan->slab_probe);
	events->slab_frees_ring_bytes = perf_plan_slab_ring(events->ring_bytes);
	if (plan->probes) {
		const GArray *ids = cache_probes_ids(plan->probes);

		events->helpers = (const uint16_t *)(const void *)ids->data;
		events->helpers_count = ids->len;
	}
}

static bool open_events(PerfRun *run, const GArray *cpus, GError **error)
{
	Child holder = { .socket = -1 };
	bool is_open;

	if (run->plan.hits && !perf_hits_hold(run->plan.hits, &holder, error))
		return false;
	perf_events_make_room(&run->plan.events, cpus->len);
	run->events = perf_events_new(&run->plan.events);
	run->findings.beside = watch_for_programs(&run->plan);
	is_open = perf_cpus_open(run, cpus, error);
	child_leave(&holder);
	return is_open;
}

static void count_scope(PerfRun *run)
{
	const CollectRequest *request = run->live.parts.request;

	if (request->whose.scope != COLLECT_SCOPE_HOST && !request->terminal.quiet)
		g_printerr("%s: perf events trace the whole host; these processes are "
			   "selected when events are read\n",
			   g_get_prgname());
	task_table_set_inherit(run->reader.tasks, request->whose.scope == COLLECT_SCOPE_COMMAND);
	if (request->whose.scope == COLLECT_SCOPE_COMMAND)
		task_table_count(run->reader.tasks, (uint32_t)command_pid(run->live.command));
	for (guint i = 0;
	     request->whose.scope == COLLECT_SCOPE_PIDS && i < request->whose.pids->len; i++)
		task_table_count(run->reader.tasks, g_array_index(request->whose.pids, guint32, i));
}

/* Each CPU has its own scheduler's clock; the kernel keeps them together. */
static bool adopt_clock(PerfRun *run, GError **error)
{
	if (perf_read_find_clock(&run->reader)) {
		run_facts_write_text(run->live.batches, KMT_FIELD_CLOCK,
				     "each CPU's own (perf), moved to CLOCK_MONOTONIC");
		return true;
	}
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "this kernel's perf events have no clock that can be chosen (Linux "
			    "before 4.1): use --collector=stap");
	return false;
}

/* All tracepoints of allocators cost about the same, except where they reject events. */
static void measure_allocations(PerfRun *run)
{
	const PerfRequest *events = &run->plan.events;
	const PerfCost cost = perf_cost_measure(events);
	HitCost *hit_costs = g_new0(HitCost, events->points_count);

	for (unsigned i = 0; i < events->points_count; i++)
		hit_costs[i] = (HitCost){
			.hit_ns = cost.untaken_ns,
			.rejected_ns = cost.rejected_ns[events->points[i].has_cache_name],
		};
	perf_cpus_set_costs(run, &cost, hit_costs);
}

static void measure_hits(PerfRun *run)
{
	PerfCost cost;
	bool is_sampled = run->live.parts.request->what.sampling_period > 1;
	HitCost *hit_costs = perf_hits_measure(&run->plan, is_sampled, &cost);

	perf_cpus_set_costs(run, &cost, hit_costs);
}

static void describe_caches(const PerfRun *run)
{
	GByteArray *out = run->live.batches;
	char **caches = run->live.parts.request->what.caches;
	g_autofree char *names = caches ? g_strjoinv("\t", caches) : NULL;

	gfp_flags_append(out, &run->plan.gfp_flags);
	run_facts_write_text(out, KMT_FIELD_CACHES_UNKNOWN, run->plan.caches_unknown);
	if (perf_events_are_filtered(run->events))
		run_facts_write_text(out, KMT_FIELD_CACHE_FILTER, names);
}

/* Writes which frees can be paired. */
static void describe_frees(const PerfRun *run)
{
	const GPtrArray *points = run->plan.points;
	g_autoptr(GString) names = g_string_new(NULL);

	if (!run->live.parts.request->what.held)
		return;
	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (point->type->is_free)
			g_string_append_printf(names, "%s%s", names->len ? "," : "",
					       point->type->name);
	}
	run_facts_write_text(run->live.batches, KMT_FIELD_FREES_SEEN_BY, names->str);
	run_facts_write_text(run->live.batches, KMT_FIELD_FREES_NOT_SEEN, run->plan.frees_not_seen);
	/* Also if all are taken: it may be too much. */
	run_facts_write_text(run->live.batches, KMT_FIELD_SAMPLED_BY, KMT_SAMPLED_BY_BITS);
	run_facts_write_number(run->live.batches, KMT_FIELD_SAMPLE_SEED,
			       run->reader.addresses.seed);
}

/* Writes the facts about the samples that become known only now. */
static bool describe_samples(PerfRun *run, GError **error)
{
	g_autoptr(GString) missing = g_string_new(NULL);
	PerfLayout layout = perf_events_layout(run->events);
	GByteArray *out = run->live.batches;

	perf_read_set_events(&run->reader, run->events);
	if (run->plan.hits)
		perf_hits_begin(&run->hits, run->costs.hit_costs);
	run_facts_write_number(out, KMT_FIELD_STACK_DEPTH, run->reader.stack_depth);
	run_facts_write_number(out, KMT_FIELD_SAMPLING_PERIOD,
			       run->live.parts.request->what.sampling_period);
	append_always_missing(run, missing);
	run_facts_write_text(out, KMT_FIELD_NOT_RECORDED, missing->len ? missing->str : NULL);
	describe_caches(run);
	describe_frees(run);
	if (!layout.monotonic_clock && !adopt_clock(run, error))
		return false;
	if (run->costs.cost.is_known) {
		run_facts_write_number(out, KMT_FIELD_EVENT_COST_NS,
				       run->costs.cost.every.event_ns);
		run_facts_write_number(out, KMT_FIELD_FRAME_COST_NS,
				       run->costs.cost.every.frame_ns);
	}
	live_run_feed(&run->live);
	return true;
}

/* Opens the events of these CPUs, and learns their cost. */
static bool open_measured(PerfRun *run, const GArray *cpus, GError **error)
{
	/* An open event makes its tracepoint cost something, which would not be measured. */
	if (run->plan.hits)
		measure_hits(run);
	if (!open_events(run, cpus, error))
		return false;
	count_scope(run);
	if (!run->plan.hits)
		measure_allocations(run);
	if (!run->costs.cost.is_known && run->costs.bound.percent_max)
		g_printerr("%s: the cost of the events could not be measured, so --max-overhead "
			   "cannot limit it: use --sample\n",
			   g_get_prgname());
	return true;
}

static bool perf_run_start(PerfRun *run, GError **error)
{
	g_autoptr(GArray) cpus = cpu_list_read("", "online");

	if (!perf_hits_init(&run->hits, error))
		return false;
	if (!live_run_describe(&run->live, "perf events", run->plan.buffer_bytes, error))
		return false;
	if (!cpus) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
				    "the list of online CPUs cannot be read: mount /sys");
		return false;
	}
	if (run->reader.in_container)
		g_printerr("%s: " PID_NAMESPACE_NOTE "\n", g_get_prgname());
	complete_plan(run);
	if (run->plan.hits)
		perf_hits_request(&run->hits, &run->plan.events);
	if (!open_measured(run, cpus, error) || !describe_samples(run, error))
		return false;
	live_run_log(&run->live, "the events are open, and their cost is measured");
	perf_cpus_watch(run);
	live_run_add_timeout(&run->live, ROUND_MS, time_for_round);
	live_run_add_source(&run->live, g_idle_source_new(), perf_run_begin);
	return true;
}

static void run_init(PerfRun *run, const CollectRun *parts)
{
	const CollectRequest *request = parts->request;

	live_run_init(&run->live, &perf_engine, parts, "");
	run->cpus = g_ptr_array_new_with_free_func(perf_run_cpu_free);
	run->reader.request = request;
	run->reader.plan = run->names.plan = run->hits.plan = &run->plan;
	run->reader.cost = run->names.cost = &run->costs.cost;
	run->reader.names = &run->names;
	run->names.live = run->hits.live = &run->live;
	run->names.cpus = run->cpus;
	run->names.clock_offset_ns = &run->reader.clock_offset_ns;
	run->hits.reader = &run->reader;
	perf_read_init(&run->reader, send_batch, run);
	perf_names_init(&run->names);
	perf_costs_init(&run->costs, (PerfBound){ perf_read_pairs(&run->reader)
							  ? 1U << run->reader.addresses.level
							  : request->what.sampling_period,
						  request->bounds.overhead_percent_max });
	run->findings.scatter_percent = PERF_SCATTER_OF_DRAWS;
}

static void run_clear(PerfRun *run)
{
	PerfRequest *events = &run->plan.events;

	g_ptr_array_unref(run->cpus);
	live_run_clear(&run->live);
	perf_events_free(run->events);
	bpf_beside_free(run->findings.beside);
	g_free(run->findings.blind);
	g_free(run->findings.attached);
	for (unsigned i = 0; i < events->points_count; i++)
		g_free(events->points[i].filter);
	g_free(unconst(events->points));
	perf_read_clear(&run->reader);
	perf_names_clear(&run->names);
	perf_hits_clear(&run->hits);
	perf_costs_clear(&run->costs);
}

bool perf_run(const PerfRunPlan *plan, const CollectRun *parts, GError **error)
{
	PerfRun run = { .plan = *plan };
	bool collected;

	run_init(&run, parts);
	collected = perf_run_start(&run, error);
	if (collected) {
		live_run_loop(&run.live);
		collected = perf_run_finish(&run, error);
	}
	run_clear(&run);
	return collected;
}
