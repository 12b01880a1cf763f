/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/collector.h"

#include "collect/clock.h"
#include "collect/command.h"
#include "collect/host_memory.h"
#include "collect/module_cache.h"
#include "collect/pid_namespace.h"
#include "collect/stap_arguments.h"
#include "collect/stap_build.h"
#include "collect/stap_check.h"
#include "collect/stap_run.h"
#include "collect/watchdog.h"

/* Returns the path of the module to load, or NULL with error set. */
static char *find_module(const StapTool *tool, const StapOptions *options, const HostSnapshot *host,
			 const CollectRequest *request, GError **error)
{
	const StapBuildRequest build = {
		.events = request->events,
		.options = options,
		.cpus_max = host_snapshot_cpu_numbers(host),
		.verbose = request->verbose,
	};

	if (!request->module_path)
		return stap_build_module(tool, &build, error);
	if (!stap_build_check_module(tool, request->module_path, request->events, error))
		return NULL;
	return g_strdup(request->module_path);
}

static bool plan_buffers(BufferPlan *buffers, const StapRunPlan *plan,
			 const CollectRequest *request, GError **error)
{
	const StapBuffers asked = {
		.tool = plan->tool,
		.options = plan->options,
		.megabytes = request->buffer_megabytes,
		.cpus = host_snapshot_cpus_online(plan->host),
		.available_bytes = host_memory_available(""),
	};

	return stap_arguments_plan_buffers(buffers, &asked, error);
}

/* How much memory the buffers take is said before it is taken. */
static void tell_buffers(const BufferPlan *buffers)
{
	g_autofree char *text = buffer_plan_text(buffers);

	g_printerr("kmalloc-top: buffers %s\n", text);
}

/* Everything that can fail before the kernel is touched. */
static bool prepare_and_run(StapRunPlan *plan, const CollectRequest *request, Session *session,
			    CollectOutcome *outcome, GError **error)
{
	g_autoptr(StapTool) tool = stap_tool_find_for_run(!request->module_path, error);
	g_autofree char *module_path = NULL;
	uint64_t start_ns = clock_monotonic_ns();
	BufferPlan buffers;

	if (!tool)
		return false;
	plan->tool = tool;
	plan->buffers = &buffers;
	if (!plan_buffers(&buffers, plan, request, error))
		return false;
	module_cache_remove_abandoned(NULL);
	module_path = find_module(tool, plan->options, plan->host, request, error);
	if (!module_path)
		return false;
	if (request->verbose)
		g_printerr("kmalloc-top: %.3f s to find or compile the module %s\n",
			   (double)(clock_monotonic_ns() - start_ns) / 1e9, module_path);
	if (!request->quiet)
		tell_buffers(&buffers);
	plan->module_path = module_path;
	return stap_run(plan, request, session, outcome, error);
}

/* A recording of nothing is removed; one of anything is worth its message. */
static void end_recording(Recording *recording, bool collected, CollectOutcome *outcome)
{
	g_autoptr(GError) error = NULL;

	if (!collected) {
		recording_discard(recording);
	} else if (!recording_close(recording, &error)) {
		g_printerr("kmalloc-top: %s\n", error->message);
		outcome->recording_unfinished = true;
	}
}

static bool run_recorded(StapRunPlan *plan, const CollectRequest *request, Session *session,
			 CollectOutcome *outcome, GError **error)
{
	g_autoptr(Recording) recording =
		recording_create(request->record_path, request->record_bytes_max, error);
	bool collected;

	if (!recording)
		return false;
	/* One of nothing: once the probes are live it is worth keeping. */
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_FILE, .path = recording_part(recording) });
	plan->recording = recording;
	session->tap = recording_add_batch;
	session->tap_data = recording;
	collected = prepare_and_run(plan, request, session, outcome, error);
	session->tap = NULL;
	end_recording(recording, collected, outcome);
	return collected;
}

/* The user's mistakes are told first: compiling may take a minute. */
static bool collect(const CollectRequest *request, Session *session, CollectOutcome *outcome,
		    GError **error)
{
	g_autoptr(StapOptions) options = NULL;
	g_autoptr(HostSnapshot) host = host_snapshot_new("");
	StapRunPlan plan = { .host = host };

	if (request->stap_options) {
		options = stap_options_parse(request->stap_options, error);
		if (!options)
			return false;
	}
	plan.options = options;
	if (request->command && !command_check(request->command, request->user, error))
		return false;
	if (!pid_namespace_check("", request, error))
		return false;
	if (request->record_path)
		return run_recorded(&plan, request, session, outcome, error);
	return prepare_and_run(&plan, request, session, outcome, error);
}

const CollectorType stap_collector = {
	.name = "stap",
	.about = "a SystemTap module, loaded for the run; this build has no other collector",
	.checks = stap_checks,
	.collect = collect,
};
