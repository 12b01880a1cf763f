/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_collector.h"

#include "collect/host/host_memory.h"
#include "collect/host/kmem_points.h"
#include "collect/perf/perf_check.h"
#include "collect/perf/perf_run.h"
#include "collect/host/tracefs.h"

#include <unistd.h>

/* What the kernel's table of a ring's pages, a word for each, has room for: it is one block of
   memory, of the largest that there are on nearly every kernel, and the ring's own struct is in it,
   too, so that half of it is left to a power of two. 1 GB where a page has 4 KB. */
static uint32_t ring_megabytes_max(void)
{
	enum { LARGEST_BLOCK_PAGES = 1 << 10, WORD_BYTES = 8 };
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t pages = page_bytes * LARGEST_BLOCK_PAGES / 2 / WORD_BYTES;

	return (uint32_t)(pages * page_bytes >> 20);
}

bool perf_plan_buffers(BufferPlan *plan, const CollectRequest *request, unsigned cpus,
		       uint64_t available_bytes, GError **error)
{
	const BufferRequest asked = {
		.megabytes = request->buffer_megabytes,
		.cpus = cpus,
		.per_cpu = true,
		.power_of_two = true,
		.available_bytes = available_bytes,
		.megabytes_max = ring_megabytes_max(),
	};

	return buffer_plan_init(plan, &asked, error);
}

static bool collect_points(const CollectRun *run, PerfRunPlan *plan, GError **error)
{
	const CollectRequest *request = run->request;
	BufferPlan buffers;

	if (!perf_plan_buffers(&buffers, request, host_snapshot_cpus_online(run->host),
			       host_memory_available(""), error))
		return false;
	if (!request->quiet)
		buffer_plan_print(&buffers);
	plan->buffer_bytes = buffer_plan_bytes(&buffers);
	plan->ring_bytes = plan->buffer_bytes / buffers.buffers;
	return perf_run(plan, run, error);
}

/* Without the probes names are not known: no reason not to run. */
static bool collect_from(int kmem_folder_fd, const CollectRun *run, GError **error)
{
	g_autoptr(GError) refusal = NULL;
	g_autoptr(CacheProbes) probes = NULL;
	g_autoptr(TaskBirths) births = task_births_open(kmem_folder_fd);
	g_autoptr(GPtrArray) points = kmem_points_open(kmem_folder_fd, run->request->events, error);
	PerfRunPlan plan = { .points = points, .births = births };

	cache_probes_clean(kmem_folder_fd, "");
	if (!points)
		return false;
	if (kmem_points_lack_caches(points))
		plan.probes = probes = cache_probes_new(kmem_folder_fd, &refusal);
	gfp_flags_find(&plan.gfp_flags, kmem_folder_fd);
	plan.caches_unknown = refusal ? refusal->message : NULL;
	return collect_points(run, &plan, error);
}

static bool collect(const CollectRun *run, GError **error)
{
	int kmem_folder_fd = tracefs_open_kmem("", error);
	bool collected;

	if (kmem_folder_fd < 0)
		return false;
	collected = collect_from(kmem_folder_fd, run, error);
	close(kmem_folder_fd);
	return collected;
}

const CollectorType perf_collector = {
	.name = "perf",
	.title = "perf events",
	.about = "perf events of the kernel's tracepoints; nothing is compiled or loaded",
	.checks = perf_checks,
	.collect = collect,
};
