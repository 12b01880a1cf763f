/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report lacks: the line "Lost:" and others about incompleteness, sampling and comparing,
 * whose causes are rows of a const table, also on stderr and in pictures; what filters dropped, and
 * why nothing is left, with the options that would show more, by a const table of words.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"

#include <string.h>

void append_range(GString *out, LossRange events)
{
	append_count(out, events.low);
	if (events.high == events.low)
		return;
	g_string_append(out, " to ");
	append_count(out, events.high);
}

/* Only the last number gets the percent sign. Equal texts are shown once. Events of other processes
   are lost, too. */
static void append_share(GString *out, const Facts *facts)
{
	uint64_t others = fact_number(facts, FACT_EVENTS_PASSED_OVER);
	uint64_t received = fact_number(facts, FACT_EVENTS_COUNTED) + others;
	LossRange lost = fact_range(facts, FACT_LOST);
	LossRange uncounted = fact_range(facts, FACT_LOST_UNCOUNTED);
	g_autoptr(GString) low = g_string_new(NULL);
	g_autoptr(GString) high = g_string_new(NULL);

	append_percent(low, lost.low, received + uncounted.low);
	append_percent(high, lost.high, received + uncounted.high);
	if (!g_string_equal(low, high))
		g_string_append_printf(out, "%.*s to ", (int)(low->len - strlen(" %")), low->str);
	g_string_append_printf(out, "%s%s", high->str, others ? " of the host's" : "");
}

/* How a line shows a cause of loss. */
static const struct {
	FactId id;
	const char *name;
	const char *behind;
	bool rare; /* if 0, not even all causes include it */
} causes[] = {
	{ FACT_LOST_TRANSPORT, "transport", "", false },
	{ FACT_LOST_NOT_DELIVERED, "not delivered by the kernel",
	  " (a larger buffer does not help)", true },
	{ FACT_LOST_UNREAD, "unread when the reader ended", "", true },
	{ FACT_LOST_SKIPPED, "skipped probes", "", false },
	{ FACT_LOST_MISSED, "kprobes missed by the kernel", "", true },
	{ FACT_LOST_REENTRANT, "reentrancy", "", false },
	{ FACT_LOST_DAMAGED, "damaged input", "", false },
	{ FACT_LOST_MEMORY_BOUND, "memory bound", "", false },
};

/* Appends "transport 5, damaged input 3 (64 bytes)". */
static void append_cause(GString *out, const Facts *facts, gsize cause)
{
	LossRange events, bytes = fact_range(facts, FACT_LOST_BYTES);

	g_assert(cause < G_N_ELEMENTS(causes));
	events = fact_range(facts, causes[cause].id);
	g_string_append_printf(out, "%s ", causes[cause].name);
	append_range(out, events);
	/* Where more was lost on the way, a larger buffer does help. */
	if (events.high >= fact_range(facts, FACT_LOST_TRANSPORT).high)
		g_string_append(out, causes[cause].behind);
	if (causes[cause].id != FACT_LOST_DAMAGED || !bytes.high)
		return;
	g_string_append(out, " (");
	append_range(out, bytes);
	g_string_append(out, " bytes)");
}

/* Appends the causes. Events of a full table were counted, but not in their own row. all: also
   those of which there are none. */
static void append_causes(GString *out, const Facts *facts, bool all)
{
	LossRange lost = fact_range(facts, FACT_LOST);
	bool has_bytes = fact_range(facts, FACT_LOST_BYTES).high;
	const char *separator = ": ";

	if (fact_number(facts, FACT_LOST_AT_LEAST))
		g_string_append(out, "at least ");
	append_range(out, lost);
	g_string_append(out, lost.high == 1 ? " event (" : " events (");
	append_share(out, facts);
	g_string_append_c(out, ')');
	for (gsize i = 0; i < G_N_ELEMENTS(causes); i++) {
		bool is_none = !fact_range(facts, causes[i].id).high &&
			       !(has_bytes && causes[i].id == FACT_LOST_DAMAGED);

		if (is_none && (causes[i].rare || !all))
			continue;
		g_string_append(out, separator);
		append_cause(out, facts, i);
		separator = ", ";
	}
}

