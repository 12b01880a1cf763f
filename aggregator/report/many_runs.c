/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins the facts of several runs by a const table of rules (sum, maximum, same in all, note), and
 * keeps a few of each run and host for rows; many_inputs.c adds each run. Of two runs that are
 * compared, finds the facts that must be equal and are not.
 */
#include "report/many_runs.h"

#include "base/keyed_hash.h"
#include "base/saturate.h"

#include <string.h>

const FactId run_facts[RUN_FACTS] = {
	FACT_HOST,           FACT_BOOT_ID,  FACT_RELEASE, FACT_ARCH,
	FACT_RUN_START_TIME, FACT_DURATION, FACT_LOST,
};

/* How the values of a fact become one. */
typedef enum {
	JOIN_BY_TYPE, /* counts, bytes, time spans, shares: the sum; flags: any; times: the first;
			 texts: the same in all, else unknown; lists: all items */
	JOIN_MAX,
	JOIN_MIN,
	JOIN_COMMON, /* items that are in all lists; an unknown list has every item */
	JOIN_NOTE,   /* a text that some runs have: which, and how many */
	JOIN_NONE,   /* says nothing about several runs */
} JoinRule;

static const struct {
	FactId id;
	JoinRule rule;
} rules[] = {
	{ FACT_RECORDED_CACHES, JOIN_COMMON },
	{ FACT_CPUS_ONLINE, JOIN_NONE },  /* a host may have several recordings */
	{ FACT_MEMORY_TOTAL, JOIN_NONE }, /* it would count in each recording of a host */
	{ FACT_MEMORY_FREE_START, JOIN_NONE },
	{ FACT_MEMORY_FREE_END, JOIN_NONE },
	{ FACT_MEMORY_AVAILABLE_START, JOIN_NONE },
	{ FACT_MEMORY_AVAILABLE_END, JOIN_NONE },
	{ FACT_SLAB_START, JOIN_NONE },
	{ FACT_SLAB_END, JOIN_NONE },
	{ FACT_SLAB_UNRECLAIMABLE_START, JOIN_NONE },
	{ FACT_SLAB_UNRECLAIMABLE_END, JOIN_NONE },
	{ FACT_STACK_DEPTH, JOIN_MAX },
	{ FACT_USER_DEPTH, JOIN_MAX },
	{ FACT_USER_STACK_BYTES, JOIN_MAX },
	{ FACT_PART_FROM, JOIN_MIN },
	{ FACT_PART_TO, JOIN_MAX },
	{ FACT_RUN_LENGTH, JOIN_MAX },
	{ FACT_SAMPLING_ASKED, JOIN_MAX },
	{ FACT_SAMPLING_MIN, JOIN_MIN },
	{ FACT_SAMPLING_MAX, JOIN_MAX },
	{ FACT_SAMPLING_MAX_CPU, JOIN_NONE },
	{ FACT_OVERHEAD_MAX, JOIN_MAX },
	{ FACT_COST_BUSIEST, JOIN_NONE },
	{ FACT_COST_BUSIEST_CPU, JOIN_NONE },
	{ FACT_COST_OF_EVENT, JOIN_MAX },
	{ FACT_COST_OF_FRAME, JOIN_MAX },
	{ FACT_SPANS_TIME_MAX, JOIN_MAX },
	{ FACT_COUNTED_TWICE_ABOVE, JOIN_MIN },
	{ FACT_HELD_SCALE, JOIN_MAX },
	{ FACT_HELD_PEAK_AFTER, JOIN_NONE },
	{ FACT_HELD_MIN_AGE, JOIN_MAX },
	{ FACT_COMMAND, JOIN_NONE },
	{ FACT_COMMAND_ENDED, JOIN_NONE },
	{ FACT_COMMAND_STATUS, JOIN_NONE },
	{ FACT_COMMAND_SIGNAL, JOIN_NONE },
	{ FACT_KNOWN_UNTIL, JOIN_MIN },
	{ FACT_PAGE_BYTES, JOIN_NONE },
	{ FACT_READ_AS, JOIN_NOTE },
	{ FACT_NOT_RECORDED, JOIN_NOTE },
	{ FACT_POINTS_MISSING, JOIN_NOTE },
	{ FACT_FREES_NOT_SEEN, JOIN_NOTE },
	{ FACT_ENDED_EARLY, JOIN_NOTE },
	{ FACT_BPF_ATTACHED, JOIN_NOTE },
	{ FACT_BPF_BLIND, JOIN_NOTE },
	{ FACT_USER_NAMES_MISSING, JOIN_NOTE },
	{ FACT_KERNEL_WALKS, JOIN_NOTE },
	{ FACT_NAMES_REASON, JOIN_NOTE },
	{ FACT_SCOPE, JOIN_NOTE },
	{ FACT_COVERED, JOIN_NOTE },
	{ FACT_NOT_COVERED, JOIN_NOTE },
};

