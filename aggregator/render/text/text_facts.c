/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines after a report's summary: a const table says for each line what writes it and when it
 * is shown. Each function writes one line from facts; no figure is computed here.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"

#include <string.h>

/* When a line is shown; --details shows all lines. */
typedef enum {
	LINE_ALWAYS,
	LINE_DETAIL,  /* with --details only */
	LINE_NOTABLE, /* if the value is neither zero nor the default */
} LineWhen;

/* A line. append adds nothing if the facts are unknown. */
typedef struct {
	void (*append)(const ReportModel *model, GString *out);
	FactId fact; /* instead of append: the line that begins with this fact */
	LineWhen when;
	bool (*is_notable)(const ReportModel *model); /* with LINE_NOTABLE; or: */
	FactId notable;                               /* if this fact is not 0 */
	FactLineOfRun *of_run;                        /* instead of append */
	bool is_wide; /* left out of reports that have to fit a terminal */
} Line;

static const char *text_of(const ReportModel *model, FactId id)
{
	return fact_text(model->facts, id);
}

static uint64_t number_of(const ReportModel *model, FactId id)
{
	return fact_number(model->facts, id);
}

static bool is_known(const ReportModel *model, FactId id)
{
	return fact_is_known(model->facts, id);
}

/* Appends a fact: as so many of a noun, else by its type. */
static void append_fact(GString *out, const Facts *facts, FactId id, const char *noun, bool human)
{
	g_autofree char *list = NULL;

	g_assert(id < FACTS);
	if (*noun) {
		append_number_of(out, fact_number(facts, id), noun);
		return;
	}
	switch (fact_kinds[id].type) {
	case VALUE_TEXT:
		escape_append(out, fact_text(facts, id));
		break;
	case VALUE_LIST:
		list = g_strjoinv(", ", facts->values[id].list);
		escape_append(out, list);
		break;
	case VALUE_TIME_SPAN:
		append_seconds(out, fact_number(facts, id));
		break;
	case VALUE_COUNT:
		append_count(out, fact_number(facts, id));
		break;
	default: /* bytes */
		append_amount(out, fact_number(facts, id), human);
		g_string_append(out, human ? "" : " bytes");
	}
}

/* What is in braces is the fact, and those behind it. */
void append_fact_line(GString *out, const Facts *facts, FactId id, bool human)
{
	g_auto(GStrv) parts = NULL;
	bool counts;

	g_assert(id < FACTS && fact_kinds[id].line);
	counts = fact_kinds[id].type == VALUE_COUNT || fact_kinds[id].type == VALUE_FLAG;
	if (!fact_is_known(facts, id) || (counts && !fact_number(facts, id)))
		return;
	parts = g_strsplit_set(fact_kinds[id].line, "{}", -1);
	for (guint i = 0; parts[i]; i++) {
		if (i % 2)
			append_fact(out, facts, id + i / 2, parts[i], human);
		else
			g_string_append(out, parts[i]);
	}
	g_string_append_c(out, '\n');
}

void append_bytes(GString *out, const ReportModel *model, const RowSums *sums)
{
	const char *separator = "bytes: ";

	for (MetricId id = 0; id < METRICS; id++) {
		if (!metrics[id].word)
			continue;
		g_string_append_printf(out, "%s%s ", separator, metrics[id].word);
		append_amount(out, metric_figure(&metrics[id], sums), model->source->human);
		separator = ", ";
	}
	g_string_append_printf(out, "; failed %" G_GUINT64_FORMAT "\n", sums->summary.failed);
}

/* Appends "requested 77,184 of 3,599,168"; only one number if both are equal. */
static void bytes_line(const ReportModel *model, GString *out)
{
	const char *separator = "Bytes: ";

	if (!is_known(model, FACT_BYTES_ALLOCATED))
		return;
	for (gsize i = 0; i < METRICS_SUMMED; i++) {
		const MetricFacts *sum = &metric_facts[i];
		uint64_t shown = number_of(model, sum->shown), all = number_of(model, sum->before);

		if (!metrics[sum->metric].word)
			continue;
		g_string_append_printf(out, "%s%s ", separator, metrics[sum->metric].word);
		append_amount(out, shown, model->source->human);
		separator = ", ";
		if (shown == all)
			continue;
		g_string_append(out, " of ");
		append_amount(out, all, model->source->human);
	}
	g_string_append_c(out, '\n');
}

