/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kprobes at functions that free or allocate objects, or end slabs, without a tracepoint. A
 * const table has those of objects, with the arguments that they record, which depend on kernel and
 * machine; a run with --held has those that its kernel has among its points. The end of slabs has a
 * ring of its own: perf_run.c opens it, perf_names.c reads the records and compares their number
 * with the kernel's count of hits.
 */
#include "collect/slabs/slab_probes.h"

#include "collect/slabs/cache_layout.h"
#include "collect/tracefs/tracepoint_format.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/utsname.h>

/* The kernel to probe. */
typedef struct {
	unsigned functions; /* that it has: bits by KprobeFunction */
	const KprobeRegisters *registers;
	const CacheLayout *layout;
} Host;

typedef struct {
	KprobeFunction function;
	const char *type; /* for kprobe_events; of a kretprobe with the number of its instances */
	unsigned event;   /* a bit of ProbeKindBit */
	ProbePoint point;
	void (*append)(GString *arguments, const Host *host);
} ObjectProbe;

static void append_call_site(GString *arguments, const Host *host)
{
	g_string_append_printf(arguments, " call_site=%s:u64", host->registers->return_address);
}

/* The object, or its rcu_head and the offset of that: see read_head() in kmem_points.c. */
static void append_rcu(GString *arguments, const Host *host)
{
	g_string_append_printf(arguments, "head=%s:u64 ptr=%s:u64", host->registers->arguments[0],
			       host->registers->arguments[1]);
	append_call_site(arguments, host);
}

#define POINTERS "x64[64]"
G_STATIC_ASSERT(KMEM_POINTERS_MAX == 64);

static void append_free_bulk(GString *arguments, const Host *host)
{
	const char *const *registers = host->registers->arguments;

	g_string_append_printf(arguments, "cache=%s:u64 count=%s:u64 pointers=+0(%s):" POINTERS,
			       registers[0], registers[1], registers[2]);
	append_call_site(arguments, host);
}

/* Appends a number of the structure of the cache, the first argument. */
static void append_of_cache(GString *arguments, const char *name, long offset)
{
	if (offset != CACHE_LAYOUT_UNKNOWN)
		g_string_append_printf(arguments, " %s=+%ld($arg1):u32", name, offset);
}

/* All objects are allocated, or none. Up to 7.1 or so the function returns their number, from then
   on whether it succeeded. */
static void append_alloc_bulk(GString *arguments, const Host *host)
{
	g_string_append(arguments, "count=$arg3:u64 done=$retval:u8 pointers=+0($arg4):" POINTERS);
	if (host->layout->name != CACHE_LAYOUT_UNKNOWN)
		g_string_append_printf(arguments, " name=+0(+%ld($arg1)):string",
				       host->layout->name);
	append_of_cache(arguments, "bytes_req", host->layout->object_size);
	append_of_cache(arguments, "bytes_alloc", host->layout->size);
}

/* Calls that wait for memory take an instance each. */
#define AT_RETURN "r128"

static const ObjectProbe object_probes[] = {
	{ KPROBE_KVFREE_CALL_RCU,
	  "p",
	  PROBE_FREE,
	  { "kvfree_call_rcu", NULL, KMT_SOURCE_KMALLOC, KMT_KIND_RCU, true, true, 0 },
	  append_rcu },
	{ KPROBE_CACHE_FREE_BULK,
	  "p",
	  PROBE_FREE,
	  { "kmem_cache_free_bulk", NULL, KMT_SOURCE_CACHE, KMT_KIND_BULK, true, true, 0 },
	  append_free_bulk },
	/* Arguments at the return: since 6.9 or so; older kernels refuse the probe. */
	{ KPROBE_CACHE_ALLOC_BULK,
	  AT_RETURN,
	  PROBE_CACHE,
	  { "kmem_cache_alloc_bulk", NULL, KMT_SOURCE_CACHE, KMT_KIND_NONE, false, true, 0 },
	  append_alloc_bulk },
	{ KPROBE_CACHE_ALLOC_BULK_NOPROF,
	  AT_RETURN,
	  PROBE_CACHE,
	  { "kmem_cache_alloc_bulk_noprof", NULL, KMT_SOURCE_CACHE, KMT_KIND_NONE, false, true, 0 },
	  append_alloc_bulk },
};

