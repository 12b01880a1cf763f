/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures at the start what a sample, a frame, a rejected and an untaken event cost on this host:
 * the program's own allocations, in rounds that differ in what is sampled, compared by medians. And
 * the arithmetic of what hits, lost samples and the reader's own time cost a CPU, with which
 * perf_cpus.c pays. perf_run.c measures.
 */
#include "collect/perf/perf_cost.h"

#include "base/clock.h"
#include "base/sorted.h"
#include "collect/perf/perf_sample.h"
#include "collect/perf/perf_weight.h"
#include "collect/points/point_cost.h"

#include <fcntl.h>
#include <unistd.h>

enum {
	ROUNDS_MIN = 8,               /* with fewer, interrupted rounds may decide */
	TRIES = 3,                    /* times the rounds: most may have been interrupted */
	ENOUGH_NS = 20 * 1000 * 1000, /* the run should begin */
	EVENT_NS_MAX = 100000,        /* of an emulated machine; above it, the host is busy */
	ENTRY_PERCENT = 18,           /* see entry_of() */
	PIPES = 32,                   /* per round; up to a dozen allocations each */
	RING_BYTES = 4 << 20,         /* as in a run: too large for the caches */
};
static const uint32_t any_cpu = UINT32_MAX; /* as perf_event_open's -1 */

/* One kind of events, of this program's own thread only. */
typedef struct {
	PerfEvents *events; /* owned */
	PerfCpu *cpu;       /* NULL: could not be opened */
	unsigned points_count;
	uint64_t sample_type;
	uint64_t samples; /* of the current round */
	uint64_t frames;  /* of the current round */
	uint64_t calls;   /* of the current round: see PerfPoint.counts_calls */
} Kind;

static void kind_open(Kind *kind, const PerfRequest *request)
{
	kind->events = perf_events_new(request);
	kind->cpu = perf_events_open(kind->events, any_cpu, NULL);
	kind->points_count = request->points_count;
	kind->sample_type = perf_events_layout(kind->events).sample_type;
}

/* A PerfRecordVisitor. */
static void perf_cost_see(const struct perf_event_header *record, void *user_data)
{
	Kind *kind = user_data;
	PerfSample sample;

	if (record->type != PERF_RECORD_SAMPLE ||
	    !perf_sample_parse(record + 1, record->size - sizeof(*record), kind->sample_type,
			       &sample))
		return;
	kind->samples++;
	kind->frames += sample.depth;
}

bool perf_cost_make_pipe(void)
{
	int pair[2];
	bool written;

	if (pipe2(pair, O_CLOEXEC))
		return false;
	written = write(pair[1], "", 1) == 1;
	close(pair[0]);
	close(pair[1]);
	return written;
}

/* Allocates on every kernel; leaves nothing behind. Returns the CPU time that this took. */
static uint64_t perf_cost_allocate(void)
{
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; i < PIPES; i++)
		if (!perf_cost_make_pipe())
			return UINT64_MAX;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
}

static uint64_t calls_of(const Kind *kind)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < kind->points_count; i++)
		calls += perf_events_calls(kind->events, kind->cpu, i);
	return calls;
}

/* Returns the duration of the round. Empties the ring after each round, because a full ring costs
   less. */
static uint64_t kind_measure(Kind *kind)
{
	PerfRing *ring = &kind->cpu->samples;
	uint64_t took_ns;

	kind->samples = 0;
	kind->frames = 0;
	perf_events_enable_samples(kind->events, kind->cpu);
	took_ns = perf_cost_allocate();
	perf_events_disable(kind->events, kind->cpu);
	perf_ring_read(ring, perf_ring_head(ring), perf_cost_see, kind);
	return took_ns;
}

/* Frees have no stack and cost the same as any event without one. A filter would cost every event,
   but these allocations pass no filter for slab caches. */
static GArray *allocation_points(const PerfRequest *request)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(PerfPoint));

	for (unsigned i = 0; i < request->points_count; i++) {
		PerfPoint point = request->points[i];

		if (point.filters_caches)
			point.filter = NULL; /* ... and no counter */
		if (!point.is_free)
			g_array_append_val(points, point);
	}
	return points;
}

/* The points whose filters reject events, with filters that reject all of this thread. They
   evaluate the filter of the run first. Owned, with the filters; see requests_of(). */
