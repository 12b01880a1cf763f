/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/facts.h"

#include "escape.h"
#include "report/lost.h"
#include "report/names_line.h"
#include "report/numbers.h"
#include "report/recorded_caches.h"
#include "report/sampling.h"

#include <string.h>
#include <sys/wait.h>

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

static void bytes_before_line(const Report *report, GString *out)
{
	if (!bytes_are_known(report))
		return;
	g_string_append(out, "Bytes (before filtering): ");
	append_bytes(out, report, &report->view->before);
	g_string_append_c(out, '\n');
}

static void bytes_after_line(const Report *report, GString *out)
{
	if (!bytes_are_known(report))
		return;
	g_string_append(out, "Bytes (after filtering): ");
	append_bytes(out, report, shown_sums(report));
	g_string_append_c(out, '\n');
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

/* How a report speaks of what dropped stacks. */
typedef struct {
	const char *option; /* of the FilterDrop */
	const char *shown;
	const char *relation; /* of a dropped stack to the argument */
	const char *remedy;
	bool quoted;
} DropWords;

static const DropWords drop_words[] = {
	{ "min-count", "-m", "under", "a lower -m", false },
	{ "min-bytes", "--min-bytes", "under", "a lower --min-bytes", false },
	{ "exclude", "-e", "matched", "a narrower -e", true },
	{ "exclude-regex", "--exclude-regex", "matched", "a narrower --exclude-regex", true },
	{ "include", "-I", "without", "a wider -I", true },
	{ "include-regex", "--include-regex", "without", "a wider --include-regex", true },
	{ "top", "-t", "beyond", "a higher -t", false },
	{ NULL, NULL, NULL, NULL, false },
};

static const DropWords *words_of(const FilterDrop *drop)
{
	const DropWords *words = drop_words;

	while (words->option && !g_str_equal(words->option, drop->option))
		words++;
	g_assert(words->option);
	return words;
}

/* Appends "-e 'tcp_'", as it was given. */
static void append_option(GString *out, const FilterDrop *drop)
{
	const DropWords *words = words_of(drop);

	g_string_append_printf(out, "%s %s", words->shown, words->quoted ? "'" : "");
	escape_append(out, drop->argument);
	g_string_append(out, words->quoted ? "'" : "");
}

/* Those of stacks, then those of the groups that stacks make. */
static const FilterDrop *drop_at(const Report *report, guint index)
{
	guint of_stacks = report->view->drops->len;

	return index < of_stacks
		       ? &g_array_index(report->view->drops, FilterDrop, index)
		       : &g_array_index(report->groups->drops, FilterDrop, index - of_stacks);
}

/* Every filter that was given; the top, which comes last, only where there was one. */
static guint drops_shown(const Report *report)
{
	guint of_groups = report->groups ? report->groups->drops->len : 0;

	return report->view->drops->len + of_groups - (report->options->top == UINT64_MAX);
}

/* What a table's own conditions dropped is groups; what they were asked for before, stacks. */
static void append_dropped(GString *out, const Report *report, guint index)
{
	const char *what = index < report->view->drops->len ? "stack" : report->group_noun;
	uint64_t rows = drop_at(report, index)->rows;

	append_count(out, rows);
	g_string_append_printf(out, " %s%s", what, rows == 1 ? "" : "s");
}

static void append_drop(const Report *report, GString *out, guint index)
{
	const FilterDrop *drop = drop_at(report, index);

	g_string_append(out, "Dropped by ");
	append_option(out, drop);
	g_string_append(out, ": ");
	append_dropped(out, report, index);
	g_string_append(out, ", ");
	append_count(out, drop->allocations);
	g_string_append(out, drop->allocations == 1 ? " allocation (" : " allocations (");
	append_percent(out, drop->allocations, report->view->before.allocations);
	g_string_append(out, ")\n");
}

static void drop_lines(const Report *report, GString *out)
{
	for (guint i = 0; i < drops_shown(report); i++)
		append_drop(report, out, i);
}

static const ViewLeftOut *left_out_at(const Report *report, guint index)
{
	return &g_array_index(report->view->left_out_by, ViewLeftOut, index);
}

static void append_left_out(GString *out, const ViewLeftOut *left_out)
{
	g_string_append_printf(out, "Left out by --%s '", left_out->option);
	escape_append(out, left_out->given);
	g_string_append(out, "': ");
	append_count(out, left_out->allocations);
	g_string_append(out, left_out->allocations == 1 ? " allocation" : " allocations");
	if (left_out->remark)
		g_string_append_printf(out, "; %s", left_out->remark);
	g_string_append_c(out, '\n');
}

/* What was not counted at all, as it is others'. */
static void left_out_lines(const Report *report, GString *out)
{
	for (guint i = 0; i < report->view->left_out_by->len; i++)
		if (left_out_at(report, i)->given)
			append_left_out(out, left_out_at(report, i));
}

static void append_reasons(const Report *report, GString *out)
{
	append_count(out, report->view->stacks_before);
	if (report->groups)
		g_string_append(out, report->view->stacks_before == 1 ? " stack" : " stacks");
	g_string_append(out, " seen");
	for (guint i = 0; i < drops_shown(report); i++) {
		const FilterDrop *drop = drop_at(report, i);

		if (!drop->rows)
			continue;
		g_string_append(out, ", ");
		if (report->groups)
			append_dropped(out, report, i);
		else
			append_count(out, drop->rows);
		g_string_append_printf(out, " %s ", words_of(drop)->relation);
		append_option(out, drop);
	}
}

static void append_remedies(const Report *report, GString *out)
{
	const char *separator = "; ";

	for (guint i = 0; i < drops_shown(report); i++) {
		const FilterDrop *drop = drop_at(report, i);

		if (!drop->rows)
			continue;
		g_string_append_printf(out, "%s%s", separator, words_of(drop)->remedy);
		separator = " or ";
	}
	g_string_append(out, " would show more");
}

static void nothing_left_line(const Report *report, GString *out)
{
	if (report->groups ? report->groups->rows->len : report->view->stacks->len)
		return;
	g_string_append(out, "Nothing left: ");
	if (report->view->stacks_before) {
		append_reasons(report, out);
		append_remedies(report, out);
	} else if (report->view->left_out) {
		append_count(out, report->view->left_out);
		g_string_append(out, report->view->left_out == 1
					     ? " allocation was seen, and left out"
					     : " allocations were seen, and all left out");
	} else {
		g_string_append(out, report->session->imported
					     ? "no stack was found in the input"
					     : "no allocation was seen; a longer run or a wider "
					       "scope would show more");
	}
	g_string_append_c(out, '\n');
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
	if (out->len == start + strlen(heading)) {
		g_string_truncate(out, start);
		return;
	}
	g_string_truncate(out, out->len - strlen(", "));
	g_string_append_c(out, '\n');
}

static void clock_line(const Report *report, GString *out)
{
	append_text_line(report, out, "Clock: ", KMT_FIELD_CLOCK);
}

static void append_command_end(const Report *report, GString *out)
{
	const char *command = text_of(report, KMT_FIELD_COMMAND);
	int status = (int)number_of(report, KMT_FIELD_COMMAND_STATUS, 0);

	if (!command)
		return;
	g_string_append(out, "; '");
	escape_append(out, command);
	if (!is_known(report, KMT_FIELD_COMMAND_STATUS))
		g_string_append(out, report->session->cut_short ? "', whose end was not recorded"
								: "' was still running");
	else if (WIFSIGNALED(status))
		g_string_append_printf(out, "' was killed by signal %d", WTERMSIG(status));
	else
		g_string_append_printf(out, "' ended with exit status %d", WEXITSTATUS(status));
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
	append_command_end(report, out);
	g_string_append_c(out, '\n');
}

/* Where probes cannot measure themselves. */
static void append_cost_estimate(const Report *report, GString *out)
{
	uint64_t event_ns = number_of(report, KMT_FIELD_EVENT_COST_NS, 0);
	uint64_t frame_ns = number_of(report, KMT_FIELD_FRAME_COST_NS, 0);

	if (event_ns)
		g_string_append_printf(out,
				       "; estimated, %" G_GUINT64_FORMAT
				       " ns an event and %" G_GUINT64_FORMAT " ns a frame",
				       event_ns, frame_ns);
}

static void cost_line(const Report *report, GString *out)
{
	LossTotals totals = loss_ledger_totals(report->session->loss);

	if (!totals.probe_span_ns)
		return;
	/* Of an estimate, what is read late may be of before the span. */
	if (number_of(report, KMT_FIELD_EVENT_COST_NS, 0)) {
		totals.probe_ns = MIN(totals.probe_ns, totals.probe_span_ns);
		totals.probe_ns_busiest =
			MIN(totals.probe_ns_busiest, totals.probe_span_ns_busiest);
	}
	g_string_append(out, "Tracing cost: ");
	append_percent(out, totals.probe_ns, totals.probe_span_ns);
	g_string_append(out, " of all CPUs' time, ");
	append_percent(out, totals.probe_ns_busiest, totals.probe_span_ns_busiest);
	g_string_append_printf(out, " of the busiest (CPU %u)", totals.probe_cpu_busiest);
	append_cost_estimate(report, out);
	g_string_append_c(out, '\n');
}

static void sampling_line(const Report *report, GString *out)
{
	append_sampling_line(out, report->session);
}

static void hidden_line(const Report *report, GString *out)
{
	if (number_of(report, KMT_FIELD_ADDRESSES_HIDDEN, 0))
		g_string_append(out,
				"Symbols: none, the kernel hid its addresses; recording as root "
				"with kernel.kptr_restrict=1 shows them\n");
}

static void bound_line(const Report *report, GString *out)
{
	append_early_line(out, report->session);
}

static void lost_line(const Report *report, GString *out)
{
	append_lost_line(out, report->session);
}

/* Where caches are shown. */
static void names_line(const Report *report, GString *out)
{
	if (group_keys_have(report->options->by, "cache"))
		append_names_line(out, report);
}

static void recorded_line(const Report *report, GString *out)
{
	append_recorded_caches(out, report);
}

const FactLine fact_lines[] = {
	bytes_before_line, bytes_after_line, failed_line,       counted_line,   frees_line,
	left_out_lines,    drop_lines,       nothing_left_line, processes_line, names_line,
	scope_line,        interrupts_line,  covered_line,      recorded_line,  not_recorded_line,
	cut_line,          run_line,         clock_line,        command_line,   cost_line,
	sampling_line,     hidden_line,      bound_line,        lost_line,      NULL,
};
