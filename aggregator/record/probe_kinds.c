/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of observable events, as const data: kinds, their tracepoints, and the members that
 * their records should have. To observe another kind, a row is added here (doc/ARCHITECTURE.md
 * lists what else).
 */
#include "record/probe_kinds.h"

#include "base/nearest.h"

#define BIT(member) (1U << (member))

enum {
	OBJECT_MEMBERS = BIT(PROBE_COMMON_FLAGS) | BIT(PROBE_CALL_SITE) | BIT(PROBE_POINTER),
	/* Few kernels report a node in tracepoints without _node in their name, so it is not
	   expected. */
	ALLOC_MEMBERS = OBJECT_MEMBERS | BIT(PROBE_BYTES_REQUESTED) | BIT(PROBE_BYTES_ALLOCATED) |
			BIT(PROBE_GFP_FLAGS),
	NODE_MEMBERS = ALLOC_MEMBERS | BIT(PROBE_NODE),
	/* Only newer kernels record who allocates per-CPU memory, and with which flags. */
	RANGE_FREE_MEMBERS = BIT(PROBE_COMMON_FLAGS) | BIT(PROBE_POINTER),
	RANGE_ALLOC_MEMBERS = RANGE_FREE_MEMBERS | BIT(PROBE_BYTES_REQUESTED),
	PAGE_MEMBERS = BIT(PROBE_COMMON_FLAGS) | BIT(PROBE_PAGE_NUMBER),
	PAGE_FREE_MEMBERS = PAGE_MEMBERS | BIT(PROBE_PAGE_ORDER),
	PAGE_ALLOC_MEMBERS = PAGE_FREE_MEMBERS | BIT(PROBE_GFP_FLAGS),
};

static const ProbePoint kmalloc_points[] = {
	{ "kmalloc", "kmem", KMT_SOURCE_KMALLOC, KMT_KIND_NONE, false, false, ALLOC_MEMBERS },
	{ "kmalloc_node", "kmem", KMT_SOURCE_KMALLOC, KMT_KIND_NONE, false, true, NODE_MEMBERS },
	{ 0 },
};
static const ProbePoint cache_points[] = {
	{ "kmem_cache_alloc", "kmem", KMT_SOURCE_CACHE, KMT_KIND_NONE, false, false,
	  ALLOC_MEMBERS },
	{ "kmem_cache_alloc_node", "kmem", KMT_SOURCE_CACHE, KMT_KIND_NONE, false, true,
	  NODE_MEMBERS },
	{ 0 },
};
static const ProbePoint page_points[] = {
	{ "mm_page_alloc", "kmem", KMT_SOURCE_PAGE, KMT_KIND_NONE, false, false,
	  PAGE_ALLOC_MEMBERS },
	{ 0 },
};
static const ProbePoint free_points[] = {
	{ "kfree", "kmem", KMT_SOURCE_KMALLOC, KMT_KIND_KFREE, true, false, OBJECT_MEMBERS },
	{ "kmem_cache_free", "kmem", KMT_SOURCE_CACHE, KMT_KIND_CACHE, true, false,
	  OBJECT_MEMBERS },
	{ "mm_page_free", "kmem", KMT_SOURCE_PAGE, KMT_KIND_PAGE, true, false, PAGE_FREE_MEMBERS },
	{ "percpu_free_percpu", "percpu", KMT_SOURCE_PERCPU, KMT_KIND_RANGE, true, false,
	  RANGE_FREE_MEMBERS },
	{ "free_vmap_area_noflush", "vmalloc", KMT_SOURCE_VMALLOC, KMT_KIND_RANGE, true, false,
	  RANGE_FREE_MEMBERS },
	{ 0 },
};
static const ProbePoint percpu_points[] = {
	{ "percpu_alloc_percpu", "percpu", KMT_SOURCE_PERCPU, KMT_KIND_NONE, false, false,
	  RANGE_ALLOC_MEMBERS },
	{ 0 },
};
static const ProbePoint vmalloc_points[] = {
	{ "alloc_vmap_area", "vmalloc", KMT_SOURCE_VMALLOC, KMT_KIND_NONE, false, false,
	  RANGE_ALLOC_MEMBERS },
	{ 0 },
};

const ProbeKind probe_kinds[] = {
	{ PROBE_KMALLOC, "kmalloc",
	  "kmalloc (constant and variable size, _node, track_caller, large)", true, "kmalloc.stp",
	  kmalloc_points },
	{ PROBE_CACHE, "cache", "kmem_cache_alloc (_node, _lru)", true, "cache.stp", cache_points },
	{ PROBE_PAGE, "page", "page allocator", false, "page.stp", page_points },
	{ PROBE_FREE, "free", NULL, true, "free.stp", free_points },
	{ PROBE_PERCPU, "percpu", "per-CPU allocations", false, "percpu.stp", percpu_points },
	{ PROBE_VMALLOC, "vmalloc", "vmalloc", false, "vmalloc.stp", vmalloc_points },
	{ 0 },
};

bool probe_point_is_observed(const ProbeKind *kind, const ProbePoint *point, unsigned events,
			     bool held)
{
	const unsigned shared = PROBE_KMALLOC | PROBE_CACHE;
	/* The two share their objects: kfree() may free those of any cache. */
	unsigned freed = events & shared ? events | shared : events;
	bool has_source = KMT_EVENTS_OF(point->source) & freed;

	if (!point->is_free)
		return kind->bit & events;
	if (held && has_source)
		return true;
	return kind->bit & events && (has_source || point->kind != KMT_KIND_RANGE);
}

static void append_names(GString *names, unsigned bits, const char *separator)
{
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		if (bits & kind->bit)
			g_string_append_printf(names, "%s%s", names->len ? separator : "",
					       kind->name);
}

char *probe_kinds_names(unsigned bits)
{
	GString *names = g_string_new(NULL);

	append_names(names, bits, ",");
	return g_string_free(names, FALSE);
}

unsigned probe_kinds_of_caches(void)
{
	unsigned bits = 0;

	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		bits |= kind->of_caches ? kind->bit : 0;
	return bits;
}

static const ProbeKind *probe_kinds_lookup(const char *name)
{
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		if (g_str_equal(kind->name, name))
			return kind;
	return NULL;
}

bool probe_kinds_parse(const char *list, unsigned default_bits, unsigned *bits, GError **error)
{
	g_auto(GStrv) words = g_strsplit(list, ",", -1);

	*bits = 0;
	for (char **word = words; *word; word++) {
		bool extends = **word == '+';
		const ProbeKind *kind = probe_kinds_lookup(*word + extends);

		if (!kind) {
			g_autofree char *all = probe_kinds_names(G_MAXUINT);
			g_autofree char *similar = nearest_did_you_mean(*word + extends, all);

			g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
				    "unknown event '%s'; %svalid: %s", *word, similar, all);
			return false;
		}
		*bits |= kind->bit | (extends ? default_bits : 0);
	}
	return true;
}

char *probe_kinds_help(unsigned default_bits, unsigned offered_bits)
{
	GString *help = g_string_new(NULL);

	append_names(help, default_bits, ",");
	g_string_append(help, " (default)");
	append_names(help, offered_bits & ~default_bits, ", ");
	return g_string_free(help, FALSE);
}
