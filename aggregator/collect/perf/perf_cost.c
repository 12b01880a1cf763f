/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_cost.h"

#include "base/clock.h"
#include "collect/perf/perf_sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	ROUNDS_MIN = 8,               /* with fewer, interrupted rounds may decide */
	TRIES = 3,                    /* times the rounds: most may have been interrupted */
	ENOUGH_NS = 20 * 1000 * 1000, /* the run should begin */
	EVENT_NS_MAX = 100000,        /* of an emulated machine; above it, the host is busy */
	ENTRY_PERCENT = 8,            /* see add_entry() */
	PIPES = 16,                   /* per round; up to a dozen allocations each */
	RING_BYTES = 4 << 20,         /* as in a run: too large for the caches */
};
static const uint32_t any_cpu = UINT32_MAX; /* as perf_event_open's -1 */

/* One kind of events, of this program's own thread only. */
typedef struct {
	PerfEvents *events; /* owned */
	PerfCpu *cpu;       /* NULL: could not be opened */
	uint64_t sample_type;
	uint64_t samples; /* of the current round */
	uint64_t frames;  /* of the current round */
} Kind;

static void kind_open(Kind *kind, const PerfRequest *request)
{
	kind->events = perf_events_new(request);
	kind->cpu = perf_events_open(kind->events, any_cpu, NULL);
	kind->sample_type = perf_events_layout(kind->events).sample_type;
}

/* A PerfRecordVisitor. */
static void see(const struct perf_event_header *record, void *user_data)
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
static uint64_t allocate(void)
{
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; i < PIPES; i++)
		if (!perf_cost_make_pipe())
			return UINT64_MAX;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
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
	took_ns = allocate();
	perf_events_disable(kind->events, kind->cpu);
	perf_ring_read(ring, perf_ring_head(ring), see, kind);
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
			point.filter = NULL;
		if (!point.is_free)
			g_array_append_val(points, point);
	}
	return points;
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(int64_t *numbers, unsigned count)
{
	qsort(numbers, count, sizeof(*numbers), compare_numbers);
	return numbers[count / 2];
}

static int64_t more_than(uint64_t more_ns, uint64_t less_ns, uint64_t parts)
{
	return parts ? ((int64_t)more_ns - (int64_t)less_ns) / (int64_t)parts : 0;
}

static int64_t event_ns(const PerfCostRound *round)
{
	return more_than(round->bare_ns, round->plain_ns, round->samples);
}

static int64_t frame_ns(const PerfCostRound *round)
{
	return more_than(round->full_ns, round->bare_ns, round->frames);
}

static int64_t helper_ns(const PerfCostRound *round)
{
	return more_than(round->helped_ns, round->bare_ns, round->helpers);
}

/* Returns the median over the rounds; 0 if it is negative. */
static uint64_t median_of(const PerfCostRound *rounds, unsigned count,
			  int64_t (*part_ns)(const PerfCostRound *round))
{
	int64_t parts_ns[PERF_COST_ROUNDS];

	for (unsigned i = 0; i < count; i++)
		parts_ns[i] = part_ns(&rounds[i]);
	return (uint64_t)MAX(median(parts_ns, count), 0);
}

/* The rounds differ in what is sampled. All of them include the call from the tracepoint into perf,
   because the events of the run are open: some 130 guest instructions on 6.12, of 1,700 for a
   sample without its stack (doc/PERFORMANCE.md). */
static uint64_t add_entry(uint64_t sample_ns)
{
	return sample_ns + sample_ns * ENTRY_PERCENT / 100;
}

PerfCost perf_cost_of_rounds(const PerfCostRound *rounds, unsigned count)
{
	PerfCost cost = { 0 };

	if (count < ROUNDS_MIN)
		return cost;
	cost.event_ns = add_entry(median_of(rounds, count, event_ns));
	cost.frame_ns = median_of(rounds, count, frame_ns);
	cost.helper_ns = median_of(rounds, count, helper_ns);
	cost.is_known = cost.event_ns && cost.event_ns <= EVENT_NS_MAX &&
			(cost.frame_ns || !rounds[0].frames);
	return cost.is_known ? cost : (PerfCost){ 0 };
}

/* The measurements: the same allocations without events and with each of these kinds. */
typedef struct {
	Kind bare, full;
	Kind helped; /* bare, with the helpers; events is NULL if there are no helpers */
} Kinds;

static void kinds_open(Kinds *kinds, const PerfRequest *bare, const PerfRequest *full,
		       const PerfRequest *helped)
{
	kind_open(&kinds->bare, bare);
	kind_open(&kinds->full, full);
	if (helped->helpers_count)
		kind_open(&kinds->helped, helped);
}

static void kinds_close(Kinds *kinds)
{
	perf_events_free(kinds->bare.events);
	perf_events_free(kinds->full.events);
	perf_events_free(kinds->helped.events);
}

/* The kinds take turns, so that other activity on the host affects all of them. */
static PerfCostRound measure_round(Kinds *kinds)
{
	PerfCostRound round = { .plain_ns = allocate() };

	round.bare_ns = kind_measure(&kinds->bare);
	round.samples = kinds->bare.samples;
	round.full_ns = kind_measure(&kinds->full);
	round.frames = kinds->full.frames;
	if (!kinds->helped.cpu)
		return round;
	round.helped_ns = kind_measure(&kinds->helped);
	round.helpers = kinds->helped.samples - MIN(kinds->helped.samples, round.samples);
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

static PerfCost measure(const PerfRequest *with_helpers)
{
	PerfRequest full = *with_helpers, bare, helped = *with_helpers;
	Kinds kinds = { 0 };
	PerfCost cost = { 0 };

	full.helpers_count = 0;
	helped.stack_depth = 0;
	bare = full;
	bare.stack_depth = 0;
	kinds_open(&kinds, &bare, &full, &helped);
	for (int i = 0; kinds.bare.cpu && kinds.full.cpu && !cost.is_known && i < TRIES; i++)
		cost = measure_rounds(&kinds);
	kinds_close(&kinds);
	return cost;
}

/* The same events, only of our own thread. points must outlive the result. */
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

PerfCost perf_cost_measure(const PerfRequest *request)
{
	g_autoptr(GArray) points = allocation_points(request);
	PerfRequest own = own_request(request, points);

	return points->len ? measure(&own) : (PerfCost){ 0 };
}
