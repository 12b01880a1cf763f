/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/facts.h"

#include "escape.h"
#include "report/drops.h"
#include "report/large_line.h"
#include "report/limits.h"
#include "report/lost.h"
#include "report/names_line.h"
#include "number_text.h"
#include "report/recorded_caches.h"
#include "report/sampling.h"

#include <string.h>
#include <sys/wait.h>

/* When a line is shown; with --details all are. */
typedef enum {
	FACT_ALWAYS,
	FACT_DETAIL,  /* with --details only */
	FACT_NOTABLE, /* when it says what is neither zero nor the default */
} FactWhen;

/* Appends a line, or nothing where the stream does not have what it shows. */
typedef struct {
	void (*append)(const Report *report, GString *out);
	FactWhen when;
	bool (*is_notable)(const Report *report); /* with FACT_NOTABLE */
} FactLine;

static const char *text_of(const Report *report, enum KmtFieldId id)
{
	return run_info_text(report->session->info, id);
}

static uint64_t number_of(const Report *report, enum KmtFieldId id, uint64_t fallback)
{
	return run_info_number(report->session->info, id, fallback);
}

static bool is_known(const Report *report, enum KmtFieldId id)
{
	return report->session->info->known[id];
}

bool bytes_are_known(const Report *report)
{
	const char *missing = text_of(report, KMT_FIELD_NOT_RECORDED);

	if (missing && strstr(missing, "bytes_"))
		return false;
	return !report->session->imported || report->view->before.bytes_allocated;
}

const StackSummary *shown_sums(const Report *report)
{
	return report->groups ? &report->groups->after.summary : &report->view->after;
}

void append_bytes(GString *out, const Report *report, const StackSummary *summary)
{
	g_string_append(out, "requested ");
	append_amount(out, summary->bytes_requested, report->human);
	g_string_append(out, ", allocated ");
	append_amount(out, summary->bytes_allocated, report->human);
	g_string_append(out, ", wasted ");
	append_amount(out, sort_key_lookup("waste")->value(summary), report->human);
}

/* Appends ", wasted 77,184 of 3,599,168"; only one number where both are the same. */
static void append_of_all(GString *out, const Report *report, const char *name, uint64_t shown,
			  uint64_t all)
{
	g_string_append(out, name);
	append_amount(out, shown, report->human);
	if (shown == all)
		return;
	g_string_append(out, " of ");
	append_amount(out, all, report->human);
}

static void bytes_line(const Report *report, GString *out)
{
	const StackSummary *shown = shown_sums(report);
	const StackSummary *all = &report->view->before;
	const SortKey *waste = sort_key_lookup("waste");

	if (!bytes_are_known(report))
		return;
	append_of_all(out, report, "Bytes: requested ", shown->bytes_requested,
		      all->bytes_requested);
	append_of_all(out, report, ", allocated ", shown->bytes_allocated, all->bytes_allocated);
	append_of_all(out, report, ", wasted ", waste->value(shown), waste->value(all));
	g_string_append_c(out, '\n');
}

static bool has_bytes(const Report *report)
{
	return report->view->before.bytes_allocated || report->view->before.bytes_requested;
}

static bool has_failed(const Report *report)
{
	return report->view->failed_before;
}

static void failed_line(const Report *report, GString *out)
{
	if (report->session->imported)
		return;
	g_string_append(out, "Failed allocations (NULL), not counted above: ");
	append_count(out, report->view->failed_before);
	g_string_append_c(out, '\n');
}

static void counted_line(const Report *report, GString *out)
{
	(void)report; /* true of every report */
	g_string_append(out, "Counted: allocations made during the run, freed or not; "
			     "this ranks churn, not memory held.\n");
}

static void frees_line(const Report *report, GString *out)
{
	if (!report->view->frees)
		return;
	g_string_append(out, "Frees: ");
	append_count(out, report->view->frees);
	g_string_append(out, " recorded, not ranked\n");
}

static const ViewLeftOut *left_out_at(const Report *report, guint index)
{
	return &g_array_index(report->view->left_out_by, ViewLeftOut, index);
}

static void append_left_out(GString *out, const ViewLeftOut *left_out)
{
	g_string_append(out, "Left out: ");
	append_count(out, left_out->allocations);
	g_string_append(out, left_out->allocations == 1 ? " allocation" : " allocations");
	g_string_append_printf(out, " not of --%s '", left_out->option);
	escape_append(out, left_out->given);
	g_string_append_c(out, '\'');
	if (left_out->remark)
		g_string_append_printf(out, "; %s", left_out->remark);
	g_string_append_c(out, '\n');
}