static bool has_bytes(const ReportModel *model)
{
	return number_of(model, FACT_BYTES_ALLOCATED_BEFORE) ||
	       number_of(model, FACT_BYTES_REQUESTED_BEFORE);
}

static void failed_line(const ReportModel *model, GString *out)
{
	if (!is_known(model, FACT_ALLOCATIONS_FAILED) || model_counts(model) == COUNTS_HITS)
		return;
	g_string_append(out, "Failed allocations (NULL), not counted above: ");
	append_count(out, number_of(model, FACT_ALLOCATIONS_FAILED));
	g_string_append_c(out, '\n');
}

static void counted_line(const ReportModel *model, GString *out)
{
	if (model_counts(model) != COUNTS_ALLOCATIONS)
		return;
	g_string_append(out, "Counted: allocations made during the run, freed or not; "
			     "this ranks churn, not memory held.\n");
}

static void held_line(const ReportModel *model, GString *out)
{
	if (model_counts(model) < COUNTS_RECORD)
		return;
	g_string_append(out, model_counts(model) == COUNTS_GROWTH
				     ? "Counted: objects that the second reading holds beyond "
				       "those of the first\n"
				     : "Counted: objects held when the kernel's record was read, "
				       "not allocations of a run\n");
}

static void shrunk_line(const ReportModel *model, GString *out)
{
	append_fact_line(out, model->facts, FACT_SHRUNK_PLACES, model->source->human);
	if (is_known(model, FACT_SHRUNK_PLACES) && !number_of(model, FACT_SHRUNK_PLACES))
		g_string_append(out, "Shrunk, not shown: none\n");
}

static void page_size_line(const ReportModel *model, GString *out)
{
	uint64_t bytes = number_of(model, FACT_PAGE_BYTES);

	if (!number_of(model, FACT_IMPORTED) ||
	    (!bytes && !number_of(model, FACT_PAGE_BYTES_ASSUMED)))
		return;
	g_string_append(out, "Page size: ");
	if (bytes)
		append_number_of(out, bytes, "byte");
	else
		g_string_append(out, "not in all of the texts");
	g_string_append(out, number_of(model, FACT_PAGE_BYTES_ASSUMED)
				     ? ", assumed; --page-size=SIZE sets it\n"
				     : "\n");
}

static void frees_line(const ReportModel *model, GString *out)
{
	static const struct {
		FactId id;
		const char *of;
	} kinds[] = {
		{ FACT_FREES, "slab objects" },
		{ FACT_PAGE_FREES, "pages" },
		{ FACT_RANGE_FREES, "other memory" },
	};
	bool is_alone = !number_of(model, FACT_PAGE_FREES) && !number_of(model, FACT_RANGE_FREES);
	gsize start = out->len;

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (!number_of(model, kinds[i].id))
			continue;
		g_string_append(out, out->len == start ? "Frees: " : ", ");
		append_count(out, number_of(model, kinds[i].id));
		if (!is_alone)
			g_string_append_printf(out, " of %s", kinds[i].of);
	}
	if (out->len > start)
		g_string_append(out, " recorded, not ranked\n");
}

static const ViewLeftOut *left_out_at(const ReportModel *model, guint index)
{
	g_assert(index < model->view->left_out_by->len);
	return &g_array_index(model->view->left_out_by, ViewLeftOut, index);
}

static bool has_left_out(const ReportModel *model)
{
	for (guint i = 0; i < model->view->left_out_by->len; i++) {
		const ViewLeftOut *left_out = left_out_at(model, i);

		if (left_out->given && (left_out->allocations || left_out->remark))
			return true;
	}
	return false;
}

