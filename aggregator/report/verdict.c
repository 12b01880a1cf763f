/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of verdicts: a table for what is held, and one for the overview. The first rule that
 * applies to the evidence says its sentence, which has the numbers that prove it, and the next
 * command. verdict_held.c finds the evidence; text, JSON and page print the verdict.
 */
#include "report/verdict.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "base/saturate.h"

#include <string.h>

/* The thresholds of the rules; slabstack(8) lists them. Those of single rows are in
   verdict_held.c. */
enum {
	SPAN_SECONDS_MIN = 8, /* what kfree_rcu() frees waits for up to 5 s */
	LOST_PERCENT_MAX = 5,
	/* A call that keeps less is no suspect: so many objects and bytes, or fewer that are
	   large. */
	OBJECTS_MIN = 300,
	BYTES_MIN = 32 << 10,
	LARGE_OBJECTS_MIN = 20,
	LARGE_BYTES_MIN = 1 << 20,
	/* Part of what a call keeps in a cache by which the cache must have grown: else older
	   objects were freed instead. */
	GROWTH_PERCENT_MIN = 50,
	PROCESSES_MIN = 5, /* many of one name */
};

static double seconds_of(const VerdictEvidence *evidence)
{
	return (double)MAX(evidence->span_ns, 1) / NS_PER_SECOND;
}

static bool is_short(const VerdictEvidence *evidence)
{
	return evidence->span_ns < SPAN_SECONDS_MIN * (uint64_t)NS_PER_SECOND;
}

static void say_short(GString *out, const VerdictEvidence *evidence)
{
	g_string_append(out, "none. ");
	append_seconds(out, evidence->span_ns);
	g_string_append_printf(out, " is too short to tell what stays; %d s is enough.",
			       SPAN_SECONDS_MIN);
}

static bool is_lossy(const VerdictEvidence *evidence)
{
	return evidence->lost_percent > LOST_PERCENT_MAX;
}

static void say_lossy(GString *out, const VerdictEvidence *evidence)
{
	g_string_append(out, "none. ");
	append_margin(out, evidence->lost_percent);
	g_string_append(out, " % of the events were lost, so frees may be missing.");
}

static bool is_large(const VerdictCall *call)
{
	return (call->objects >= OBJECTS_MIN && call->bytes >= BYTES_MIN) ||
	       (call->objects >= LARGE_OBJECTS_MIN && call->bytes >= LARGE_BYTES_MIN);
}

static const VerdictCall *kept_by(const VerdictEvidence *evidence)
{
	return &evidence->calls[MEMORY_KEPT];
}

static bool has_grown(const VerdictEvidence *evidence, const VerdictCall *call)
{
	if (!call->is_cache_growth_known)
		return evidence->sees_frees;
	return (double)call->cache_growth * 100 >= (double)call->in_cache * GROWTH_PERCENT_MIN;
}

int verdict_call_rank(const VerdictEvidence *evidence, const VerdictCall *call)
{
	return is_large(call) + (is_large(call) && has_grown(evidence, call));
}

static bool is_kept(const VerdictEvidence *evidence)
{
	return verdict_call_rank(evidence, kept_by(evidence)) == 2;
}

static bool is_of_module(const VerdictEvidence *evidence)
{
	return is_kept(evidence) && kept_by(evidence)->module;
}

static bool is_of_interrupt(const VerdictEvidence *evidence)
{
	return is_kept(evidence) && kept_by(evidence)->is_interrupt;
}

static bool is_of_kernel_thread(const VerdictEvidence *evidence)
{
	return is_kept(evidence) && kept_by(evidence)->is_kernel_thread;
}

static bool is_of_many(const VerdictEvidence *evidence)
{
	return is_kept(evidence) && kept_by(evidence)->processes >= PROCESSES_MIN &&
	       !kept_by(evidence)->tgid;
}

/* Appends "chatd[4711]", "812 processes named runc", "the kernel thread kworker". */
static void append_who(GString *out, const VerdictCall *call)
{
	if (call->is_interrupt) {
		g_string_append_printf(out, "code in %s", call->process);
	} else if (call->is_kernel_thread) {
		g_string_append_printf(out, "the kernel thread %s", call->process);
	} else if (call->tgid) {
		g_string_append_printf(out, "%s[%" G_GUINT64_FORMAT "]", call->process, call->tgid);
	} else {
		append_count(out, call->processes);
		g_string_append_printf(out, " processes named %s", call->process);
	}
}

/* Appends "in sock_inode_cache and 4 more caches". */
static void append_where(GString *out, const VerdictCall *call)
{
	g_string_append_printf(out, "in %s", call->cache);
	if (call->caches > 1)
		g_string_append_printf(out, " and %" G_GUINT64_FORMAT " more %s", call->caches - 1,
				       call->caches > 2 ? "caches" : "cache");
}

