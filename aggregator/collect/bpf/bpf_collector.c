/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector of BPF programs: says in one line what the host or the build lacks, or which
 * request only the other collectors fulfil, else runs bpf_run.c. A build without the programs has
 * this file only, so --collector=bpf has an answer everywhere.
 */
#include "config.h"

#include "collect/bpf/bpf_run.h"
#include "collect/facts/host_facts.h"
#include "collect/facts/host_snapshot.h"
#include "collect/perf/perf_ring.h"
#include "collect/run/check.h"
#include "collect/run/run_memory.h"
#include "record/probe_kinds.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef HAVE_BPF
#include "collect/bpf/bpf_programs.h"

/* A map of one CPU's ring; half as much is taken while others count it. */
enum { RING_MB_MAX = 4 };
#endif

/* The first kernel whose tracepoints the programs know, and the first one where they could be
   preempted: 6.1 and 7.0. */
enum { RELEASE_MIN = 6 << 8 | 1, RELEASE_END = 7 << 8 };

static unsigned release_number(const char *release)
{
	char *end = NULL;
	guint64 major = g_ascii_strtoull(release, &end, 10);

	return (unsigned)(major << 8 | (*end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0));
}

/* Returns why the programs cannot run on a host; NULL: they can, as far as is known before. */
static const char *problem_of_host(const char *root, const char *release, const char *machine)
{
	g_autofree char *btf = g_strconcat(root, "/sys/kernel/btf/vmlinux", NULL);
	unsigned number = release_number(release);

#ifndef HAVE_BPF
	return "this build has no BPF programs: build it with clang and libbpf";
#endif
	if (strcmp(machine, "x86_64"))
		return "the BPF programs know x86_64 only so far";
	if (number < RELEASE_MIN)
		return "the BPF programs need Linux 6.1";
	if (number >= RELEASE_END)
		return "the BPF programs do not know Linux 7.0 and later yet";
	if (access(btf, R_OK))
		return "the kernel's types (/sys/kernel/btf/vmlinux) cannot be read";
	if (!pid_namespace_is_first(root))
		return "BPF programs see the pids of the host, not those of this container";
	return NULL;
}

/* Returns what is requested and not possible yet; NULL: nothing. */
static const char *problem_of_request(const CollectRequest *request)
{
	const CollectWhat *what = &request->what;

	if (what->preset)
		return "presets and probe points";
	if (what->held)
		return "frees, so --held";
	if (what->events & ~(unsigned)(PROBE_KMALLOC | PROBE_CACHE))
		return "other events than kmalloc and cache";
	if (what->caches)
		return "a selection of slab caches";
	if (what->sampling_period > 1)
		return "sampling";
	return NULL;
}

static bool can_collect(const CollectRequest *request, GError **error)
{
	const char *problem;
	struct utsname host;

	if (uname(&host))
		memset(&host, 0, sizeof(host));
	problem = problem_of_host("", host.release, host.machine);
	if (problem) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s: use --collector=perf",
			    problem);
		return false;
	}
	problem = problem_of_request(request);
	if (!problem)
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "--collector=bpf does not have %s yet: use --collector=perf", problem);
	return false;
}

/* --check. */

static CheckVerdict look_at_bpf(const CheckHost *host, GString *text)
{
	const char *problem = problem_of_host(host->root, host->release, host->machine);
	const char *missing = problem_of_request(host->request);

	if (!problem && !missing) {
		g_string_append(text, "this kernel has what the programs need");
		return CHECK_OK;
	}
	if (problem)
		g_string_append(text, problem);
	else
		g_string_append_printf(text, "the collector does not have %s yet", missing);
	g_string_append(text, ": use --collector=perf");
	return CHECK_FAIL;
}

static CheckVerdict look_at_rights(const CheckHost *host, GString *text)
{
	enum { CAP_SYS_ADMIN = 21, CAP_PERFMON = 38, CAP_BPF = 39 };
	uint64_t both = 1ULL << CAP_PERFMON | 1ULL << CAP_BPF;
	uint64_t rights = capabilities_effective(host->root);

	if (rights & 1ULL << CAP_SYS_ADMIN || (rights & both) == both)
		return CHECK_OK;
	g_string_append(text, "CAP_BPF and CAP_PERFMON are missing: run it as root");
	return CHECK_FAIL;
}

static const CheckRow bpf_checks[] = {
	{ "BPF", look_at_bpf },
	{ "Rights", look_at_rights },
	{ NULL, NULL },
};

/* The run. */

#ifdef HAVE_BPF
static bool plan_buffers(BufferPlan *plan, const CollectRun *run, GError **error)
{
	const BufferRequest asked = {
		.megabytes = run->request->bounds.buffer_megabytes,
		.cpus = (unsigned)host_snapshot_cpu_numbers(run->host),
		.per_cpu = true,
		.power_of_two = true,
		.available_bytes = host_memory_available(""),
		.megabytes_max = RING_MB_MAX,
	};

	return buffer_plan_init(plan, &asked, error);
}

static bool bpf_collector_collect(const CollectRun *run, GError **error)
{
	BufferPlan buffers;
	uint64_t ring_bytes, bytes;

	if (!can_collect(run->request, error) || !plan_buffers(&buffers, run, error))
		return false;
	if (!run->request->terminal.quiet)
		buffer_plan_print(&buffers);
	ring_bytes = buffer_plan_bytes(&buffers) / buffers.buffers;
	bytes = buffer_plan_bytes(&buffers) + bpf_programs_bytes(buffers.buffers);
	return bpf_run(ring_bytes, bytes, run, error);
}
#else
static bool bpf_collector_collect(const CollectRun *run, GError **error)
{
	return can_collect(run->request, error);
}
#endif

const CollectorType bpf_collector = {
	.name = "bpf",
	.title = "BPF",
	.about = "BPF programs at the kernel's tracepoints; nothing is compiled, no module is "
		 "loaded",
	.by_name_only = true,
	.checks = bpf_checks,
	.collect = bpf_collector_collect,
};