/* Appends the lines about allocations outside of the requested caches or cgroups. */
static void left_out_lines(const ReportModel *model, GString *out)
{
	for (guint i = 0; i < model->view->left_out_by->len; i++) {
		const ViewLeftOut *left_out = left_out_at(model, i);

		if (!left_out->given)
			continue;
		g_string_append(out, "Left out: ");
		append_number_of(out, left_out->allocations, counted_noun(model));
		g_string_append_printf(out, " not of --%s '", left_out->option);
		escape_append(out, left_out->given);
		g_string_append_c(out, '\'');
		if (left_out->remark)
			g_string_append_printf(out, "; %s", left_out->remark);
		g_string_append_c(out, '\n');
	}
}

/* The drop of a single filter is visible from the numbers before and after it, where they are. */
static bool has_several_drops(const ReportModel *model)
{
	const guint visible = model->source->fits ? 0 : 1;

	return !model_is_empty(model) && drops_effective(model) > visible;
}

/* A table of processes, or slabstack's list of processes, already shows them. */
static bool shows_no_processes(const ReportModel *model)
{
	return !dimensions_have(model->source->options->by, "process") &&
	       !dimensions_have(model->source->options->by, "pid");
}

static void processes_line(const ReportModel *model, GString *out)
{
	gsize start = out->len;

	g_string_append(out, "Processes of these stacks: ");
	if (append_processes(out, model->view->processes, model->view->after.summary.allocations,
			     PROCESSES_SHOWN))
		g_string_append_c(out, '\n');
	else
		g_string_truncate(out, start);
}

typedef struct {
	const char *scope; /* FACT_SCOPE */
	const char *words;
} ScopeWords;

static const ScopeWords scope_words[] = {
	{ "host", "whole host" },
	{ "window", "whole host, while the command ran" },
	{ "command", "the command, its threads and descendants" },
	{ "pids", "every thread of the processes, not their children: " },
	{ NULL, NULL },
};

/* The default scope: the whole host, during the run or its command. */
static bool has_other_scope(const ReportModel *model)
{
	const char *scope = text_of(model, FACT_SCOPE);

	return number_of(model, FACT_SELF_INCLUDED) || (scope && !scope_is_host(scope));
}

static void scope_line(const ReportModel *model, GString *out)
{
	const char *scope = text_of(model, FACT_SCOPE);
	const char *pids = text_of(model, FACT_SCOPE_PIDS);
	const ScopeWords *words = scope_words;

	if (!scope)
		return;
	while (words->scope && !g_str_equal(words->scope, scope))
		words++;
	g_string_append(out, "Scope: ");
	escape_append(out, words->scope ? words->words : scope);
	if (pids && g_str_equal(scope, "pids"))
		escape_append(out, pids);
	if (scope_picks_tasks(scope) && number_of(model, FACT_WITH_INTERRUPTS))
		g_string_append(out, "; interrupts included");
	if (number_of(model, FACT_SELF_INCLUDED)) {
		g_string_append(out, "; own processes included\n");
		return;
	}
	g_string_append(out, "; own processes left out: ");
	append_number_of(out, number_of(model, FACT_LEFT_OUT_SELF), counted_noun(model));
	g_string_append_c(out, '\n');
}

static void interrupts_line(const ReportModel *model, GString *out)
{
	if (!scope_picks_tasks(text_of(model, FACT_SCOPE)) ||
	    number_of(model, FACT_WITH_INTERRUPTS))
		return;
	g_string_append(out, "Interrupts left out: ");
	append_count(out, number_of(model, FACT_LEFT_OUT_INTERRUPTS));
	g_string_append(out, " allocations in softirq and hardirq context "
			     "(--with-interrupts counts them)\n");
}

void append_covered(GString *out, const Facts *facts)
{
	const char *covered = fact_text(facts, FACT_COVERED);
	const char *not_covered = fact_text(facts, FACT_NOT_COVERED);

	g_string_append(out, "Covered: ");
	escape_append(out, covered ? covered : "not known");
	if (not_covered) {
		g_string_append(out, "; not covered: ");
		escape_append(out, not_covered);
	}
	g_string_append_c(out, '\n');
}

static void covered_line(const ReportModel *model, GString *out)
{
	if (is_known(model, FACT_COVERED) || is_known(model, FACT_NOT_COVERED))
		append_covered(out, model->facts);
}