/* Appends the end of complete data: as wall-clock time, or since the start of the run. */
static void append_known_until(GString *out, const Facts *facts)
{
	g_string_append(out, "unknown after ");
	if (fact_is_known(facts, FACT_KNOWN_UNTIL_TIME))
		append_time(out, fact_number(facts, FACT_KNOWN_UNTIL_TIME));
	else if (fact_is_known(facts, FACT_KNOWN_UNTIL))
		append_seconds(out, fact_number(facts, FACT_KNOWN_UNTIL));
	else
		g_string_append(out, "the start");
}

void append_untraced(GString *out, const Facts *facts)
{
	const char *cpus = fact_text(facts, FACT_UNTRACED_CPUS);
	bool several = !cpus || strpbrk(cpus, ",-");

	g_string_append(out, several ? "CPUs " : "CPU ");
	if (cpus) {
		escape_append(out, cpus);
		g_string_append_c(out, ' ');
	}
	g_string_append(out, "not traced for ");
	/* Rounds up, so that it is never 0.000 s. */
	append_seconds(out, fact_number(facts, FACT_UNTRACED) + NS_PER_MS - 1);
	g_string_append(out, several ? " in all" : "");
}

void append_full_line(GString *out, const Facts *facts)
{
	static const struct {
		FactId id;
		const char *of;
	} kinds[] = {
		{ FACT_OF_OTHER_TASKS, "[other tasks]" },
		{ FACT_OF_OTHER_CACHES, "[other caches]" },
		{ FACT_OF_PAST_TASKS, "past processes, counted by name without their pids" },
	};
	gsize start = out->len;

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		bool is_first = out->len == start;

		if (!fact_number(facts, kinds[i].id))
			continue;
		g_string_append(out, is_first ? "Full tables: " : ", ");
		append_percent(out, fact_number(facts, kinds[i].id),
			       fact_number(facts, FACT_EVENTS_COUNTED));
		g_string_append_printf(out, " of %s%s", is_first ? "the events are of " : "",
				       kinds[i].of);
	}
	if (out->len > start)
		g_string_append(out, ": use a larger --max-memory\n");
}

void append_bpf_line(GString *out, const Facts *facts)
{
	const char *attached = fact_text(facts, FACT_BPF_ATTACHED);

	if (!attached || !*attached)
		return;
	g_string_append(out, "Beside BPF: ");
	escape_append(out, attached);
	g_string_append(out, ": nested events may be missing\n");
}

/* Appends how many of those compared are different; without a difference only if the number
   compared is known. */
static void append_compared(GString *out, const Facts *facts, const char *title, FactId compared,
			    FactId different, const char *warning)
{
	uint64_t number = fact_number(facts, different);

	if (!fact_is_known(facts, compared) && !number)
		return;
	g_string_append_printf(out, "%s compared: ", title);
	append_count(out, fact_number(facts, compared));
	g_string_append(out, ", different: ");
	append_count(out, number);
	g_string_append_printf(out, "%s\n", number ? warning : "");
}

void append_walks_line(GString *out, const Facts *facts)
{
	append_compared(out, facts, "Stack walks", FACT_WALKS_COMPARED, FACT_WALKS_DIFFERENT,
			"; stacks recorded until then may be wrong");
}

void append_compared_names_line(GString *out, const Facts *facts)
{
	append_compared(out, facts, "Cache names", FACT_NAMES_COMPARED, FACT_NAMES_DIFFERENT,
			"; names of slab caches may be wrong");
}

static void append_reason(GString *out, const Facts *facts)
{
	uint64_t percent = fact_number(facts, FACT_OVERHEAD_MAX);

	g_string_append_printf(out, ", as probes took more than ");
	if (percent)
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " %% of a CPU's time", percent);
	else
		g_string_append(out, "their share of a CPU's time");
	g_string_append(out, " (");
	if (fact_is_known(facts, FACT_SAMPLING_MAX_CPU))
		g_string_append_printf(out, "CPU %" G_GUINT64_FORMAT "; ",
				       fact_number(facts, FACT_SAMPLING_MAX_CPU));
	g_string_append(out, "--max-overhead)");
}

