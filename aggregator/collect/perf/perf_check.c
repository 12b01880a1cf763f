/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of --check about perf events, as a const table of functions. Changes nothing; opens
 * events only to learn whether the kernel accepts them.
 */
#include "collect/run/check.h"

#include "collect/perf/bpf_beside.h"
#include "collect/slabs/cache_probes.h"
#include "collect/facts/host_facts.h"
#include "collect/facts/host_snapshot.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/slabs/slab_probes.h"
#include "collect/perf/perf_ring.h"
#include "collect/points/point_set.h"
#include "collect/tracefs/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since 5.8; older headers lack it. */
enum { CAP_OF_PERFMON = 38 };

/* Measured: see doc/PERFORMANCE.md. */
#define INSTRUCTIONS_OF_A_FREE "2,800"

static bool may_trace(const CheckHost *host)
{
	uint64_t capabilities = capabilities_effective(host->root);

	return capabilities >> CAP_SYS_ADMIN & 1 || capabilities >> CAP_OF_PERFMON & 1;
}

/* Tries what a run does first: root in a user namespace has all capabilities, but may not open
   events. Returns an errno; 0: allowed. */
static int try_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	int cpu = MAX(sched_getcpu(), 0);
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return errno;
	close(event);
	return 0;
}

static CheckVerdict look_at_rights(const CheckHost *host, GString *text)
{
	g_autofree char *paranoid = check_read(host, "/proc/sys/kernel/perf_event_paranoid");
	int problem;

	if (!paranoid) {
		g_string_append(text, "this kernel has no perf events (CONFIG_PERF_EVENTS): use "
				      "--collector=stap");
		return CHECK_FAIL;
	}
	if (host->user) {
		g_string_append(text, "only root can trace the whole host: run it with sudo");
		return CHECK_FAIL;
	}
	if (!may_trace(host)) {
		g_string_append(text, "this root may not trace (no CAP_PERFMON), as in a "
				      "container: run it on the host");
		return CHECK_FAIL;
	}
	/* Not possible for another host. */
	if (!*host->root && (problem = try_event())) {
		g_string_append_printf(text,
				       "the kernel refuses perf events of the whole host (%s), as "
				       "in a user namespace: run it on the host",
				       g_strerror(problem));
		return CHECK_FAIL;
	}
	g_string_append(text, "root, may trace the whole host");
	return CHECK_OK;
}

static CheckVerdict look_at_lockdown(const CheckHost *host, GString *text)
{
	g_autofree char *state = check_read(host, "/sys/kernel/security/lockdown");

	if (state && strstr(state, "[confidentiality]")) {
		g_string_append(text, "confidentiality, which hides the tracepoints: boot with "
				      "lockdown=integrity or without");
		return CHECK_FAIL;
	}
	g_string_append(text, "none that hides tracepoints");
	return CHECK_OK;
}

static CheckVerdict look_at_tracepoints(const CheckHost *host, GString *text)
{
	g_autofree char *folder = tracefs_find_kmem(host->root);
	g_autofree char *unreadable = folder ? NULL : tracefs_find_unreadable_kmem(host->root);

	if (unreadable) {
		g_string_append_printf(text, "this user cannot read %s",
				       unreadable + strlen(host->root));
		return CHECK_NOTE;
	}
	if (folder)
		g_string_append(text, folder + strlen(host->root));
	else
		g_string_append(text, "tracefs is not mounted: the run mounts it in its own mount "
				      "namespace");
	return CHECK_OK;
}

static CheckVerdict look_at_pids(const CheckHost *host, GString *text)
{
	bool is_first = pid_namespace_is_first(host->root);

	g_string_append(text, is_first ? "the kernel's own" : PID_NAMESPACE_NOTE);
	return is_first ? CHECK_OK : CHECK_NOTE;
}

static GPtrArray *open_points(const char *folder, unsigned events, bool held)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	GPtrArray *points = kmem_points_open(fd, events, held, NULL);

	if (fd >= 0)
		close(fd);
	return points;
}

/* Returns why caches cannot be found by the pages of objects; NULL: no obstacle found. The caller
   frees it. */
static char *pages_problem(const CheckHost *host)
{
	const char *problem = slab_probe_problem(host->root, host->machine);
	g_autoptr(KernelMemory) memory = NULL;
	g_autoptr(GError) error = NULL;
	CacheLayout layout;

	if (host->request->what.cache_names == CACHE_NAMES_PROBES)
		return g_strdup("--cache-names=probes");
	if (problem)
		return g_strdup(problem);
	cache_layout_find_below(&layout, host->root, host->release);
	problem = slab_pages_problem(&layout);
	if (problem)
		return g_strdup(problem);
	memory = kernel_memory_open(host->root, &error);
	return memory ? NULL : g_strdup(error->message);
}