static GArray *rejecting_points(const PerfRequest *request)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(PerfPoint));

	for (unsigned i = 0; i < request->points_count; i++) {
		PerfPoint point = request->points[i];

		if (!point.filter || !point.counts_calls)
			continue;
		point.filter = g_strdup_printf("(%s) && common_pid == 0", point.filter);
		if (point.has_cache_name)
			g_array_append_val(points, point);
		else
			g_array_prepend_val(points, point);
	}
	return points;
}

static int64_t more_than(uint64_t more_ns, uint64_t less_ns, uint64_t parts)
{
	return parts ? ((int64_t)more_ns - (int64_t)less_ns) / (int64_t)parts : 0;
}

static int64_t event_ns(const PerfCostRound *round)
{
	return more_than(round->every.bare_ns, round->plain_ns, round->every.samples);
}

static int64_t frame_ns(const PerfCostRound *round)
{
	return more_than(round->every.full_ns, round->every.bare_ns, round->every.frames);
}

static int64_t untaken_ns(const PerfCostRound *round)
{
	return more_than(round->parked_ns, round->plain_ns, round->every.samples);
}

/* What is taken costs more than what is left out. */
static int64_t sparse_sample_ns(const PerfCostRound *round)
{
	return more_than(round->sparse.bare_ns, round->parked_ns, round->sparse.samples);
}

static int64_t sparse_frame_ns(const PerfCostRound *round)
{
	return more_than(round->sparse.full_ns, round->sparse.bare_ns, round->sparse.frames);
}

static int64_t rejected_ns(const PerfCostRound *round)
{
	return more_than(round->filtered_ns[0], round->plain_ns, round->rejected[0]);
}

static int64_t rejected_named_ns(const PerfCostRound *round)
{
	return more_than(round->filtered_ns[1], round->plain_ns, round->rejected[1]);
}

static int64_t helper_ns(const PerfCostRound *round)
{
	return more_than(round->helped_ns, round->every.bare_ns, round->helpers);
}

/* Returns the median over the rounds; 0 if it is negative. */
static uint64_t median_of(const PerfCostRound *rounds, unsigned count,
			  int64_t (*part_ns)(const PerfCostRound *round))
{
	int64_t parts_ns[PERF_COST_ROUNDS];

	for (unsigned i = 0; i < count; i++)
		parts_ns[i] = part_ns(&rounds[i]);
	return (uint64_t)MAX(median_of_numbers(parts_ns, count), 0);
}

/* Returns the cost of an event that is left out or rejected. On a busy host, the rounds may show
   none: then it is the usual part of a sample without a stack. */
static uint64_t unsampled_of(const PerfCostRound *rounds, unsigned count, uint64_t sample_ns,
			     int64_t (*part_ns)(const PerfCostRound *round))
{
	enum { PART = 6 };
	uint64_t measured_ns = median_of(rounds, count, part_ns);

	return MIN(measured_ns ? measured_ns : sample_ns / PART, sample_ns);
}

/* A sparse sample costs at least as much as one of many; else the rounds were disturbed. */
static PerfSampleCost sparse_of(const PerfCostRound *rounds, unsigned count, const PerfCost *cost)
{
	uint64_t sample_ns = cost_in_work(median_of(rounds, count, sparse_sample_ns));
	uint64_t frame = cost_in_work(median_of(rounds, count, sparse_frame_ns));

	return (PerfSampleCost){
		.event_ns = MAX(cost->untaken_ns + sample_ns, cost->every.event_ns),
		.frame_ns = MAX(frame, cost->every.frame_ns),
	};
}

PerfCost perf_cost_of_rounds(const PerfCostRound *rounds, unsigned count)
{
	uint64_t sample_ns, untaken, entry_ns;
	PerfCost cost = { 0 };

	if (count < ROUNDS_MIN)
		return cost;
	sample_ns = median_of(rounds, count, event_ns);
	untaken = unsampled_of(rounds, count, sample_ns, untaken_ns);
	/* No round is without the call from the tracepoint into perf, because the events of the run
	   are open: 5 to 8 ns beside 33 ns for an event that is left out (doc/PERFORMANCE.md). */
	entry_ns = untaken * ENTRY_PERCENT / 100;
	cost.every.event_ns = cost_in_work(sample_ns + entry_ns);
	cost.every.frame_ns = cost_in_work(median_of(rounds, count, frame_ns));
	cost.untaken_ns = cost_in_work(untaken + entry_ns);
	for (unsigned named = 0; named < 2; named++)
		if (rounds[0].rejected[named])
			cost.rejected_ns[named] = cost_in_work(unsampled_of(
				rounds, count, sample_ns, named ? rejected_named_ns : rejected_ns));
	cost.helper_ns = cost_in_work(median_of(rounds, count, helper_ns));
	cost.sparse = sparse_of(rounds, count, &cost);
	cost.is_known = sample_ns && cost.every.event_ns <= EVENT_NS_MAX &&
			(cost.every.frame_ns || !rounds[0].every.frames);
	return cost.is_known ? cost : (PerfCost){ 0 };
}

