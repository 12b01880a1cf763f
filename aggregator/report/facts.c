/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of facts (id, label, type), and their values from a session: fields of the stream,
 * spans, cost, losses, memory, pairing. model.c adds those that describe a view.
 */
#include "report/facts.h"

#include "base/saturate.h"
#include "record/probe_kinds.h"
#include "report/facts_memory.h"

#include <sys/wait.h>

const FactKind fact_kinds[FACTS] = {
	[FACT_HOST] = { "host", NULL, VALUE_TEXT },
	[FACT_RELEASE] = { "kernel_release", NULL, VALUE_TEXT },
	[FACT_ARCH] = { "architecture", NULL, VALUE_TEXT },
	[FACT_VERSION] = { "kernel_version", NULL, VALUE_TEXT },
	[FACT_BOOT_ID] = { "boot_id", NULL, VALUE_TEXT },
	[FACT_CPUS_ONLINE] = { "cpus_online", NULL, VALUE_COUNT },
	[FACT_START_TIME] = { "start_time", NULL, VALUE_TIME },
	[FACT_DURATION] = { "duration_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_RUN_START_TIME] = { "run_start_time", NULL, VALUE_TIME },
	[FACT_RUN_DURATION] = { "run_duration_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_PART_FROM] = { "part_from_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_PART_TO] = { "part_to_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_RUN_LENGTH] = { "run_length_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_CLOCK] = { "clock", "Clock", VALUE_TEXT },
	[FACT_PROGRAM] = { "program", NULL, VALUE_TEXT },
	[FACT_COLLECTOR] = { "collector", NULL, VALUE_TEXT },
	[FACT_COMMAND_LINE] = { "command_line", NULL, VALUE_TEXT },
	[FACT_EVENTS] = { "events", NULL, VALUE_LIST },
	[FACT_COVERED] = { "covered", NULL, VALUE_TEXT },
	[FACT_NOT_COVERED] = { "not_covered", NULL, VALUE_TEXT },
	[FACT_NOT_RECORDED] = { "not_recorded", "Not recorded by this kernel", VALUE_TEXT },
	[FACT_RECORDED_CACHES] = { "recorded_caches", NULL, VALUE_LIST },
	[FACT_POINTS_TITLE] = { "title", NULL, VALUE_TEXT },
	[FACT_POINTS_NOUN] = { "events_called", NULL, VALUE_TEXT },
	[FACT_POINTS_MISSING] = { "points_missing", "Not observed", VALUE_TEXT },
	[FACT_VALUE_NAME] = { "value_of", NULL, VALUE_TEXT },
	[FACT_VALUE_UNIT] = { "value_unit", NULL, VALUE_TEXT },
	[FACT_SPANS] = { "spans", NULL, VALUE_COUNT },
	[FACT_SPANS_TIME] = { "spans_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_SPANS_TIME_MAX] = { "spans_max_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_SPANS_OPEN] = { "spans_open", NULL, VALUE_COUNT },
	[FACT_SPANS_NOT_BEGUN] = { "spans_not_begun", NULL, VALUE_COUNT },
	[FACT_SPANS_NOT_ENDED] = { "spans_not_ended", NULL, VALUE_COUNT },
	[FACT_USER_STACKS] = { "user_stacks", NULL, VALUE_COUNT },
	[FACT_USER_STACKS_WHOLE] = { "user_stacks_whole", NULL, VALUE_COUNT },
	[FACT_USER_STACK_BYTES] = { "user_stack_copy_bytes", NULL, VALUE_COUNT },
	[FACT_NOT_UNWOUND] = { "user_stacks_not_unwound", NULL, VALUE_COUNT },
	[FACT_USER_DEPTH] = { "user_stack_depth_max", NULL, VALUE_COUNT },
	[FACT_STACK_DEPTH] = { "stack_depth_max", NULL, VALUE_COUNT },
	[FACT_SYMBOLS_HIDDEN] = { "symbols_hidden", NULL, VALUE_FLAG },
	[FACT_USER_NAMES_MISSING] = { "programs_not_read", "Programs not read", VALUE_TEXT },
	[FACT_TASKS_LOST] = { "lost_task_records", NULL, VALUE_COUNT },
	[FACT_SCOPE] = { "scope", NULL, VALUE_TEXT },
	[FACT_SCOPE_PIDS] = { "scope_pids", NULL, VALUE_TEXT },
	[FACT_WITH_INTERRUPTS] = { "with_interrupts", NULL, VALUE_FLAG },
	[FACT_SELF_INCLUDED] = { "self_included", NULL, VALUE_FLAG },
	[FACT_LEFT_OUT_SELF] = { "allocations_left_out_self", NULL, VALUE_COUNT },
	[FACT_LEFT_OUT_INTERRUPTS] = { "allocations_left_out_interrupts", NULL, VALUE_COUNT },
	[FACT_COMMAND] = { "traced_command", NULL, VALUE_TEXT },
	[FACT_COMMAND_ENDED] = { "traced_command_ended", NULL, VALUE_FLAG },
	[FACT_COMMAND_STATUS] = { "traced_command_exit_status", NULL, VALUE_COUNT },
	[FACT_COMMAND_SIGNAL] = { "traced_command_signal", NULL, VALUE_COUNT },
	[FACT_COST] = { "cost_percent", NULL, VALUE_SHARE },
	[FACT_COST_BUSIEST] = { "cost_busiest_cpu_percent", NULL, VALUE_SHARE },
	[FACT_COST_BUSIEST_CPU] = { "cost_busiest_cpu", NULL, VALUE_COUNT },
	[FACT_COST_ESTIMATED] = { "cost_is_estimated", NULL, VALUE_FLAG },
	[FACT_COST_OF_EVENT] = { "cost_of_event_ns", NULL, VALUE_NS },
	[FACT_COST_OF_FRAME] = { "cost_of_frame_ns", NULL, VALUE_NS },
	[FACT_WALKS_COMPARED] = { "walks_compared", NULL, VALUE_COUNT },
	[FACT_WALKS_DIFFERENT] = { "walks_different", NULL, VALUE_COUNT },
	[FACT_KERNEL_WALKS] = { "kernel_walks", NULL, VALUE_TEXT },
	[FACT_NAMES_COMPARED] = { "names_compared", NULL, VALUE_COUNT },
	[FACT_NAMES_DIFFERENT] = { "names_different", NULL, VALUE_COUNT },
	[FACT_MEMORY_TOTAL] = { "memory_total_bytes", NULL, VALUE_BYTES },
	[FACT_MEMORY_FREE_START] = { "memory_free_bytes_start", NULL, VALUE_BYTES },
	[FACT_MEMORY_FREE_END] = { "memory_free_bytes_end", NULL, VALUE_BYTES },
	[FACT_MEMORY_AVAILABLE_START] = { "memory_available_bytes_start", NULL, VALUE_BYTES },
	[FACT_MEMORY_AVAILABLE_END] = { "memory_available_bytes_end", NULL, VALUE_BYTES },
	[FACT_SLAB_START] = { "slab_bytes_start", NULL, VALUE_BYTES },
	[FACT_SLAB_END] = { "slab_bytes_end", NULL, VALUE_BYTES },
	[FACT_SLAB_UNRECLAIMABLE_START] = { "slab_unreclaimable_bytes_start", NULL, VALUE_BYTES },
	[FACT_SLAB_UNRECLAIMABLE_END] = { "slab_unreclaimable_bytes_end", NULL, VALUE_BYTES },
	[FACT_PRESSURE_SOME] = { "memory_pressure_some_percent", NULL, VALUE_SHARE },
	[FACT_PRESSURE_FULL] = { "memory_pressure_full_percent", NULL, VALUE_SHARE },
	[FACT_MAJOR_FAULTS] = { "major_faults", NULL, VALUE_COUNT },
	[FACT_RECLAIM_STALLS] = { "reclaim_stalls", NULL, VALUE_COUNT },
	[FACT_OOM_KILLS] = { "oom_kills", NULL, VALUE_COUNT },
	[FACT_CPUS_SEEN] = { "cpus_seen", NULL, VALUE_COUNT },
	[FACT_SAMPLING_ASKED] = { "sampling_period_asked", NULL, VALUE_COUNT },
	[FACT_SAMPLING_MIN] = { "sampling_period_min", NULL, VALUE_COUNT },
	[FACT_SAMPLING_MAX] = { "sampling_period_max", NULL, VALUE_COUNT },
	[FACT_SAMPLING_MAX_CPU] = { "sampling_period_max_cpu", NULL, VALUE_COUNT },
	[FACT_OVERHEAD_MAX] = { "overhead_max_percent", NULL, VALUE_COUNT },
	[FACT_ALLOCATIONS] = { "allocations", NULL, VALUE_COUNT },
	[FACT_ALLOCATIONS_BEFORE] = { "allocations_before_filters", NULL, VALUE_COUNT },
	[FACT_ALLOCATIONS_MARGIN] = { "allocations_before_filters_margin_percent", NULL,
				      VALUE_PERCENT },
	[FACT_ALLOCATIONS_FAILED] = { "allocations_failed", NULL, VALUE_COUNT },
	[FACT_ALLOCATIONS_LEFT_OUT] = { "allocations_left_out", NULL, VALUE_COUNT },
	[FACT_BYTES_REQUESTED] = { "bytes_requested", NULL, VALUE_BYTES },
	[FACT_BYTES_REQUESTED_BEFORE] = { "bytes_requested_before_filters", NULL, VALUE_BYTES },
	[FACT_BYTES_ALLOCATED] = { "bytes_allocated", NULL, VALUE_BYTES },
	[FACT_BYTES_ALLOCATED_BEFORE] = { "bytes_allocated_before_filters", NULL, VALUE_BYTES },
	[FACT_BYTES_WASTED] = { "bytes_wasted", NULL, VALUE_BYTES },
	[FACT_BYTES_WASTED_BEFORE] = { "bytes_wasted_before_filters", NULL, VALUE_BYTES },
	[FACT_FREES] = { "frees", NULL, VALUE_COUNT },
	[FACT_PAGE_FREES] = { "page_frees", NULL, VALUE_COUNT },
	[FACT_RANGE_FREES] = { "range_frees", NULL, VALUE_COUNT },
	[FACT_STACKS_BEFORE] = { "stacks_before_filters", NULL, VALUE_COUNT },
	[FACT_STACKS_AFTER] = { "stacks_after_filters", NULL, VALUE_COUNT },
	[FACT_STACKS_CUT] = { "stacks_cut", NULL, VALUE_COUNT },
	[FACT_ROWS_BEFORE] = { "rows_before_filters", NULL, VALUE_COUNT },
	[FACT_ROWS_AFTER] = { "rows_after_filters", NULL, VALUE_COUNT },
	[FACT_NAMED_BY_KERNEL] = { "allocations_named_by_kernel", NULL, VALUE_COUNT },
	[FACT_NAMED_BY_SIZE] = { "allocations_named_by_size", NULL, VALUE_COUNT },
	[FACT_NAMED_UNKNOWN] = { "allocations_of_unknown_cache", NULL, VALUE_COUNT },
	[FACT_NAMES_REASON] = { "names_not_reported_reason", NULL, VALUE_TEXT },
	[FACT_COUNTED_TWICE_ABOVE] = { "counted_twice_above_bytes", NULL, VALUE_BYTES },
	[FACT_SATURATED] = { "saturated", NULL, VALUE_FLAG },
	[FACT_IMPORTED] = { "imported", NULL, VALUE_FLAG },
	[FACT_READ_AS] = { "read_as", "Read as", VALUE_TEXT },
	[FACT_PAGE_BYTES] = { "page_bytes", NULL, VALUE_BYTES },
	[FACT_PAGE_BYTES_ASSUMED] = { "page_bytes_assumed", NULL, VALUE_FLAG },
	[FACT_HELD_IS_COUNTED] = { "held_is_counted", NULL, VALUE_FLAG },
	[FACT_HELD_IS_GROWTH] = { "held_is_growth", NULL, VALUE_FLAG },
	[FACT_SHRUNK_PLACES] = { "shrunk_places", NULL, VALUE_COUNT },
	[FACT_SHRUNK_OBJECTS] = { "shrunk_objects", NULL, VALUE_COUNT },
	[FACT_SHRUNK_BYTES] = { "shrunk_bytes", NULL, VALUE_BYTES },
	[FACT_LARGER_PLACES] = { "larger_places", NULL, VALUE_COUNT },
	[FACT_LARGER_BYTES] = { "larger_bytes", NULL, VALUE_BYTES },
	[FACT_HELD_UNSIZED] = { "objects_of_unknown_size", NULL, VALUE_COUNT },
	[FACT_HELD_IS_PAIRED] = { "held_is_paired", NULL, VALUE_FLAG },
	[FACT_HELD_ALLOCATED] = { "held_allocated", NULL, VALUE_COUNT },
	[FACT_HELD_FREED] = { "held_freed", NULL, VALUE_COUNT },
	[FACT_HELD_RECYCLED] = { "held_recycled", NULL, VALUE_COUNT },
	[FACT_HELD_DOUBTFUL] = { "held_doubtful", NULL, VALUE_COUNT },
	[FACT_HELD_DOUBTFUL_FREED] = { "held_doubtful_max", NULL, VALUE_COUNT },
	[FACT_HELD_PEAK_BYTES] = { "held_peak_bytes", NULL, VALUE_BYTES },
	[FACT_HELD_PEAK_AFTER] = { "held_peak_after_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_HELD_IS_PEAK] = { "held_is_peak", NULL, VALUE_FLAG },
	[FACT_HELD_MIN_AGE] = { "held_age_min_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_HELD_OVER_BOUND] = { "held_over_bound", NULL, VALUE_COUNT },
	[FACT_FREED_AGAIN] = { "freed_again", NULL, VALUE_COUNT },
	[FACT_FREED_ELSEWHERE] = { "freed_to_another_cache", NULL, VALUE_COUNT },
	[FACT_FREED_IN_PARTS] = { "page_allocations_freed_in_parts", NULL, VALUE_COUNT },
	[FACT_HELD_UNORDERED] = { "held_unordered", NULL, VALUE_COUNT },
	[FACT_HELD_SCALE] = { "held_scale", NULL, VALUE_COUNT },
	[FACT_FREES_NOT_SEEN] = { "frees_not_seen", "Frees not observed", VALUE_TEXT },
	[FACT_HELD_INACCURATE] = { "rows_marked_inaccurate", NULL, VALUE_COUNT },
	[FACT_CUT_SHORT] = { "cut_short", NULL, VALUE_FLAG },
	[FACT_ENDED_EARLY] = { "ended_early", "Ended early", VALUE_TEXT },
	[FACT_BPF_ATTACHED] = { "bpf_attached", NULL, VALUE_TEXT },
	[FACT_NO_MEMORY_FOR] = { "no_memory_for", NULL, VALUE_LIST },
	[FACT_EVENTS_COUNTED] = { "events_counted", NULL, VALUE_COUNT },
	[FACT_EVENTS_PASSED_OVER] = { "events_passed_over", NULL, VALUE_COUNT },
	[FACT_STACKS_COUNTED] = { "stacks_counted", NULL, VALUE_COUNT },
	[FACT_LOST] = { "lost_events", NULL, VALUE_RANGE },
	[FACT_LOST_UNCOUNTED] = { "lost_uncounted_events", NULL, VALUE_RANGE },
	[FACT_LOST_TRANSPORT] = { "lost_transport_events", NULL, VALUE_RANGE },
	[FACT_LOST_NOT_DELIVERED] = { "lost_not_delivered_events", NULL, VALUE_RANGE },
	[FACT_LOST_UNREAD] = { "lost_unread_events", NULL, VALUE_RANGE },
	[FACT_LOST_SKIPPED] = { "lost_skipped_events", NULL, VALUE_RANGE },
	[FACT_LOST_MISSED] = { "lost_missed_events", NULL, VALUE_RANGE },
	[FACT_LOST_REENTRANT] = { "lost_reentrant_events", NULL, VALUE_RANGE },
	[FACT_LOST_DAMAGED] = { "lost_damaged_events", NULL, VALUE_RANGE },
	[FACT_LOST_MEMORY_BOUND] = { "lost_memory_bound_events", NULL, VALUE_RANGE },
	[FACT_LOST_BYTES] = { "lost_damaged_bytes", NULL, VALUE_BYTES },
	[FACT_LOST_AT_LEAST] = { "lost_more_is_possible", NULL, VALUE_FLAG },
	[FACT_OF_PAST_TASKS] = { "events_of_past_processes", NULL, VALUE_COUNT },
	[FACT_OF_OTHER_TASKS] = { "events_of_other_tasks", NULL, VALUE_COUNT },
	[FACT_OF_OTHER_CACHES] = { "events_of_other_caches", NULL, VALUE_COUNT },
	[FACT_UNKNOWN_PARTS] = { "unknown_parts", NULL, VALUE_COUNT },
	[FACT_UNTRACED] = { "untraced_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_UNTRACED_CPUS] = { "untraced_cpus", NULL, VALUE_TEXT },
	[FACT_BPF_BLIND] = { "bpf_held_back", NULL, VALUE_TEXT },
	[FACT_LOST_USER_LINES] = { "lost_user_lines", NULL, VALUE_COUNT },
	[FACT_UNREADABLE_USER_LINES] = { "unreadable_user_lines", NULL, VALUE_COUNT },
	[FACT_END_IS_UNKNOWN] = { "end_is_unknown", NULL, VALUE_FLAG },
	[FACT_KNOWN_UNTIL] = { "known_until_seconds", NULL, VALUE_TIME_SPAN },
	[FACT_KNOWN_UNTIL_TIME] = { "known_until_time", NULL, VALUE_TIME },
	[FACT_LOSS_OF_WHOLE_RUN] = { "lost_of_whole_run", NULL, VALUE_FLAG },
	[FACT_LOSS_IS_UNKNOWN] = { "lost_is_unknown", NULL, VALUE_FLAG },
};

/* Fields of the stream that become facts unchanged. */
static const struct {
	FactId fact;
	enum KmtFieldId field;
} fields[] = {
	{ FACT_RELEASE, KMT_FIELD_RELEASE },
	{ FACT_ARCH, KMT_FIELD_ARCH },
	{ FACT_VERSION, KMT_FIELD_VERSION },
	{ FACT_BOOT_ID, KMT_FIELD_BOOT_ID },
	{ FACT_CPUS_ONLINE, KMT_FIELD_CPUS_ONLINE },
	{ FACT_PAGE_BYTES, KMT_FIELD_PAGE_BYTES },
	{ FACT_CLOCK, KMT_FIELD_CLOCK },
	{ FACT_PROGRAM, KMT_FIELD_PROGRAM },
	{ FACT_COLLECTOR, KMT_FIELD_COLLECTOR },
	{ FACT_COMMAND_LINE, KMT_FIELD_COMMAND_LINE },
	{ FACT_COVERED, KMT_FIELD_COVERED },
	{ FACT_NOT_COVERED, KMT_FIELD_NOT_COVERED },
	{ FACT_NOT_RECORDED, KMT_FIELD_NOT_RECORDED },
	{ FACT_POINTS_TITLE, KMT_FIELD_POINTS_TITLE },
	{ FACT_POINTS_NOUN, KMT_FIELD_POINTS_NOUN },
	{ FACT_POINTS_MISSING, KMT_FIELD_POINTS_MISSING },
	{ FACT_VALUE_NAME, KMT_FIELD_VALUE_NAME },
	{ FACT_VALUE_UNIT, KMT_FIELD_VALUE_UNIT },
	{ FACT_USER_DEPTH, KMT_FIELD_USER_DEPTH },
	{ FACT_USER_STACK_BYTES, KMT_FIELD_USER_STACK_BYTES },
	{ FACT_NOT_UNWOUND, KMT_FIELD_NOT_UNWOUND },
	{ FACT_STACK_DEPTH, KMT_FIELD_STACK_DEPTH },
	{ FACT_SYMBOLS_HIDDEN, KMT_FIELD_ADDRESSES_HIDDEN },
	{ FACT_USER_NAMES_MISSING, KMT_FIELD_USER_NAMES_MISSING },
	{ FACT_TASKS_LOST, KMT_FIELD_TASKS_LOST },
	{ FACT_SCOPE, KMT_FIELD_SCOPE },
	{ FACT_SCOPE_PIDS, KMT_FIELD_SCOPE_PIDS },
	{ FACT_WITH_INTERRUPTS, KMT_FIELD_WITH_INTERRUPTS },
	{ FACT_SELF_INCLUDED, KMT_FIELD_SELF_INCLUDED },
	{ FACT_COMMAND, KMT_FIELD_COMMAND },
	{ FACT_COST_OF_EVENT, KMT_FIELD_EVENT_COST_NS },
	{ FACT_COST_OF_FRAME, KMT_FIELD_FRAME_COST_NS },
	{ FACT_WALKS_COMPARED, KMT_FIELD_WALKS_COMPARED },
	{ FACT_WALKS_DIFFERENT, KMT_FIELD_WALKS_DIFFERENT },
	{ FACT_KERNEL_WALKS, KMT_FIELD_KERNEL_WALKS },
	{ FACT_NAMES_COMPARED, KMT_FIELD_NAMES_COMPARED },
	{ FACT_NAMES_DIFFERENT, KMT_FIELD_NAMES_DIFFERENT },
	{ FACT_OVERHEAD_MAX, KMT_FIELD_OVERHEAD_PERCENT_MAX },
	{ FACT_NAMES_REASON, KMT_FIELD_CACHES_UNKNOWN },
	{ FACT_ENDED_EARLY, KMT_FIELD_BOUND },
	{ FACT_BPF_ATTACHED, KMT_FIELD_BPF_ATTACHED },
	{ FACT_UNTRACED_CPUS, KMT_FIELD_UNTRACED_CPUS },
};

/* Parts that exceeded --max-memory. Events without memory count as loss. */
static const char *const memory_part_names[MEMORY_PARTS] = {
	[MEMORY_SYMBOLS] = "symbols",
	[MEMORY_TEXTS] = "names of slab caches and cgroups",
	[MEMORY_CPUS] = "counters of CPUs",
	[MEMORY_REPORT] = "lines of stacks",
};

void fact_set_number(Facts *facts, FactId id, uint64_t number)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	facts->values[id] = (Value){ .known = true, .number = number, .other = number };
}

void fact_set_percent(Facts *facts, FactId id, double percent)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	facts->values[id] = (Value){ .known = true, .percent = percent };
}

void fact_set_text(Facts *facts, FactId id, const char *text)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	facts->values[id] = (Value){ .known = text != NULL, .text = text };
}

static void set_range(Facts *facts, FactId id, LossRange range)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	facts->values[id] = (Value){ .known = true, .number = range.low, .other = range.high };
}

