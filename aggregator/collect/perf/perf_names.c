/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slab caches of events: reads the ends of slabs before samples, checks that none is missing, and
 * asks slab_pages.c; or enters and asks cache_probes.c; or compares both. Data in the PerfRun.
 * perf_read.c asks for each event without a name.
 */
#include "collect/perf/perf_names.h"

#include "record/format.h"
#include "base/clock.h"

#include <string.h>

enum { OF_FREES = 1U << KPROBE_FREE_SLAB };

/* Reading the ends of slabs. */

void perf_names_forget(PerfRun *run, const char *why)
{
	if (!run->pages)
		return;
	slab_pages_forget(run->pages, clock_monotonic_ns());
	slab_hits_reset(&run->slab_hits);
	live_run_log(&run->live, why);
}

static void take_free(PerfRun *run, const struct perf_event_header *record)
{
	PerfSample sample;
	SlabFree end;

	if (!perf_sample_parse(record + 1, record->size - sizeof(*record), PERF_SAMPLE_NEEDED,
			       &sample) ||
	    !slab_probe_read(run->plan->slab_probe, sample.raw, sample.raw_bytes, &end)) {
		perf_names_forget(run, "the end of a slab is not readable");
		return;
	}
	end.time_ns = sample.time_ns + (uint64_t)run->clock_offset_ns;
	slab_hits_read(&run->slab_hits, end.time_ns);
	slab_pages_freed(run->pages, &end);
}

/* A PerfRecordVisitor. */
static void take_record(const struct perf_event_header *record, void *user_data)
{
	PerfRun *run = user_data;

	if (record->type == PERF_RECORD_SAMPLE) {
		take_free(run, record);
		/* Whatever the period is. */
		run->reading_frees->cost.rest_ns += perf_cost_of(&run->cost.every, 0);
	} else if (record->type == PERF_RECORD_LOST) {
		perf_names_forget(run, "ends of slabs were lost: their buffer was full");
	}
}

static void read_all_frees(PerfRun *run)
{
	for (guint i = 0; i < run->cpus->len; i++) {
		PerfRunCpu *cpu = run->cpus->pdata[i];
		PerfRing *ring = &cpu->perf->slab_frees;
		uint64_t head = perf_ring_head(ring);

		if (head == ring->tail)
			continue;
		run->reading_frees = cpu;
		if (!perf_ring_read(ring, head, take_record, run))
			perf_names_forget(run, "the buffer of ends of slabs is not readable");
	}
}

/* Checks until all hits were read. An interrupt or a hypervisor may stop a CPU between a hit and
   its record. */
static SlabHitsState wait_for_hits(PerfRun *run)
{
	enum { TRIES_AT_ONCE = 6, TRIES = 12, PAUSE_US = 500 };
	SlabHitsState state = SLAB_HITS_PENDING;
	KprobeCounts counts;
	bool is_counted;

	for (unsigned i = 0; i < TRIES && state == SLAB_HITS_PENDING; i++) {
		if (i >= TRIES_AT_ONCE)
			g_usleep(PAUSE_US << (i - TRIES_AT_ONCE));
		slab_hits_begin(&run->slab_hits, clock_monotonic_ns());
		is_counted = kprobe_group_count(run->plan->kprobes, OF_FREES, &counts);
		read_all_frees(run);
		if (is_counted)
			state = slab_hits_end(&run->slab_hits, &counts);
	}
	return state;
}

/* For SlabEnds. */
static void read_ends(void *user_data)
{
	PerfRun *run = user_data;
	SlabHitsState state = wait_for_hits(run);

	if (state == SLAB_HITS_PENDING)
		perf_names_forget(run, "the kernel dropped ends of slabs");
	else if (state == SLAB_HITS_MISSED)
		perf_names_forget(run, "the kernel missed ends of slabs");
	else if (state == SLAB_HITS_ANEW)
		slab_pages_forget(run->pages, run->slab_hits.began_ns);
}

void perf_names_begin_round(PerfRun *run)
{
	if (run->pages)
		read_ends(run);
}

static void end_was_lost(void *user_data, const char *contradiction)
{
	perf_names_forget(user_data, contradiction);
}

