/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector that uses SystemTap: finds tools and points, gets a module, plans buffers, then
 * runs stap_run.c. What can fail is done before anything is changed.
 */
#include "collect/run/collector.h"

#include "base/clock.h"
#include "collect/facts/host_facts.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/stap/module_cache.h"
#include "collect/stap/module_check.h"
#include "collect/tracefs/tracefs.h"
#include "collect/run/check.h"
#include "collect/stap/stap_child.h"
#include "collect/stap/stap_build.h"
#include "collect/stap/stap_run.h"

#include <unistd.h>

/* Returns the path of the module to load, or NULL with error set. */
static char *find_module(const StapRunPlan *plan, const HostSnapshot *host,
			 const CollectRequest *request, GError **error)
{
	const StapBuildRequest build = {
		.events = stap_build_events(request),
		.points = plan->points,
		.options = plan->options,
		.cpus_max = host_snapshot_cpu_numbers(host),
		.verbose = request->terminal.verbose,
	};

	if (!request->stap.module_path)
		return stap_build_module(plan->tool, &build, error);
	if (!module_check(plan->tool, request->stap.module_path, stap_build_events(request), error))
		return NULL;
	return g_strdup(request->stap.module_path);
}

static bool plan_buffers(BufferPlan *buffers, const StapRunPlan *plan, const CollectRun *run,
			 GError **error)
{
	const StapBuffers asked = {
		.tool = plan->tool,
		.options = plan->options,
		.megabytes = run->request->bounds.buffer_megabytes,
		.cpus = host_snapshot_cpus_online(run->host),
		.available_bytes = host_memory_available(""),
	};

	return stap_arguments_plan_buffers(buffers, &asked, error);
}

/* Does everything that can fail before it changes the kernel. */
static bool prepare_and_run(StapRunPlan *plan, const CollectRun *run, GError **error)
{
	const CollectRequest *request = run->request;
	g_autoptr(StapTool) tool = stap_tool_find_for_run(!request->stap.module_path, error);
	g_autofree char *module_path = NULL;
	uint64_t start_ns = clock_monotonic_ns();
	BufferPlan buffers;

	if (!tool)
		return false;
	plan->tool = tool;
	plan->buffers = &buffers;
	if (!plan_buffers(&buffers, plan, run, error))
		return false;
	module_cache_remove_abandoned(NULL);
	module_path = find_module(plan, run->host, request, error);
	if (!module_path)
		return false;
	if (request->terminal.verbose)
		g_printerr("%s: %.3f s to find or compile the module %s\n", g_get_prgname(),
			   (double)(clock_monotonic_ns() - start_ns) / 1e9, module_path);
	if (!request->terminal.quiet)
		buffer_plan_print(&buffers);
	plan->module_path = module_path;
	return stap_run(plan, run, error);
}

/* Before 6.3, some probes are optional, so that one script serves all kernels. Without a mounted
   tracefs, whether the kernel has them is not known. */
static bool points_are_there(unsigned events, GError **error)
{
	g_autofree char *folder = tracefs_find_kmem("");

	return !folder || kmem_points_are_there(folder, events, error);
}

/* Without tracefs, points of the kernel are looked up when SystemTap compiles. */
static bool find_points(StapPoints **points, const CollectRequest *request, GError **error)
{
	const GArray *pids = request->whose.pids;
	PointHost host = {
		.root = "",
		.kmem_folder_fd = tracefs_open_kmem("", NULL),
		.pid = pids && pids->len ? (pid_t)g_array_index(pids, guint32, 0) : 0,
	};

	*points = stap_points_new(request->what.preset, &host, error);
	if (host.kmem_folder_fd >= 0)
		close(host.kmem_folder_fd);
	return *points;
}

static bool stap_collector_collect(const CollectRun *run, GError **error)
{
	const CollectRequest *request = run->request;
	g_autoptr(StapOptions) options = NULL;
	g_autoptr(StapPoints) points = NULL;
	StapRunPlan plan = { .options = NULL };

	if (request->stap.options) {
		options = stap_options_parse(request->stap.options, error);
		if (!options)
			return false;
	}
	plan.options = options;
	if (!(request->what.preset ? find_points(&points, request, error)
				   : points_are_there(request->what.events, error)))
		return false;
	plan.points = points;
	return pid_namespace_check("", request->whose.scope != COLLECT_SCOPE_HOST, error) &&
	       prepare_and_run(&plan, run, error);
}

const CollectorType stap_collector = {
	.name = "stap",
	.title = "SystemTap",
	.about = "a SystemTap module, loaded for the run",
	.checks = stap_checks,
	.is_ready = stap_is_ready,
	.collect = stap_collector_collect,
};
