/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table of kprobes at functions that free or allocate without a tracepoint, with the
 * arguments that they record, which depend on kernel and machine. Adds those that the kernel has to
 * the points of a run with --held.
 */
#include "collect/slabs/object_probes.h"

#include "collect/slabs/cache_layout.h"

#include <errno.h>
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

/* Appends the functions whose frees are not seen, and sets why. */
static void add_all(GPtrArray *points, KprobeGroup *group, const Host *host, GString *not_seen,
		    int *problem)
{
	for (size_t i = 0; i < G_N_ELEMENTS(object_probes); i++) {
		const ObjectProbe *probe = &object_probes[i];
		int failure;

		if (!(host->functions >> probe->function & 1))
			continue;
		failure = add(points, group, host, probe);
		if (!failure || !probe->point.is_free)
			continue;
		g_string_append_printf(not_seen, "%s%s", not_seen->len ? ", " : "",
				       probe->point.name);
		*problem = failure;
	}
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
	add_all(points, group, &host, not_seen, &problem);
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