void fact_set_share(Facts *facts, FactId id, uint64_t part, uint64_t whole)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	facts->values[id] = (Value){ .known = whole > 0, .number = part, .other = whole };
}

static void set_list(Facts *facts, FactId id, const char *text, const char *separator)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	facts->values[id].known = text != NULL;
	facts->values[id].list = text ? g_strsplit(text, separator, -1) : NULL;
}

static void set_fields(Facts *facts, const RunInfo *info)
{
	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		enum KmtFieldId field = fields[i].field;

		if (!info->known[field])
			continue;
		if (run_info_is_number(field))
			fact_set_number(facts, fields[i].fact, info->number[field]);
		else
			fact_set_text(facts, fields[i].fact, info->text[field]);
	}
	set_list(facts, FACT_EVENTS, run_info_text(info, KMT_FIELD_EVENTS), ",");
	set_list(facts, FACT_RECORDED_CACHES, run_info_text(info, KMT_FIELD_CACHE_FILTER), "\t");
}

/* Sets start and duration of a part of the run, if known. */
static void set_span(Facts *facts, FactId time, FactId duration, const RunInfo *info,
		     uint64_t start_ns, uint64_t end_ns)
{
	uint64_t realtime_ns = run_info_realtime_ns(info, start_ns);

	/* UINT64_MAX: cut off before the command ran. */
	if (!start_ns || start_ns == UINT64_MAX)
		return;
	fact_set_number(facts, duration, MAX(start_ns, end_ns) - start_ns);
	if (realtime_ns)
		fact_set_number(facts, time, realtime_ns);
}

