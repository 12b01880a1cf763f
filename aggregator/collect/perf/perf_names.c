/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slab caches of events: reads the ends of slabs before samples, checks that none is missing, and
 * asks slab_pages.c; or enters and asks cache_probes.c; or compares both. Data in the PerfNames.
 * perf_read.c asks for each event without a name.
 */
#include "collect/perf/perf_names.h"

#include "record/format.h"
#include "base/clock.h"

#include <string.h>

enum { OF_FREES = 1U << KPROBE_FREE_SLAB };

/* Reading the ends of slabs. */

void perf_names_forget(PerfNames *names, const char *why)
{
	if (!names->pages)
		return;
	slab_pages_forget(names->pages, clock_monotonic_ns());
	slab_hits_reset(&names->slab_hits);
	live_run_log(names->live, why);
}

static void take_free(PerfNames *names, const struct perf_event_header *record)
{
	PerfSample sample;
	SlabFree end;

	if (!perf_sample_parse(record + 1, record->size - sizeof(*record), PERF_SAMPLE_NEEDED,
			       &sample) ||
	    !slab_probe_read(names->plan->slab_probe, sample.raw, sample.raw_bytes, &end)) {
		perf_names_forget(names, "the end of a slab is not readable");
		return;
	}
	end.time_ns = sample.time_ns + (uint64_t)*names->clock_offset_ns;
	slab_hits_read(&names->slab_hits, end.time_ns);
	slab_pages_freed(names->pages, &end);
}

/* A PerfRecordVisitor. */
static void take_record(const struct perf_event_header *record, void *user_data)
{
	PerfNames *names = user_data;

	if (record->type == PERF_RECORD_SAMPLE) {
		take_free(names, record);
		/* Whatever the period is. */
		names->reading->cost.rest_ns += perf_cost_of(&names->cost->every, 0);
	} else if (record->type == PERF_RECORD_LOST) {
		perf_names_forget(names, "ends of slabs were lost: their buffer was full");
	}
}

static void read_all_frees(PerfNames *names)
{
	for (guint i = 0; i < names->cpus->len; i++) {
		PerfRunCpu *cpu = names->cpus->pdata[i];
		PerfRing *ring = &cpu->perf->slab_frees;
		uint64_t head = perf_ring_head(ring);

		if (head == ring->tail)
			continue;
		names->reading = cpu;
		if (!perf_ring_read(ring, head, take_record, names))
			perf_names_forget(names, "the buffer of ends of slabs is not readable");
	}
}

/* Checks until all hits were read. An interrupt or a hypervisor may stop a CPU between a hit and
   its record. */
static SlabHitsState wait_for_hits(PerfNames *names)
{
	enum { TRIES_AT_ONCE = 6, TRIES = 12, PAUSE_US = 500 };
	SlabHitsState state = SLAB_HITS_PENDING;
	KprobeCounts counts;
	bool is_counted;

	for (unsigned i = 0; i < TRIES && state == SLAB_HITS_PENDING; i++) {
		if (i >= TRIES_AT_ONCE)
			g_usleep(PAUSE_US << (i - TRIES_AT_ONCE));
		slab_hits_begin(&names->slab_hits, clock_monotonic_ns());
		is_counted = kprobe_group_count(names->plan->kprobes, OF_FREES, &counts);
		read_all_frees(names);
		if (is_counted)
			state = slab_hits_end(&names->slab_hits, &counts);
	}
	return state;
}

/* For SlabEnds. */
static void read_ends(void *user_data)
{
	PerfNames *names = user_data;
	SlabHitsState state = wait_for_hits(names);

	if (state == SLAB_HITS_PENDING)
		perf_names_forget(names, "the kernel dropped ends of slabs");
	else if (state == SLAB_HITS_MISSED)
		perf_names_forget(names, "the kernel missed ends of slabs");
	else if (state == SLAB_HITS_ANEW)
		slab_pages_forget(names->pages, names->slab_hits.began_ns);
}

void perf_names_begin_round(PerfNames *names)
{
	if (names->pages)
		read_ends(names);
}

static void end_was_lost(void *user_data, const char *contradiction)
{
	perf_names_forget(user_data, contradiction);
}