/* Includes the margin of all allocations together, if known. */
void append_sampling_line(GString *out, const Facts *facts)
{
	uint64_t least = fact_number(facts, FACT_SAMPLING_MIN);
	uint64_t most = fact_number(facts, FACT_SAMPLING_MAX);
	double margin = facts->values[FACT_ALLOCATIONS_MARGIN].percent;

	if (most <= 1)
		return;
	g_string_append_printf(out, "Sampled: sampled 1/%" G_GUINT64_FORMAT, least);
	if (most > least)
		g_string_append_printf(out, " to 1/%" G_GUINT64_FORMAT, most);
	if (facts_are_throttled(facts))
		append_reason(out, facts);
	g_string_append(out, "; counts and bytes are scaled up");
	if (margin > 0) {
		g_string_append(out, "; margin of the total +-");
		append_margin(out, margin);
		g_string_append(out, " % (95 %)");
	}
	g_string_append_c(out, '\n');
}

void append_sampled(GString *out, const RowSums *sums)
{
	double margin = metric_margin(&metrics[METRIC_ALLOCATIONS], sums);

	if (margin <= 0)
		return;
	g_string_append(out, " (sampled, +-");
	append_margin(out, margin);
	g_string_append(out, " %)");
}

/* Separates the next part of the line. */
static void append_part_end(GString *out, bool any)
{
	g_string_append(out, any ? "; " : "");
}

/* Appends that user stacks are incomplete, as a part of the line. Returns whether they are. */
static bool append_user_lines(GString *out, const Facts *facts, FactId id, const char *why,
			      bool is_behind)
{
	uint64_t lines = fact_number(facts, id);

	if (!lines)
		return false;
	append_part_end(out, is_behind);
	g_string_append(out, "user stacks are incomplete: ");
	append_count(out, lines);
	g_string_append_printf(out, " %s of programs %s",
			       lines == 1 ? "mapping or name" : "mappings or names", why);
	return true;
}

void append_lost_causes(GString *out, const Facts *facts, bool all)
{
	bool any = fact_range(facts, FACT_LOST).high || fact_number(facts, FACT_LOST_BYTES);
	bool untraced = fact_number(facts, FACT_UNTRACED);
	const char *bpf_blind = fact_text(facts, FACT_BPF_BLIND);

	g_string_append(out, "Lost: ");
	if (any)
		append_causes(out, facts, all);
	if (untraced) {
		g_string_append(out, any ? "; " : "events unknown: ");
		append_untraced(out, facts);
		g_string_append(out, any ? ", events unknown" : "");
	}
	if (bpf_blind) {
		append_part_end(out, any || untraced);
		g_string_append(out, "events unknown: BPF programs held back those of ");
		escape_append(out, bpf_blind);
	}
	any |= untraced || bpf_blind;
	any |= append_user_lines(out, facts, FACT_LOST_USER_LINES, "found no room (--max-memory)",
				 any);
	any |= append_user_lines(out, facts, FACT_UNREADABLE_USER_LINES, "could not be read", any);
	if (fact_number(facts, FACT_END_IS_UNKNOWN)) {
		append_part_end(out, any);
		append_known_until(out, facts);
	}
	if (fact_number(facts, FACT_LOSS_OF_WHOLE_RUN))
		g_string_append(out, "; this includes what is known only of the whole run");
	if (fact_number(facts, FACT_LOSS_IS_UNKNOWN)) {
		append_part_end(out, !facts_have_no_loss(facts));
		g_string_append(out, "not known, as this text does not show it");
	} else if (facts_have_no_loss(facts)) {
		g_string_append(out, "none");
	}
	g_string_append_c(out, '\n');
}

void append_lost_line(GString *out, const Facts *facts)
{
	append_lost_causes(out, facts, false);
}

/* How a report names a filter and the rows that it dropped. */
typedef struct {
	const char *option; /* of the FilterDrop */
	const char *shown;
	const char *remedy;
	bool quoted;
} DropWords;

static const DropWords drop_words[] = {
	{ "min-count", "-m", "a lower -m", false },
	{ "min-bytes", "--min-bytes", "a lower --min-bytes", false },
	{ "exclude", "-e", "a narrower -e", true },
	{ "exclude-regex", "--exclude-regex", "a narrower --exclude-regex", true },
	{ "include", "-I", "a wider -I", true },
	{ "include-regex", "--include-regex", "a wider --include-regex", true },
	{ "top", "-t", "a higher -t", false },
	{ NULL, NULL, NULL, false },
};

static const DropWords *words_of(const FilterDrop *drop)
{
	const DropWords *words = drop_words;

	while (words->option && !g_str_equal(words->option, drop->option))
		words++;
	g_assert(words->option);
	return words;
}

