/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_cost.h"

#include "collect/run/collector.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/perf/perf_sample.h"
#include "collect/perf/perf_turn.h"
#include "collect/tracefs/tracefs.h"

#include "host_lock.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(perf_cost);

/* These are of the running kernel, where it lets this program use perf events at all. */

enum { RING_BYTES = 1 << 20 };

/* Events of this thread alone. */
typedef struct {
	PerfPoint point;
	PerfRequest request;
	PerfEvents *events;
	PerfCpu *cpu;
	PerfWeight weight;
	PerfTurn turn;
	uint64_t random;
	uint64_t start_count;    /* of the first twin, when its first series began */
	uint64_t position;       /* in the ring */
	uint64_t samples;        /* that came */
	uint64_t events_counted; /* what they stand for together */
} Stage;

/* Returns (element-type PerfPoint) those that answer the events (bits of ProbeKindBit). */
static GArray *perf_points(unsigned events)
{
	int folder = tracefs_open_kmem("", NULL);
	g_autoptr(GPtrArray) opened = NULL;
	GArray *points;

	if (folder < 0)
		cr_skip_test("tracefs cannot be seen here");
	opened = kmem_points_open(folder, events, false, NULL);
	close(folder);
	if (!opened)
		cr_skip_test("there are no such tracepoints here");
	host_lock();
	points = g_array_new(FALSE, FALSE, sizeof(PerfPoint));
	for (guint i = 0; i < opened->len; i++) {
		const KmemPoint *point = opened->pdata[i];
		const PerfPoint made = { .id = point->format->id };

		g_array_append_val(points, made);
	}
	return points;
}

static void stage_open_filtered(Stage *stage, uint32_t sampling_period, const char *filter)
{
	g_autoptr(GArray) points = perf_points(PROBE_KMALLOC);

	stage->point = g_array_index(points, PerfPoint, 0);
	stage->point.filter = (char *)filter;
	stage->point.counts_calls = filter;
	stage->request = (PerfRequest){
		.points = &stage->point,
		.points_count = 1,
		.stack_depth = 16,
		.depth_max = 127,
		.sampling_period = sampling_period,
		.has_twins = sampling_period == PERF_PARKED,
		.ring_bytes = RING_BYTES,
		.own_thread = true,
	};
	stage->events = perf_events_new(&stage->request);
	stage->cpu = perf_events_open(stage->events, UINT32_MAX, NULL);
	if (!stage->cpu)
		cr_skip_test("perf events are refused here");
}

static void stage_open_with(Stage *stage, uint32_t sampling_period)
{
	stage_open_filtered(stage, sampling_period, NULL);
}

static void stage_open(Stage *stage)
{
	stage_open_with(stage, 1);
}

static void stage_close(Stage *stage)
{
	perf_events_free(stage->events);
}

static uint64_t pipes_made;

/* Two kmallocs each. */
static void make_pipes(int count)
{
	int pair[2];

	pipes_made += (uint64_t)count;
	for (int i = 0; i < count; i++) {
		cr_assert_eq(pipe2(pair, O_CLOEXEC), 0);
		close(pair[0]);
		close(pair[1]);
	}
}

Test(perf_cost, an_event_and_its_stack_cost_something_on_this_host)
{
	Stage stage = { .events = NULL };
	PerfCost cost;

	stage_open(&stage);
	cost = perf_cost_measure(&stage.request);
	cr_expect(cost.is_known);
	/* From the fastest machines to emulated ones. */
	cr_expect(cost.every.event_ns > 20 && cost.every.event_ns < 100000, "%lu ns",
		  (unsigned long)cost.every.event_ns);
	cr_expect(cost.every.frame_ns > 1 && cost.every.frame_ns < 20000, "%lu ns",
		  (unsigned long)cost.every.frame_ns);
	cr_expect_eq(perf_cost_of(&cost.every, 10), cost.every.event_ns + 10 * cost.every.frame_ns);
	stage_close(&stage);
}