static void set_spans(Facts *facts, const Session *session)
{
	const RunInfo *info = session->info;
	uint64_t run_start = run_info_number(info, KMT_FIELD_RUN_START_NS, 0);
	uint64_t start = run_info_number(info, KMT_FIELD_WINDOW_START_NS, run_start);

	set_span(facts, FACT_RUN_START_TIME, FACT_RUN_DURATION, info, run_start,
		 session_run_end_ns(session));
	/* The window of a piece begins with the first event that the piece before did not have. */
	set_span(facts, FACT_START_TIME, FACT_DURATION, info, MAX(start, run_start),
		 session_end_ns(session));
}

/* The part selected by --from and --to. */
static void set_part(Facts *facts, const Session *session)
{
	const RunSlice *slice = &session->info->slice;
	uint64_t length_ns = session_length_ns(session);

	if (!session->info->sliced)
		return;
	fact_set_number(facts, FACT_PART_FROM, slice->from_ns);
	fact_set_number(facts, FACT_PART_TO, MIN(slice->to_ns, length_ns));
	fact_set_number(facts, FACT_RUN_LENGTH, length_ns);
}

static void set_command(Facts *facts, const RunInfo *info)
{
	int status = (int)run_info_number(info, KMT_FIELD_COMMAND_STATUS, 0);

	if (!fact_is_known(facts, FACT_COMMAND))
		return;
	fact_set_number(facts, FACT_COMMAND_ENDED, info->known[KMT_FIELD_COMMAND_STATUS]);
	if (!info->known[KMT_FIELD_COMMAND_STATUS])
		return;
	if (WIFSIGNALED(status))
		fact_set_number(facts, FACT_COMMAND_SIGNAL, (unsigned)WTERMSIG(status));
	else
		fact_set_number(facts, FACT_COMMAND_STATUS, (unsigned)WEXITSTATUS(status));
}