/* Appends "-e 'tcp_'", as given. */
static void append_option(GString *out, const FilterDrop *drop)
{
	const DropWords *words = words_of(drop);

	g_string_append_printf(out, "%s %s", words->shown, words->quoted ? "'" : "");
	escape_append(out, drop->argument);
	g_string_append(out, words->quoted ? "'" : "");
}

guint drops_effective(const ReportModel *model)
{
	guint effective = 0;

	for (guint i = 0; i < model_drop_count(model); i++)
		effective += model_drop(model, i)->rows > 0;
	return effective;
}

/* Filters of the table drop rows; the filters before it drop stacks. */
static void append_dropped(GString *out, const ReportModel *model, guint index)
{
	const char *what = model_drop_is_of_stacks(model, index) ? "stack" : model->group_noun;
	uint64_t rows = model_drop(model, index)->rows;

	append_count(out, rows);
	g_string_append_printf(out, " %s%s", what, rows == 1 ? "" : "s");
}

void append_dropped_line(const ReportModel *model, GString *out)
{
	const char *separator = "Dropped: ";
	const uint64_t all = fact_number(model->facts, FACT_ALLOCATIONS_BEFORE);
	const bool details = model->source->details;

	for (guint i = 0; i < model_drop_count(model); i++) {
		const FilterDrop *drop = model_drop(model, i);

		if (!details && !drop->rows)
			continue;
		g_string_append(out, separator);
		append_dropped(out, model, i);
		g_string_append(out, " by ");
		append_option(out, drop);
		g_string_append(out, " (");
		if (details) {
			append_number_of(out, drop->allocations, counted_noun(model));
			g_string_append(out, ", ");
		}
		append_percent(out, drop->allocations, all);
		g_string_append_c(out, ')');
		separator = ", ";
	}
	if (*separator == ',')
		g_string_append_c(out, '\n');
}

static void append_reasons(const ReportModel *model, GString *out)
{
	uint64_t stacks = fact_number(model->facts, FACT_STACKS_BEFORE);

	append_count(out, stacks);
	g_string_append(out, stacks == 1 ? " stack seen" : " stacks seen");
	for (guint i = 0; i < model_drop_count(model); i++) {
		if (!model_drop(model, i)->rows)
			continue;
		g_string_append(out, ", ");
		append_option(out, model_drop(model, i));
		g_string_append(out, " dropped ");
		append_dropped(out, model, i);
	}
}

/* An option that is given several times is named once: its filters are adjacent. */
static void append_remedies(const ReportModel *model, GString *out)
{
	const char *separator = "; use ";
	const DropWords *last = NULL;

	for (guint i = 0; i < model_drop_count(model); i++) {
		const DropWords *words = words_of(model_drop(model, i));

		if (!model_drop(model, i)->rows || words == last)
			continue;
		g_string_append_printf(out, "%s%s", separator, words->remedy);
		separator = " or ";
		last = words;
	}
	g_string_append(out, " to see more");
}

void append_nothing_left_line(const ReportModel *model, GString *out)
{
	uint64_t stacks = fact_number(model->facts, FACT_STACKS_BEFORE);
	uint64_t left_out = fact_number(model->facts, FACT_ALLOCATIONS_LEFT_OUT);

	if (!model_is_empty(model))
		return;
	g_string_append(out, "Nothing to show: ");
	if (fact_number(model->facts, FACT_HELD_ALLOCATED) && !drops_effective(model)) {
		/* Objects were allocated, and no filter dropped them. */
		g_string_append(out, "no object of the run is held");
		if (fact_number(model->facts, FACT_HELD_MIN_AGE))
			g_string_append(out, " for so long; use a shorter --min-age to see more");
	} else if (stacks) {
		append_reasons(model, out);
		append_remedies(model, out);
	} else if (left_out) {
		append_number_of(out, left_out, counted_noun(model));
		g_string_append_printf(out, " seen, but %sleft out", left_out == 1 ? "" : "all ");
	} else if (fact_number(model->facts, FACT_IMPORTED)) {
		g_string_append(out, "no stack was found in the input");
	} else {
		g_string_append_printf(
			out, "no %s matched; a longer run or a wider scope would show more",
			model_counts(model) == COUNTS_HITS ? counted_noun(model) : "allocation");
	}
	g_string_append_c(out, '\n');
}