Test(perf_cost, an_event_that_is_left_out_or_rejected_costs_less)
{
	Stage stage = { .events = NULL };
	PerfCost cost;

	stage_open(&stage);
	stage.point.filter = (char *)"bytes_req == 0";
	stage.point.counts_calls = stage.point.filters_caches = true;
	cost = perf_cost_measure(&stage.request);
	cr_expect(cost.is_known);
	cr_expect(cost.untaken_ns > 0 && cost.untaken_ns <= cost.every.event_ns, "%lu ns",
		  (unsigned long)cost.untaken_ns);
	cr_expect_gt(cost.rejected_ns[0], 0);
	cr_expect_eq(cost.rejected_ns[1], 0);
	stage_close(&stage);
}

Test(perf_cost, without_stacks_there_are_no_frames_to_pay)
{
	Stage stage = { .events = NULL };
	PerfCost cost;

	stage_open(&stage);
	stage.request.stack_depth = 0;
	cost = perf_cost_measure(&stage.request);
	cr_expect(cost.is_known);
	cr_expect_eq(cost.every.frame_ns, 0);
	cr_expect_eq(cost.sparse.frame_ns, 0);
	stage_close(&stage);
}

/* What the rounds say, without any clock. */

enum { SAMPLES = 32, SPARSE = 4, DEPTH = 7, HELPERS = 16, REJECTED = 20 };

/* A round on a machine that needs so many nanoseconds for the allocations themselves. */
static PerfCostRound round_of(uint64_t plain_ns, uint64_t event_ns, uint64_t frame_ns,
			      uint64_t helper_ns)
{
	uint64_t bare_ns = plain_ns + SAMPLES * event_ns;
	uint64_t untaken_ns = event_ns / 7, rejected_ns = event_ns / 5;
	uint64_t parked_ns = plain_ns + SAMPLES * untaken_ns;
	uint64_t sparse_ns = parked_ns + SPARSE * 2 * event_ns;

	return (PerfCostRound){
		.plain_ns = plain_ns,
		.every = { .bare_ns = bare_ns,
			   .full_ns = bare_ns + SAMPLES * DEPTH * frame_ns,
			   .samples = SAMPLES,
			   .frames = SAMPLES * DEPTH },
		.sparse = { .bare_ns = sparse_ns,
			    .full_ns = sparse_ns + SPARSE * DEPTH * 2 * frame_ns,
			    .samples = SPARSE,
			    .frames = SPARSE * DEPTH },
		.helped_ns = bare_ns + HELPERS * helper_ns,
		.parked_ns = parked_ns,
		.filtered_ns = { plain_ns + REJECTED * rejected_ns,
				 plain_ns + REJECTED * 2 * rejected_ns },
		.rejected = { REJECTED, REJECTED },
		.helpers = HELPERS,
	};
}

Test(perf_cost, it_is_what_most_rounds_say_and_not_the_luckiest)
{
	PerfCostRound rounds[PERF_COST_ROUNDS];
	PerfCost cost;

	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i] = round_of(100000 + i, 700, 280, 900);
	/* A round with warm caches, one that was interrupted where nothing was sampled, and some
	   that were while stacks were. */
	rounds[3] = round_of(90000, 500, 200, 800);
	rounds[5].plain_ns += 1000000;
	for (unsigned i = 10; i < 16; i++)
		rounds[i].every.full_ns += 500000;
	cost = perf_cost_of_rounds(rounds, PERF_COST_ROUNDS);
	cr_expect(cost.is_known);
	/* A tenth more than in a loop; and with the call of the tracepoint, which no round is
	   without: 18 % of the 100 ns of an event that is left out. */
	cr_expect_eq(cost.every.event_ns, 789, "%lu", (unsigned long)cost.every.event_ns);
	cr_expect_eq(cost.every.frame_ns, 308, "%lu", (unsigned long)cost.every.frame_ns);
	cr_expect_eq(cost.helper_ns, 990, "%lu", (unsigned long)cost.helper_ns);
	cr_expect_eq(perf_cost_of(&cost.every, DEPTH), 789 + DEPTH * 308);
}