/* If the probes cannot measure their time, it is estimated. An estimate may include events from
   before the span that were read late. */
static void set_cost(Facts *facts, LossTotals totals)
{
	bool estimated = fact_number(facts, FACT_COST_OF_EVENT);

	if (!totals.probe_span_ns)
		return;
	if (estimated) {
		totals.probe_ns = MIN(totals.probe_ns, totals.probe_span_ns);
		totals.probe_ns_busiest =
			MIN(totals.probe_ns_busiest, totals.probe_span_ns_busiest);
	}
	fact_set_share(facts, FACT_COST, totals.probe_ns, totals.probe_span_ns);
	fact_set_share(facts, FACT_COST_BUSIEST, totals.probe_ns_busiest,
		       totals.probe_span_ns_busiest);
	fact_set_number(facts, FACT_COST_BUSIEST_CPU, totals.probe_cpu_busiest);
	fact_set_number(facts, FACT_COST_ESTIMATED, estimated);
}

static void set_totals(Facts *facts, const Session *session)
{
	const LossTotals totals = loss_ledger_totals(session->loss);

	set_cost(facts, totals);
	fact_set_number(facts, FACT_CPUS_SEEN, totals.cpus);
	fact_set_number(facts, FACT_SAMPLING_ASKED,
			run_info_number(session->info, KMT_FIELD_SAMPLING_PERIOD, 1));
	fact_set_number(facts, FACT_SAMPLING_MIN, totals.sampling_period_min);
	fact_set_number(facts, FACT_SAMPLING_MAX, totals.sampling_period_max);
	fact_set_number(facts, FACT_SAMPLING_MAX_CPU, totals.sampling_cpu);
	fact_set_number(facts, FACT_LEFT_OUT_SELF, totals.left_out_self);
	fact_set_number(facts, FACT_LEFT_OUT_INTERRUPTS, totals.left_out_interrupt);
}