/* Returns 0 or an errno. */
static int add(GPtrArray *points, KprobeGroup *group, const Host *host, const ObjectProbe *probe)
{
	g_autoptr(GString) arguments = g_string_new(NULL);
	TracepointFormat *format;
	KmemPoint *point;
	int problem;

	if (!host->registers)
		return EOPNOTSUPP;
	probe->append(arguments, host);
	problem = kprobe_group_define(group, probe->type, probe->function, arguments->str);
	if (problem)
		return problem;
	format = kprobe_group_read_format(group, probe->function);
	if (!format)
		return EIO;
	point = kmem_point_new_kprobe(&probe->point, format);
	point->event = probe->event;
	kmem_points_add(points, point);
	return 0;
}

char *object_probes_add(const char *root, GPtrArray *points, KprobeGroup *group)
{
	g_autoptr(GString) not_seen = g_string_new(NULL);
	struct utsname names = { .release = "" };
	CacheLayout layout;
	Host host = { .functions = kprobe_functions_there(root), .layout = &layout };
	int problem = 0;

	uname(&names);
	host.registers = kprobe_registers(names.machine);
	cache_layout_find_below(&layout, root, names.release);
	for (size_t i = 0; i < G_N_ELEMENTS(object_probes); i++) {
		const ObjectProbe *probe = &object_probes[i];
		int failure = host.functions >> probe->function & 1
				      ? add(points, group, &host, probe)
				      : 0;

		if (!failure || !probe->point.is_free)
			continue;
		g_string_append_printf(not_seen, "%s%s", not_seen->len ? ", " : "",
				       probe->point.name);
		problem = failure;
	}
	return problem ? g_strdup_printf("%s: %s", not_seen->str, kprobe_refusal(problem)) : NULL;
}

char *object_probes_there(const char *root)
{
	g_autoptr(GString) names = g_string_new(NULL);
	unsigned there = kprobe_functions_there(root);

	for (size_t i = 0; i < G_N_ELEMENTS(object_probes); i++)
		if (there >> object_probes[i].function & 1)
			g_string_append_printf(names, "%s%s", names->len ? ", " : "",
					       object_probes[i].point.name);
	return names->len ? g_string_free(g_steal_pointer(&names), FALSE) : NULL;
}

char *object_probes_filter(const GPtrArray *points, const KmemPoint *point)
{
	if (point->type->kind != KMT_KIND_BULK)
		return NULL;
	for (guint i = 0; i < points->len; i++)
		if (((const KmemPoint *)points->pdata[i])->type->kind == KMT_KIND_RCU)
			return g_strdup("cache != 0");
	return NULL;
}

/* The comparison of hits and records: a few numbers, no table. */

/* A single difference may include records that are still being written. */
enum { CHECKS = 3 };

void slab_hits_reset(SlabHits *hits)
{
	hits->never_read = UINT64_MAX;
	hits->checks_left = CHECKS;
}

void slab_hits_begin(SlabHits *hits, uint64_t now_ns)
{
	hits->began_ns = now_ns;
}

void slab_hits_read(SlabHits *hits, uint64_t record_ns)
{
	if (record_ns <= hits->began_ns)
		hits->read++;
	else
		hits->read_later++;
}

SlabHitsState slab_hits_end(SlabHits *hits, const KprobeCounts *counts)
{
	uint64_t not_read = counts->hits - hits->read;
	bool is_missed = hits->missed != counts->missed;

	hits->read += hits->read_later;
	hits->read_later = 0;
	hits->missed = counts->missed;
	hits->never_read = MIN(hits->never_read, not_read);
	if (hits->checks_left)
		return --hits->checks_left ? SLAB_HITS_PENDING : SLAB_HITS_ANEW;
	if (is_missed)
		return SLAB_HITS_MISSED;
	return not_read == hits->never_read ? SLAB_HITS_READ : SLAB_HITS_PENDING;
}

/* The end of slabs. */

