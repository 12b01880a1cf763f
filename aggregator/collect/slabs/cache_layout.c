/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel's slab structures have their fields: a const table of the wanted members, filled
 * from BTF, else from the debuginfo of a vmlinux where distributions install it. The emitter's
 * parameters, kprobes and slab_pages.c need these offsets.
 */
#include "config.h"

#include "collect/slabs/cache_layout.h"

#include "collect/slabs/cache_layout_fill.h"

#include <glib.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

const CacheLayout cache_layout_unknown = {
	.slab_cache = CACHE_LAYOUT_UNKNOWN,
	.name = CACHE_LAYOUT_UNKNOWN,
	.object_size = CACHE_LAYOUT_UNKNOWN,
	.size = CACHE_LAYOUT_UNKNOWN,
	.counters = CACHE_LAYOUT_UNKNOWN,
	.compound_head = CACHE_LAYOUT_UNKNOWN,
	.page_bytes = CACHE_LAYOUT_UNKNOWN,
	.memcg_params = CACHE_LAYOUT_UNKNOWN,
};

static const char kernel_btf[] = "/sys/kernel/btf/vmlinux";

/* The places of a vmlinux with debuginfo in distributions, as in elfutils. The search of elfutils
   is not used: with the caller's environment, it could make root contact a server. */
static const struct {
	const char *before_release;
	const char *after_release;
} vmlinux_paths[] = {
	{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
	{ "/usr/lib/debug/boot/vmlinux-", "" },
	{ "/boot/vmlinux-", "" },
	{ "/lib/modules/", "/vmlinux" },
	{ "/lib/modules/", "/build/vmlinux" },
};

const char *const cache_layout_structures[] = { "slab", "page", "kmem_cache", NULL };

/* No kernel has both of the first two. */
static const struct {
	size_t where; /* offset in CacheLayout */
	const char *structure;
	const char *member; /* NULL: its size */
	bool is_optional;
} wanted[] = {
	{ offsetof(CacheLayout, slab_cache), "slab", "slab_cache", false },
	{ offsetof(CacheLayout, slab_cache), "page", "slab_cache", false },
	{ offsetof(CacheLayout, name), "kmem_cache", "name", false },
	{ offsetof(CacheLayout, object_size), "kmem_cache", "object_size", false },
	{ offsetof(CacheLayout, size), "kmem_cache", "size", false },
	{ offsetof(CacheLayout, counters), "slab", "counters", true },
	{ offsetof(CacheLayout, counters), "page", "counters", true },
	{ offsetof(CacheLayout, compound_head), "page", "compound_head", true },
	{ offsetof(CacheLayout, page_bytes), "page", NULL, true },
	{ offsetof(CacheLayout, memcg_params), "kmem_cache", "memcg_params", true },
};

void cache_layout_fill(CacheLayout *layout, const char *name, CacheMemberOffset offset_of,
		       const void *structure)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
		long *offset = (long *)((char *)layout + wanted[i].where);

		if (*offset == CACHE_LAYOUT_UNKNOWN && !strcmp(wanted[i].structure, name))
			*offset = offset_of(structure, wanted[i].member);
	}
}

bool cache_layout_is_whole(const CacheLayout *layout)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++)
		if (!wanted[i].is_optional &&
		    *(const long *)((const char *)layout + wanted[i].where) == CACHE_LAYOUT_UNKNOWN)
			return false;
	return true;
}

const char *cache_layout_find_below(CacheLayout *layout, const char *root, const char *release)
{
	g_autofree char *btf = g_strconcat(root, kernel_btf, NULL);

	*layout = cache_layout_unknown;
	cache_layout_read_btf(layout, btf);
	if (cache_layout_is_whole(layout))
		return "BTF";
	for (size_t i = 0; i < G_N_ELEMENTS(vmlinux_paths); i++) {
		g_autofree char *path = g_strconcat(root, vmlinux_paths[i].before_release, release,
						    vmlinux_paths[i].after_release, NULL);

		cache_layout_read_dwarf(layout, path);
		if (cache_layout_is_whole(layout))
			return "debuginfo";
	}
	return NULL;
}

void cache_layout_find(CacheLayout *layout)
{
	struct utsname kernel;

	cache_layout_find_below(layout, "", uname(&kernel) ? "" : kernel.release);
}