/* The sample is as expensive as two, and each of its frames, too. */
Test(perf_cost, a_sample_among_events_that_are_left_out_costs_more)
{
	PerfCostRound rounds[PERF_COST_ROUNDS];
	PerfCost cost;

	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i] = round_of(100000 + i, 700, 280, 0);
	rounds[2].sparse.bare_ns += 1000000;
	cost = perf_cost_of_rounds(rounds, PERF_COST_ROUNDS);
	cr_expect_eq(cost.sparse.event_ns, 129 + 1540, "%lu", (unsigned long)cost.sparse.event_ns);
	cr_expect_eq(cost.sparse.frame_ns, 616, "%lu", (unsigned long)cost.sparse.frame_ns);
	cr_expect_eq(perf_cost_of_sample(&cost, DEPTH, true), 1540 + DEPTH * 616);
	/* Rounds that say less were disturbed. */
	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i].sparse.bare_ns = rounds[i].sparse.full_ns = rounds[i].parked_ns;
	cost = perf_cost_of_rounds(rounds, PERF_COST_ROUNDS);
	cr_expect_eq(cost.sparse.event_ns, cost.every.event_ns);
	cr_expect_eq(cost.sparse.frame_ns, cost.every.frame_ns);
}

Test(perf_cost, what_is_left_out_or_rejected_costs_something)
{
	PerfCostRound rounds[PERF_COST_ROUNDS];
	PerfCost cost;

	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i] = round_of(100000 + i, 700, 280, 900);
	rounds[2].parked_ns += 1000000;
	rounds[3].filtered_ns[0] += 1000000;
	cost = perf_cost_of_rounds(rounds, PERF_COST_ROUNDS);
	cr_expect_eq(cost.untaken_ns, 129, "%lu", (unsigned long)cost.untaken_ns);
	cr_expect_eq(cost.rejected_ns[0], 154, "%lu", (unsigned long)cost.rejected_ns[0]);
	cr_expect_eq(cost.rejected_ns[1], 308, "%lu", (unsigned long)cost.rejected_ns[1]);
	cr_expect_eq(perf_cost_of_sample(&cost, DEPTH, false) + cost.untaken_ns,
		     perf_cost_of(&cost.every, DEPTH));
	/* Disturbed: a sixth of a sample. */
	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i].filtered_ns[0] = rounds[i].plain_ns - 1000;
	cr_expect_eq(perf_cost_of_rounds(rounds, PERF_COST_ROUNDS).rejected_ns[0], 127);
	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i].rejected[0] = 0;
	cr_expect_eq(perf_cost_of_rounds(rounds, PERF_COST_ROUNDS).rejected_ns[0], 0);
	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i].parked_ns = rounds[i].every.bare_ns + 100000;
	cost = perf_cost_of_rounds(rounds, PERF_COST_ROUNDS);
	cr_expect_eq(cost.untaken_ns, cost.every.event_ns);
}

Test(perf_cost, what_rounds_cannot_say_is_not_known)
{
	PerfCostRound rounds[PERF_COST_ROUNDS];

	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i] = round_of(100000, 700, 280, 0);
	cr_expect_not(perf_cost_of_rounds(rounds, 3).is_known);
	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i].every.full_ns = rounds[i].every.bare_ns - 1000;
	cr_expect_not(perf_cost_of_rounds(rounds, PERF_COST_ROUNDS).is_known);
	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i].every.samples = 0;
	cr_expect_eq(perf_cost_of_rounds(rounds, PERF_COST_ROUNDS).every.event_ns, 0);
	for (unsigned i = 0; i < PERF_COST_ROUNDS; i++)
		rounds[i] = round_of(100000, 7000000, 280, 0);
	cr_expect_not(perf_cost_of_rounds(rounds, PERF_COST_ROUNDS).is_known);
}

/* Whichever kinds are observed, what is made to measure them hits them. */
Test(perf_cost, each_kind_of_events_can_be_measured)
{
	static const unsigned kinds[] = {
		PROBE_KMALLOC,
		PROBE_CACHE,
		PROBE_PAGE,
		PROBE_KMALLOC | PROBE_CACHE | PROBE_PAGE,
	};
	Stage stage = { .events = NULL };

	stage_open(&stage);
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autoptr(GArray) points = perf_points(kinds[i]);

		stage.request.points = (const void *)points->data;
		stage.request.points_count = points->len;
		cr_expect(perf_cost_measure(&stage.request).is_known, "kinds %#x", kinds[i]);
	}
	stage_close(&stage);
}

/* What sampling needs of the running kernel: another period while the event counts, and samples
   that are together all events. */