/* The fields that the probe records, and where they go. */
typedef enum { FIELD_CACHE, FIELD_SLAB, FIELD_COUNTERS, FIELD_OBJECT, FIELD_SLOT, FIELDS } Field;

static const char *const field_names[FIELDS] = {
	[FIELD_CACHE] = "cache",   [FIELD_SLAB] = "slab", [FIELD_COUNTERS] = "counters",
	[FIELD_OBJECT] = "object", [FIELD_SLOT] = "slot",
};

struct SlabProbe {
	TracepointFormat *format; /* owned */
	const TracepointField *fields[FIELDS];
	const TracepointField *name;
};

const char *slab_probe_problem(const char *root, const char *machine)
{
	if (strcmp(machine, "x86_64"))
		return "not possible on this architecture";
	if (!(kprobe_functions_there(root) >> KPROBE_FREE_SLAB & 1))
		return "this kernel has no function __free_slab()";
	return NULL;
}

/* Its arguments are the cache and the struct slab, or struct page before 5.17. */
char *slab_probe_arguments(const KprobeRegisters *registers, const CacheLayout *layout)
{
	const char *cache = registers->arguments[0], *slab = registers->arguments[1];

	return g_strdup_printf("cache=%s:u64 slab=%s:u64 counters=+%ld(%s):u64 "
			       "object=+%ld(%s):u32 slot=+%ld(%s):u32 name=+0(+%ld(%s)):string",
			       cache, slab, layout->counters, slab, layout->object_size, cache,
			       layout->size, cache, layout->name, cache);
}

SlabProbe *slab_probe_of(TracepointFormat *format)
{
	g_autoptr(SlabProbe) probe = g_new0(SlabProbe, 1);

	probe->format = format;
	probe->name = tracepoint_format_lookup(format, "name");
	for (unsigned i = 0; i < FIELDS; i++) {
		probe->fields[i] = tracepoint_format_lookup(format, field_names[i]);
		if (!probe->fields[i])
			return NULL;
	}
	return probe->name ? g_steal_pointer(&probe) : NULL;
}

SlabProbe *slab_probe_new(KprobeGroup *group, const CacheLayout *layout, GError **error)
{
	g_autofree char *arguments = slab_probe_arguments(kprobe_registers("x86_64"), layout);
	int problem = kprobe_group_define(group, "p", KPROBE_FREE_SLAB, arguments);
	TracepointFormat *format =
		problem ? NULL : kprobe_group_read_format(group, KPROBE_FREE_SLAB);
	SlabProbe *probe = format ? slab_probe_of(format) : NULL;
	KprobeCounts counts;

	if (probe && !kprobe_group_count(group, 1U << KPROBE_FREE_SLAB, &counts)) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
				    "the kernel does not show how often its probes are hit");
		g_clear_pointer(&probe, slab_probe_free);
	} else if (!probe)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s",
			    kprobe_refusal(problem ? problem : EINVAL),
			    g_strerror(problem ? problem : EINVAL));
	return probe;
}

void slab_probe_free(SlabProbe *probe)
{
	if (!probe)
		return;
	tracepoint_format_free(probe->format);
	g_free(probe);
}

uint16_t slab_probe_id(const SlabProbe *probe)
{
	return probe->format->id;
}

bool slab_probe_read(const SlabProbe *probe, const uint8_t *raw, uint32_t raw_bytes, SlabFree *end)
{
	uint64_t values[FIELDS];
	uint32_t length;
	const char *name;

	for (unsigned i = 0; i < FIELDS; i++)
		if (!tracepoint_field_number(probe->fields[i], raw, raw_bytes, &values[i]))
			return false;
	*end = (SlabFree){ .slab = values[FIELD_SLAB],
			   .cache_address = values[FIELD_CACHE],
			   .counters = values[FIELD_COUNTERS],
			   .object_bytes = (uint32_t)values[FIELD_OBJECT],
			   .slot_bytes = (uint32_t)values[FIELD_SLOT] };
	name = tracepoint_field_text(probe->name, raw, raw_bytes, &length);
	return name && kmem_cache_named(&end->name, name, length);
}
