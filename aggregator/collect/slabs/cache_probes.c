/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of caches by kprobes at the allocator's entries, where the tracepoint lacks the cache and
 * slab_pages.c is not possible. First, which cache a call site allocates from: two hash tables of
 * fixed size (call sites, caches), and for each CPU the calls that are under way. An event after
 * the entry of its call gets the exact cache; one without it gets the cache of its call site, if
 * that has had one only. Then the probes, whose definitions belong to the run's KprobeGroup, and
 * their records: the name of the cache and the call site. perf_run.c makes the probes, perf_names.c
 * enters calls and asks.
 */
#include "config.h"

#include "collect/slabs/cache_probes.h"

#include "collect/slabs/cache_layout.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/tracefs/tracepoint_format.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <xxhash.h>

/* Powers of two; tables are filled up to half. A kernel has some 200 caches, 1,500 call sites. */
enum { SITE_SLOTS = 8192, CACHE_SLOTS = 2048, CALL_SLOTS = 256 };

/* Special values of a cache number. */
enum { CACHE_NONE = 0xffff, CACHE_SEVERAL = 0xfffe };

typedef struct {
	uint64_t call_site; /* 0: a free slot */
	uint16_t cache;
} Site;

struct CacheSites {
	Site sites[SITE_SLOTS];
	EventCache caches[CACHE_SLOTS]; /* name_bytes 0: a free slot */
	unsigned sites_used, caches_used;
};

typedef struct {
	CacheCall call;
	bool is_under_way;
	uint16_t cache;
} Pending;

struct CacheCalls {
	Pending pending[CALL_SLOTS];
};

CacheSites *cache_sites_new(void)
{
	return g_new0(CacheSites, 1);
}

void cache_sites_free(CacheSites *sites)
{
	g_free(sites);
}

CacheCalls *cache_calls_new(void)
{
	return g_new0(CacheCalls, 1);
}

void cache_calls_free(CacheCalls *calls)
{
	g_free(calls);
}

void cache_calls_forget(CacheCalls *calls)
{
	memset(calls, 0, sizeof(*calls));
}

static uint32_t hash_of(uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15ULL >> 32);
}

/* Returns the slot of a call site, or a free slot for it; NULL: no room. */
static Site *site_of(CacheSites *sites, uint64_t call_site)
{
	uint32_t at = hash_of(call_site) & (SITE_SLOTS - 1);

	while (sites->sites[at].call_site && sites->sites[at].call_site != call_site)
		at = (at + 1) & (SITE_SLOTS - 1);
	if (!sites->sites[at].call_site && sites->sites_used >= SITE_SLOTS / 2)
		return NULL;
	return &sites->sites[at];
}

/* Returns the number of a cache, adding it if it is new. */
static uint16_t number_of(CacheSites *sites, const EventCache *cache)
{
	uint32_t at = (uint32_t)XXH3_64bits(cache->name, cache->name_bytes) & (CACHE_SLOTS - 1);

	while (sites->caches[at].name_bytes &&
	       (sites->caches[at].name_bytes != cache->name_bytes ||
		memcmp(sites->caches[at].name, cache->name, cache->name_bytes)))
		at = (at + 1) & (CACHE_SLOTS - 1);
	if (sites->caches[at].name_bytes)
		return (uint16_t)at;
	if (sites->caches_used >= CACHE_SLOTS / 2)
		return CACHE_NONE;
	sites->caches_used++;
	sites->caches[at] = *cache;
	return (uint16_t)at;
}

static Pending *pending_of(CacheCalls *calls, const CacheCall *call)
{
	uint64_t mixed = call->call_site ^ (uint64_t)call->tid << 32 ^ call->context;

	return &calls->pending[hash_of(mixed) & (CALL_SLOTS - 1)];
}

void cache_sites_enter(CacheSites *sites, CacheCalls *calls, const CacheCall *call,
		       const EventCache *cache)
{
	uint16_t number = cache ? number_of(sites, cache) : CACHE_NONE;
	Site *site = call->call_site ? site_of(sites, call->call_site) : NULL;

	if (site && !site->call_site) {
		sites->sites_used++;
		*site = (Site){ call->call_site, number };
	} else if (site && site->cache != number) {
		site->cache = CACHE_SEVERAL;
	}
	*pending_of(calls, call) = (Pending){ *call, true, number };
}

/* Removes the call from the open ones. Returns whether it was there. */
static bool take_pending(CacheCalls *calls, const CacheCall *call, uint16_t *cache)
{
	Pending *pending = pending_of(calls, call);
	const CacheCall *other = &pending->call;

	if (!pending->is_under_way || other->call_site != call->call_site ||
	    other->tid != call->tid || other->context != call->context)
		return false;
	pending->is_under_way = false;
	*cache = pending->cache;
	return true;
}

const EventCache *cache_sites_leave(CacheSites *sites, CacheCalls *calls, const CacheCall *call)
{
	const Site *site;
	uint16_t cache;

	if (!calls || !take_pending(calls, call, &cache)) {
		site = site_of(sites, call->call_site);
		cache = site && site->call_site ? site->cache : CACHE_NONE;
	}
	return cache < CACHE_SLOTS ? &sites->caches[cache] : NULL;
}

const EventCache *cache_sites_take(CacheSites *sites, CacheCalls *calls, const CacheCall *call)
{
	uint16_t cache;

	return take_pending(calls, call, &cache) && cache < CACHE_SLOTS ? &sites->caches[cache]
									: NULL;
}

/* The probes. */

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

bool cache_probes_read(const CacheProbes *probes, const uint8_t *raw, uint32_t raw_bytes,
		       CacheProbeCall *call)
{
	const Probe *probe = NULL;
	const char *name;
	uint64_t flags;
	uint32_t length;

	for (guint i = 0; i < probes->ids->len && !probe; i++)
		if (g_array_index(probes->ids, guint16, i) == kmem_raw_common_type(raw))
			probe = &g_array_index(probes->probes, Probe, i);
	*call = (CacheProbeCall){ 0 };
	if (!probe || !tracepoint_field_number(probe->flags, raw, raw_bytes, &flags) ||
	    !tracepoint_field_number(probe->call_site, raw, raw_bytes, &call->call.call_site))
		return false;
	call->call.context = kmem_context_of_probe(flags);
	name = tracepoint_field_text(probe->name, raw, raw_bytes, &length);
	call->has_cache = name && kmem_cache_named(&call->cache, name, length);
	return true;
}