static bool says_more(const ViewLeftOut *left_out)
{
	return left_out->given && (left_out->allocations || left_out->remark);
}

static bool has_left_out(const Report *report)
{
	for (guint i = 0; i < report->view->left_out_by->len; i++)
		if (says_more(left_out_at(report, i)))
			return true;
	return false;
}

/* Allocations outside of the caches or cgroups that were asked for. */
static void left_out_lines(const Report *report, GString *out)
{
	for (guint i = 0; i < report->view->left_out_by->len; i++)
		if (left_out_at(report, i)->given)
			append_left_out(out, left_out_at(report, i));
}

/* What one filter dropped alone, the numbers before and after it say. */
static bool has_several_drops(const Report *report)
{
	return !nothing_is_left(report) && drops_effective(report) > 1;
}

/* A table of processes, or slabstack's list of them, shows them already. */
static bool shows_no_processes(const Report *report)
{
	return !group_keys_have(report->options->by, "process") &&
	       !group_keys_have(report->options->by, "pid");
}

static void processes_line(const Report *report, GString *out)
{
	gsize start = out->len;

	g_string_append(out, "Processes of these stacks: ");
	if (append_processes(out, report->view->processes, report->view->after.allocations))
		g_string_append_c(out, '\n');
	else
		g_string_truncate(out, start);
}

static bool has_process_filter(const Report *report)
{
	const char *scope = text_of(report, KMT_FIELD_SCOPE);

	return scope && (g_str_equal(scope, "command") || g_str_equal(scope, "pids"));
}

typedef struct {
	const char *scope; /* KMT_FIELD_SCOPE */
	const char *words;
} ScopeWords;

static const ScopeWords scope_words[] = {
	{ "host", "whole host" },
	{ "window", "whole host, while the command ran" },
	{ "command", "the command, its threads and descendants" },
	{ "pids", "every thread of the processes, not their children: " },
	{ NULL, NULL },
};

static void append_scope(GString *out, const char *scope)
{
	const ScopeWords *words = scope_words;

	while (words->scope && !g_str_equal(words->scope, scope))
		words++;
	escape_append(out, words->scope ? words->words : scope);
}

/* The default: the whole host, for as long as the run, or its command, takes. */
static bool has_other_scope(const Report *report)
{
	const char *scope = text_of(report, KMT_FIELD_SCOPE);

	return number_of(report, KMT_FIELD_SELF_INCLUDED, 0) ||
	       (scope && !g_str_equal(scope, "host") && !g_str_equal(scope, "window"));
}

static void scope_line(const Report *report, GString *out)
{
	const char *scope = text_of(report, KMT_FIELD_SCOPE);
	const char *pids = text_of(report, KMT_FIELD_SCOPE_PIDS);

	if (!scope)
		return;
	g_string_append(out, "Scope: ");
	append_scope(out, scope);
	if (pids && g_str_equal(scope, "pids"))
		escape_append(out, pids);
	if (has_process_filter(report) && number_of(report, KMT_FIELD_WITH_INTERRUPTS, 0))
		g_string_append(out, "; interrupts included");
	if (number_of(report, KMT_FIELD_SELF_INCLUDED, 0)) {
		g_string_append(out, "; own processes included\n");
		return;
	}
	g_string_append(out, "; own processes left out: ");
	append_count(out, loss_ledger_totals(report->session->loss).left_out_self);
	g_string_append(out, " allocations\n");
}

static bool has_interrupts_left_out(const Report *report)
{
	return loss_ledger_totals(report->session->loss).left_out_interrupt;
}

static void interrupts_line(const Report *report, GString *out)
{
	if (!has_process_filter(report) || number_of(report, KMT_FIELD_WITH_INTERRUPTS, 0))
		return;
	g_string_append(out, "Interrupts left out: ");
	append_count(out, loss_ledger_totals(report->session->loss).left_out_interrupt);
	g_string_append(out, " allocations in softirq and hardirq context "
			     "(--with-interrupts counts them)\n");
}

static void covered_line(const Report *report, GString *out)
{
	const char *covered = text_of(report, KMT_FIELD_COVERED);
	const char *not_covered = text_of(report, KMT_FIELD_NOT_COVERED);

	if (!covered && !not_covered)
		return;
	g_string_append(out, "Covered: ");
	escape_append(out, covered ? covered : "not known");
	if (not_covered) {
		g_string_append(out, "; not covered: ");
		escape_append(out, not_covered);
	}
	g_string_append_c(out, '\n');
}