/* How the caches of allocations are found, except for kmalloc's. */
typedef struct {
	bool by_event;
	const char *unknown; /* why not at all; NULL: by the event, by pages or by probes */
	char *no_pages;      /* why not by the pages of objects; owned; NULL: by them */
} CacheNamesFound;

static CacheNamesFound find_cache_names(const CheckHost *host, const char *folder)
{
	const CacheProbeHost probed = { host->root, host->release, host->machine, folder };
	g_autoptr(GPtrArray) points = open_points(folder, PROBE_CACHE, false);
	CacheNamesFound found = { .by_event = points && !kmem_points_lack_caches(points) };

	if (found.by_event)
		return found;
	found.unknown = points ? cache_probes_problem(&probed) : "its tracepoint cannot be read";
	found.no_pages = found.unknown ? NULL : pages_problem(host);
	return found;
}

static CheckVerdict append_of_caches(const CheckHost *host, const char *folder, GString *text)
{
	CacheNamesFound found = find_cache_names(host, folder);
	g_autofree char *no_pages = found.no_pages;

	if (found.unknown) {
		g_string_append_printf(text, "(unknown cache): %s", found.unknown);
		return CHECK_NOTE;
	}
	if (found.by_event)
		g_string_append(text, "reported by the tracepoint");
	else if (no_pages)
		g_string_append_printf(text,
				       "by probes in the allocator (kprobes), not by the pages of "
				       "objects: %s",
				       no_pages);
	else
		g_string_append(text, "by the pages of objects (/proc/kcore, and a kprobe where "
				      "slabs end)");
	return CHECK_OK;
}

static bool records_ends_of_slabs(const CheckHost *host)
{
	g_autofree char *folder = tracefs_find_kmem(host->root);
	g_autofree char *no_pages = NULL;
	CacheNamesFound found;

	if (!folder || !(host->request->what.events & PROBE_CACHE))
		return false;
	found = find_cache_names(host, folder);
	no_pages = found.no_pages;
	return !found.by_event && !found.unknown && !no_pages;
}

static CheckVerdict look_at_buffers(const CheckHost *host, GString *text)
{
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(host->root);
	g_autofree char *planned = NULL;
	GError *error = NULL;
	BufferPlan plan;

	if (!perf_plan_buffers(&plan, &host->request->bounds, host_snapshot_cpus_online(snapshot),
			       host_memory_available(host->root), &error))
		return check_failed(text, error);
	if (records_ends_of_slabs(host))
		plan.slab_bytes =
			perf_plan_slab_ring(buffer_plan_bytes(&plan) / plan.buffers) * plan.buffers;
	planned = buffer_plan_text(&plan);
	g_string_append(text, planned);
	return CHECK_OK;
}

static CheckVerdict look_at_cache_names(const CheckHost *host, GString *text)
{
	g_autofree char *folder = tracefs_find_kmem(host->root);
	unsigned events = host->request->what.events;

	if (host->request->what.preset)
		return CHECK_OK;
	if (!(events & (PROBE_KMALLOC | PROBE_CACHE))) {
		g_string_append(text, "none: no allocations from slab caches are observed");
		return CHECK_OK;
	}
	if (events & PROBE_KMALLOC)
		g_string_append(text, "kmalloc by size");
	if (!(events & PROBE_CACHE))
		return CHECK_OK;
	g_string_append_printf(text, "%skmem_cache_alloc ", text->len ? "; " : "");
	if (folder)
		return append_of_caches(host, folder, text);
	g_string_append(text, "reported by the tracepoint, or by probes in the allocator: which "
			      "one cannot be checked, as this user can read no tracefs");
	return CHECK_NOTE;
}

static void watch_allocators(const CheckHost *host, BpfBeside *beside)
{
	g_autofree char *folder = tracefs_find_kmem(host->root);
	const CollectRequest *request = host->request;
	g_autoptr(GPtrArray) points =
		folder ? open_points(folder, request->what.events, request->what.held) : NULL;

	for (guint i = 0; points && i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		bpf_beside_watch(beside, point->type->name, point->format->id);
	}
	bpf_beside_look(beside);
}