typedef struct {
	Value values[RUN_FACTS];
} RunRow;

struct ManyRuns {
	const RunNames *names;
	Facts sums;
	uint32_t known[FACTS]; /* number of runs that have the fact */
	bool differs[FACTS];   /* texts */
	JoinRule rule_of[FACTS];
	GArray *runs;      /* (element-type RunRow) by number of the run */
	GArray *hosts;     /* (element-type RunRow) by number of the host */
	GHashTable *kinds; /* (element-type utf8): releases of kernels, in the chunk */
	GStringChunk *texts;
	RunCounts counts;
	DurationTotals spans;
};

ManyRuns *many_runs_new(const RunNames *names)
{
	ManyRuns *runs = g_new0(ManyRuns, 1);

	runs->names = names;
	for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
		runs->rule_of[rules[i].id] = rules[i].rule;
	runs->runs = g_array_new(FALSE, TRUE, sizeof(RunRow));
	runs->hosts = g_array_new(FALSE, TRUE, sizeof(RunRow));
	runs->kinds = g_hash_table_new(keyed_hash_text, g_str_equal);
	runs->texts = g_string_chunk_new(1024);
	g_array_set_size(runs->runs, 1);
	g_array_set_size(runs->hosts, 1);
	return runs;
}

void many_runs_free(ManyRuns *runs)
{
	if (!runs)
		return;
	for (FactId id = 0; id < FACTS; id++)
		g_strfreev(runs->sums.values[id].list);
	g_array_unref(runs->runs);
	g_array_unref(runs->hosts);
	g_hash_table_unref(runs->kinds);
	g_string_chunk_free(runs->texts);
	g_free(runs);
}

static void add_items(Value *sum, char **items)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	for (char **item = sum->list; item && *item; item++)
		g_ptr_array_add(all, *item);
	for (char **item = items; item && *item; item++)
		if (!sum->list || !g_strv_contains((const char *const *)sum->list, *item))
			g_ptr_array_add(all, g_strdup(*item));
	g_ptr_array_add(all, NULL);
	g_free(sum->list);
	sum->list = (char **)g_ptr_array_free(g_steal_pointer(&all), FALSE);
}

static void keep_common_items(Value *sum, char **items)
{
	g_autoptr(GPtrArray) common = g_ptr_array_new();

	for (char **item = sum->list; *item; item++)
		if (g_strv_contains((const char *const *)items, *item))
			g_ptr_array_add(common, *item);
		else
			g_free(*item);
	g_ptr_array_add(common, NULL);
	g_free(sum->list);
	sum->list = (char **)g_ptr_array_free(g_steal_pointer(&common), FALSE);
}