/* A line of that heading, where the run has the text for it. */
static void append_text_line(const Report *report, GString *out, const char *heading,
			     enum KmtFieldId id)
{
	const char *text = text_of(report, id);

	if (!text)
		return;
	g_string_append(out, heading);
	escape_append(out, text);
	g_string_append_c(out, '\n');
}

static void not_recorded_line(const Report *report, GString *out)
{
	append_text_line(report, out, "Not recorded by this kernel: ", KMT_FIELD_NOT_RECORDED);
}

/* Some stacks are not whole, or all are call sites. */
static bool has_cut(const Report *report)
{
	return report->view->stacks_truncated || !number_of(report, KMT_FIELD_STACK_DEPTH, 0);
}

static void cut_line(const Report *report, GString *out)
{
	uint64_t depth = number_of(report, KMT_FIELD_STACK_DEPTH, 0);

	if (!is_known(report, KMT_FIELD_STACK_DEPTH))
		return;
	if (!depth) {
		g_string_append(out, "Stacks: none recorded, call sites only\n");
		return;
	}
	g_string_append(out, "Cut at ");
	append_count(out, depth);
	g_string_append(out, " frames: ");
	append_count(out, report->view->stacks_truncated);
	g_string_append(out, report->view->stacks_truncated == 1 ? " stack\n" : " stacks\n");
}

/* What was observed, in ns of the stream's clock: the window of a command, or the whole run. */
typedef struct {
	uint64_t start_ns;
	uint64_t end_ns; /* start_ns when it is not known */
} Span;

static Span span_of(const Report *report)
{
	uint64_t run_start = number_of(report, KMT_FIELD_RUN_START_NS, 0);
	uint64_t start = number_of(report, KMT_FIELD_WINDOW_START_NS, run_start);
	uint64_t until = loss_ledger_complete_until(report->session->loss);
	uint64_t run_end = number_of(report, KMT_FIELD_RUN_END_NS, until);
	uint64_t end = number_of(report, KMT_FIELD_WINDOW_END_NS, run_end);

	/* Cut before the command ran. */
	if (start == UINT64_MAX)
		return (Span){ 0 };
	return (Span){ start, start ? MAX(start, end) : start };
}

