/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/many_runs.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(many_runs);

enum { NS = 1000000000, RUNS = 3 };

/* Three runs, two of one boot. */
static const RunIdentity identities[RUNS] = {
	{ "db1", "boot a", "a.kmr" },
	{ "db2", "boot b", "b.kmr" },
	{ "db1", "boot a", "c.kmr" },
};

typedef struct {
	RunNames *names;
	ManyRuns *runs;
	Facts facts[RUNS]; /* to be added */
	Facts *all;        /* facts of all, after join() */
} Stage;

static Stage stage_new(void)
{
	Stage stage = { .names = run_names_new(false) };

	run_names_add_unknown(stage.names);
	stage.runs = many_runs_new(stage.names);
	return stage;
}

static void join(Stage *stage, guint count)
{
	const DurationTotals none = { 0 };

	for (guint i = 0; i < count; i++) {
		run_names_add(stage->names, &identities[i]);
		many_runs_add(stage->runs, &stage->facts[i], &none);
	}
	stage->all = many_runs_facts(stage->runs);
}

static void stage_clear(Stage *stage)
{
	facts_free(stage->all);
	many_runs_free(stage->runs);
	run_names_free(stage->names);
	for (guint i = 0; i < RUNS; i++)
		for (FactId id = 0; id < FACTS; id++)
			g_strfreev(stage->facts[i].values[id].list);
}

#define OWNED_STAGE __attribute__((cleanup(stage_clear))) Stage

static void set_range(Facts *facts, FactId id, uint64_t low, uint64_t high)
{
	facts->values[id] = (Value){ .known = true, .number = low, .other = high };
}

static void set_list(Facts *facts, FactId id, const char *items)
{
	facts->values[id] = (Value){ .known = true, .list = g_strsplit(items, ",", -1) };
}

static void expect_text(const Stage *stage, FactId id, const char *text)
{
	cr_expect(fact_is_known(stage->all, id), "%s", fact_kinds[id].id);
	cr_expect(eq(str, (char *)fact_text(stage->all, id), (char *)text));
}

static void expect_list(const Stage *stage, FactId id, const char *items)
{
	g_autofree char *joined = g_strjoinv(",", stage->all->values[id].list);

	cr_expect(eq(str, joined, (char *)items));
}

Test(many_runs, a_text_that_is_the_same_in_all_runs_is_known)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++)
		fact_set_text(&stage.facts[i], FACT_RELEASE, "6.12.1");
	join(&stage, RUNS);
	expect_text(&stage, FACT_RELEASE, "6.12.1");
}

Test(many_runs, a_text_that_differs_or_that_a_run_lacks_is_unknown)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++) {
		fact_set_text(&stage.facts[i], FACT_RELEASE, i == 1 ? "5.10.0" : "6.12.1");
		fact_set_text(&stage.facts[i], FACT_ARCH, i == 1 ? NULL : "x86_64");
		fact_set_text(&stage.facts[i], FACT_VERSION, i == 0 ? NULL : "#1 SMP");
	}
	join(&stage, RUNS);
	cr_expect_not(fact_is_known(stage.all, FACT_RELEASE));
	cr_expect_not(fact_is_known(stage.all, FACT_ARCH));
	cr_expect_not(fact_is_known(stage.all, FACT_VERSION));
	cr_expect(eq(u32, many_runs_counts(stage.runs).releases, 2));
}

Test(many_runs, the_memory_of_hosts_does_not_add_up_but_what_happened_does)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++) {
		fact_set_number(&stage.facts[i], FACT_MEMORY_FREE_END, 1000);
		fact_set_number(&stage.facts[i], FACT_SLAB_START, 100);
		fact_set_number(&stage.facts[i], FACT_MAJOR_FAULTS, 5);
	}
	join(&stage, RUNS);
	cr_expect_not(fact_is_known(stage.all, FACT_MEMORY_FREE_END));
	cr_expect_not(fact_is_known(stage.all, FACT_SLAB_START));
	cr_expect(eq(u64, fact_number(stage.all, FACT_MAJOR_FAULTS), 15));
}

