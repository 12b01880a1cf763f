/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/verdict.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(verdict);

#define SECOND_NS 1000000000ULL

/* Returns a call of a process that keeps 1,000 objects, half a MiB, and all that its cache grew. */
static VerdictCall kept_call(void)
{
	return (VerdictCall){
		.memory = "kept",
		.process = g_strdup("chatd"),
		.is_single = true,
		.tgid = 4711,
		.processes = 1,
		.path = g_strdup("sock_alloc_inode < alloc_inode"),
		.cache = g_strdup("filp (also: a)"),
		.name = g_strdup("filp"),
		.query = g_strdup("filp"),
		.tracepoint = "kmem_cache_alloc",
		.slot_bytes = 512,
		.caches = 3,
		.objects = 1000,
		.bytes = 512000,
		.allocated = 1200,
		.freed = 200,
		.in_cache = 800,
		.cache_growth = 800,
		.is_cache_growth_known = true,
	};
}

static VerdictEvidence evidence_of(MemoryKind kind)
{
	VerdictEvidence evidence = {
		.span_ns = 10 * SECOND_NS, .sees_frees = true, .allocated = 5000, .freed = 4000
	};

	evidence.calls[kind] = kept_call();
	return evidence;
}

static void expect_rule(VerdictEvidence *evidence, const char *rule, bool is_suspect)
{
	g_autoptr(Verdict) verdict = verdict_of_held(evidence);

	cr_expect_str_eq(verdict->rule, rule, "%s: %s", rule, verdict->sentence);
	cr_expect_eq(verdict->is_suspect, is_suspect, "%s", rule);
	cr_expect_eq(strncmp(verdict->sentence, "no", 2) != 0, is_suspect, "%s", verdict->sentence);
}

Test(verdict, a_process_that_keeps_is_named_with_proof_and_what_is_next)
{
	VerdictEvidence evidence = evidence_of(MEMORY_KEPT);
	g_autoptr(Verdict) verdict = verdict_of_held(&evidence);

	cr_expect_str_eq(
		verdict->sentence,
		"chatd[4711] keeps memory in filp (also: a) and 2 more caches: 100 "
		"objects/s (50.0 KiB/s) through sock_alloc_inode < alloc_inode. Freed: 200 "
		"of 1,200; 100 % of the growth of filp.");
	cr_expect_str_eq(verdict->next, "stack-top t:kmem:kmem_cache_alloc "
					"--where='bytes_alloc == 512' -p 4711 -d 10");
}

Test(verdict, pages_have_no_cache_that_a_command_could_take)
{
	VerdictEvidence evidence = evidence_of(MEMORY_KEPT);
	VerdictCall *call = &evidence.calls[MEMORY_KEPT];
	g_autoptr(Verdict) verdict = NULL;

	g_clear_pointer(&call->query, g_free);
	call->tracepoint = "mm_page_alloc";
	verdict = verdict_of_held(&evidence);
	cr_expect_str_eq(verdict->next, "stack-top t:kmem:mm_page_alloc -p 4711 -d 10");
}

Test(verdict, who_it_is_decides_the_rule)
{
	VerdictEvidence evidence = evidence_of(MEMORY_KEPT);
	VerdictCall *call = &evidence.calls[MEMORY_KEPT];

	call->module = g_strdup("vmtest");
	expect_rule(&evidence, "module", true);
	evidence = evidence_of(MEMORY_KEPT);
	call->is_interrupt = true;
	expect_rule(&evidence, "interrupt", true);
	evidence = evidence_of(MEMORY_KEPT);
	call->is_kernel_thread = true;
	expect_rule(&evidence, "kernel_thread", true);
	evidence = evidence_of(MEMORY_KEPT);
	call->is_single = false;
	call->tgid = 0;
	call->processes = 5;
	expect_rule(&evidence, "many_processes", true);
}