static uint64_t count_of(const Stage *stage, unsigned twin)
{
	return perf_events_count(stage->events, stage->cpu, (PerfEventId){ 0, twin });
}

static void weigh_record(const struct perf_event_header *record, void *user_data)
{
	Stage *stage = user_data;
	PerfSample sample;
	PerfEventId event;

	if (record->type == PERF_RECORD_SAMPLE) {
		cr_assert(perf_sample_parse(record + 1, record->size - sizeof(*record),
					    perf_events_layout(stage->events).sample_type,
					    &sample));
		cr_assert(perf_events_find(stage->events, stage->cpu, sample.event_id, &event));
		stage->samples++;
		stage->events_counted +=
			perf_weight_take(&stage->weight, event.twin, stage->position, sample.count);
	}
	stage->position += record->size;
}

static void weigh_ring(Stage *stage)
{
	PerfRing *ring = &stage->cpu->samples;

	stage->position = ring->tail;
	cr_assert(perf_ring_read(ring, perf_ring_head(ring), weigh_record, stage));
}

static void read_stage(void *user_data)
{
	weigh_ring(user_data);
}

static void end_series(PerfEventId event, uint64_t count, void *user_data)
{
	Stage *stage = user_data;

	perf_weight_end(&stage->weight, event.twin, count);
}

static PerfTurnPlace place_of(Stage *stage)
{
	return (PerfTurnPlace){ .turn = &stage->turn,
				.weight = &stage->weight,
				.events = stage->events,
				.cpu = stage->cpu,
				.random = &stage->random,
				.nominal = 1,
				.read = read_stage,
				.end = end_series,
				.user_data = stage };
}

/* A whole turn, each stage of which needs an event. */
static void set_period(Stage *stage, uint32_t period)
{
	enum { PIPES_MAX = 1000 };
	const PerfTurnPlace at = place_of(stage);

	perf_turn_begin(&at, period);
	for (int i = 0; i < PIPES_MAX && !perf_turn_advance(&at); i++)
		make_pipes(1);
	cr_assert_eq(stage->turn.stage, PERF_TURN_NONE, "the turn to %u stays in stage %u", period,
		     stage->turn.stage);
}

static void stage_begin(Stage *stage)
{
	PerfTurnPlace at;

	stage_open_with(stage, PERF_PARKED);
	perf_events_enable_samples(stage->events, stage->cpu);
	at = place_of(stage);
	perf_turn_first(&at);
	stage->start_count = stage->turn.count;
}

static void stage_end(Stage *stage)
{
	perf_events_disable(stage->events, stage->cpu);
	weigh_ring(stage);
	for (unsigned i = 0; i < PERF_TWINS; i++)
		perf_weight_end(&stage->weight, i, count_of(stage, i));
}

/* How often this thread lost its CPU or gave it up. */
static long switches(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* So that it loses its CPU to few others. */
static void run_before_others(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &first);
}

enum { CHANGED_PIPES = 200, CHANGES = 40 };

/* Makes pipes while the period changes. Returns how many samples came. */
static void change_again_and_again(Stage *stage)
{
	static const uint32_t periods[] = { 13, 1, 17, 31 };

	stage_begin(stage);
	pipes_made = 0;
	for (int i = 0; i < CHANGES; i++) {
		make_pipes(CHANGED_PIPES + i);
		set_period(stage, periods[i % (int)G_N_ELEMENTS(periods)]);
		weigh_ring(stage);
	}
	stage_end(stage);
}

/* Not on its CPU, the events of this thread end and begin again: then periods may be others than
   those that were set. */
static void change_undisturbed(Stage *stage)
{
	enum { ATTEMPTS = 10 };
	long switched = 1;

	run_before_others();
	for (int i = 0; switched && i < ATTEMPTS; i++) {
		perf_events_free(stage->events);
		*stage = (Stage){ .random = (uint64_t)i };
		switched = switches();
		change_again_and_again(stage);
		switched = switches() - switched;
	}
	if (switched)
		cr_skip_test("others took the CPU away in each of %d attempts", ATTEMPTS);
}