static void join_numbers(Value *sum, const Value *added, ValueType type, JoinRule rule)
{
	if (rule == JOIN_MAX) {
		sum->number = sum->other = MAX(sum->number, added->number);
	} else if (rule == JOIN_MIN || type == VALUE_TIME) {
		sum->number = sum->other = MIN(sum->number, added->number);
	} else if (type == VALUE_FLAG) {
		sum->number = sum->other |= added->number != 0;
	} else {
		saturate_add(&sum->number, added->number);
		saturate_add(&sum->other, added->other);
	}
}

/* Returns whether the texts differ. */
static bool join_values(Value *sum, const Value *added, ValueType type, JoinRule rule)
{
	if (type == VALUE_TEXT)
		return g_strcmp0(sum->text, added->text) != 0;
	if (type == VALUE_LIST && rule == JOIN_COMMON)
		keep_common_items(sum, added->list);
	else if (type == VALUE_LIST)
		add_items(sum, added->list);
	else
		join_numbers(sum, added, type, rule);
	return false;
}

/* Returns a copy whose text lives as long as runs, and whose list is owned. */
static Value many_runs_copy(ManyRuns *runs, const Value *value)
{
	Value copied = *value;

	copied.text = value->text ? g_string_chunk_insert_const(runs->texts, value->text) : NULL;
	copied.list = g_strdupv(value->list);
	return copied;
}

/* Keeps the facts of a run, and joins them to those of its host, whose runs have no common start.
 */
static void add_row(ManyRuns *runs, const Facts *facts)
{
	uint32_t host = run_names_host_of(runs->names, runs->runs->len);
	RunRow row = { .values = { { .known = false } } };
	RunRow *sum;

	for (gsize i = 0; i < RUN_FACTS; i++)
		row.values[i] = many_runs_copy(runs, &facts->values[run_facts[i]]);
	g_array_append_val(runs->runs, row);
	if (host >= runs->hosts->len) {
		g_array_set_size(runs->hosts, host);
		g_array_append_val(runs->hosts, row);
		return;
	}
	sum = &g_array_index(runs->hosts, RunRow, host);
	for (gsize i = 0; i < RUN_FACTS; i++) {
		const FactKind *kind = &fact_kinds[run_facts[i]];

		if (kind->type == VALUE_TIME ||
		    join_values(&sum->values[i], &row.values[i], kind->type, JOIN_BY_TYPE))
			sum->values[i] = (Value){ .known = false };
	}
}

static void add_spans(DurationTotals *sum, const DurationTotals *added)
{
	saturate_add(&sum->spans, added->spans);
	saturate_add(&sum->time_ns, added->time_ns);
	sum->time_max_ns = MAX(sum->time_max_ns, added->time_max_ns);
	saturate_add(&sum->not_begun, added->not_begun);
	saturate_add(&sum->not_ended, added->not_ended);
	saturate_add(&sum->open, added->open);
	saturate_add(&sum->over_bound, added->over_bound);
	for (guint i = 0; i < DURATION_CLASSES; i++)
		saturate_add(&sum->classes[i], added->classes[i]);
}

void many_runs_add(ManyRuns *runs, const Facts *facts, const DurationTotals *spans)
{
	const char *release = fact_text(facts, FACT_RELEASE);
	uint64_t duration_ns = fact_number(facts, FACT_DURATION);
	RunCounts *counts = &runs->counts;

	for (FactId id = 0; id < FACTS; id++) {
		const Value *value = &facts->values[id];
		Value *sum = &runs->sums.values[id];

		if (!value->known)
			continue;
		if (runs->known[id]++)
			runs->differs[id] |=
				join_values(sum, value, fact_kinds[id].type, runs->rule_of[id]);
		else
			*sum = many_runs_copy(runs, value);
	}
	add_row(runs, facts);
	counts->duration_min_ns =
		counts->recordings ? MIN(counts->duration_min_ns, duration_ns) : duration_ns;
	counts->duration_max_ns = MAX(counts->duration_max_ns, duration_ns);
	counts->recordings++;
	add_spans(&runs->spans, spans);
	if (release)
		g_hash_table_add(runs->kinds, g_string_chunk_insert_const(runs->texts, release));
}