Test(verdict, nobody_is_suspected_without_proof)
{
	static const struct {
		const char *rule;
		uint64_t span_ns;
		double lost_percent;
		uint64_t objects, bytes;
		int64_t growth;
	} cases[] = {
		{ "short_run", 8 * SECOND_NS - 1, 0, 1000, 512000, 800 },
		{ "process", 8 * SECOND_NS, 0, 1000, 512000, 800 },
		{ "events_lost", 10 * SECOND_NS, 5.1, 1000, 512000, 800 },
		{ "process", 10 * SECOND_NS, 5, 1000, 512000, 800 },
		{ "churn", 10 * SECOND_NS, 0, 299, 512000, 800 },
		{ "process", 10 * SECOND_NS, 0, 300, 32768, 800 },
		{ "churn", 10 * SECOND_NS, 0, 300, 32767, 800 },
		{ "process", 10 * SECOND_NS, 0, 20, 1 << 20, 800 },
		{ "churn", 10 * SECOND_NS, 0, 19, 1 << 20, 800 },
		{ "process", 10 * SECOND_NS, 0, 1000, 512000, 400 },
		{ "replaced", 10 * SECOND_NS, 0, 1000, 512000, 399 },
		{ "replaced", 10 * SECOND_NS, 0, 1000, 512000, -5 },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		VerdictEvidence evidence = evidence_of(MEMORY_KEPT);
		VerdictCall *call = &evidence.calls[MEMORY_KEPT];

		evidence.span_ns = cases[i].span_ns;
		evidence.lost_percent = cases[i].lost_percent;
		call->objects = cases[i].objects;
		call->bytes = cases[i].bytes;
		call->cache_growth = cases[i].growth;
		expect_rule(&evidence, cases[i].rule, g_str_equal(cases[i].rule, "process"));
	}
}

/* Few large objects must not hide a leak of many small ones, nor must a cache that does not grow.
 */
Test(verdict, a_call_that_proves_more_comes_before_one_that_keeps_more)
{
	VerdictEvidence evidence = evidence_of(MEMORY_KEPT);
	VerdictCall *call = &evidence.calls[MEMORY_KEPT];
	g_autoptr(Verdict) verdict = NULL;

	cr_expect_eq(verdict_call_rank(&evidence, call), 2);
	call->cache_growth = 0;
	cr_expect_eq(verdict_call_rank(&evidence, call), 1);
	call->objects = 156;
	call->bytes = 638976;
	cr_expect_eq(verdict_call_rank(&evidence, call), 0);
	verdict = verdict_of_held(&evidence);
}

/* Without a reading of the cache, only a run that sees all frees proves anything. */
Test(verdict, frees_that_are_not_seen_need_the_growth_of_the_cache)
{
	VerdictEvidence evidence = evidence_of(MEMORY_KEPT);

	evidence.calls[MEMORY_KEPT].is_cache_growth_known = false;
	expect_rule(&evidence, "process", true);
	evidence = evidence_of(MEMORY_KEPT);
	evidence.calls[MEMORY_KEPT].is_cache_growth_known = false;
	evidence.sees_frees = false;
	expect_rule(&evidence, "frees_unseen", false);
}

Test(verdict, memory_that_is_taken_back_is_no_leak)
{
	static const struct {
		MemoryKind kind;
		const char *rule;
	} kinds[] = {
		{ MEMORY_RECLAIMABLE, "reclaimable" },
		{ MEMORY_PAGE_CACHE, "reclaimable" },
		{ MEMORY_OF_PROGRAM, "programs" },
		{ MEMORY_BALLOON, "programs" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		VerdictEvidence evidence = evidence_of(kinds[i].kind);

		expect_rule(&evidence, kinds[i].rule, false);
	}
}

Test(verdict, an_idle_run_says_so)
{
	VerdictEvidence evidence = { .span_ns = 10 * SECOND_NS };

	expect_rule(&evidence, "nothing", false);
}

/* Names are as the kernel has them, and a recording may have any numbers. */
Test(verdict, odd_names_and_numbers_do_no_harm)
{
	VerdictEvidence evidence = evidence_of(MEMORY_KEPT);
	VerdictCall *call = &evidence.calls[MEMORY_KEPT];
	g_autoptr(GString) command = g_string_new(NULL);

	evidence.span_ns = UINT64_MAX;
	call->objects = call->bytes = call->allocated = call->in_cache = UINT64_MAX;
	call->cache_growth = INT64_MAX;
	call->module = g_strdup("vmtest");
	expect_rule(&evidence, "module", true);
	verdict_append_held_command(command, "a $(b)\033'");
	cr_expect_str_eq(command->str, "slabstack --held 'a $(b)\\x1b'\\''' -d 10");
}