static void append_host(const Report *report, GString *out)
{
	static const struct {
		enum KmtFieldId id;
		const char *before;
	} parts[] = {
		{ KMT_FIELD_HOST, "" },
		{ KMT_FIELD_RELEASE, "Linux " },
		{ KMT_FIELD_ARCH, "" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		const char *text = text_of(report, parts[i].id);

		if (!text || (parts[i].id == KMT_FIELD_HOST && !report->show_host))
			continue;
		g_string_append(out, parts[i].before);
		escape_append(out, text);
		g_string_append(out, ", ");
	}
}

static void append_span(const Report *report, GString *out)
{
	Span span = span_of(report);
	uint64_t realtime_ns = run_info_realtime_ns(report->session->info, span.start_ns);

	if (!span.start_ns)
		return;
	if (realtime_ns) {
		append_time(out, realtime_ns);
		g_string_append(out, ", ");
	}
	append_seconds(out, span.end_ns - span.start_ns);
	g_string_append(out, ", ");
}

/* Whether the probes' time is estimated, as they cannot measure themselves. */
static bool cost_is_estimated(const Report *report)
{
	return number_of(report, KMT_FIELD_EVENT_COST_NS, 0);
}

/* The time in probes; the span is 0 where that is not known. */
static LossTotals cost_of(const Report *report)
{
	LossTotals totals = loss_ledger_totals(report->session->loss);

	/* An estimate may count late reads of events from before the span. */
	if (cost_is_estimated(report)) {
		totals.probe_ns = MIN(totals.probe_ns, totals.probe_span_ns);
		totals.probe_ns_busiest =
			MIN(totals.probe_ns_busiest, totals.probe_span_ns_busiest);
	}
	return totals;
}

/* Appends "5.1 %", or "about 5.1 %" of an estimate, or "less than 0.01 %". */
static void append_cost_share(const Report *report, GString *out, uint64_t part, uint64_t whole)
{
	enum { LEAST_SHOWN = 10000 }; /* a share of one in so many */

	if (part && part < whole / LEAST_SHOWN) {
		g_string_append(out, "less than ");
		append_percent(out, 1, LEAST_SHOWN);
		return;
	}
	g_string_append(out, cost_is_estimated(report) ? "about " : "");
	append_percent(out, part, whole);
}

/* Appends "tracing took 5.1 % of CPU time (CPU 0: 8.4 %), ". */
static void append_cost(const Report *report, GString *out)
{
	LossTotals cost = cost_of(report);

	if (!cost.probe_span_ns)
		return;
	g_string_append(out, "tracing took ");
	append_cost_share(report, out, cost.probe_ns, cost.probe_span_ns);
	g_string_append(out, " of CPU time");
	if (cost.cpus > 1) {
		g_string_append_printf(out, " (CPU %u: ", cost.probe_cpu_busiest);
		append_percent(out, cost.probe_ns_busiest, cost.probe_span_ns_busiest);
		g_string_append_c(out, ')');
	}
	g_string_append(out, ", ");
}

static void append_collector(const Report *report, GString *out)
{
	const char *collector = text_of(report, KMT_FIELD_COLLECTOR);

	if (!collector)
		return;
	escape_append(out, collector);
	g_string_append(out, ", ");
}

static void run_line(const Report *report, GString *out)
{
	static const char heading[] = "Run: ";
	uint64_t cpus = number_of(report, KMT_FIELD_CPUS_ONLINE, 0);
	gsize start = out->len;

	g_string_append(out, heading);
	append_host(report, out);
	if (cpus) {
		append_count(out, cpus);
		g_string_append(out, cpus == 1 ? " CPU, " : " CPUs, ");
	}
	append_span(report, out);
	append_collector(report, out);
	append_cost(report, out);
	if (out->len == start + strlen(heading)) {
		g_string_truncate(out, start);
		return;
	}
	g_string_truncate(out, out->len - strlen(", "));
	g_string_append_c(out, '\n');
}

/* What --from and --to picked. */
static void slice_line(const Report *report, GString *out)
{
	const RunInfo *info = report->session->info;
	uint64_t length_ns = session_length_ns(report->session);

	if (!info->sliced)
		return;
	g_string_append(out, "Part: from ");
	append_seconds(out, info->slice.from_ns);
	g_string_append(out, " to ");
	append_seconds(out, MIN(info->slice.to_ns, length_ns));
	g_string_append(out, " of ");
	append_seconds(out, length_ns);
	g_string_append_c(out, '\n');
}

static void clock_line(const Report *report, GString *out)
{
	append_text_line(report, out, "Clock: ", KMT_FIELD_CLOCK);
}

static void command_line(const Report *report, GString *out)
{
	const char *called = text_of(report, KMT_FIELD_COMMAND_LINE);
	const char *program = text_of(report, KMT_FIELD_PROGRAM);
	const char *collector = text_of(report, KMT_FIELD_COLLECTOR);

	if (!called && !program && !collector)
		return;
	g_string_append(out, "Command: ");
	escape_append(out, called ? called : "not known");
	if (program || collector) {
		g_string_append(out, " (");
		escape_append(out, program ? program : "");
		g_string_append(out, program && collector ? ", " : "");
		escape_append(out, collector ? collector : "");
		g_string_append_c(out, ')');
	}
	g_string_append_c(out, '\n');
}

/* Whether the traced command failed, or did not end. */
static bool command_ended_badly(const Report *report)
{
	return !is_known(report, KMT_FIELD_COMMAND_STATUS) ||
	       number_of(report, KMT_FIELD_COMMAND_STATUS, 0);
}

static void command_end_line(const Report *report, GString *out)
{
	const char *command = text_of(report, KMT_FIELD_COMMAND);
	int status = (int)number_of(report, KMT_FIELD_COMMAND_STATUS, 0);

	if (!command)
		return;
	g_string_append(out, "Traced command: '");
	escape_append(out, command);
	if (!is_known(report, KMT_FIELD_COMMAND_STATUS))
		g_string_append(out, report->session->cut_short ? "', whose end was not recorded\n"
								: "' was still running\n");
	else if (WIFSIGNALED(status))
		g_string_append_printf(out, "' was killed by signal %d\n", WTERMSIG(status));
	else
		g_string_append_printf(out, "' ended with exit status %d\n", WEXITSTATUS(status));
}

static void cost_line(const Report *report, GString *out)
{
	LossTotals cost = cost_of(report);

	if (!cost.probe_span_ns)
		return;
	g_string_append(out, "Tracing cost: ");
	append_percent(out, cost.probe_ns, cost.probe_span_ns);
	g_string_append(out, " of all CPUs' time, ");
	append_percent(out, cost.probe_ns_busiest, cost.probe_span_ns_busiest);
	g_string_append_printf(out, " of the busiest (CPU %u)", cost.probe_cpu_busiest);
	if (cost_is_estimated(report))
		g_string_append_printf(out,
				       "; estimated, %" G_GUINT64_FORMAT
				       " ns an event and %" G_GUINT64_FORMAT " ns a frame",
				       number_of(report, KMT_FIELD_EVENT_COST_NS, 0),
				       number_of(report, KMT_FIELD_FRAME_COST_NS, 0));
	g_string_append_c(out, '\n');
}

static void sampling_line(const Report *report, GString *out)
{
	append_sampling_line_of_view(out, report->session, report->view);
}

static void hidden_line(const Report *report, GString *out)
{
	if (number_of(report, KMT_FIELD_ADDRESSES_HIDDEN, 0))
		g_string_append(out,
				"Symbols: none, the kernel hid its addresses; recording as root "
				"with kernel.kptr_restrict=1 shows them\n");
}

static void large_line(const Report *report, GString *out)
{
	append_large_line(out, report->session);
}

static void bound_line(const Report *report, GString *out)
{
	append_early_line(out, report->session);
}

static void bpf_line(const Report *report, GString *out)
{
	append_bpf_line(out, report->session);
}

static void full_line(const Report *report, GString *out)
{
	append_full_line(out, report->session);
}

static void lost_line(const Report *report, GString *out)
{
	append_lost_line(out, report->session);
}

static bool shows_caches(const Report *report)
{
	return group_keys_have(report->options->by, "cache");
}

static bool has_derived_names(const Report *report)
{
	return shows_caches(report) && !all_names_are_reported(report);
}

static void names_line(const Report *report, GString *out)
{
	if (shows_caches(report))
		append_names_line(out, report);
}

static void recorded_line(const Report *report, GString *out)
{
	append_recorded_caches(out, report);
}

static void memory_line(const Report *report, GString *out)
{
	append_memory_bound_line(out, report->session);
}

static const FactLine fact_lines[] = {
	{ bytes_line, FACT_NOTABLE, has_bytes },
	{ failed_line, FACT_NOTABLE, has_failed },
	{ counted_line, FACT_DETAIL, NULL },
	{ frees_line, FACT_ALWAYS, NULL },
	{ left_out_lines, FACT_NOTABLE, has_left_out },
	{ append_dropped_line, FACT_NOTABLE, has_several_drops },
	{ append_nothing_left_line, FACT_ALWAYS, NULL },
	{ processes_line, FACT_NOTABLE, shows_no_processes },
	{ names_line, FACT_NOTABLE, has_derived_names },
	{ scope_line, FACT_NOTABLE, has_other_scope },
	{ interrupts_line, FACT_NOTABLE, has_interrupts_left_out },
	{ covered_line, FACT_DETAIL, NULL },
	{ recorded_line, FACT_ALWAYS, NULL },
	{ not_recorded_line, FACT_ALWAYS, NULL },
	{ cut_line, FACT_NOTABLE, has_cut },
	{ run_line, FACT_ALWAYS, NULL },
	{ slice_line, FACT_ALWAYS, NULL },
	{ clock_line, FACT_DETAIL, NULL },
	{ command_line, FACT_DETAIL, NULL },
	{ command_end_line, FACT_NOTABLE, command_ended_badly },
	{ cost_line, FACT_DETAIL, NULL },
	{ sampling_line, FACT_ALWAYS, NULL },
	{ hidden_line, FACT_ALWAYS, NULL },
	{ large_line, FACT_ALWAYS, NULL },
	{ bound_line, FACT_ALWAYS, NULL },
	{ bpf_line, FACT_ALWAYS, NULL },
	{ full_line, FACT_ALWAYS, NULL },
	{ append_saturated_line, FACT_ALWAYS, NULL },
	{ memory_line, FACT_ALWAYS, NULL },
	{ lost_line, FACT_ALWAYS, NULL },
	{ NULL, FACT_ALWAYS, NULL },
};

void append_facts(const Report *report, GString *out)
{
	for (const FactLine *line = fact_lines; line->append; line++)
		if (report->details || line->when == FACT_ALWAYS ||
		    (line->when == FACT_NOTABLE && line->is_notable(report)))
			line->append(report, out);
}