static void set_memory(Facts *facts, const MemoryBudget *memory)
{
	GPtrArray *parts = g_ptr_array_new();

	for (int part = 0; part < MEMORY_PARTS; part++)
		if (memory->full[part] && memory_part_names[part])
			g_ptr_array_add(parts, g_strdup(memory_part_names[part]));
	g_ptr_array_add(parts, NULL);
	facts->values[FACT_NO_MEMORY_FOR].known = memory_budget_is_full(memory);
	facts->values[FACT_NO_MEMORY_FOR].list = (char **)g_ptr_array_free(parts, FALSE);
}

/* The end of complete data: as wall-clock time, or since the start of the run. */
static void set_known_until(Facts *facts, const Session *session)
{
	uint64_t until_ns = loss_ledger_complete_until(session->loss);
	uint64_t start_ns = run_info_number(session->info, KMT_FIELD_RUN_START_NS, UINT64_MAX);
	uint64_t realtime_ns = run_info_realtime_ns(session->info, until_ns);

	if (until_ns && realtime_ns)
		fact_set_number(facts, FACT_KNOWN_UNTIL_TIME, realtime_ns);
	if (until_ns >= start_ns)
		fact_set_number(facts, FACT_KNOWN_UNTIL, until_ns - start_ns);
}

static void set_losses(Facts *facts, const Session *session)
{
	const Losses losses = losses_of(session);

	fact_set_number(facts, FACT_EVENTS_COUNTED, losses_counted(session));
	fact_set_number(facts, FACT_EVENTS_PASSED_OVER,
			losses_received(session) - losses_counted(session));
	fact_set_number(facts, FACT_STACKS_COUNTED,
			stack_table_count(profile_stacks(session->profile)));
	set_range(facts, FACT_LOST, losses_all(&losses));
	set_range(facts, FACT_LOST_UNCOUNTED, losses_uncounted(&losses));
	set_range(facts, FACT_LOST_TRANSPORT, losses.transport);
	set_range(facts, FACT_LOST_NOT_DELIVERED, losses.not_delivered);
	set_range(facts, FACT_LOST_UNREAD, losses.unread);
	set_range(facts, FACT_LOST_SKIPPED, losses.skipped);
	set_range(facts, FACT_LOST_MISSED, losses.missed);
	set_range(facts, FACT_LOST_REENTRANT, losses.reentrant);
	set_range(facts, FACT_LOST_DAMAGED, losses.damaged);
	set_range(facts, FACT_LOST_MEMORY_BOUND, loss_exactly(losses.over_bound));
	fact_set_number(facts, FACT_LOST_BYTES, losses.damaged_bytes);
	/* Only later counters show how many events the unreadable bytes contained. */
	fact_set_number(facts, FACT_LOST_AT_LEAST, losses.damaged_bytes && !losses.counted_to_end);
	fact_set_number(facts, FACT_OF_PAST_TASKS, losses.of_past_tasks);
	fact_set_number(facts, FACT_OF_OTHER_TASKS, losses.of_other_tasks);
	fact_set_number(facts, FACT_OF_OTHER_CACHES, losses.of_other_caches);
	fact_set_number(facts, FACT_UNKNOWN_PARTS,
			batch_reader_totals(session->reader).unknown + session->unknown_records);
	fact_set_number(facts, FACT_UNTRACED, losses.untraced_ns);
	fact_set_text(facts, FACT_BPF_BLIND, losses.bpf_blind);
	fact_set_number(facts, FACT_LOST_USER_LINES, losses.user_lines);
	fact_set_number(facts, FACT_UNREADABLE_USER_LINES, losses.user_lines_unreadable);
	fact_set_number(facts, FACT_LOSS_OF_WHOLE_RUN, losses.has_whole_run);
	fact_set_number(facts, FACT_LOSS_IS_UNKNOWN, losses.source_is_silent);
	fact_set_number(facts, FACT_END_IS_UNKNOWN, losses.end_unknown);
	if (losses.end_unknown)
		set_known_until(facts, session);
}