void perf_names_init(PerfRun *run)
{
	const SlabEnds ends = { read_ends, end_was_lost, run };
	const PerfRunPlan *plan = run->plan;

	run->sites = plan->probes ? cache_sites_new() : NULL;
	if (!plan->slab_probe)
		return;
	run->pages = slab_pages_new(plan->memory, &plan->layout, &ends);
	slab_hits_reset(&run->slab_hits);
	run->compared.written = UINT64_MAX;
}

void perf_names_clear(PerfRun *run)
{
	cache_sites_free(run->sites);
	slab_pages_free(run->pages);
}

void perf_names_settle(PerfRun *run, uint64_t until_ns)
{
	if (run->pages)
		slab_pages_settle(run->pages, until_ns);
}

/* The names. */

static CacheCall call_of(const PerfSample *sample, const EventFacts *facts)
{
	return (CacheCall){ facts->call_site, sample->tid, facts->context };
}

/* If only some events are sampled, the probes may not have recorded their calls. */
static const EventCache *find_by_call(PerfRun *run, const PerfSample *sample,
				      const EventFacts *facts)
{
	bool has_all = run->reading->event_cpu.sampling_period == 1 || run->addresses.level;
	const CacheCall call = call_of(sample, facts);

	return cache_sites_leave(run->sites, has_all ? run->reading->calls : NULL, &call);
}

static const EventCache *find_by_page(PerfRun *run, const PerfSample *sample,
				      const EventFacts *facts)
{
	const SlabObject object = {
		.pointer = facts->pointer,
		.time_ns = sample->time_ns,
		.bytes_requested = facts->bytes_requested,
		.bytes_allocated = facts->bytes_allocated,
	};

	return slab_pages_find(run->pages, &object);
}

static bool is_same(const EventCache *left, const EventCache *right)
{
	return left->name_bytes == right->name_bytes &&
	       !memcmp(left->name, right->name, left->name_bytes);
}

/* Compares with the cache that the probe recorded for this very call. */
static void perf_names_compare(PerfRun *run, const PerfSample *sample, const EventFacts *facts,
			       const EventCache *by_page)
{
	const CacheCall call = call_of(sample, facts);
	const EventCache *by_call = cache_sites_take(run->sites, run->reading->calls, &call);

	if (!by_call)
		return;
	run->compared.calls++;
	if (!by_page)
		run->compared.unknown++;
	else if (!is_same(by_call, by_page))
		run->compared.different++;
}

const EventCache *perf_names_find(PerfRun *run, const PerfSample *sample, const EventFacts *facts)
{
	const EventCache *by_page;

	if (!run->pages)
		return run->sites ? find_by_call(run, sample, facts) : NULL;
	by_page = find_by_page(run, sample, facts);
	if (run->sites)
		perf_names_compare(run, sample, facts, by_page);
	return by_page;
}

/* The end. */

static char *problem_of(const PerfRun *run)
{
	const char *contradiction = slab_pages_contradiction(run->pages);

	if (contradiction)
		return g_strconcat(contradiction, ": use --cache-names=probes", NULL);
	if (slab_pages_unknown(run->pages))
		return g_strdup("ends of slabs were lost: use a larger --buffer, or "
				"--cache-names=probes");
	return NULL;
}

void perf_names_write_compared(PerfRun *run)
{
	NamesCompared *compared = &run->compared;

	if (!run->pages || !run->sites || compared->calls == compared->written)
		return;
	compared->written = compared->calls;
	run_facts_write_number(run->live.batches, KMT_FIELD_NAMES_COMPARED, compared->calls);
	run_facts_write_number(run->live.batches, KMT_FIELD_NAMES_DIFFERENT, compared->different);
}

void perf_names_end(PerfRun *run)
{
	const NamesCompared *compared = &run->compared;
	g_autofree char *problem = run->pages ? problem_of(run) : NULL;

	if (!run->pages)
		return;
	run_facts_write_text(run->live.batches, KMT_FIELD_CACHES_UNKNOWN, problem);
	perf_names_write_compared(run);
	if (!run->sites)
		return;
	g_printerr("%s: cache names compared: %" G_GUINT64_FORMAT ", different: %" G_GUINT64_FORMAT
		   ", unknown: %" G_GUINT64_FORMAT "\n",
		   g_get_prgname(), compared->calls, compared->different, compared->unknown);
}