Test(perf_cost, a_period_changes_while_all_is_counted)
{
	/* Each of the series may be off by one of its periods, of 15 on average: four standard
	   errors of all of them. */
	enum { OFF_MAX = 4 * 45 };
	Stage stage = { .events = NULL };
	uint64_t events;

	change_undisturbed(&stage);
	events = 2 * pipes_made;
	cr_expect_geq(events, 2 * (CHANGED_PIPES * CHANGES + CHANGES * (CHANGES - 1) / 2));
	/* A quarter of them was taken one by one. */
	cr_expect_lt(stage.samples, events / 2);
	cr_expect_eq(stage.weight.lost, 0, "%lu", (unsigned long)stage.weight.lost);
	cr_expect(stage.events_counted + OFF_MAX > events &&
			  stage.events_counted < events + OFF_MAX,
		  "%lu of %lu", (unsigned long)stage.events_counted, (unsigned long)events);
	stage_close(&stage);
}

/* While both twins count, each event is still one. */
Test(perf_cost, events_of_twins_are_counted_once)
{
	enum { PIPES = 300, TURNS = 10 };
	Stage stage = { .random = 1 };
	PerfTurnPlace at;
	uint64_t before, counted, twice = 0;

	stage_begin(&stage);
	at = place_of(&stage);
	before = perf_turn_events(&at);
	pipes_made = 0;
	for (int i = 0; i < TURNS; i++) {
		perf_turn_begin(&at, 13);
		make_pipes(PIPES);
		twice += 2 * PIPES;
		counted = perf_turn_events(&at) - before;
		cr_expect(counted >= 2 * pipes_made + twice / 3 - TURNS &&
				  counted <= 2 * pipes_made + twice / 3 + 6 * TURNS,
			  "%lu of %lu", (unsigned long)counted, (unsigned long)(2 * pipes_made));
		for (int j = 0; j < PIPES && !perf_turn_advance(&at); j++) {
			make_pipes(1);
			twice += 2;
		}
	}
	stage_end(&stage);
	stage_close(&stage);
}

Test(perf_cost, what_a_filter_rejects_is_a_call)
{
	enum { PIPES = 100 };
	Stage stage = { .events = NULL };

	stage_open_filtered(&stage, 1, "bytes_req == 0");
	perf_events_enable_samples(stage.events, stage.cpu);
	make_pipes(PIPES);
	perf_events_disable(stage.events, stage.cpu);
	cr_expect_eq(count_of(&stage, 0), 0);
	cr_expect_eq(perf_events_calls(stage.events, stage.cpu, 0), 2 * PIPES);
	make_pipes(1);
	cr_expect_eq(perf_events_calls(stage.events, stage.cpu, 0), 2 * PIPES);
	stage_close(&stage);
}

Test(perf_cost, without_a_filter_nothing_more_is_counted)
{
	Stage stage = { .events = NULL };

	stage_open(&stage);
	perf_events_enable_samples(stage.events, stage.cpu);
	make_pipes(1);
	cr_expect_eq(perf_events_calls(stage.events, stage.cpu, 0), 0);
	stage_close(&stage);
}

/* A ring that is too small. */
Test(perf_cost, what_does_not_come_is_reported_lost)
{
	enum { PIPES = 20000, PERIOD = 13 };
	Stage stage = { .events = NULL };
	uint64_t count;

	stage_begin(&stage);
	make_pipes(PIPES);
	weigh_ring(&stage);
	make_pipes(1);
	weigh_ring(&stage);
	cr_expect_gt(stage.weight.lost, PIPES / 2);
	cr_expect_eq(stage.weight.lost + stage.events_counted,
		     count_of(&stage, 0) - stage.start_count);
	set_period(&stage, PERIOD);
	stage.weight.lost = stage.events_counted = 0;
	count = count_of(&stage, 1);
	make_pipes(6 * PIPES);
	stage_end(&stage);
	count = count_of(&stage, 1) - count;
	cr_expect_gt(stage.weight.lost, count / 4);
	cr_expect(stage.weight.lost + stage.events_counted + 2 * PERIOD > count &&
			  stage.weight.lost + stage.events_counted < count + 2 * PERIOD,
		  "%lu and %lu of %lu", (unsigned long)stage.weight.lost,
		  (unsigned long)stage.events_counted, (unsigned long)count);
	stage_close(&stage);
}