/* The measurements: the same allocations without events and with each of these kinds. */
typedef struct {
	Kind bare, full;
	Kind sparse_bare, sparse_full;
	Kind helped;      /* bare, with the helpers; events is NULL if there are no helpers */
	Kind parked;      /* bare, but no event is taken */
	Kind filtered[2]; /* ... only points with a filter, by PerfPoint.has_cache_name */
} Kinds;

static void kinds_close(Kinds *kinds)
{
	perf_events_free(kinds->bare.events);
	perf_events_free(kinds->full.events);
	perf_events_free(kinds->sparse_bare.events);
	perf_events_free(kinds->sparse_full.events);
	perf_events_free(kinds->helped.events);
	perf_events_free(kinds->parked.events);
	perf_events_free(kinds->filtered[0].events);
	perf_events_free(kinds->filtered[1].events);
}

static void measure_filtered(Kinds *kinds, unsigned named, PerfCostRound *round)
{
	Kind *kind = &kinds->filtered[named];
	uint64_t before = kind->cpu ? calls_of(kind) : 0;

	if (!kind->cpu)
		return;
	round->filtered_ns[named] = kind_measure(kind);
	round->rejected[named] = calls_of(kind) - before;
}

static PerfCostSamples measure_samples(Kind *bare, Kind *full)
{
	PerfCostSamples part = { .bare_ns = kind_measure(bare), .samples = bare->samples };

	part.full_ns = kind_measure(full);
	part.frames = full->frames;
	return part;
}

/* The kinds take turns, so that other activity on the host affects all of them. */
static PerfCostRound measure_round(Kinds *kinds)
{
	PerfCostRound round = { 0 };

	/* As before the other rounds: system calls take the caches. */
	perf_events_disable(kinds->bare.events, kinds->bare.cpu);
	round.plain_ns = perf_cost_allocate();
	measure_filtered(kinds, 0, &round);
	measure_filtered(kinds, 1, &round);
	round.parked_ns = kind_measure(&kinds->parked);
	round.sparse = measure_samples(&kinds->sparse_bare, &kinds->sparse_full);
	round.every = measure_samples(&kinds->bare, &kinds->full);
	if (!kinds->helped.cpu)
		return round;
	round.helped_ns = kind_measure(&kinds->helped);
	round.helpers = kinds->helped.samples - MIN(kinds->helped.samples, round.every.samples);
	return round;
}

static PerfCost measure_rounds(Kinds *kinds)
{
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ENOUGH_NS;
	PerfCostRound rounds[PERF_COST_ROUNDS];
	unsigned count = 0;

	while (count < ROUNDS_MIN ||
	       (count < PERF_COST_ROUNDS && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns))
		rounds[count++] = measure_round(kinds);
	return perf_cost_of_rounds(rounds, count);
}

/* The requests of the kinds; they are borrowed by the kinds. */
typedef struct {
	PerfRequest bare, full, sparse_bare, sparse_full, helped, parked, filtered[2];
} Requests;

/* Returns whether all that are needed are open. */
static bool kinds_open(Kinds *kinds, const Requests *requests)
{
	kind_open(&kinds->bare, &requests->bare);
	kind_open(&kinds->full, &requests->full);
	kind_open(&kinds->sparse_bare, &requests->sparse_bare);
	kind_open(&kinds->sparse_full, &requests->sparse_full);
	kind_open(&kinds->parked, &requests->parked);
	if (requests->helped.helpers_count)
		kind_open(&kinds->helped, &requests->helped);
	for (unsigned named = 0; named < 2; named++)
		if (requests->filtered[named].points_count)
			kind_open(&kinds->filtered[named], &requests->filtered[named]);
	return kinds->bare.cpu && kinds->full.cpu && kinds->sparse_bare.cpu &&
	       kinds->sparse_full.cpu && kinds->parked.cpu;
}

