/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of facts (id, type, line of text, source), and their values from a session: fields of
 * the stream, spans, cost, losses, pairing, the state of memory. model.c adds those that describe a
 * view.
 */
#include "report/facts.h"

#include "record/format.h"
#include "base/saturate.h"
#include "record/probe_kinds.h"
#include "table/cell_filter.h"

#include <sys/wait.h>

#define KIND(id, type, line, field, memory, figure)                                                \
	{                                                                                          \
		id, type, line, field, memory, figure                                              \
	}
#define FACT(id, type) KIND(id, type, NULL, 0, NOT_OF_MEMORY, 0)
#define LINE(id, type, line) KIND(id, type, line, 0, NOT_OF_MEMORY, 0)
#define FIELD(id, type, field) KIND(id, type, NULL, field, NOT_OF_MEMORY, 0)
#define FIELD_LINE(id, type, line, field) KIND(id, type, line, field, NOT_OF_MEMORY, 0)
#define OF_MEMORY(id, type, memory, figure) KIND(id, type, NULL, 0, memory, figure)

const FactKind fact_kinds[FACTS] = {
	[FACT_HOST] = FACT("host", VALUE_TEXT),
	[FACT_RELEASE] = FIELD("kernel_release", VALUE_TEXT, KMT_FIELD_RELEASE),
	[FACT_ARCH] = FIELD("architecture", VALUE_TEXT, KMT_FIELD_ARCH),
	[FACT_VERSION] = FIELD("kernel_version", VALUE_TEXT, KMT_FIELD_VERSION),
	[FACT_BOOT_ID] = FIELD("boot_id", VALUE_TEXT, KMT_FIELD_BOOT_ID),
	[FACT_CPUS_ONLINE] = FIELD("cpus_online", VALUE_COUNT, KMT_FIELD_CPUS_ONLINE),
	[FACT_START_TIME] = FACT("start_time", VALUE_TIME),
	[FACT_DURATION] = FACT("duration_seconds", VALUE_TIME_SPAN),
	[FACT_RUN_START_TIME] = FACT("run_start_time", VALUE_TIME),
	[FACT_RUN_DURATION] = FACT("run_duration_seconds", VALUE_TIME_SPAN),
	[FACT_PART_FROM] = LINE("part_from_seconds", VALUE_TIME_SPAN, "Part: from {} to {} of {}"),
	[FACT_PART_TO] = FACT("part_to_seconds", VALUE_TIME_SPAN),
	[FACT_RUN_LENGTH] = FACT("run_length_seconds", VALUE_TIME_SPAN),
	[FACT_CLOCK] = FIELD_LINE("clock", VALUE_TEXT, "Clock: {}", KMT_FIELD_CLOCK),
	[FACT_PROGRAM] = FIELD("program", VALUE_TEXT, KMT_FIELD_PROGRAM),
	[FACT_COLLECTOR] = FIELD("collector", VALUE_TEXT, KMT_FIELD_COLLECTOR),
	[FACT_COMMAND_LINE] = FIELD("command_line", VALUE_TEXT, KMT_FIELD_COMMAND_LINE),
	[FACT_EVENTS] = FACT("events", VALUE_LIST),
	[FACT_COVERED] = FIELD("covered", VALUE_TEXT, KMT_FIELD_COVERED),
	[FACT_NOT_COVERED] = FIELD("not_covered", VALUE_TEXT, KMT_FIELD_NOT_COVERED),
	[FACT_NOT_RECORDED] = FIELD_LINE("not_recorded", VALUE_TEXT,
					 "Not recorded by this kernel: {}", KMT_FIELD_NOT_RECORDED),
	[FACT_RECORDED_CACHES] = FACT("recorded_caches", VALUE_LIST),
	[FACT_POINTS_TITLE] = FIELD("title", VALUE_TEXT, KMT_FIELD_POINTS_TITLE),
	[FACT_POINTS_NOUN] = FIELD("events_called", VALUE_TEXT, KMT_FIELD_POINTS_NOUN),
	[FACT_POINTS_MISSING] = FIELD_LINE("points_missing", VALUE_TEXT, "Not observed: {}",
					   KMT_FIELD_POINTS_MISSING),
	[FACT_VALUE_NAME] = FIELD("value_of", VALUE_TEXT, KMT_FIELD_VALUE_NAME),
	[FACT_VALUE_UNIT] = FIELD("value_unit", VALUE_TEXT, KMT_FIELD_VALUE_UNIT),
	[FACT_SPANS] = FACT("spans", VALUE_COUNT),
	[FACT_SPANS_TIME] = FACT("spans_seconds", VALUE_TIME_SPAN),
	[FACT_SPANS_TIME_MAX] = FACT("spans_max_seconds", VALUE_TIME_SPAN),
	[FACT_SPANS_OPEN] = FACT("spans_open", VALUE_COUNT),
	[FACT_SPANS_NOT_BEGUN] = FACT("spans_not_begun", VALUE_COUNT),
	[FACT_SPANS_NOT_ENDED] = FACT("spans_not_ended", VALUE_COUNT),
	[FACT_USER_STACKS] = FACT("user_stacks", VALUE_COUNT),
	[FACT_USER_STACKS_WHOLE] = FACT("user_stacks_whole", VALUE_COUNT),
	[FACT_USER_STACK_BYTES] =
		FIELD("user_stack_copy_bytes", VALUE_COUNT, KMT_FIELD_USER_STACK_BYTES),
	[FACT_NOT_UNWOUND] = FIELD("user_stacks_not_unwound", VALUE_COUNT, KMT_FIELD_NOT_UNWOUND),
	[FACT_USER_DEPTH] = FIELD("user_stack_depth_max", VALUE_COUNT, KMT_FIELD_USER_DEPTH),
	[FACT_STACK_DEPTH] = FIELD("stack_depth_max", VALUE_COUNT, KMT_FIELD_STACK_DEPTH),
	[FACT_SYMBOLS_HIDDEN] = FIELD_LINE("symbols_hidden", VALUE_FLAG,
					   "Symbols: none, the kernel hid its addresses; recording "
					   "as root with kernel.kptr_restrict=1 shows them",
					   KMT_FIELD_ADDRESSES_HIDDEN),
	[FACT_USER_NAMES_MISSING] =
		FIELD_LINE("programs_not_read", VALUE_TEXT, "Programs not read: {}",
			   KMT_FIELD_USER_NAMES_MISSING),
	[FACT_TASKS_LOST] = FIELD_LINE("lost_task_records", VALUE_COUNT,
				       "Processes: {record} of their starts, names and ends lost: "
				       "some names may be outdated",
				       KMT_FIELD_TASKS_LOST),
	[FACT_SCOPE] = FIELD("scope", VALUE_TEXT, KMT_FIELD_SCOPE),
	[FACT_SCOPE_PIDS] = FIELD("scope_pids", VALUE_TEXT, KMT_FIELD_SCOPE_PIDS),
	[FACT_WITH_INTERRUPTS] = FIELD("with_interrupts", VALUE_FLAG, KMT_FIELD_WITH_INTERRUPTS),
	[FACT_SELF_INCLUDED] = FIELD("self_included", VALUE_FLAG, KMT_FIELD_SELF_INCLUDED),
	[FACT_LEFT_OUT_SELF] = FACT("allocations_left_out_self", VALUE_COUNT),
	[FACT_LEFT_OUT_INTERRUPTS] = FACT("allocations_left_out_interrupts", VALUE_COUNT),
	[FACT_COMMAND] = FIELD("traced_command", VALUE_TEXT, KMT_FIELD_COMMAND),
	[FACT_COMMAND_ENDED] = FACT("traced_command_ended", VALUE_FLAG),
	[FACT_COMMAND_STATUS] = FACT("traced_command_exit_status", VALUE_COUNT),
	[FACT_COMMAND_SIGNAL] = FACT("traced_command_signal", VALUE_COUNT),
	[FACT_COST] = FACT("cost_percent", VALUE_SHARE),
	[FACT_COST_BUSIEST] = FACT("cost_busiest_cpu_percent", VALUE_SHARE),
	[FACT_COST_BUSIEST_CPU] = FACT("cost_busiest_cpu", VALUE_COUNT),
	[FACT_COST_ESTIMATED] = FACT("cost_is_estimated", VALUE_FLAG),
	[FACT_COST_OF_EVENT] = FIELD("cost_of_event_ns", VALUE_NS, KMT_FIELD_EVENT_COST_NS),
	[FACT_COST_OF_FRAME] = FIELD("cost_of_frame_ns", VALUE_NS, KMT_FIELD_FRAME_COST_NS),
	[FACT_WALKS_COMPARED] = FIELD("walks_compared", VALUE_COUNT, KMT_FIELD_WALKS_COMPARED),
	[FACT_WALKS_DIFFERENT] = FIELD("walks_different", VALUE_COUNT, KMT_FIELD_WALKS_DIFFERENT),
	[FACT_KERNEL_WALKS] = FIELD_LINE("kernel_walks", VALUE_TEXT,
					 "Stack walks: the kernel\'s ({})", KMT_FIELD_KERNEL_WALKS),
	[FACT_NAMES_COMPARED] = FIELD("names_compared", VALUE_COUNT, KMT_FIELD_NAMES_COMPARED),
	[FACT_NAMES_DIFFERENT] = FIELD("names_different", VALUE_COUNT, KMT_FIELD_NAMES_DIFFERENT),
	[FACT_MEMORY_TOTAL] =
		OF_MEMORY("memory_total_bytes", VALUE_BYTES, MEMORY_AT_START, HOST_MEMORY_TOTAL),
	[FACT_MEMORY_FREE_START] = OF_MEMORY("memory_free_bytes_start", VALUE_BYTES,
					     MEMORY_AT_START, HOST_MEMORY_FREE),
	[FACT_MEMORY_FREE_END] =
		OF_MEMORY("memory_free_bytes_end", VALUE_BYTES, MEMORY_AT_END, HOST_MEMORY_FREE),
	[FACT_MEMORY_AVAILABLE_START] = OF_MEMORY("memory_available_bytes_start", VALUE_BYTES,
						  MEMORY_AT_START, HOST_MEMORY_AVAILABLE),
	[FACT_MEMORY_AVAILABLE_END] = OF_MEMORY("memory_available_bytes_end", VALUE_BYTES,
						MEMORY_AT_END, HOST_MEMORY_AVAILABLE),
	[FACT_SLAB_START] = OF_MEMORY("slab_bytes_start", VALUE_BYTES, MEMORY_AT_START, HOST_SLAB),
	[FACT_SLAB_END] = OF_MEMORY("slab_bytes_end", VALUE_BYTES, MEMORY_AT_END, HOST_SLAB),
	[FACT_SLAB_UNRECLAIMABLE_START] = OF_MEMORY("slab_unreclaimable_bytes_start", VALUE_BYTES,
						    MEMORY_AT_START, HOST_SLAB_UNRECLAIMABLE),
	[FACT_SLAB_UNRECLAIMABLE_END] = OF_MEMORY("slab_unreclaimable_bytes_end", VALUE_BYTES,
						  MEMORY_AT_END, HOST_SLAB_UNRECLAIMABLE),
	[FACT_PRESSURE_SOME] = OF_MEMORY("memory_pressure_some_percent", VALUE_SHARE,
					 MEMORY_SHARE_OF_TIME, HOST_PRESSURE_SOME_US),
	[FACT_PRESSURE_FULL] = OF_MEMORY("memory_pressure_full_percent", VALUE_SHARE,
					 MEMORY_SHARE_OF_TIME, HOST_PRESSURE_FULL_US),
	[FACT_MAJOR_FAULTS] =
		OF_MEMORY("major_faults", VALUE_COUNT, MEMORY_CHANGE, HOST_MAJOR_FAULTS),
	[FACT_RECLAIM_STALLS] =
		OF_MEMORY("reclaim_stalls", VALUE_COUNT, MEMORY_CHANGE, HOST_RECLAIM_STALLS),
	[FACT_OOM_KILLS] = OF_MEMORY("oom_kills", VALUE_COUNT, MEMORY_CHANGE, HOST_OOM_KILLS),
	[FACT_CPUS_SEEN] = FACT("cpus_seen", VALUE_COUNT),
	[FACT_SAMPLING_ASKED] = FACT("sampling_period_asked", VALUE_COUNT),
	[FACT_SAMPLING_MIN] = FACT("sampling_period_min", VALUE_COUNT),
	[FACT_SAMPLING_MAX] = FACT("sampling_period_max", VALUE_COUNT),
	[FACT_SAMPLING_MAX_CPU] = FACT("sampling_period_max_cpu", VALUE_COUNT),
	[FACT_OVERHEAD_MAX] =
		FIELD("overhead_max_percent", VALUE_COUNT, KMT_FIELD_OVERHEAD_PERCENT_MAX),
	[FACT_ALLOCATIONS] = FACT("allocations", VALUE_COUNT),
	[FACT_ALLOCATIONS_BEFORE] = FACT("allocations_before_filters", VALUE_COUNT),
	[FACT_ALLOCATIONS_MARGIN] =
		FACT("allocations_before_filters_margin_percent", VALUE_PERCENT),
	[FACT_ALLOCATIONS_FAILED] = FACT("allocations_failed", VALUE_COUNT),
	[FACT_ALLOCATIONS_LEFT_OUT] = FACT("allocations_left_out", VALUE_COUNT),
	[FACT_BYTES_REQUESTED] = FACT("bytes_requested", VALUE_BYTES),
	[FACT_BYTES_REQUESTED_BEFORE] = FACT("bytes_requested_before_filters", VALUE_BYTES),
	[FACT_BYTES_ALLOCATED] = FACT("bytes_allocated", VALUE_BYTES),
	[FACT_BYTES_ALLOCATED_BEFORE] = FACT("bytes_allocated_before_filters", VALUE_BYTES),
	[FACT_BYTES_WASTED] = FACT("bytes_wasted", VALUE_BYTES),
	[FACT_BYTES_WASTED_BEFORE] = FACT("bytes_wasted_before_filters", VALUE_BYTES),
	[FACT_FREES] = FACT("frees", VALUE_COUNT),
	[FACT_PAGE_FREES] = FACT("page_frees", VALUE_COUNT),
	[FACT_RANGE_FREES] = FACT("range_frees", VALUE_COUNT),
	[FACT_STACKS_BEFORE] = FACT("stacks_before_filters", VALUE_COUNT),
	[FACT_STACKS_AFTER] = FACT("stacks_after_filters", VALUE_COUNT),
	[FACT_STACKS_CUT] = FACT("stacks_cut", VALUE_COUNT),
	[FACT_ROWS_BEFORE] = FACT("rows_before_filters", VALUE_COUNT),
	[FACT_ROWS_AFTER] = FACT("rows_after_filters", VALUE_COUNT),
	[FACT_NAMED_BY_KERNEL] = FACT("allocations_named_by_kernel", VALUE_COUNT),
	[FACT_NAMED_BY_SIZE] = FACT("allocations_named_by_size", VALUE_COUNT),
	[FACT_NAMED_UNKNOWN] = FACT("allocations_of_unknown_cache", VALUE_COUNT),
	[FACT_NAMES_REASON] =
		FIELD("names_not_reported_reason", VALUE_TEXT, KMT_FIELD_CACHES_UNKNOWN),
	[FACT_COUNTED_TWICE_ABOVE] =
		LINE("counted_twice_above_bytes", VALUE_BYTES,
		     "Large kmallocs: those above {byte} may be counted twice, as this kernel "
		     "traces them twice and its symbols are not known"),
	[FACT_SATURATED] = LINE("saturated", VALUE_FLAG,
				"Too large: 18446744073709551615 is shown for all above"),
	[FACT_IMPORTED] = FACT("imported", VALUE_FLAG),
	[FACT_READ_AS] = LINE("read_as", VALUE_TEXT, "Read as: {}"),
	[FACT_PAGE_BYTES] = FIELD("page_bytes", VALUE_BYTES, KMT_FIELD_PAGE_BYTES),
	[FACT_PAGE_BYTES_ASSUMED] = FACT("page_bytes_assumed", VALUE_FLAG),
	[FACT_HELD_IS_COUNTED] = FACT("held_is_counted", VALUE_FLAG),
	[FACT_HELD_IS_GROWTH] = FACT("held_is_growth", VALUE_FLAG),
	[FACT_SHRUNK_PLACES] =
		LINE("shrunk_places", VALUE_COUNT, "Shrunk, not shown: {place} by {object} and {}"),
	[FACT_SHRUNK_OBJECTS] = FACT("shrunk_objects", VALUE_COUNT),
	[FACT_SHRUNK_BYTES] = FACT("shrunk_bytes", VALUE_BYTES),
	[FACT_LARGER_PLACES] = LINE("larger_places", VALUE_COUNT,
				    "Larger, not shown: {place} by {}, without more objects"),
	[FACT_LARGER_BYTES] = FACT("larger_bytes", VALUE_BYTES),
	[FACT_HELD_UNSIZED] = LINE("objects_of_unknown_size", VALUE_COUNT,
				   "Sizes: not known of {object} read, as no object_size is beside "
				   "their alloc_traces"),
	[FACT_HELD_IS_PAIRED] = FACT("held_is_paired", VALUE_FLAG),
	[FACT_HELD_ALLOCATED] = FACT("held_allocated", VALUE_COUNT),
	[FACT_HELD_FREED] = FACT("held_freed", VALUE_COUNT),
	[FACT_HELD_RECYCLED] =
		LINE("held_recycled", VALUE_COUNT,
		     "Frees not seen: at least {} (addresses that were allocated again); their "
		     "objects no longer count as held"),
	[FACT_HELD_DOUBTFUL] = FACT("held_doubtful", VALUE_COUNT),
	[FACT_HELD_DOUBTFUL_FREED] = FACT("held_doubtful_max", VALUE_COUNT),
	[FACT_HELD_PEAK_BYTES] = FACT("held_peak_bytes", VALUE_BYTES),
	[FACT_HELD_PEAK_AFTER] = FACT("held_peak_after_seconds", VALUE_TIME_SPAN),
	[FACT_HELD_IS_PEAK] = FACT("held_is_peak", VALUE_FLAG),
	[FACT_HELD_MIN_AGE] = FACT("held_age_min_seconds", VALUE_TIME_SPAN),
	[FACT_HELD_OVER_BOUND] =
		LINE("held_over_bound", VALUE_COUNT,
		     "Not followed for lack of memory: {} allocations: raise --max-memory"),
	[FACT_FREED_AGAIN] = FACT("freed_again", VALUE_COUNT),
	[FACT_FREED_ELSEWHERE] = FACT("freed_to_another_cache", VALUE_COUNT),
	[FACT_FREED_IN_PARTS] = LINE("page_allocations_freed_in_parts", VALUE_COUNT,
				     "Freed in parts: {page allocation}, counted as freed with the "
				     "first part"),
	[FACT_HELD_UNORDERED] =
		LINE("held_unordered", VALUE_COUNT,
		     "Paired early for lack of memory: {} events, whose order is not certain: "
		     "raise --max-memory"),
	[FACT_HELD_SCALE] = LINE("held_scale", VALUE_COUNT,
				 "Sampled by address: each object that was followed stands for {}"),
	[FACT_FREES_NOT_SEEN] = LINE("frees_not_seen", VALUE_TEXT, "Frees not observed: {}"),
	[FACT_HELD_INACCURATE] =
		LINE("rows_marked_inaccurate", VALUE_COUNT,
		     "Not accurate: {row} that the kernel marks so or whose sizes it rounds"),
	[FACT_CUT_SHORT] = FACT("cut_short", VALUE_FLAG),
	[FACT_ENDED_EARLY] =
		FIELD_LINE("ended_early", VALUE_TEXT, "Ended early: {}", KMT_FIELD_BOUND),
	[FACT_BPF_ATTACHED] = FIELD("bpf_attached", VALUE_TEXT, KMT_FIELD_BPF_ATTACHED),
	[FACT_NO_MEMORY_FOR] = LINE("no_memory_for", VALUE_LIST,
				    "Memory: no room for {}: use a larger --max-memory"),
	[FACT_EVENTS_COUNTED] = FACT("events_counted", VALUE_COUNT),
	[FACT_EVENTS_PASSED_OVER] = FACT("events_passed_over", VALUE_COUNT),
	[FACT_STACKS_COUNTED] = FACT("stacks_counted", VALUE_COUNT),
	[FACT_LOST] = FACT("lost_events", VALUE_RANGE),
	[FACT_LOST_UNCOUNTED] = FACT("lost_uncounted_events", VALUE_RANGE),
	[FACT_LOST_TRANSPORT] = FACT("lost_transport_events", VALUE_RANGE),
	[FACT_LOST_NOT_DELIVERED] = FACT("lost_not_delivered_events", VALUE_RANGE),
	[FACT_LOST_UNREAD] = FACT("lost_unread_events", VALUE_RANGE),
	[FACT_LOST_SKIPPED] = FACT("lost_skipped_events", VALUE_RANGE),
	[FACT_LOST_MISSED] = FACT("lost_missed_events", VALUE_RANGE),
	[FACT_LOST_REENTRANT] = FACT("lost_reentrant_events", VALUE_RANGE),
	[FACT_LOST_DAMAGED] = FACT("lost_damaged_events", VALUE_RANGE),
	[FACT_LOST_MEMORY_BOUND] = FACT("lost_memory_bound_events", VALUE_RANGE),
	[FACT_LOST_BYTES] = FACT("lost_damaged_bytes", VALUE_BYTES),
	[FACT_LOST_AT_LEAST] = FACT("lost_more_is_possible", VALUE_FLAG),
	[FACT_OF_PAST_TASKS] = FACT("events_of_past_processes", VALUE_COUNT),
	[FACT_OF_OTHER_TASKS] = FACT("events_of_other_tasks", VALUE_COUNT),
	[FACT_OF_OTHER_CACHES] = FACT("events_of_other_caches", VALUE_COUNT),
	[FACT_UNKNOWN_PARTS] =
		LINE("unknown_parts", VALUE_COUNT,
		     "Unknown: skipped {part} of the input: a newer version of kmalloc-top "
		     "wrote it"),
	[FACT_UNTRACED] = FACT("untraced_seconds", VALUE_TIME_SPAN),
	[FACT_UNTRACED_CPUS] = FIELD("untraced_cpus", VALUE_TEXT, KMT_FIELD_UNTRACED_CPUS),
	[FACT_BPF_BLIND] = FACT("bpf_held_back", VALUE_TEXT),
	[FACT_LOST_USER_LINES] = FACT("lost_user_lines", VALUE_COUNT),
	[FACT_UNREADABLE_USER_LINES] = FACT("unreadable_user_lines", VALUE_COUNT),
	[FACT_END_IS_UNKNOWN] = FACT("end_is_unknown", VALUE_FLAG),
	[FACT_KNOWN_UNTIL] = FACT("known_until_seconds", VALUE_TIME_SPAN),
	[FACT_KNOWN_UNTIL_TIME] = FACT("known_until_time", VALUE_TIME),
	[FACT_LOSS_OF_WHOLE_RUN] = FACT("lost_of_whole_run", VALUE_FLAG),
	[FACT_LOSS_IS_UNKNOWN] = FACT("lost_is_unknown", VALUE_FLAG),
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
	for (FactId id = 0; id < FACTS; id++) {
		enum KmtFieldId field = fact_kinds[id].field;

		if (!field || !info->known[field])
			continue;
		if (run_info_is_number(field))
			fact_set_number(facts, id, info->number[field]);
		else
			fact_set_text(facts, id, info->text[field]);
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

	return scope_is_host(scope) && events && probe_kinds_parse(events, 0, &observed, NULL) &&
	       (observed & objects) == objects &&
	       !run_info_text(session->info, KMT_FIELD_CACHE_FILTER);
}

static void set_paired(Facts *facts, const Session *session)
{
	const PairingTotals totals = pairing_totals(session->pairing);
	const FreeChecksTotals checks = pairing_checks(session->pairing);

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
	/* Numbers that cannot be known are left out. */
	if (has_all_allocations(session))
		fact_set_number(facts, FACT_FREED_AGAIN, checks.freed_again);
	if (checks.caches_compared)
		fact_set_number(facts, FACT_FREED_ELSEWHERE, checks.to_other_cache);
	fact_set_number(facts, FACT_FREED_IN_PARTS, checks.freed_in_parts);
}

static void set_held(Facts *facts, const Session *session)
{
	const HeldTotals *totals = &session->held_totals;

	fact_set_number(facts, FACT_HELD_IS_COUNTED, session_is_held(session));
	if (!session_is_held(session))
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

/* The state of memory. */

enum { NS_PER_US = 1000 };

/* Two readings. */
typedef struct {
	HostState start;
	HostState end;
	uint64_t span_ns; /* between them; 0: unknown */
} MemoryStates;

static void set_level(Facts *facts, FactId id, const HostState *state)
{
	HostFigure figure = fact_kinds[id].figure;

	g_assert(figure < G_N_ELEMENTS(state->numbers));
	if (state->known[figure])
		fact_set_number(facts, id, state->numbers[figure]);
}

static void set_memory_fact(Facts *facts, FactId id, const MemoryStates *states)
{
	const HostState *before = &states->start, *after = &states->end;
	HostFigure figure = fact_kinds[id].figure;
	uint64_t span_us = states->span_ns / NS_PER_US;
	uint64_t start, end;

	g_assert(figure < G_N_ELEMENTS(before->numbers));
	start = before->numbers[figure];
	end = after->numbers[figure];
	if (fact_kinds[id].memory == MEMORY_AT_START)
		set_level(facts, id, before);
	else if (fact_kinds[id].memory == MEMORY_AT_END)
		set_level(facts, id, after);
	else if (!before->known[figure] || !after->known[figure] || end < start)
		return; /* no kernel's counter goes back */
	else if (fact_kinds[id].memory == MEMORY_CHANGE)
		fact_set_number(facts, id, end - start);
	else /* the kernel's clock of pressure may be a little ahead */
		fact_set_share(facts, id, MIN(end - start, span_us), span_us);
}

/* Sets the facts about the state of the host's memory from the readings of a stream: of the whole
   run, whatever part of it is shown. Facts of the end, and changes, stay unknown until its reading
   has come. */
static void set_memory_state(Facts *facts, const Session *session)
{
	const RunText *text = session->text;
	uint64_t start_ns = run_text_time_ns(text, KMT_BATCH_MEMORY, KMT_READING_START);
	uint64_t end_ns = run_text_time_ns(text, KMT_BATCH_MEMORY, KMT_READING_END);
	const MemoryStates states = {
		host_state_parse(run_text_of(text, KMT_BATCH_MEMORY, KMT_READING_START)),
		host_state_parse(run_text_of(text, KMT_BATCH_MEMORY, KMT_READING_END)),
		start_ns && end_ns > start_ns ? end_ns - start_ns : 0,
	};

	for (FactId id = 0; id < FACTS; id++)
		if (fact_kinds[id].memory != NOT_OF_MEMORY)
			set_memory_fact(facts, id, &states);
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
	set_memory_state(facts, session);
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

static bool has_uncountable_loss(const Facts *facts)
{
	return facts_have_unknown_loss(facts) || fact_number(facts, FACT_END_IS_UNKNOWN) ||
	       fact_number(facts, FACT_LOST_BYTES) || fact_number(facts, FACT_LOST_USER_LINES) ||
	       fact_number(facts, FACT_UNREADABLE_USER_LINES);
}

bool facts_loss_is_small(const Facts *facts, double percent_max)
{
	double lost = (double)fact_range(facts, FACT_LOST_UNCOUNTED).high;
	double received = (double)fact_number(facts, FACT_EVENTS_COUNTED) +
			  (double)fact_number(facts, FACT_EVENTS_PASSED_OVER);

	/* A full table is another matter: what is in it is wrong, however little it is. */
	if (has_uncountable_loss(facts) || fact_range(facts, FACT_LOST_MEMORY_BOUND).high)
		return false;
	return lost * 100 <= percent_max * (received + lost);
}

bool facts_have_no_loss(const Facts *facts)
{
	return !fact_range(facts, FACT_LOST).high && !fact_number(facts, FACT_LOST_BYTES) &&
	       !fact_number(facts, FACT_UNTRACED) && !fact_text(facts, FACT_BPF_BLIND) &&
	       !fact_number(facts, FACT_END_IS_UNKNOWN) &&
	       !fact_number(facts, FACT_LOST_USER_LINES) &&
	       !fact_number(facts, FACT_UNREADABLE_USER_LINES);
}