static void set_peak(Facts *facts, const Session *session)
{
	const LivesTotals lives = cell_lives_totals(pairing_lives(session->pairing));
	uint64_t start_ns = run_info_start_ns(session->info);

	if (!lives.peak_ns)
		return;
	fact_set_number(facts, FACT_HELD_PEAK_BYTES, lives.peak_bytes);
	fact_set_number(facts, FACT_HELD_PEAK_AFTER,
			lives.peak_ns > start_ns ? lives.peak_ns - start_ns : 0);
}

/* Whether the stream has all allocations of the host: else an object that is freed again may have
   been allocated again. */
static bool has_all_allocations(const Session *session)
{
	const unsigned objects = PROBE_KMALLOC | PROBE_CACHE;
	const char *scope = run_info_text(session->info, KMT_FIELD_SCOPE);
	const char *events = run_info_text(session->info, KMT_FIELD_EVENTS);
	unsigned observed;

	return scope && (g_str_equal(scope, "host") || g_str_equal(scope, "window")) && events &&
	       probe_kinds_parse(events, 0, &observed, NULL) && (observed & objects) == objects &&
	       !run_info_text(session->info, KMT_FIELD_CACHE_FILTER);
}

/* Numbers that cannot be known are left out. */
static void set_checks(Facts *facts, const Session *session)
{
	const FreeChecksTotals checks = pairing_checks(session->pairing);

	if (has_all_allocations(session))
		fact_set_number(facts, FACT_FREED_AGAIN, checks.freed_again);
	if (checks.caches_compared)
		fact_set_number(facts, FACT_FREED_ELSEWHERE, checks.to_other_cache);
	fact_set_number(facts, FACT_FREED_IN_PARTS, checks.freed_in_parts);
}