Test(many_runs, a_note_says_of_how_many_runs_it_is)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++) {
		fact_set_text(&stage.facts[i], FACT_SCOPE, "host");
		fact_set_text(&stage.facts[i], FACT_NOT_RECORDED, i == 2 ? NULL : "frees");
		fact_set_text(&stage.facts[i], FACT_ENDED_EARLY, i == 1 ? "killed" : "full");
	}
	join(&stage, RUNS);
	expect_text(&stage, FACT_SCOPE, "host");
	expect_text(&stage, FACT_NOT_RECORDED, "frees (2 of 3 recordings)");
	expect_text(&stage, FACT_ENDED_EARLY, "full and others (3 of 3 recordings)");
	cr_expect_not(fact_is_known(stage.all, FACT_POINTS_MISSING));
}

Test(many_runs, counts_bytes_and_time_spans_are_sums_of_the_runs_that_know_them)
{
	OWNED_STAGE stage = stage_new();

	fact_set_number(&stage.facts[1], FACT_FREES, 7);
	for (guint i = 0; i < RUNS; i++) {
		fact_set_number(&stage.facts[i], FACT_EVENTS_COUNTED, 100 + i);
		fact_set_number(&stage.facts[i], FACT_LOST_BYTES, 10);
		fact_set_number(&stage.facts[i], FACT_DURATION, NS);
		fact_set_number(&stage.facts[i], FACT_STACKS_COUNTED, UINT64_MAX);
	}
	join(&stage, RUNS);
	cr_expect(eq(u64, fact_number(stage.all, FACT_FREES), 7));
	cr_expect(eq(u64, fact_number(stage.all, FACT_EVENTS_COUNTED), 303));
	cr_expect(eq(u64, fact_number(stage.all, FACT_LOST_BYTES), 30));
	cr_expect(eq(u64, fact_number(stage.all, FACT_DURATION), 3ULL * NS));
	cr_expect(eq(u64, fact_number(stage.all, FACT_STACKS_COUNTED), UINT64_MAX));
	cr_expect_not(fact_is_known(stage.all, FACT_SPANS));
}

Test(many_runs, ranges_of_losses_and_shares_add_both_numbers)
{
	OWNED_STAGE stage = stage_new();

	set_range(&stage.facts[0], FACT_LOST, 5, 9);
	set_range(&stage.facts[1], FACT_LOST, 0, 100);
	fact_set_share(&stage.facts[0], FACT_COST, 1, 100);
	fact_set_share(&stage.facts[1], FACT_COST, 30, 900);
	join(&stage, 2);
	cr_expect(eq(u64, fact_range(stage.all, FACT_LOST).low, 5));
	cr_expect(eq(u64, fact_range(stage.all, FACT_LOST).high, 109));
	cr_expect(eq(u64, fact_range(stage.all, FACT_COST).low, 31));
	cr_expect(eq(u64, fact_range(stage.all, FACT_COST).high, 1000));
}

Test(many_runs, the_largest_or_the_smallest_of_some_numbers_counts)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++) {
		const uint64_t number = i == 1 ? 9 : 4;

		fact_set_number(&stage.facts[i], FACT_STACK_DEPTH, number);
		fact_set_number(&stage.facts[i], FACT_SAMPLING_MAX, number);
		fact_set_number(&stage.facts[i], FACT_HELD_SCALE, number);
		fact_set_number(&stage.facts[i], FACT_SAMPLING_MIN, number);
		fact_set_number(&stage.facts[i], FACT_KNOWN_UNTIL, number);
	}
	join(&stage, RUNS);
	cr_expect(eq(u64, fact_number(stage.all, FACT_STACK_DEPTH), 9));
	cr_expect(eq(u64, fact_number(stage.all, FACT_SAMPLING_MAX), 9));
	cr_expect(eq(u64, fact_number(stage.all, FACT_HELD_SCALE), 9));
	cr_expect(eq(u64, fact_number(stage.all, FACT_SAMPLING_MIN), 4));
	cr_expect(eq(u64, fact_number(stage.all, FACT_KNOWN_UNTIL), 4));
}

