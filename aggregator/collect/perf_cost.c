/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_cost.h"

#include "collect/clock.h"
#include "collect/perf_sample.h"

#include <fcntl.h>
#include <unistd.h>

enum {
	ROUNDS = 24,    /* the fastest counts: who is interrupted takes longer, nobody less ... */
	ROUNDS_MIN = 8, /* ... and of fewer the fastest may be none */
	TRIES = 3,      /* of the rounds: all of one kind may have been interrupted */
	ENOUGH_NS = 20 * 1000 * 1000, /* the run is to begin */
	EVENT_NS_MAX = 100000,        /* an emulated machine's; more is a busy host's */
	PIPES = 8,                    /* each round; up to a dozen allocations each */
	RING_BYTES = 64 << 10,
};
static const uint32_t any_cpu = UINT32_MAX; /* as perf_event_open's -1 */

/* One kind of events, of this program's own thread. */
typedef struct {
	PerfEvents *events; /* owned */
	PerfCpu *cpu;       /* NULL: they cannot be opened */
	uint64_t sample_type;
	uint64_t fastest_ns; /* of the rounds */
	uint64_t samples;    /* of all rounds together */
	uint64_t frames;     /* likewise */
} Kind;

static void kind_begin(Kind *kind)
{
	kind->fastest_ns = UINT64_MAX;
	kind->samples = 0;
	kind->frames = 0;
}

static void kind_open(Kind *kind, const PerfRequest *request)
{
	kind->events = perf_events_new(request);
	kind->cpu = perf_events_open(kind->events, any_cpu, NULL);
	kind->sample_type = perf_events_layout(kind->events).sample_type;
	kind_begin(kind);
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

/* Allocates on every kernel, and leaves nothing behind. Returns how long it ran for that. */
static uint64_t allocate(void)
{
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; i < PIPES; i++)
		if (!perf_cost_make_pipe())
			return UINT64_MAX;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
}

/* The ring is emptied after each round: one that is full would be cheaper. */
static void kind_measure(Kind *kind)
{
	PerfRing *ring = &kind->cpu->samples;

	perf_events_enable_samples(kind->events, kind->cpu);
	kind->fastest_ns = MIN(kind->fastest_ns, allocate());
	perf_events_disable(kind->events, kind->cpu);
	perf_ring_read(ring, perf_ring_head(ring), see, kind);
}

/* Frees have no stack, and cost what any event without one does. What is made here passes no
   filter. */
static GArray *allocation_points(const PerfRequest *request)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(PerfPoint));

	for (unsigned i = 0; i < request->points_count; i++) {
		const PerfPoint point = { .id = request->points[i].id };

		if (!request->points[i].is_free)
			g_array_append_val(points, point);
	}
	return points;
}

/* What each of the parts, those of all rounds, took of a round that took more. */
static uint64_t each(uint64_t more_ns, uint64_t less_ns, uint64_t parts, unsigned rounds)
{
	return more_ns > less_ns && parts ? (more_ns - less_ns) * rounds / parts : 0;
}

/* All take turns, so that nothing else that the host does is only one's. */
static PerfCost compare(Kind *bare, Kind *full)
{
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ENOUGH_NS;
	uint64_t plain_ns = UINT64_MAX;
	unsigned rounds = 0;
	PerfCost cost;

	kind_begin(bare);
	kind_begin(full);
	for (; rounds < ROUNDS && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns; rounds++) {
		plain_ns = MIN(plain_ns, allocate());
		kind_measure(bare);
		kind_measure(full);
	}
	cost.event_ns = each(bare->fastest_ns, plain_ns, bare->samples, rounds);
	cost.frame_ns = each(full->fastest_ns, bare->fastest_ns, full->frames, rounds);
	cost.is_known = plain_ns != UINT64_MAX && rounds >= ROUNDS_MIN && cost.event_ns &&
			cost.event_ns <= EVENT_NS_MAX && (cost.frame_ns || !full->frames);
	return cost.is_known ? cost : (PerfCost){ 0 };
}

static PerfCost measure(const PerfRequest *with_stacks)
{
	PerfRequest without_stacks = *with_stacks;
	Kind bare = { 0 }, full = { 0 };
	PerfCost cost = { 0 };

	without_stacks.stack_depth = 0;
	kind_open(&bare, &without_stacks);
	kind_open(&full, with_stacks);
	for (int i = 0; bare.cpu && full.cpu && !cost.is_known && i < TRIES; i++)
		cost = compare(&bare, &full);
	perf_events_free(bare.events);
	perf_events_free(full.events);
	return cost;
}

/* The same events, of our own thread. points must outlive what is returned. */
static PerfRequest own_request(const PerfRequest *request, const GArray *points)
{
	PerfRequest own = *request;

	own.points = (const PerfPoint *)(const void *)points->data;
	own.points_count = points->len;
	own.helpers_count = 0;
	own.own_thread = true;
	own.sampling_period = 1;
	own.ring_bytes = MAX((size_t)RING_BYTES, (size_t)sysconf(_SC_PAGESIZE));
	return own;
}

PerfCost perf_cost_measure(const PerfRequest *request)
{
	g_autoptr(GArray) points = allocation_points(request);
	PerfRequest own = own_request(request, points);

	return points->len ? measure(&own) : (PerfCost){ 0 };
}
