/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector of perf events: prepares a plan (points, kprobes, how caches get names, births of
 * tasks), then runs it in perf_run.c. Everything that the plan borrows is owned here, for the time
 * of the run.
 */
#include "collect/run/check.h"

#include "collect/facts/host_facts.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/slabs/slab_probes.h"
#include "collect/perf/perf_ring.h"
#include "collect/perf/perf_run.h"
#include "collect/tracefs/tracefs.h"

#include <sys/utsname.h>
#include <unistd.h>

static bool collect_points(const CollectRun *run, PerfRunPlan *plan, GError **error)
{
	const CollectRequest *request = run->request;
	BufferPlan buffers;

	if (!perf_plan_buffers(&buffers, &request->bounds, host_snapshot_cpus_online(run->host),
			       host_memory_available(""), error))
		return false;
	plan->events.ring_bytes = buffer_plan_bytes(&buffers) / buffers.buffers;
	if (plan->slab_probe)
		buffers.slab_bytes = perf_plan_slab_ring(plan->events.ring_bytes) * buffers.buffers;
	plan->buffer_bytes = buffer_plan_bytes(&buffers) + buffers.slab_bytes;
	if (!request->terminal.quiet)
		buffer_plan_print(&buffers);
	return perf_run(plan, run, error);
}

/* The ways to find caches; NULL: not used. */
typedef struct {
	KernelMemory *memory;
	SlabProbe *slab_probe;
	CacheProbes *probes;
} Names;

static void names_clear(Names *names)
{
	cache_probes_free(names->probes);
	slab_probe_free(names->slab_probe);
	kernel_memory_free(names->memory);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Names, names_clear)

/* Prepares to find caches by page, which costs an event nothing in the kernel. */
static void try_pages(Names *names, PerfRunPlan *plan, KprobeGroup *kprobes)
{
	struct utsname host;

	cache_layout_find(&plan->layout);
	if (uname(&host) || slab_probe_problem("", host.machine) ||
	    slab_pages_problem(&plan->layout))
		return;
	names->memory = kernel_memory_open("", NULL);
	if (names->memory)
		names->slab_probe = slab_probe_new(kprobes, &plan->layout, NULL);
}

/* Without any way, cache names are unknown; the run continues. */
static void find_names(Names *names, PerfRunPlan *plan, const CollectRequest *request,
		       KprobeGroup *kprobes, GError **refusal)
{
	if (!kmem_points_lack_caches(plan->points))
		return;
	if (request->what.cache_names != CACHE_NAMES_PROBES)
		try_pages(names, plan, kprobes);
	if (!names->slab_probe || request->what.cache_names == CACHE_NAMES_COMPARE)
		names->probes = cache_probes_new(kprobes, refusal);
	plan->memory = names->memory;
	plan->slab_probe = names->slab_probe;
	plan->probes = names->probes;
}

static bool collect_from(int kmem_folder_fd, const CollectRun *run, GError **error)
{
	g_autoptr(GError) refusal = NULL;
	g_autoptr(KprobeGroup) kprobes = kprobe_group_new(kmem_folder_fd);
	g_auto(Names) names = { 0 };
	g_autofree char *not_seen = NULL;
	g_autoptr(TaskBirths) births = task_births_open(kmem_folder_fd);
	g_autoptr(GPtrArray) points = kmem_points_open(kmem_folder_fd, run->request->what.events,
						       run->request->what.held, error);
	PerfRunPlan plan = { .points = points, .births = births, .kprobes = kprobes };

	kprobe_groups_clean(kmem_folder_fd, "");
	if (!points)
		return false;
	find_names(&names, &plan, run->request, kprobes, &refusal);
	/* Objects that are freed without a tracepoint would look held. */
	if (run->request->what.held && run->request->what.events & (PROBE_KMALLOC | PROBE_CACHE))
		plan.frees_not_seen = not_seen = object_probes_add("", points, kprobes);
	gfp_flags_find(&plan.gfp_flags, kmem_folder_fd);
	plan.caches_unknown = refusal ? refusal->message : NULL;
	return collect_points(run, &plan, error);
}

/* Observes probe points instead of allocations. */
static bool collect_hits(int kmem_folder_fd, const CollectRun *run, GError **error)
{
	const GArray *pids = run->request->whose.pids;
	const PointHost host = {
		.root = "",
		.kmem_folder_fd = kmem_folder_fd,
		.pid = pids && pids->len ? (pid_t)g_array_index(pids, guint32, 0) : 0,
	};
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	g_autoptr(TaskBirths) births = task_births_open(kmem_folder_fd);
	g_autoptr(PointSet) hits = point_set_find(&host, run->request->what.preset, error);
	PerfRunPlan plan = {
		.points = none, .hits = hits, .births = births, .kmem_folder_fd = kmem_folder_fd
	};

	return hits && collect_points(run, &plan, error);
}

static bool perf_collector_collect(const CollectRun *run, GError **error)
{
	int kmem_folder_fd = tracefs_open_kmem("", error);
	bool collected;

	if (kmem_folder_fd < 0)
		return false;
	collected = run->request->what.preset ? collect_hits(kmem_folder_fd, run, error)
					      : collect_from(kmem_folder_fd, run, error);
	close(kmem_folder_fd);
	return collected;
}

const CollectorType perf_collector = {
	.name = "perf",
	.title = "perf events",
	.about = "perf events of the kernel's tracepoints; nothing is compiled or loaded",
	.checks = perf_checks,
	.collect = perf_collector_collect,
};