/* The attached programs are queried from the kernel; no file lists them. */
static CheckVerdict look_at_bpf(const CheckHost *host, GString *text)
{
	g_autoptr(BpfBeside) beside = bpf_beside_new();
	g_autofree char *blind = NULL;
	g_autofree char *attached = NULL;

	if (*host->root || host->request->what.preset)
		return CHECK_OK;
	watch_allocators(host, beside);
	blind = bpf_beside_blind(beside);
	attached = bpf_beside_attached(beside);
	if (blind)
		g_string_append_printf(
			text, "no events arrive from %s: end the program that attached it", blind);
	if (attached)
		g_string_append_printf(text, "%sattached to %s: nested events may be missing",
				       blind ? "; " : "", attached);
	return blind || attached ? CHECK_NOTE : CHECK_OK;
}

/* Appends the tracepoints whose events BPF programs may hide. */
static CheckVerdict append_programs(const PointSet *set, GString *text)
{
	g_autoptr(BpfBeside) beside = bpf_beside_new();
	g_autofree char *attached = NULL;

	for (guint i = 0; i < set->points->len; i++)
		bpf_beside_watch_point(beside, point_set_at(set, i)->event);
	bpf_beside_look(beside);
	attached = bpf_beside_blind(beside);
	if (!attached)
		return CHECK_OK;
	g_string_append_printf(text,
			       "; events of %s may not arrive: end the program that attached it, "
			       "or use --collector=stap",
			       attached);
	return CHECK_NOTE;
}

/* Appends how frees are found that no tracepoint shows. */
static CheckVerdict append_probes(const CheckHost *host, GString *text)
{
	g_autofree char *folder = tracefs_find_kmem(host->root);
	g_autofree char *functions = object_probes_there(host->root);
	const char *problem = folder ? kprobe_problem(host->root, folder) : NULL;

	if (!functions)
		return CHECK_OK;
	g_string_append_printf(text,
			       problem ? "; calls of %s are not seen: %s"
				       : "; also calls of %s, by kprobes%s",
			       functions, problem ? problem : "");
	return problem ? CHECK_NOTE : CHECK_OK;
}

/* Prints a line only if frees are paired. */
static CheckVerdict look_at_held(const CheckHost *host, GString *text)
{
	const CollectRequest *request = host->request;

	if (!request->what.held)
		return CHECK_OK;
	check_append_held(text, INSTRUCTIONS_OF_A_FREE);
	if (request->what.sampling_period > 1)
		g_string_append(text, " (--sample does not change that: objects are sampled when "
				      "events are read)");
	if (!(request->what.events & (PROBE_KMALLOC | PROBE_CACHE)))
		return CHECK_OK;
	return append_probes(host, text);
}

/* Appends the names of some points. */
static void append_points(const PointSet *set, GString *text)
{
	enum { NAMES_MAX = 6 };

	for (guint i = 0; i < MIN(set->points->len, NAMES_MAX); i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "",
				       point_set_at(set, i)->event->name);
	if (set->points->len > NAMES_MAX)
		g_string_append_printf(text, " and %u more", set->points->len - NAMES_MAX);
	if (set->missing)
		g_string_append_printf(text, "; missing: %s", set->missing);
}

/* Looks the points up, and lets the kernel open each once. */
static CheckVerdict look_for_points(const CheckHost *host, int folder_fd, GString *text)
{
	const PointHost where = { .root = host->root, .kmem_folder_fd = folder_fd };
	g_autoptr(GError) error = NULL;
	g_autoptr(PointSet) set = point_set_find(&where, host->request->what.preset, &error);

	for (guint i = 0; set && !*host->root && i < set->points->len; i++)
		if (!point_event_try(point_set_at(set, i)->event, &error))
			break;
	if (error) {
		g_string_append(text, error->message);
		return CHECK_FAIL;
	}
	append_points(set, text);
	if (!*host->root && append_programs(set, text) == CHECK_NOTE)
		return CHECK_NOTE;
	return set->missing ? CHECK_NOTE : CHECK_OK;
}

static CheckVerdict look_at_points(const CheckHost *host, GString *text)
{
	g_autoptr(GError) error = NULL;
	CheckVerdict verdict;
	int folder_fd;

	if (!host->request->what.preset)
		return CHECK_OK;
	folder_fd = tracefs_open_kmem(host->root, &error);
	verdict = look_for_points(host, folder_fd, text);
	if (folder_fd >= 0)
		close(folder_fd);
	return verdict;
}

const CheckRow perf_checks[] = {
	{ "Rights", look_at_rights },
	{ "Lockdown", look_at_lockdown },
	{ "Tracepoints", look_at_tracepoints },
	{ "Buffers", look_at_buffers },
	{ "Pids", look_at_pids },
	{ "Points", look_at_points },
	{ "Cache names", look_at_cache_names },
	{ "Held", look_at_held },
	{ "BPF", look_at_bpf },
	{ NULL, NULL },
};
