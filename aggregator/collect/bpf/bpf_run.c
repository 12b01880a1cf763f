/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of BPF programs from start to end, as a LiveEngine: describes, loads, attaches, has the
 * rings read in rounds, detaches, and reads the rest. Events that the programs could not write are
 * lost events of their CPU; runs that the kernel left out are skipped probes. Owns the BpfRun.
 */
#include "collect/bpf/bpf_run.h"

#include "base/clock.h"
#include "collect/bpf/bpf_programs.h"
#include "collect/bpf/bpf_read.h"
#include "collect/bpf/bpf_rules.h"
#include "collect/perf/perf_read.h"
#include "collect/run/gfp_flags.h"
#include "collect/run/live_run.h"
#include "collect/run/run_memory.h"
#include "collect/tracefs/tracefs.h"
#include "record/batch.h"
#include "record/format.h"

#include <bpf/libbpf.h>
#include <gio/gio.h>
#include <inttypes.h>
#include <unistd.h>

enum {
	READ_MS = 10,    /* a ring of 4 MB takes 262,144 events */
	BEAT_READS = 10, /* after so many readings, their completeness is reported */
	DEAR_SECONDS_MAX = 5,
	COMPARED = 1024, /* one of so many walks by rules is compared with the kernel's */
};

/* A record's time is taken before it is in the ring; a hypervisor may stop the CPU in between. */
#define SETTLED_NS 20000000ULL

typedef struct {
	LiveRun live; /* first: callbacks get this pointer */
	BpfPrograms *programs;
	BpfRules *rules;        /* NULL: the kernel walks all stacks */
	const char *kernel_why; /* ... why */
	BpfReader *reader;
	uint64_t ring_bytes, buffer_bytes;
	uint64_t missed_before; /* runs, before the run was live */
	unsigned reads;
	/* --max-overhead */
	uint32_t cpus;
	uint64_t *cost_ns; /* owned: of each CPU, at judged_ns */
	uint64_t judged_ns;
	unsigned dear_seconds; /* in a row, in which a CPU was above the limit */
} BpfRun;

static BpfRun *bpf_run_of(LiveRun *live)
{
	G_STATIC_ASSERT(G_STRUCT_OFFSET(BpfRun, live) == 0);
	return (BpfRun *)live;
}

/* A BatchSender. */
static void send_batch(const void *bytes, size_t length, void *user_data)
{
	BpfRun *run = user_data;
	Batch batch;

	if (batch_parse(bytes, length, &batch))
		session_take_batch(run->live.parts.session, &batch);
}

/* Returns whether the programs took more of a CPU than they may since the last call. */
static bool is_too_dear(BpfRun *run, uint64_t now_ns)
{
	uint64_t limit_ns = (now_ns - run->judged_ns) / 100 *
			    run->live.parts.request->bounds.overhead_percent_max;
	bool is_dear = false;

	for (uint32_t i = 0; i < run->cpus; i++) {
		uint64_t cost_ns = bpf_reader_cost_ns(run->reader, i);

		is_dear |= cost_ns - run->cost_ns[i] > limit_ns;
		run->cost_ns[i] = cost_ns;
	}
	run->judged_ns = now_ns;
	return is_dear && limit_ns;
}

/* All events are taken, so a run whose events cost too much has to end. */
static void judge_cost(BpfRun *run)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - run->judged_ns < NS_PER_SECOND)
		return;
	run->dear_seconds = is_too_dear(run, now_ns) ? run->dear_seconds + 1 : 0;
	if (run->dear_seconds < DEAR_SECONDS_MAX)
		return;
	live_run_set_bound(&run->live,
			   "the BPF programs took more than --max-overhead of a CPU: use "
			   "--collector=perf, which takes fewer events then, or --max-overhead=0");
	live_run_stop_at(&run->live, now_ns);
}

static gboolean time_to_read(gpointer user_data)
{
	BpfRun *run = user_data;
	bool beats;

	if (run->live.phase != PHASE_LIVE)
		return G_SOURCE_CONTINUE;
	beats = ++run->reads % BEAT_READS == 0;
	bpf_reader_round(run->reader, beats ? clock_monotonic_ns() - SETTLED_NS : 0);
	judge_cost(run);
	return G_SOURCE_CONTINUE;
}

/* The end. */

static void bpf_run_end(LiveRun *live)
{
	live->phase = PHASE_ENDING;
	g_main_loop_quit(live->loop);
}

static void bpf_run_drain(LiveRun *live)
{
	BpfRun *run = bpf_run_of(live);

	bpf_programs_detach(run->programs);
	bpf_reader_round(run->reader, clock_monotonic_ns());
	bpf_run_end(live);
}

