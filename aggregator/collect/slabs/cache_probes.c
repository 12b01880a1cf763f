/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines the kprobes at the allocator's entries, and reads their records: the name of the cache
 * and the call site. The definitions belong to the run's KprobeGroup. perf_run.c makes them where
 * the tracepoint lacks the cache and slab_pages.c is not possible.
 */
#include "config.h"

#include "collect/slabs/cache_probes.h"

#include "collect/slabs/cache_layout.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/tracefs/tracepoint_format.h"

#include <errno.h>
#include <gio/gio.h>
#include <sys/utsname.h>

/* What a kernel lacks if the offsets are not known. */
#ifdef HAVE_LIBBPF
#define NO_TYPES "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF) and no debuginfo"
#else
#define NO_TYPES                                                                                   \
	"this build was made without libbpf, so it cannot read BTF, and the kernel has no "        \
	"debuginfo"
#endif

/* A defined probe. */
typedef struct {
	TracepointFormat *format; /* owned */
	const TracepointField *flags, *name, *call_site;
} Probe;

struct CacheProbes {
	GArray *probes; /* (element-type Probe), owned */
	GArray *ids;    /* (element-type guint16), owned */
};

char *cache_probe_arguments(const KprobeRegisters *registers, unsigned name_offset)
{
	return g_strdup_printf("name=+0(+%u(%s)):string call_site=%s:u64", name_offset,
			       registers->arguments[0], registers->return_address);
}

static void add_defined(CacheProbes *probes, TracepointFormat *format)
{
	Probe probe = { .format = format };

	if (!format)
		return;
	probe.flags = tracepoint_format_lookup(format, "common_flags");
	probe.name = tracepoint_format_lookup(format, "name");
	probe.call_site = tracepoint_format_lookup(format, "call_site");
	if (!probe.flags || !probe.name || !probe.call_site) {
		tracepoint_format_free(format);
		return;
	}
	g_array_append_val(probes->probes, probe);
	g_array_append_val(probes->ids, format->id);
}

static bool define_all(CacheProbes *probes, KprobeGroup *group, const char *arguments,
		       GError **error)
{
	unsigned there = kprobe_functions_there("");
	int problem = 0;

	for (unsigned i = 0; i < KPROBE_CACHE_ALLOCS; i++) {
		int failure;

		if (!(there >> i & 1))
			continue;
		failure = kprobe_group_define(group, "p", i, arguments);
		if (failure)
			problem = failure;
		else
			add_defined(probes, kprobe_group_read_format(group, i));
	}
	/* If a probe is refused, only the caches of its function's calls stay unknown. */
	if (probes->ids->len)
		return true;
	if (!problem)
		problem = EINVAL;
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(problem), "%s: %s",
		    kprobe_refusal(problem), g_strerror(problem));
	return false;
}

static void probe_clear(gpointer data)
{
	tracepoint_format_free(((Probe *)data)->format);
}

static CacheProbes *probes_new(void)
{
	CacheProbes *probes = g_new0(CacheProbes, 1);

	probes->probes = g_array_new(FALSE, FALSE, sizeof(Probe));
	g_array_set_clear_func(probes->probes, probe_clear);
	probes->ids = g_array_new(FALSE, FALSE, sizeof(guint16));
	return probes;
}

/* Returns why no probe can read a name; NULL: possible. */
static const char *reading_problem(const KprobeRegisters *registers, const CacheLayout *layout)
{
	if (!registers)
		return "probes cannot read them on this architecture";
	if (layout->name == CACHE_LAYOUT_UNKNOWN)
		return "the offset of a cache's name is not known: " NO_TYPES;
	return NULL;
}

const char *cache_probes_problem(const CacheProbeHost *host)
{
	const char *problem = kprobe_problem(host->root, host->kmem_folder);
	CacheLayout layout;

	if (problem)
		return problem;
	cache_layout_find_below(&layout, host->root, host->release);
	return reading_problem(kprobe_registers(host->machine), &layout);
}

CacheProbes *cache_probes_new(KprobeGroup *group, GError **error)
{
	g_autofree char *arguments = NULL;
	const KprobeRegisters *registers;
	CacheLayout layout;
	CacheProbes *probes;
	struct utsname host;
	const char *problem;

	cache_layout_find(&layout);
	registers = uname(&host) ? NULL : kprobe_registers(host.machine);
	problem = reading_problem(registers, &layout);
	if (problem) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, problem);
		return NULL;
	}
	arguments = cache_probe_arguments(registers, (unsigned)layout.name);
	probes = probes_new();
	if (define_all(probes, group, arguments, error))
		return probes;
	cache_probes_free(probes);
	return NULL;
}

void cache_probes_free(CacheProbes *probes)
{
	if (!probes)
		return;
	g_array_unref(probes->probes);
	g_array_unref(probes->ids);
	g_free(probes);
}

const GArray *cache_probes_ids(const CacheProbes *probes)
{
	return probes->ids;
}

/* Reading. */

static const Probe *probe_of(const CacheProbes *probes, const uint8_t *raw)
{
	for (guint i = 0; i < probes->ids->len; i++)
		if (g_array_index(probes->ids, guint16, i) == kmem_raw_common_type(raw))
			return &g_array_index(probes->probes, Probe, i);
	return NULL;
}

bool cache_probes_read(const CacheProbes *probes, const uint8_t *raw, uint32_t raw_bytes,
		       CacheProbeCall *call)
{
	const Probe *probe = probe_of(probes, raw);
	const char *name;
	uint64_t flags;
	uint32_t length;

	*call = (CacheProbeCall){ 0 };
	if (!probe || !tracepoint_field_number(probe->flags, raw, raw_bytes, &flags) ||
	    !tracepoint_field_number(probe->call_site, raw, raw_bytes, &call->call.call_site))
		return false;
	call->call.context = kmem_context_of_probe(flags);
	name = tracepoint_field_text(probe->name, raw, raw_bytes, &length);
	call->has_cache = name && kmem_cache_named(&call->cache, name, length);
	return true;
}