/* Appends "400 objects/s (1.2 MiB/s) through A < B < C". */
static void append_rate(GString *out, const VerdictEvidence *evidence, const VerdictCall *call)
{
	double seconds = seconds_of(evidence);

	append_count(out, saturate_double((double)call->objects / seconds));
	g_string_append(out, " objects/s (");
	append_amount(out, saturate_double((double)call->bytes / seconds), true);
	g_string_append_printf(out, "/s) through %s", call->path);
}

/* Appends ". Freed: 0 of 4,812; 99 % of the growth of sock_inode_cache." */
static void append_proof(GString *out, const VerdictCall *call)
{
	g_string_append(out, ". Freed: ");
	append_count(out, call->freed);
	g_string_append(out, " of ");
	append_count(out, call->allocated);
	if (call->is_cache_growth_known && call->cache_growth > 0) {
		uint64_t growth = (uint64_t)call->cache_growth;

		g_string_append(out, "; ");
		append_percent(out, MIN(call->in_cache, growth), growth);
		g_string_append_printf(out, " of the growth of %s", call->name);
	}
	g_string_append_c(out, '.');
}

static bool are_many(const VerdictCall *call)
{
	return !call->tgid && !call->is_interrupt && !call->is_kernel_thread;
}

static void say_kept(GString *out, const VerdictEvidence *evidence)
{
	const VerdictCall *call = kept_by(evidence);

	if (call->module)
		g_string_append_printf(out, "the module %s, called by ", call->module);
	append_who(out, call);
	g_string_append(out, call->module     ? ", keeps memory "
			     : are_many(call) ? " leave memory behind "
					      : " keeps memory ");
	append_where(out, call);
	g_string_append(out, ": ");
	append_rate(out, evidence, call);
	append_proof(out, call);
}

void verdict_append_held_command(GString *out, const char *cache)
{
	g_string_append(out, "slabstack --held ");
	escape_append_word(out, cache);
	g_string_append(out, " -d 10");
}

static void next_held(GString *out, const VerdictEvidence *evidence, const char *options)
{
	const VerdictCall *call = kept_by(evidence);

	if (!call->query)
		return;
	verdict_append_held_command(out, call->query);
	g_string_append(out, options);
}

/* Which line of the source it is. */
static void next_lines(GString *out, const VerdictEvidence *evidence)
{
	next_held(out, evidence, " --lines");
}

/* Which unit or container starts the processes. */
static void next_cgroups(GString *out, const VerdictEvidence *evidence)
{
	next_held(out, evidence, " --by=cgroup,callsite");
}

/* Which code of the program it is. Allocations by kmalloc() name no cache, but their size; those of
   pages have an order instead. */
static void next_program(GString *out, const VerdictEvidence *evidence)
{
	const VerdictCall *call = kept_by(evidence);

	if (!call->tgid || !call->tracepoint)
		return;
	g_string_append_printf(out, "stack-top t:kmem:%s ", call->tracepoint);
	if (call->query)
		g_string_append_printf(out, "--where='bytes_alloc == %" G_GUINT64_FORMAT "' ",
				       call->slot_bytes);
	g_string_append_printf(out, "-p %" G_GUINT64_FORMAT " -d 10", call->tgid);
}

/* No reading of the cache takes the place of frees that are missing. */
static bool is_unproved(const VerdictEvidence *evidence)
{
	const VerdictCall *call = kept_by(evidence);

	return is_large(call) && !call->is_cache_growth_known && !evidence->sees_frees;
}

static void say_unproved(GString *out, const VerdictEvidence *evidence)
{
	const VerdictCall *call = kept_by(evidence);

	g_string_append(out, "none. Not all frees were recorded: ");
	append_who(out, call);
	g_string_append(out, " may keep memory ");
	append_where(out, call);
	g_string_append_c(out, '.');
}

static bool is_replaced(const VerdictEvidence *evidence)
{
	return is_large(kept_by(evidence));
}

static void say_replaced(GString *out, const VerdictEvidence *evidence)
{
	const VerdictCall *call = kept_by(evidence);

	g_string_append(out, "no suspect. ");
	append_who(out, call);
	g_string_append(out, are_many(call) ? " keep new objects " : " keeps new objects ");
	append_where(out, call);
	g_string_append(out, ", but older ones were freed: the cache ");
	g_string_append(out, call->cache_growth > 0 ? "grew by only " : "did not grow");
	if (call->cache_growth > 0) {
		append_count(out, (uint64_t)call->cache_growth);
		g_string_append(out, " of ");
		append_count(out, call->in_cache);
	}
	g_string_append_c(out, '.');
}

static bool is_reclaimable(const VerdictEvidence *evidence)
{
	return is_large(&evidence->calls[MEMORY_RECLAIMABLE]) ||
	       is_large(&evidence->calls[MEMORY_PAGE_CACHE]);
}