static char *memory_problem(const LiveRun *live)
{
	const BpfRun *run = (const BpfRun *)live;
	const MemoryWatch watch = {
		.root = "",
		.bytes_max = live->parts.request->bounds.memory_bytes_max,
		.buffer_bytes = run->buffer_bytes,
	};

	return memory_watch_problem(&watch);
}

/* The programs run on every CPU, also on those that come later. */
static void trace_cpus(LiveRun *live)
{
	g_autoptr(GArray) untraced = cpu_watch_untraced_now(live->cpus);

	for (guint i = 0; i < untraced->len; i++)
		cpu_watch_set_traced(live->cpus, g_array_index(untraced, guint32, i), true,
				     live->looked_ns);
}

static const LiveEngine bpf_engine = {
	.drain = bpf_run_drain,
	.end = bpf_run_end,
	.hurry = bpf_run_end,
	.trace_cpus = trace_cpus,
	.memory_problem = memory_problem,
};

/* How stacks were walked. */
static void write_walks(BpfRun *run)
{
	g_autofree char *line = NULL;
	BpfWalks walks;

	if (!run->rules)
		return;
	walks = bpf_reader_walks(run->reader);
	line = g_strdup_printf("stack walks: %" PRIu64 " by the kernel, %" PRIu64
			       " compared, %" PRIu64 " different",
			       walks.by_kernel, walks.compared, walks.different);
	live_run_log(&run->live, line);
	run_facts_write_number(run->live.batches, KMT_FIELD_WALKS_COMPARED, walks.compared);
	run_facts_write_number(run->live.batches, KMT_FIELD_WALKS_DIFFERENT, walks.different);
	if (walks.different)
		run_facts_write_text(run->live.batches, KMT_FIELD_KERNEL_WALKS,
				     "a walk differed from the kernel's");
}

static bool bpf_run_finish(BpfRun *run, GError **error)
{
	RunLosses losses = { .counted_to_end = true, .drained = true };

	live_run_end_command(&run->live);
	if (!live_run_has_result(&run->live, error))
		return false;
	write_walks(run);
	losses.skipped = bpf_programs_missed(run->programs) - run->missed_before;
	live_run_write_end(&run->live, &losses);
	return true;
}

/* The start. */

static gboolean bpf_run_begin(gpointer user_data)
{
	BpfRun *run = user_data;

	if (run->live.phase != PHASE_STARTING)
		return G_SOURCE_REMOVE;
	if (!bpf_programs_attach(run->programs, &run->live.error)) {
		bpf_run_end(&run->live);
		return G_SOURCE_REMOVE;
	}
	cpu_watch_set_online_traced(run->live.cpus, clock_monotonic_ns());
	run->missed_before = bpf_programs_missed(run->programs);
	run->judged_ns = clock_monotonic_ns();
	/* What the programs took is measured from here. */
	bpf_reader_round(run->reader, run->judged_ns);
	live_run_go_live(&run->live);
	return G_SOURCE_REMOVE;
}

/* One more than the largest number of a process. */
static uint32_t pids_max(void)
{
	g_autofree char *text = NULL;
	enum { PIDS_MAX = 4 << 20 }; /* PID_MAX_LIMIT */

	if (!g_file_get_contents("/proc/sys/kernel/pid_max", &text, NULL, NULL))
		return PIDS_MAX;
	return (uint32_t)CLAMP(g_ascii_strtoull(text, NULL, 10), 1, PIDS_MAX);
}

static void set_inner(struct kmt_bpf_config *config, const InnerKmallocs *inner)
{
	G_STATIC_ASSERT(G_N_ELEMENTS(inner->ranges) == KMT_BPF_INNER_MAX);
	config->inner_bytes_min = inner->bytes_small_max + 1;
	config->inner_count = inner->count;
	for (unsigned i = 0; i < inner->count; i++) {
		config->inner[i].start = inner->ranges[i].start;
		config->inner[i].end = inner->ranges[i].end;
	}
}

/* Returns why the kernel walks all stacks; NULL: that is not known yet. */
static const char *why_kernel_walks(const CollectRequest *request)
{
	if (request->stap.walk == STACK_WALK_KERNEL)
		return "--stack-walk=kernel";
	/* Its walks would be shorter than ours. */
	if (perf_read_depth_max() < KMT_BPF_FRAMES)
		return "kernel.perf_event_max_stack is below its default";
	return NULL;
}