static void set_paired(Facts *facts, const Session *session)
{
	const PairingTotals totals = pairing_totals(session->pairing);

	fact_set_number(facts, FACT_HELD_IS_PAIRED, 1);
	fact_set_number(facts, FACT_HELD_ALLOCATED, totals.allocated);
	fact_set_number(facts, FACT_HELD_FREED, totals.freed);
	fact_set_number(facts, FACT_HELD_RECYCLED, totals.recycled);
	fact_set_number(facts, FACT_HELD_OVER_BOUND, totals.over_bound);
	fact_set_number(facts, FACT_HELD_UNORDERED, totals.out_of_order);
	fact_set_number(facts, FACT_HELD_SCALE, totals.scale);
	fact_set_text(facts, FACT_FREES_NOT_SEEN,
		      run_info_text(session->info, KMT_FIELD_FREES_NOT_SEEN));
	set_peak(facts, session);
	set_checks(facts, session);
}

static void set_held(Facts *facts, const Session *session)
{
	const HeldTotals *totals = &session->held_totals;

	fact_set_number(facts, FACT_HELD_IS_COUNTED, session->is_held);
	if (!session->is_held)
		return;
	if (session->pairing) {
		set_paired(facts, session);
		return;
	}
	fact_set_number(facts, FACT_HELD_IS_GROWTH, totals->is_difference);
	fact_set_number(facts, FACT_HELD_UNSIZED, session->held_unsized);
	fact_set_number(facts, FACT_HELD_INACCURATE, session->held_inaccurate);
	if (!totals->is_difference)
		return;
	fact_set_number(facts, FACT_SHRUNK_PLACES, totals->shrunk_places);
	fact_set_number(facts, FACT_SHRUNK_OBJECTS, totals->shrunk_objects);
	fact_set_number(facts, FACT_SHRUNK_BYTES, totals->shrunk_bytes);
	fact_set_number(facts, FACT_LARGER_PLACES, totals->larger_places);
	fact_set_number(facts, FACT_LARGER_BYTES, totals->larger_bytes);
}