void perf_names_init(PerfNames *names)
{
	const SlabEnds ends = { read_ends, end_was_lost, names };
	const PerfRunPlan *plan = names->plan;

	names->sites = plan->probes ? cache_sites_new() : NULL;
	if (!plan->slab_probe)
		return;
	names->pages = slab_pages_new(plan->memory, &plan->layout, &ends);
	slab_hits_reset(&names->slab_hits);
	names->compared.written = UINT64_MAX;
}

void perf_names_clear(PerfNames *names)
{
	cache_sites_free(names->sites);
	slab_pages_free(names->pages);
}

void perf_names_settle(PerfNames *names, uint64_t until_ns)
{
	if (names->pages)
		slab_pages_settle(names->pages, until_ns);
}

/* The names. */

bool perf_names_take_call(PerfNames *names, PerfRunCpu *cpu, const PerfSample *sample)
{
	CacheProbeCall call;

	if (!names->sites ||
	    !cache_probes_read(names->plan->probes, sample->raw, sample->raw_bytes, &call))
		return false;
	call.call.tid = sample->tid;
	cpu->cost.samples_ns += names->cost->helper_ns;
	cache_sites_enter(names->sites, cpu->calls, &call.call,
			  call.has_cache ? &call.cache : NULL);
	return true;
}

static const EventCache *find_by_page(PerfNames *names, const PerfSample *sample,
				      const EventFacts *facts)
{
	const SlabObject object = {
		.pointer = facts->pointer,
		.time_ns = sample->time_ns,
		.bytes_requested = facts->bytes_requested,
		.bytes_allocated = facts->bytes_allocated,
	};

	return slab_pages_find(names->pages, &object);
}

static bool is_same(const EventCache *left, const EventCache *right)
{
	return left->name_bytes == right->name_bytes &&
	       !memcmp(left->name, right->name, left->name_bytes);
}

/* Compares with the cache that the probe recorded for this very call. */
static void perf_names_compare(PerfNames *names, PerfRunCpu *cpu, const CacheCall *call,
			       const EventCache *by_page)
{
	const EventCache *by_call = cache_sites_take(names->sites, cpu->calls, call);

	if (!by_call)
		return;
	names->compared.calls++;
	if (!by_page)
		names->compared.unknown++;
	else if (!is_same(by_call, by_page))
		names->compared.different++;
}

const EventCache *perf_names_find(PerfNames *names, PerfRunCpu *cpu, const PerfSample *sample,
				  const EventFacts *facts, bool has_all)
{
	const CacheCall call = { facts->call_site, sample->tid, facts->context };
	const EventCache *by_page;

	if (!names->pages && !names->sites)
		return NULL;
	/* If only some events are sampled, the probes may not have recorded their calls. */
	if (!names->pages)
		return cache_sites_leave(names->sites, has_all ? cpu->calls : NULL, &call);
	by_page = find_by_page(names, sample, facts);
	if (names->sites)
		perf_names_compare(names, cpu, &call, by_page);
	return by_page;
}

/* The end. */

static char *problem_of(const PerfNames *names)
{
	const char *contradiction = slab_pages_contradiction(names->pages);

	if (contradiction)
		return g_strconcat(contradiction, ": use --cache-names=probes", NULL);
	if (slab_pages_unknown(names->pages))
		return g_strdup("ends of slabs were lost: use a larger --buffer, or "
				"--cache-names=probes");
	return NULL;
}

void perf_names_write_compared(PerfNames *names)
{
	NamesCompared *compared = &names->compared;

	if (!names->pages || !names->sites || compared->calls == compared->written)
		return;
	compared->written = compared->calls;
	run_facts_write_number(names->live->batches, KMT_FIELD_NAMES_COMPARED, compared->calls);
	run_facts_write_number(names->live->batches, KMT_FIELD_NAMES_DIFFERENT,
			       compared->different);
}

void perf_names_end(PerfNames *names)
{
	const NamesCompared *compared = &names->compared;
	g_autofree char *problem = names->pages ? problem_of(names) : NULL;

	if (!names->pages)
		return;
	run_facts_write_text(names->live->batches, KMT_FIELD_CACHES_UNKNOWN, problem);
	perf_names_write_compared(names);
	if (!names->sites)
		return;
	g_printerr("%s: cache names compared: %" G_GUINT64_FORMAT ", different: %" G_GUINT64_FORMAT
		   ", unknown: %" G_GUINT64_FORMAT "\n",
		   g_get_prgname(), compared->calls, compared->different, compared->unknown);
}
