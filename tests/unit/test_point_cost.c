/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/point_cost.h"

#include "collect/tracefs/tracefs.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(point_cost);

/* Rounds made by hand; no test depends on how fast this machine is. */

static PointCostRounds rounds_of(uint64_t plain_ns, uint64_t probed_ns, unsigned count)
{
	PointCostRounds rounds = { .count = count, .hits = 10, .period = 1 };

	for (unsigned i = 0; i < count; i++) {
		rounds.plain_ns[i] = plain_ns;
		rounds.probed_ns[i] = probed_ns;
	}
	return rounds;
}

Test(point_cost, a_hit_costs_what_the_median_rounds_differ_by)
{
	PointCostRounds rounds = rounds_of(1000, 8000, 9);
	PointCost cost;

	rounds.plain_ns[0] = 900000; /* interrupted */
	rounds.probed_ns[8] = 900000;
	cost = point_cost_of_rounds(&rounds);
	cr_expect(cost.is_known);
	cr_expect_eq(cost.event_ns, 770); /* a tenth more than in a loop */
	rounds.hits = 24;
	rounds.period = 8; /* three records of 100 bytes */
	rounds.bytes = 300;
	cost = point_cost_of_rounds(&rounds);
	cr_expect_eq(cost.event_ns, 320);
	cr_expect_eq(cost.bytes, 100);
}

Test(point_cost, too_few_rounds_or_no_hits_or_no_difference_tell_nothing)
{
	PointCostRounds few = rounds_of(1000, 8000, 7), same = rounds_of(1000, 1000, 9);
	PointCostRounds less = rounds_of(1000, 900, 9), none = rounds_of(1000, 8000, 9);
	PointCostRounds slow = rounds_of(1000, 20000000000, 9);

	none.hits = 0;
	cr_expect_not(point_cost_of_rounds(&few).is_known);
	cr_expect_not(point_cost_of_rounds(&same).is_known);
	cr_expect_not(point_cost_of_rounds(&less).is_known);
	cr_expect_not(point_cost_of_rounds(&none).is_known);
	cr_expect_not(point_cost_of_rounds(&slow).is_known);
}

/* The running kernel. */

enum { SAMPLED, COUNTED, REJECTED, VARIANTS };

#define LIKE_A_RUN                                                                                 \
	{                                                                                          \
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |        \
			       PERF_SAMPLE_RAW,                                                    \
		.exclude_callchain_user = 1, .watermark = 1, .wakeup_watermark = 1 << 18           \
	}

static const PointVariant variants[VARIANTS] = {
	[SAMPLED] = { LIKE_A_RUN, POINT_HIT_SAMPLED, 1 },
	[COUNTED] = { LIKE_A_RUN, POINT_HIT_COUNTED, 1 },
	[REJECTED] = { LIKE_A_RUN, POINT_HIT_REJECTED, 1 },
};

static void measure(const char *text, PointCost costs[VARIANTS])
{
	g_autoptr(ProbeSpec) spec = probe_spec_parse(text, NULL);
	PointHost host = { .root = "", .kmem_folder_fd = tracefs_open_kmem("", NULL) };
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) events = point_events_find(&host, spec, &error);

	cr_assert_not_null(events, "%s", error ? error->message : text);
	point_cost_measure(&host, events->pdata[0], variants, VARIANTS, costs);
	close(host.kmem_folder_fd);
}

static bool has_pmu(const char *name)
{
	g_autofree char *path = g_strdup_printf("/sys/bus/event_source/devices/%s/type", name);

	return !access(path, R_OK);
}

Test(point_cost, every_kind_of_probe_can_be_measured_here)
{
	static const struct {
		const char *pmu, *probe;
	} kinds[] = {
		{ "tracepoint", "t:kmem:mm_page_alloc" },
		{ "tracepoint", "t:syscalls:sys_enter_brk" },
		{ "tracepoint", "t:syscalls:sys_exit_brk" },
		{ "software", "sw:page-faults" },
		{ "software", "sw:context-switches" },
		{ "uprobe", "u:libc:malloc" },
		{ "uprobe", "ur:libc:malloc" },
		{ "uprobe", "u:libc:getppid" },
		{ "kprobe", "k:do_exit" },
		{ "kprobe", "kr:do_exit" },
	};

	if (geteuid() || access("/sys/kernel/tracing/events", R_OK | X_OK))
		cr_skip_test("this user may not trace");
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		PointCost costs[VARIANTS] = { 0 };
		const PointCost *cost = &costs[SAMPLED];

		if (!has_pmu(kinds[i].pmu))
			continue;
		/* A busy machine may interrupt most rounds. */
		for (int tries = 0; tries < 5 && !cost->is_known; tries++)
			measure(kinds[i].probe, costs);
		cr_expect(cost->is_known, "%s", kinds[i].probe);
		cr_expect_gt(cost->bytes, 0);
		cr_expect_eq(costs[COUNTED].bytes, 0);
		cr_expect_eq(costs[REJECTED].bytes, 0);
		cr_log_info("%s: %" G_GUINT64_FORMAT " ns", kinds[i].probe, cost->event_ns);
	}
}