static BpfPlan plan_of(BpfRun *run)
{
	const CollectRequest *request = run->live.parts.request;
	Session *session = run->live.parts.session;
	bool is_compared = request->stap.walk == STACK_WALK_COMPARE;
	bool is_of_some = request->whose.scope != COLLECT_SCOPE_HOST;
	BpfPlan plan = {
		.events = request->what.events,
		.verbose = request->terminal.verbose > 1,
		.config = {
			.ring_bytes = run->ring_bytes,
			.cpu_numbers = (uint32_t)libbpf_num_possible_cpus(),
			.self = request->whose.include_self ? 0 : (uint32_t)getpid(),
			.pids = is_of_some ? pids_max() : 0,
			.starter = (uint32_t)getpid(),
			.compared_max = UINT32_MAX / (is_compared ? 1 : COMPARED),
			.with_stacks = request->what.stack_depth > 0,
			.with_interrupts = request->whose.with_interrupts,
			.inherits = request->whose.scope == COLLECT_SCOPE_COMMAND,
		},
	};

	run->kernel_why = why_kernel_walks(request);
	plan.config.has_rules = plan.config.with_stacks && !run->kernel_why;
	/* The host's symbols were fed earlier. */
	session_find_inner_kmallocs(session, session->symbols);
	set_inner(&plan.config, &session->inner);
	return plan;
}

static void count_scope(BpfRun *run)
{
	const CollectWhose *whose = &run->live.parts.request->whose;

	if (whose->scope == COLLECT_SCOPE_COMMAND)
		bpf_programs_count(run->programs, (uint32_t)command_pid(run->live.command));
	for (guint i = 0; whose->scope == COLLECT_SCOPE_PIDS && i < whose->pids->len; i++)
		bpf_programs_count(run->programs, g_array_index(whose->pids, guint32, i));
}

static void describe(BpfRun *run)
{
	GByteArray *out = run->live.batches;
	int kmem_folder_fd = tracefs_open_kmem("", NULL);
	GfpFlags flags = { 0 };

	gfp_flags_find(&flags, kmem_folder_fd);
	if (kmem_folder_fd >= 0)
		close(kmem_folder_fd);
	gfp_flags_append(out, &flags);
	run_facts_write_number(out, KMT_FIELD_STACK_DEPTH,
			       run->live.parts.request->what.stack_depth);
	live_run_feed(&run->live);
}

/* Lets the programs walk, if that is possible. */
static void start_walks(BpfRun *run)
{
	const LiveRun *live = &run->live;
	g_autofree char *line = NULL;

	if (!live->parts.request->what.stack_depth)
		return;
	if (!run->kernel_why)
		run->rules = bpf_rules_new(run->programs, live->parts.session->symbols,
					   &run->kernel_why);
	if (run->rules) {
		live_run_log(live, "the BPF programs walk stacks by the kernel's ORC tables");
		return;
	}
	run_facts_write_text(live->batches, KMT_FIELD_KERNEL_WALKS, run->kernel_why);
	line = g_strconcat("the kernel walks all stacks: ", run->kernel_why, NULL);
	live_run_log(live, line);
}

static bool bpf_run_start(BpfRun *run, GError **error)
{
	const RunInfo *info = run->live.parts.session->info;
	BpfReaderPlan reader = { .send = send_batch, .user_data = run };
	BpfPlan plan;

	if (!live_run_describe(&run->live, "BPF", run->buffer_bytes, error))
		return false;
	plan = plan_of(run);
	run->programs = bpf_programs_load(&plan, error);
	if (!run->programs)
		return false;
	count_scope(run);
	start_walks(run);
	describe(run);
	reader.programs = run->programs;
	reader.request = run->live.parts.request;
	reader.cpus = plan.config.cpu_numbers;
	reader.symbols = run->live.parts.session->symbols;
	reader.rules = run->rules;
	reader.text_start = run_info_number(info, KMT_FIELD_TEXT_START, 0);
	reader.text_end = run_info_number(info, KMT_FIELD_TEXT_END, UINT64_MAX);
	run->reader = bpf_reader_new(&reader);
	run->cpus = reader.cpus;
	run->cost_ns = g_new0(uint64_t, run->cpus);
	live_run_log(&run->live, "the BPF programs are loaded");
	live_run_add_timeout(&run->live, READ_MS, time_to_read);
	live_run_add_source(&run->live, g_idle_source_new(), bpf_run_begin);
	return true;
}

bool bpf_run(uint64_t ring_bytes, uint64_t buffer_bytes, const CollectRun *parts, GError **error)
{
	BpfRun run = { .ring_bytes = ring_bytes, .buffer_bytes = buffer_bytes };
	bool collected;

	live_run_init(&run.live, &bpf_engine, parts, "");
	collected = bpf_run_start(&run, error);
	if (collected) {
		live_run_loop(&run.live);
		collected = bpf_run_finish(&run, error);
	}
	live_run_clear(&run.live);
	bpf_reader_free(run.reader);
	bpf_rules_free(run.rules);
	g_free(run.cost_ns);
	bpf_programs_free(run.programs);
	return collected;
}
