/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_collector.h"

#include "collect/host_memory.h"
#include "collect/kmem_points.h"
#include "collect/perf_check.h"
#include "collect/perf_run.h"
#include "collect/tracefs.h"

#include <unistd.h>

bool perf_plan_buffers(BufferPlan *plan, const CollectRequest *request, unsigned cpus,
		       uint64_t available_bytes, GError **error)
{
	const BufferRequest asked = {
		.megabytes = request->buffer_megabytes,
		.cpus = cpus,
		.per_cpu = true,
		.power_of_two = true,
		.available_bytes = available_bytes,
	};

	return buffer_plan_init(plan, &asked, error);
}

static GPtrArray *open_points(const CollectRequest *request, GError **error)
{
	int folder = tracefs_open_kmem("", error);
	GPtrArray *points;

	if (folder < 0)
		return NULL;
	points = kmem_points_open(folder, request->events, error);
	close(folder);
	return points;
}

static bool collect(const CollectRun *run, GError **error)
{
	const CollectRequest *request = run->request;
	g_autoptr(GPtrArray) points = open_points(request, error);
	PerfRunPlan plan = { .points = points };
	BufferPlan buffers;

	if (!points || !perf_plan_buffers(&buffers, request, host_snapshot_cpus_online(run->host),
					  host_memory_available(""), error))
		return false;
	if (!request->quiet)
		buffer_plan_tell(&buffers);
	plan.buffer_bytes = buffer_plan_bytes(&buffers);
	plan.ring_bytes = plan.buffer_bytes / buffers.buffers;
	return perf_run(&plan, run, error);
}

const CollectorType perf_collector = {
	.name = "perf",
	.title = "perf events",
	.about = "perf events of the kernel's tracepoints; nothing is compiled or loaded",
	.checks = perf_checks,
	.collect = collect,
};