/* Whether some stacks are truncated, or all are call sites. */
static bool has_cut(const ReportModel *model)
{
	return number_of(model, FACT_STACKS_CUT) || !number_of(model, FACT_STACK_DEPTH);
}

static void cut_line(const ReportModel *model, GString *out)
{
	uint64_t depth = number_of(model, FACT_STACK_DEPTH);

	if (!is_known(model, FACT_STACK_DEPTH) || (!depth && model_counts(model) == COUNTS_HITS))
		return;
	if (!depth) {
		g_string_append(out, "Stacks: none recorded, call sites only\n");
		return;
	}
	g_string_append(out, "Cut at ");
	append_count(out, depth);
	g_string_append(out, " frames: ");
	append_count(out, number_of(model, FACT_STACKS_CUT));
	g_string_append(out, number_of(model, FACT_STACKS_CUT) == 1 ? " stack\n" : " stacks\n");
}

static void append_host(const ReportModel *model, GString *out)
{
	static const struct {
		FactId id;
		const char *before;
	} parts[] = {
		{ FACT_HOST, "" },
		{ FACT_RELEASE, "Linux " },
		{ FACT_ARCH, "" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		const char *text = text_of(model, parts[i].id);

		if (!text)
			continue;
		g_string_append(out, parts[i].before);
		escape_append(out, text);
		g_string_append(out, ", ");
	}
}

static void append_span(const ReportModel *model, GString *out, bool with_start)
{
	if (with_start && is_known(model, FACT_START_TIME)) {
		append_time(out, number_of(model, FACT_START_TIME));
		g_string_append(out, ", ");
	}
	if (is_known(model, FACT_DURATION)) {
		append_seconds(out, number_of(model, FACT_DURATION));
		g_string_append(out, ", ");
	}
}

static void append_share_of(const ReportModel *model, GString *out, FactId id)
{
	const Value *share = &model->facts->values[id];

	g_assert(id < G_N_ELEMENTS(model->facts->values));
	append_percent(out, share->number, share->other);
}

/* Appends "tracing took 5.1 % of CPU time (CPU 0: 8.4 %), "; "about 5.1 %" of an estimate; "less
   than 0.01 %". */
static void append_cost(const ReportModel *model, GString *out)
{
	enum { LEAST_SHOWN = 10000 }; /* smallest share shown: one of this many */
	const Value *cost = &model->facts->values[FACT_COST];

	if (!cost->known)
		return;
	g_string_append(out, "tracing took ");
	if (cost->number && cost->number < cost->other / LEAST_SHOWN) {
		g_string_append(out, "less than ");
		append_percent(out, 1, LEAST_SHOWN);
	} else {
		g_string_append(out, number_of(model, FACT_COST_ESTIMATED) ? "about " : "");
		append_share_of(model, out, FACT_COST);
	}
	g_string_append(out, " of CPU time");
	if (number_of(model, FACT_CPUS_SEEN) > 1 && is_known(model, FACT_COST_BUSIEST)) {
		g_string_append_printf(out, " (CPU %" G_GUINT64_FORMAT ": ",
				       number_of(model, FACT_COST_BUSIEST_CPU));
		append_share_of(model, out, FACT_COST_BUSIEST);
		g_string_append_c(out, ')');
	}
	g_string_append(out, ", ");
}

static void append_collector(const ReportModel *model, GString *out)
{
	const char *collector = text_of(model, FACT_COLLECTOR);

	if (!collector)
		return;
	escape_append(out, collector);
	g_string_append(out, ", ");
}

static void append_words_of(GString *out, uint32_t number, const char *one, const char *several)
{
	append_count(out, number);
	g_string_append_printf(out, " %s, ", number == 1 ? one : several);
}

/* What differs between the runs, as far as the facts of all do not show it. */
static void append_runs(const ReportModel *model, GString *out)
{
	RunCounts counts;

	if (!model->runs)
		return;
	counts = many_runs_counts(model->runs);
	append_words_of(out, counts.recordings, "recording", "recordings");
	append_words_of(out, counts.hosts, "host", "hosts");
	if (counts.releases > 1)
		append_words_of(out, counts.releases, "kernel release", "kernel releases");
}

static void append_durations(const ReportModel *model, GString *out)
{
	RunCounts counts = model->runs ? many_runs_counts(model->runs) : (RunCounts){ 0 };

	if (counts.recordings < 2 || !is_known(model, FACT_DURATION))
		return;
	g_string_truncate(out, out->len - strlen(", "));
	g_string_append(out, " in all (");
	append_seconds(out, counts.duration_min_ns);
	if (counts.duration_min_ns != counts.duration_max_ns) {
		g_string_append(out, " to ");
		append_seconds(out, counts.duration_max_ns);
	}
	g_string_append(out, " each), ");
}

static void not_read_line(const ReportModel *model, GString *out)
{
	uint32_t not_read = model->runs ? many_runs_counts(model->runs).not_read : 0;

	if (!not_read)
		return;
	g_string_append(out, "Not read: ");
	append_number_of(out, not_read, "recording");
	g_string_append(out, ", named on standard error: the report lacks them\n");
}

void append_run_line(const ReportModel *model, GString *out)
{
	static const char heading[] = "Run: ";
	uint64_t cpus = number_of(model, FACT_CPUS_ONLINE);
	const bool is_seen = model->source->fits && !model->source->input && !model->runs;
	gsize start = out->len;

	g_string_append(out, heading);
	append_runs(model, out);
	/* Who looks at a terminal knows where the run was, and when. */
	if (!is_seen)
		append_host(model, out);
	if (cpus && !is_seen) {
		append_count(out, cpus);
		g_string_append(out, cpus == 1 ? " CPU, " : " CPUs, ");
	}
	append_span(model, out, !is_seen);
	append_durations(model, out);
	append_collector(model, out);
	append_cost(model, out);
	if (out->len == start + strlen(heading)) {
		g_string_truncate(out, start);
		return;
	}
	g_string_truncate(out, out->len - strlen(", "));
	g_string_append_c(out, '\n');
}

static void command_line(const ReportModel *model, GString *out)
{
	const char *called = text_of(model, FACT_COMMAND_LINE);
	const char *program = text_of(model, FACT_PROGRAM);
	const char *collector = text_of(model, FACT_COLLECTOR);

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
static bool command_ended_badly(const ReportModel *model)
{
	return !number_of(model, FACT_COMMAND_ENDED) || number_of(model, FACT_COMMAND_STATUS) ||
	       is_known(model, FACT_COMMAND_SIGNAL);
}

static void command_end_line(const ReportModel *model, GString *out)
{
	const char *command = text_of(model, FACT_COMMAND);

	if (!command)
		return;
	g_string_append(out, "Traced command: '");
	escape_append(out, command);
	if (!number_of(model, FACT_COMMAND_ENDED))
		g_string_append(out, number_of(model, FACT_CUT_SHORT)
					     ? "', whose end was not recorded\n"
					     : "' was still running\n");
	else if (is_known(model, FACT_COMMAND_SIGNAL))
		g_string_append_printf(out, "' was killed by signal %d\n",
				       (int)number_of(model, FACT_COMMAND_SIGNAL));
	else
		g_string_append_printf(out, "' ended with exit status %d\n",
				       (int)number_of(model, FACT_COMMAND_STATUS));
}

static void cost_line(const ReportModel *model, GString *out)
{
	if (!is_known(model, FACT_COST))
		return;
	g_string_append(out, "Tracing cost: ");
	append_share_of(model, out, FACT_COST);
	g_string_append(out, " of all CPUs' time");
	/* Of several runs, it is not known. */
	if (is_known(model, FACT_COST_BUSIEST)) {
		g_string_append(out, ", ");
		append_share_of(model, out, FACT_COST_BUSIEST);
		g_string_append_printf(out, " of the busiest (CPU %" G_GUINT64_FORMAT ")",
				       number_of(model, FACT_COST_BUSIEST_CPU));
	}
	if (number_of(model, FACT_COST_ESTIMATED))
		g_string_append_printf(out, "; estimated, %" G_GUINT64_FORMAT " ns an event",
				       number_of(model, FACT_COST_OF_EVENT));
	if (number_of(model, FACT_COST_ESTIMATED) && number_of(model, FACT_COST_OF_FRAME))
		g_string_append_printf(out, " and %" G_GUINT64_FORMAT " ns a frame",
				       number_of(model, FACT_COST_OF_FRAME));
	g_string_append_c(out, '\n');
}

static uint64_t names_counted(const ReportModel *model)
{
	return number_of(model, FACT_NAMED_BY_KERNEL) + number_of(model, FACT_NAMED_BY_SIZE) +
	       number_of(model, FACT_NAMED_UNKNOWN);
}

static bool has_derived_names(const ReportModel *model)
{
	return names_counted(model) > number_of(model, FACT_NAMED_BY_KERNEL);
}

/* Appends "Names: 93 % reported by the kernel, 6.9 % by size, 0.1 % unknown": how the slab caches
   of the allocations were named, and why the kernel did not report the rest. */
static void names_line(const ReportModel *model, GString *out)
{
	static const struct {
		FactId id;
		const char *words;
	} parts[] = {
		{ FACT_NAMED_BY_KERNEL, "reported by the kernel" },
		{ FACT_NAMED_BY_SIZE, "by size" },
		{ FACT_NAMED_UNKNOWN, "unknown" },
	};
	const char *separator = "Names: ";
	uint64_t sum = names_counted(model);

	for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
		if (!number_of(model, parts[i].id))
			continue;
		g_string_append(out, separator);
		append_percent(out, number_of(model, parts[i].id), sum);
		g_string_append_printf(out, " %s", parts[i].words);
		separator = ", ";
	}
	if (!sum)
		return;
	if (is_known(model, FACT_NAMES_REASON) && has_derived_names(model)) {
		g_string_append(out, "; not reported: ");
		escape_append(out, text_of(model, FACT_NAMES_REASON));
	}
	g_string_append_c(out, '\n');
}

static bool has_all(char *const *recorded, const CacheQuery *query)
{
	const GPtrArray *matched = query ? cache_query_matched(query) : NULL;

	for (guint i = 0; matched && i < matched->len; i++)
		if (!g_strv_contains((const char *const *)recorded, matched->pdata[i]))
			return false;
	return matched != NULL;
}

static void recorded_line(const ReportModel *model, GString *out)
{
	char **recorded = model->facts->values[FACT_RECORDED_CACHES].list;
	g_autofree char *names = NULL;

	if (!recorded || has_all(recorded, model->source->caches))
		return;
	g_string_append(out, "Recorded: every allocation ");
	if (!*recorded) {
		g_string_append(out, "only from slab caches that differ between recordings\n");
		return;
	}
	names = g_strjoinv(", ", recorded);
	g_string_append(out, "from ");
	escape_append(out, names);
	g_string_append(out, "; of those from other slab caches not all, or none\n");
}

static bool has_notable_walks(const ReportModel *model)
{
	return model->source->compares_walks || number_of(model, FACT_WALKS_DIFFERENT);
}

static bool has_notable_names(const ReportModel *model)
{
	return model->source->compares_names || number_of(model, FACT_NAMES_DIFFERENT);
}

static void lost_line(const ReportModel *model, GString *out)
{
	append_lost_causes(out, model->facts, model->source->details);
}

static const Line lines[] = {
	{ .append = bytes_line, .when = LINE_NOTABLE, .is_notable = has_bytes, .is_wide = true },
	{ .append = failed_line, .when = LINE_NOTABLE, .notable = FACT_ALLOCATIONS_FAILED },
	{ .append = counted_line, .when = LINE_DETAIL },
	{ .append = append_spans_line, .when = LINE_ALWAYS },
	{ .append = append_user_stacks_line, .when = LINE_ALWAYS },
	{ .fact = FACT_USER_NAMES_MISSING, .when = LINE_ALWAYS },
	{ .fact = FACT_POINTS_MISSING, .when = LINE_ALWAYS },
	{ .append = held_line, .when = LINE_ALWAYS },
	{ .append = append_held_lines, .when = LINE_ALWAYS },
	{ .fact = FACT_FREES_NOT_SEEN, .when = LINE_ALWAYS, .is_wide = true },
	{ .append = shrunk_line, .when = LINE_ALWAYS },
	{ .fact = FACT_LARGER_PLACES, .when = LINE_ALWAYS },
	{ .fact = FACT_HELD_UNSIZED, .when = LINE_ALWAYS },
	{ .fact = FACT_HELD_INACCURATE, .when = LINE_ALWAYS },
	{ .append = page_size_line,
	  .when = LINE_NOTABLE,
	  .notable = FACT_PAGE_BYTES_ASSUMED,
	  .is_wide = true },
	{ .append = frees_line, .when = LINE_ALWAYS, .is_wide = true },
	{ .append = left_out_lines, .when = LINE_NOTABLE, .is_notable = has_left_out },
	{ .append = append_dropped_line, .when = LINE_NOTABLE, .is_notable = has_several_drops },
	{ .append = append_nothing_left_line, .when = LINE_ALWAYS },
	{ .append = processes_line,
	  .when = LINE_NOTABLE,
	  .is_notable = shows_no_processes,
	  .is_wide = true },
	{ .append = names_line,
	  .when = LINE_NOTABLE,
	  .is_notable = has_derived_names,
	  .is_wide = true },
	{ .append = scope_line, .when = LINE_NOTABLE, .is_notable = has_other_scope },
	{ .append = interrupts_line, .when = LINE_NOTABLE, .notable = FACT_LEFT_OUT_INTERRUPTS },
	{ .append = covered_line, .when = LINE_DETAIL },
	{ .append = recorded_line, .when = LINE_ALWAYS },
	{ .fact = FACT_NOT_RECORDED, .when = LINE_ALWAYS },
	{ .append = cut_line, .when = LINE_NOTABLE, .is_notable = has_cut, .is_wide = true },
	{ .append = append_run_line, .when = LINE_ALWAYS },
	{ .append = not_read_line, .when = LINE_ALWAYS },
	{ .fact = FACT_PART_FROM, .when = LINE_ALWAYS },
	{ .fact = FACT_CLOCK, .when = LINE_DETAIL },
	{ .append = command_line, .when = LINE_DETAIL },
	{ .append = command_end_line, .when = LINE_NOTABLE, .is_notable = command_ended_badly },
	{ .append = cost_line, .when = LINE_DETAIL },
	{ .of_run = append_sampling_line, .when = LINE_ALWAYS },
	{ .fact = FACT_SYMBOLS_HIDDEN, .when = LINE_ALWAYS },
	{ .fact = FACT_TASKS_LOST, .when = LINE_ALWAYS },
	{ .fact = FACT_COUNTED_TWICE_ABOVE, .when = LINE_ALWAYS },
	{ .fact = FACT_ENDED_EARLY, .when = LINE_ALWAYS },
	{ .of_run = append_bpf_line, .when = LINE_ALWAYS },
	{ .of_run = append_walks_line, .when = LINE_NOTABLE, .is_notable = has_notable_walks },
	{ .fact = FACT_KERNEL_WALKS, .when = LINE_NOTABLE, .notable = FACT_WALKS_DIFFERENT },
	{ .of_run = append_compared_names_line,
	  .when = LINE_NOTABLE,
	  .is_notable = has_notable_names },
	{ .of_run = append_full_line, .when = LINE_ALWAYS },
	{ .fact = FACT_SATURATED, .when = LINE_ALWAYS },
	{ .fact = FACT_NO_MEMORY_FOR, .when = LINE_ALWAYS },
	{ .fact = FACT_UNKNOWN_PARTS, .when = LINE_ALWAYS },
	{ .append = lost_line, .when = LINE_ALWAYS },
};

void append_facts(const ReportModel *model, GString *out)
{
	for (const Line *line = lines; line < lines + G_N_ELEMENTS(lines); line++) {
		bool is_shown = line->when == LINE_ALWAYS || model->source->details;

		if (!is_shown && line->when == LINE_NOTABLE)
			is_shown = line->is_notable ? line->is_notable(model)
						    : number_of(model, line->notable);
		if (!is_shown || (line->is_wide && model->source->fits))
			continue;
		if (line->append)
			line->append(model, out);
		else if (line->of_run)
			line->of_run(out, model->facts);
		else
			append_fact_line(out, model->facts, line->fact, model->source->human);
	}
}
