/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_cost.h"

#include "collect/collector.h"
#include "collect/kmem_points.h"
#include "collect/perf_sample.h"
#include "collect/tracefs.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <fcntl.h>
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
	uint64_t samples; /* that came */
	uint64_t lost;    /* that did not, as the kernel told */
} Stage;

/* Returns (element-type PerfPoint) those that answer the events (bits of CollectEvents). */
static GArray *perf_points(unsigned events)
{
	int folder = tracefs_open_kmem("", NULL);
	g_autoptr(GPtrArray) opened = NULL;
	GArray *points;

	if (folder < 0)
		cr_skip_test("tracefs cannot be seen here");
	opened = kmem_points_open(folder, events, NULL);
	close(folder);
	if (!opened)
		cr_skip_test("there are no such tracepoints here");
	points = g_array_new(FALSE, FALSE, sizeof(PerfPoint));
	for (guint i = 0; i < opened->len; i++) {
		const KmemPoint *point = opened->pdata[i];
		const PerfPoint made = { .id = point->format->id };

		g_array_append_val(points, made);
	}
	return points;
}

static void stage_open(Stage *stage)
{
	g_autoptr(GArray) points = perf_points(COLLECT_KMALLOC);

	stage->point = g_array_index(points, PerfPoint, 0);
	stage->request = (PerfRequest){
		.points = &stage->point,
		.points_count = 1,
		.stack_depth = 16,
		.sampling_period = 1,
		.ring_bytes = RING_BYTES,
		.own_thread = true,
	};
	stage->events = perf_events_new(&stage->request);
	stage->cpu = perf_events_open(stage->events, UINT32_MAX, NULL);
	if (!stage->cpu)
		cr_skip_test("perf events are refused here");
}

static void stage_close(Stage *stage)
{
	perf_events_free(stage->events);
}

/* Two kmallocs each. */
static void make_pipes(int count)
{
	int pair[2];

	for (int i = 0; i < count; i++) {
		cr_assert_eq(pipe2(pair, O_CLOEXEC), 0);
		close(pair[0]);
		close(pair[1]);
	}
}

static void count_record(const struct perf_event_header *record, void *user_data)
{
	Stage *stage = user_data;
	struct PerfTaskRecord told;

	if (record->type == PERF_RECORD_SAMPLE)
		stage->samples++;
	else if (perf_task_record_parse(record, record + 1, record->size - sizeof(*record),
					&told) &&
		 told.kind == PERF_TASK_LOST)
		stage->lost += told.lost;
}

static void read_ring(Stage *stage)
{
	PerfRing *ring = &stage->cpu->samples;

	cr_assert(perf_ring_read(ring, perf_ring_head(ring), count_record, stage));
}

Test(perf_cost, an_event_and_its_stack_cost_something_on_this_host)
{
	Stage stage = { .events = NULL };
	PerfCost cost;

	stage_open(&stage);
	cost = perf_cost_measure(&stage.request);
	cr_expect(cost.is_known);
	/* From the fastest machines to emulated ones. */
	cr_expect(cost.event_ns > 20 && cost.event_ns < 100000, "%lu ns",
		  (unsigned long)cost.event_ns);
	cr_expect(cost.frame_ns > 1 && cost.frame_ns < 20000, "%lu ns",
		  (unsigned long)cost.frame_ns);
	cr_expect_eq(perf_cost_of(&cost, 10), cost.event_ns + 10 * cost.frame_ns);
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
	cr_expect_eq(cost.frame_ns, 0);
	stage_close(&stage);
}

/* Whichever kinds are observed, what is made to measure them hits them. */
Test(perf_cost, each_kind_of_events_can_be_measured)
{
	static const unsigned kinds[] = {
		COLLECT_KMALLOC,
		COLLECT_CACHE,
		COLLECT_PAGE,
		COLLECT_KMALLOC | COLLECT_CACHE | COLLECT_PAGE,
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

/* What throttling needs of the kernel: another period and back, and each sample of one of them. */
Test(perf_cost, a_period_can_be_changed)
{
	enum { PIPES = 20000, PERIOD = 11 };
	Stage stage = { .events = NULL };
	uint64_t before, head;

	stage_open(&stage);
	perf_events_enable_samples(stage.events, stage.cpu);
	make_pipes(PIPES / 100);
	perf_events_set_period(stage.events, stage.cpu, PERIOD);
	read_ring(&stage);
	before = stage.samples;
	cr_expect_geq(before, 2 * PIPES / 100);

	make_pipes(PIPES);
	head = perf_events_set_period(stage.events, stage.cpu, 1);
	make_pipes(1);
	cr_assert(perf_ring_read(&stage.cpu->samples, head, count_record, &stage));
	cr_expect_geq(stage.samples - before, 2 * PIPES / PERIOD);
	cr_expect_leq(stage.samples - before, 2 * PIPES / PERIOD + 2);
	before = stage.samples;
	read_ring(&stage);
	cr_expect_geq(stage.samples - before, 2);
	cr_expect_eq(stage.lost, 0);
	stage_close(&stage);
}

/* What was lost is what was counted, less what came. */
Test(perf_cost, counts_are_exact_though_the_period_changed)
{
	enum { PIPES = 200, CHANGES = 40 };
	static const uint32_t periods[] = { 3, 1, 5, 11 };
	Stage stage = { .events = NULL };

	stage_open(&stage);
	perf_events_enable_samples(stage.events, stage.cpu);
	for (int i = 0; i < CHANGES; i++) {
		make_pipes(PIPES + i);
		perf_events_set_period(stage.events, stage.cpu,
				       periods[i % (int)G_N_ELEMENTS(periods)]);
		read_ring(&stage);
	}
	perf_events_disable(stage.events, stage.cpu);
	read_ring(&stage);
	cr_expect_eq(stage.lost, 0);
	cr_expect_eq(perf_events_count(stage.events, stage.cpu), stage.samples);
	stage_close(&stage);
}

/* A ring that is too small: as the kernel tells when there is room again. */
Test(perf_cost, a_loss_is_exact_though_the_period_changed)
{
	enum { PIPES = 20000, PERIOD = 3 };
	Stage stage = { .events = NULL };

	stage_open(&stage);
	perf_events_enable_samples(stage.events, stage.cpu);
	make_pipes(PIPES);
	read_ring(&stage);
	perf_events_set_period(stage.events, stage.cpu, PERIOD);
	make_pipes(PIPES);
	read_ring(&stage);
	make_pipes(PERIOD);
	perf_events_disable(stage.events, stage.cpu);
	read_ring(&stage);
	cr_expect_gt(stage.lost, 0);
	cr_expect_eq(perf_events_count(stage.events, stage.cpu), stage.samples + stage.lost);
	cr_expect_geq(stage.samples + stage.lost, 2 * PIPES + 2 * PIPES / PERIOD);
	stage_close(&stage);
}