void many_runs_add_unread(ManyRuns *runs)
{
	runs->counts.not_read++;
}

RunCounts many_runs_counts(const ManyRuns *runs)
{
	RunCounts counts = runs->counts;

	counts.hosts = run_names_hosts(runs->names);
	counts.releases = g_hash_table_size(runs->kinds);
	return counts;
}

/* Appends to a text of how many runs it is, unless it is the same in all. */
static Value many_runs_noted(const ManyRuns *runs, FactId id)
{
	Value value = runs->sums.values[id];
	uint32_t all = runs->counts.recordings, known = runs->known[id];
	g_autofree char *text = NULL;

	g_assert(id < G_N_ELEMENTS(runs->differs));
	if (!value.known || (known == all && !runs->differs[id]))
		return value;
	text = g_strdup_printf("%s%s (%u of %u recordings)", value.text,
			       runs->differs[id] ? " and others" : "", known, all);
	value.text = g_string_chunk_insert_const(runs->texts, text);
	return value;
}

Facts *many_runs_facts(const ManyRuns *runs)
{
	Facts *facts = g_new0(Facts, 1);

	for (FactId id = 0; id < FACTS; id++) {
		JoinRule rule = runs->rule_of[id];
		bool is_in_all = runs->known[id] >= runs->counts.recordings && !runs->differs[id];
		Value *value = &facts->values[id];

		if (rule == JOIN_NOTE) {
			*value = many_runs_noted(runs, id);
			continue;
		}
		if ((rule == JOIN_NONE && runs->counts.recordings > 1) ||
		    (fact_kinds[id].type == VALUE_TEXT && !is_in_all))
			continue;
		*value = runs->sums.values[id];
		value->list = g_strdupv(value->list);
	}
	return facts;
}

const Value *many_runs_of_run(const ManyRuns *runs, uint32_t run)
{
	g_assert(run < runs->runs->len);
	return g_array_index(runs->runs, RunRow, run).values;
}

const Value *many_runs_of_host(const ManyRuns *runs, uint32_t run)
{
	return g_array_index(runs->hosts, RunRow, run_names_host_of(runs->names, run)).values;
}

const DurationTotals *many_runs_spans(const ManyRuns *runs)
{
	return &runs->spans;
}

/* What decides which events, and how much of their stacks, a run has. */
static const FactId compared[] = {
	FACT_EVENTS,          FACT_RECORDED_CACHES, FACT_POINTS_MISSING,
	FACT_STACK_DEPTH,     FACT_USER_DEPTH,      FACT_SCOPE,
	FACT_WITH_INTERRUPTS, FACT_SELF_INCLUDED,   FACT_COUNTED_TWICE_ABOVE,
};

/* Frees are not compared. */
static bool has_all(char *const *list, char *const *words)
{
	for (; words && *words; words++)
		if (!g_str_equal(*words, "free") &&
		    !(list && g_strv_contains((const char *const *)list, *words)))
			return false;
	return true;
}

static bool is_equal(FactId id, const Value *a, const Value *b)
{
	switch (fact_kinds[id].type) {
	case VALUE_LIST:
		return !a->list == !b->list && has_all(a->list, b->list) &&
		       has_all(b->list, a->list);
	case VALUE_TEXT:
		return !g_strcmp0(a->text, b->text);
	default:
		return a->number == b->number;
	}
}

GArray *diff_notes_new(const Facts *older, const Facts *newer)
{
	GArray *notes = g_array_new(FALSE, FALSE, sizeof(FactId));

	for (gsize i = 0; i < G_N_ELEMENTS(compared); i++) {
		FactId id = compared[i];

		if (!is_equal(id, &older->values[id], &newer->values[id]))
			g_array_append_val(notes, id);
	}
	return notes;
}