Test(many_runs, a_flag_is_set_if_it_is_set_in_any_run)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++) {
		fact_set_number(&stage.facts[i], FACT_CUT_SHORT, i == 0);
		fact_set_number(&stage.facts[i], FACT_LOST_AT_LEAST, i == 2);
		fact_set_number(&stage.facts[i], FACT_SATURATED, 0);
	}
	join(&stage, RUNS);
	cr_expect(eq(u64, fact_number(stage.all, FACT_CUT_SHORT), 1));
	cr_expect(eq(u64, fact_number(stage.all, FACT_LOST_AT_LEAST), 1));
	cr_expect(eq(u64, fact_number(stage.all, FACT_SATURATED), 0));
	cr_expect(fact_is_known(stage.all, FACT_SATURATED));
}

Test(many_runs, the_start_is_the_first_one)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++)
		fact_set_number(&stage.facts[i], FACT_START_TIME, i == 1 ? 50 : 80);
	join(&stage, RUNS);
	cr_expect(eq(u64, fact_number(stage.all, FACT_START_TIME), 50));
}

Test(many_runs, a_list_has_each_item_of_all_runs_once)
{
	OWNED_STAGE stage = stage_new();

	set_list(&stage.facts[0], FACT_EVENTS, "kmalloc,cache");
	set_list(&stage.facts[2], FACT_EVENTS, "pages,kmalloc");
	join(&stage, RUNS);
	expect_list(&stage, FACT_EVENTS, "kmalloc,cache,pages");
}

Test(many_runs, only_caches_that_each_run_recorded_are_recorded)
{
	OWNED_STAGE stage = stage_new();

	set_list(&stage.facts[0], FACT_RECORDED_CACHES, "dentry,filp,inode_cache");
	set_list(&stage.facts[2], FACT_RECORDED_CACHES, "filp,dentry,task_struct");
	join(&stage, RUNS);
	expect_list(&stage, FACT_RECORDED_CACHES, "dentry,filp");
}

Test(many_runs, what_says_nothing_about_several_runs_is_known_of_one)
{
	OWNED_STAGE stage = stage_new();
	OWNED_STAGE one = stage_new();

	for (guint i = 0; i < RUNS; i++) {
		fact_set_number(&stage.facts[i], FACT_CPUS_ONLINE, 4);
		fact_set_number(&stage.facts[i], FACT_SAMPLING_MAX_CPU, 3);
		fact_set_text(&stage.facts[i], FACT_COMMAND, "make");
	}
	one.facts[0] = stage.facts[0];
	join(&stage, RUNS);
	join(&one, 1);
	cr_expect_not(fact_is_known(stage.all, FACT_CPUS_ONLINE));
	cr_expect_not(fact_is_known(stage.all, FACT_SAMPLING_MAX_CPU));
	cr_expect_not(fact_is_known(stage.all, FACT_COMMAND));
	cr_expect(eq(u64, fact_number(one.all, FACT_CPUS_ONLINE), 4));
	cr_expect(eq(u64, fact_number(one.all, FACT_SAMPLING_MAX_CPU), 3));
	expect_text(&one, FACT_COMMAND, "make");
}

/* Returns the value of a fact among those of a run. */
static const Value *value_of(const Value *values, FactId id)
{
	gsize i = 0;

	while (i < RUN_FACTS && run_facts[i] != id)
		i++;
	cr_assert(lt(sz, i, RUN_FACTS));
	return &values[i];
}