static PerfCost measure(const Requests *requests)
{
	Kinds kinds = { 0 };
	PerfCost cost = { 0 };
	bool are_open = kinds_open(&kinds, requests);

	for (int i = 0; are_open && !cost.is_known && i < TRIES; i++)
		cost = measure_rounds(&kinds);
	kinds_close(&kinds);
	return cost;
}

/* The same events, only of our own thread. */
static PerfRequest own_request(const PerfRequest *request, const GArray *points)
{
	PerfRequest own = *request;

	own.points = (const PerfPoint *)(const void *)points->data;
	own.points_count = points->len;
	own.own_thread = true;
	own.has_twins = false;
	own.sampling_period = 1;
	own.ring_bytes = MIN(request->ring_bytes, (size_t)RING_BYTES);
	return own;
}

/* Both must outlive the result. Of filtered, those come first whose records have no cache name. */
static Requests requests_of(const PerfRequest *request, const GArray *points,
			    const GArray *filtered)
{
	Requests own = { .helped = own_request(request, points) };
	unsigned plain = 0;

	own.full = own.helped;
	own.full.helpers_count = 0;
	own.helped.stack_depth = 0;
	own.bare = own.full;
	own.bare.stack_depth = 0;
	own.sparse_full = own.full;
	own.sparse_full.sampling_period = COST_SPARSE_PERIOD;
	own.sparse_bare = own.bare;
	own.sparse_bare.sampling_period = COST_SPARSE_PERIOD;
	own.parked = own.bare;
	own.parked.sampling_period = PERF_PARKED;
	for (guint i = 0; i < filtered->len; i++)
		plain += !g_array_index(filtered, PerfPoint, i).has_cache_name;
	own.filtered[0] = own.filtered[1] = own.parked;
	own.filtered[0].points = (const PerfPoint *)(const void *)filtered->data;
	own.filtered[0].points_count = plain;
	own.filtered[1].points = own.filtered[0].points + plain;
	own.filtered[1].points_count = filtered->len - plain;
	return own;
}

PerfCost perf_cost_measure(const PerfRequest *request)
{
	g_autoptr(GArray) points = allocation_points(request);
	g_autoptr(GArray) filtered = rejecting_points(request);
	const Requests requests = requests_of(request, points, filtered);
	PerfCost cost = points->len ? measure(&requests) : (PerfCost){ 0 };

	for (guint i = 0; i < filtered->len; i++)
		g_free(g_array_index(filtered, PerfPoint, i).filter);
	return cost;
}

/* What a run costs. */

/* Returns how far a number has risen above the one of before, which it replaces. */
static uint64_t raise_to(uint64_t *before, uint64_t now)
{
	uint64_t more = now > *before ? now - *before : 0;

	*before += more;
	return more;
}

uint64_t hits_paid_pay(HitsPaid *paid, const HitCost *cost, uint64_t counted, uint64_t calls)
{
	uint64_t rejected = calls > counted ? calls - counted : 0;

	return raise_to(&paid->counted, counted) * cost->hit_ns +
	       raise_to(&paid->rejected, rejected) * cost->rejected_ns;
}

void cpu_cost_add_lost(CpuCost *cost, uint64_t lost, uint64_t read)
{
	uint64_t of_read_ns = cost->samples_ns - cost->lost_ns - cost->reading_ns;
	uint64_t ns = read ? of_read_ns / read * lost : 0;

	cost->lost_ns += ns;
	cost->samples_ns += ns;
}

void cpu_cost_interrupt(CpuCost *cost, uint64_t interrupted_ns)
{
	cost->rest_ns += raise_to(&cost->interrupted_ns, interrupted_ns);
}

uint64_t reader_time_share(ReaderTime *reader, uint64_t now_ns, unsigned cpus)
{
	uint64_t spent_ns =
		reader->from_ns && now_ns > reader->from_ns ? now_ns - reader->from_ns : 0;
	uint64_t rest_ns = spent_ns > reader->known_ns ? spent_ns - reader->known_ns : 0;

	*reader = (ReaderTime){ .from_ns = now_ns };
	return cpus ? rest_ns / cpus : 0;
}