static const VerdictCall *larger_of(const VerdictEvidence *evidence, MemoryKind a, MemoryKind b)
{
	return evidence->calls[a].bytes >= evidence->calls[b].bytes ? &evidence->calls[a]
								    : &evidence->calls[b];
}

static void say_reclaimable(GString *out, const VerdictEvidence *evidence)
{
	const VerdictCall *call = larger_of(evidence, MEMORY_RECLAIMABLE, MEMORY_PAGE_CACHE);

	g_string_append(out, "no suspect. What grows is memory that the kernel takes back when it "
			     "needs it: ");
	append_who(out, call);
	g_string_append(out, ", ");
	append_where(out, call);
	g_string_append(out, ", ");
	append_rate(out, evidence, call);
	g_string_append_c(out, '.');
}

static bool is_of_program(const VerdictEvidence *evidence)
{
	return is_large(&evidence->calls[MEMORY_OF_PROGRAM]) ||
	       is_large(&evidence->calls[MEMORY_BALLOON]);
}

static void say_of_program(GString *out, const VerdictEvidence *evidence)
{
	const VerdictCall *call = larger_of(evidence, MEMORY_OF_PROGRAM, MEMORY_BALLOON);

	g_string_append(out, "no suspect in the kernel. ");
	g_string_append(out, call == &evidence->calls[MEMORY_BALLOON]
				     ? "The hypervisor takes memory back: "
				     : "What grows is memory of programs: ");
	append_who(out, call);
	g_string_append(out, ", ");
	append_rate(out, evidence, call);
	g_string_append_c(out, '.');
}

static bool is_churn(const VerdictEvidence *evidence)
{
	return evidence->allocated > 0;
}

static void say_churn(GString *out, const VerdictEvidence *evidence)
{
	g_string_append(out, "no suspect. Of ");
	append_count(out, evidence->allocated);
	g_string_append(out, " objects that were allocated, ");
	append_percent(out, evidence->freed, evidence->allocated);
	g_string_append(out, kept_by(evidence)->bytes
				     ? " were freed, and no call keeps much."
				     : " were freed, and no call keeps its objects all the time.");
}

static void say_nothing(GString *out, const VerdictEvidence *evidence)
{
	(void)evidence;
	g_string_append(out, "no suspect. Nothing was allocated in the run.");
}

static const VerdictRule held_rules[] = {
	{ "short_run", false, is_short, say_short, NULL, NULL },
	{ "events_lost", false, is_lossy, say_lossy, NULL, NULL },
	{ "module", true, is_of_module, say_kept, next_lines, NULL },
	{ "interrupt", true, is_of_interrupt, say_kept, next_lines, NULL },
	{ "kernel_thread", true, is_of_kernel_thread, say_kept, next_lines, NULL },
	{ "many_processes", true, is_of_many, say_kept, next_cgroups, NULL },
	{ "process", true, is_kept, say_kept, next_program, NULL },
	{ "frees_unseen", false, is_unproved, say_unproved, NULL, "slabstack -d 10" },
	{ "replaced", false, is_replaced, say_replaced, NULL, "slabstack -d 10" },
	{ "reclaimable", false, is_reclaimable, say_reclaimable, NULL, NULL },
	{ "programs", false, is_of_program, say_of_program, NULL, NULL },
	{ "churn", false, is_churn, say_churn, NULL, "slabstack -d 10" },
	{ "nothing", false, NULL, say_nothing, NULL, "slabstack -d 10" },
};

Verdict *verdict_judge(const VerdictRule *rules, VerdictEvidence *evidence)
{
	const VerdictRule *rule = rules;
	Verdict *verdict = g_new0(Verdict, 1);
	g_autoptr(GString) sentence = g_string_new(NULL), next = g_string_new(NULL);

	while (rule->applies && !rule->applies(evidence))
		rule++;
	rule->say(sentence, evidence);
	g_string_assign(next, rule->command ? rule->command : "");
	if (rule->next)
		rule->next(next, evidence);
	verdict->rule = rule->id;
	verdict->is_suspect = rule->is_suspect;
	verdict->sentence = g_strdup(sentence->str);
	verdict->next = next->len ? g_strdup(next->str) : NULL;
	memcpy(verdict->calls, evidence->calls, sizeof(verdict->calls));
	memset(evidence->calls, 0, sizeof(evidence->calls));
	return verdict;
}

Verdict *verdict_of_held(VerdictEvidence *evidence)
{
	return verdict_judge(held_rules, evidence);
}

static void call_clear(VerdictCall *call)
{
	g_free(call->process);
	g_free(call->cgroup);
	g_free(call->module);
	g_free(call->path);
	g_free(call->cache);
	g_free(call->name);
	g_free(call->query);
}

void verdict_free(Verdict *verdict)
{
	if (!verdict)
		return;
	for (MemoryKind kind = 0; kind < MEMORY_KINDS; kind++)
		call_clear(&verdict->calls[kind]);
	g_free(verdict->sentence);
	g_free(verdict->next);
	g_free(verdict);
}