Test(many_runs, rows_have_the_facts_of_their_run_or_host)
{
	OWNED_STAGE stage = stage_new();

	for (guint i = 0; i < RUNS; i++) {
		fact_set_text(&stage.facts[i], FACT_HOST, identities[i].host);
		fact_set_text(&stage.facts[i], FACT_RELEASE, i == 2 ? "6.1" : "6.2");
		fact_set_number(&stage.facts[i], FACT_DURATION, (i + 1) * 10);
		fact_set_number(&stage.facts[i], FACT_RUN_START_TIME, 100 * i);
		set_range(&stage.facts[i], FACT_LOST, i, 10);
	}
	join(&stage, RUNS);
	for (guint i = 0; i < RUNS; i++) {
		const Value *run = many_runs_of_run(stage.runs, i + 1);

		cr_expect(eq(str, (char *)value_of(run, FACT_HOST)->text,
			     (char *)identities[i].host));
		cr_expect(eq(u64, value_of(run, FACT_DURATION)->number, (i + 1) * 10));
		cr_expect(eq(u64, value_of(run, FACT_RUN_START_TIME)->number, 100 * i));
	}
	for (guint i = 0; i < RUNS; i++) {
		const Value *host = many_runs_of_host(stage.runs, i + 1);
		bool is_alone = i == 1;

		cr_expect(eq(str, (char *)value_of(host, FACT_HOST)->text,
			     (char *)identities[i].host));
		cr_expect(eq(u64, value_of(host, FACT_DURATION)->number, is_alone ? 20 : 40));
		cr_expect(eq(u64, value_of(host, FACT_LOST)->number, is_alone ? 1 : 2));
		cr_expect(eq(u64, value_of(host, FACT_LOST)->other, is_alone ? 10 : 20));
		cr_expect(eq(int, value_of(host, FACT_RELEASE)->known, is_alone));
		cr_expect(eq(int, value_of(host, FACT_RUN_START_TIME)->known, is_alone));
	}
	cr_expect_not(value_of(many_runs_of_run(stage.runs, 0), FACT_HOST)->known);
	cr_expect_not(value_of(many_runs_of_host(stage.runs, 0), FACT_DURATION)->known);
}

Test(many_runs, recordings_hosts_releases_and_lengths_are_counted)
{
	OWNED_STAGE stage = stage_new();
	RunCounts counts;

	for (guint i = 0; i < RUNS; i++) {
		fact_set_number(&stage.facts[i], FACT_DURATION, i == 1 ? 5 : 20 + i);
		fact_set_text(&stage.facts[i], FACT_RELEASE, "6.12.1");
	}
	join(&stage, RUNS);
	many_runs_add_unread(stage.runs);
	counts = many_runs_counts(stage.runs);
	cr_expect(eq(u32, counts.recordings, 3));
	cr_expect(eq(u32, counts.hosts, 2));
	cr_expect(eq(u32, counts.releases, 1));
	cr_expect(eq(u32, counts.not_read, 1));
	cr_expect(eq(u64, counts.duration_min_ns, 5));
	cr_expect(eq(u64, counts.duration_max_ns, 22));
}

Test(many_runs, time_spans_add_up_by_length)
{
	OWNED_STAGE stage = stage_new();
	const DurationTotals first = { .spans = 2,
				       .time_ns = 30,
				       .time_max_ns = 20,
				       .open = 1,
				       .classes = { [3] = 1, [4] = 1 } };
	const DurationTotals second = { .spans = 1,
					.time_ns = 9,
					.time_max_ns = 9,
					.not_begun = 2,
					.not_ended = 3,
					.classes = { [3] = 1 } };
	const DurationTotals *all = many_runs_spans(stage.runs);

	for (guint i = 0; i < 2; i++) {
		run_names_add(stage.names, &identities[i]);
		many_runs_add(stage.runs, &stage.facts[i], i ? &second : &first);
	}
	cr_expect(eq(u64, all->spans, 3));
	cr_expect(eq(u64, all->time_ns, 39));
	cr_expect(eq(u64, all->time_max_ns, 20));
	cr_expect(eq(u64, all->open, 1));
	cr_expect(eq(u64, all->not_begun, 2));
	cr_expect(eq(u64, all->not_ended, 3));
	cr_expect(eq(u64, all->classes[3], 2));
	cr_expect(eq(u64, all->classes[4], 1));
}