Facts *facts_new(const Session *session, bool show_host)
{
	Facts *facts = g_new0(Facts, 1);

	if (show_host)
		fact_set_text(facts, FACT_HOST, run_info_text(session->info, KMT_FIELD_HOST));
	set_fields(facts, session->info);
	set_spans(facts, session);
	set_part(facts, session);
	set_command(facts, session->info);
	set_totals(facts, session);
	set_memory(facts, session->memory);
	set_losses(facts, session);
	set_held(facts, session);
	facts_set_memory_state(facts, session);
	fact_set_number(facts, FACT_IMPORTED, session->imported);
	fact_set_text(facts, FACT_READ_AS, session->read_as);
	fact_set_number(facts, FACT_PAGE_BYTES_ASSUMED, session->page_bytes_assumed);
	fact_set_number(facts, FACT_CUT_SHORT, session->cut_short);
	return facts;
}

static void add_exactly(Facts *facts, FactId id, uint64_t events)
{
	set_range(facts, id, loss_add(fact_range(facts, id), loss_exactly(events)));
}

void facts_add_overflow(Facts *facts, const ProfileTotals *overflow, const MemoryBudget *memory)
{
	add_exactly(facts, FACT_LOST_MEMORY_BOUND, overflow->over_bound);
	add_exactly(facts, FACT_LOST, overflow->over_bound);
	fact_set_number(
		facts, FACT_OF_OTHER_TASKS,
		saturate_sum(fact_number(facts, FACT_OF_OTHER_TASKS), overflow->of_other_tasks));
	if (!memory_budget_is_full(memory))
		return;
	g_strfreev(facts->values[FACT_NO_MEMORY_FOR].list);
	set_memory(facts, memory);
}

void facts_free(Facts *facts)
{
	if (!facts)
		return;
	for (FactId id = 0; id < FACTS; id++)
		g_strfreev(facts->values[id].list);
	g_free(facts);
}

bool facts_have_unknown_loss(const Facts *facts)
{
	return fact_number(facts, FACT_LOST_AT_LEAST) || fact_number(facts, FACT_UNTRACED) ||
	       fact_text(facts, FACT_BPF_BLIND) || fact_number(facts, FACT_LOSS_IS_UNKNOWN);
}

bool facts_have_no_loss(const Facts *facts)
{
	return !fact_range(facts, FACT_LOST).high && !fact_number(facts, FACT_LOST_BYTES) &&
	       !fact_number(facts, FACT_UNTRACED) && !fact_text(facts, FACT_BPF_BLIND) &&
	       !fact_number(facts, FACT_END_IS_UNKNOWN) &&
	       !fact_number(facts, FACT_LOST_USER_LINES) &&
	       !fact_number(facts, FACT_UNREADABLE_USER_LINES);
}
