/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that allocate for others, as a set of base names: const tables, and those of the
 * user. The dimension of call sites asks for each function.
 */
#include "callsite_skip.h"

#include "filter.h"

#include <string.h>

/* Names without suffixes: "_noprof" (Linux 6.10 and later), ".isra.0" and similar. */

/* The allocators of slabs, pages, vmalloc ranges and per-CPU memory, and the functions by which the
   rest of the kernel calls them: those that gfp.h, slab.h, mm.h, pagemap.h, vmalloc.h and percpu.h
   of Linux 5.10, 6.1, 6.12 and 7.2 declare, with those between them and a tracepoint. Every
   allocation calls one of these. */
const char *const callsite_skip_allocators[] = {
	"___kmalloc_large_node",
	"___slab_alloc",
	"__alloc_frozen_pages",
	"__alloc_pages",
	"__alloc_pages_bulk",
	"__alloc_pages_internal",
	"__alloc_pages_node",
	"__alloc_pages_nodemask",
	"__alloc_pages_slowpath",
	"__alloc_percpu",
	"__alloc_percpu_gfp",
	"__alloc_reserved_percpu",
	"__do_kmalloc",
	"__do_kmalloc_node",
	"__do_krealloc",
	"__folio_alloc",
	"__folio_alloc_node",
	"__get_free_page",
	"__get_free_pages",
	"__get_vm_area_node",
	"__kmalloc",
	"__kmalloc_cache",
	"__kmalloc_cache_node",
	"__kmalloc_flags",
	"__kmalloc_large",
	"__kmalloc_large_node",
	"__kmalloc_node",
	"__kmalloc_node_track_caller",
	"__kmalloc_nolock",
	"__kmalloc_track_caller",
	"__kmem_cache_alloc_lru",
	"__kmem_cache_alloc_node",
	"__krealloc",
	"__kvmalloc_node",
	"__page_cache_alloc",
	"__pcs_replace_empty_main",
	"__refill_objects_node",
	"__slab_alloc",
	"__slab_alloc_node",
	"__vcalloc",
	"__vmalloc",
	"__vmalloc_area_node",
	"__vmalloc_array",
	"__vmalloc_node",
	"__vmalloc_node_range",
	"alloc_contig_frozen_pages",
	"alloc_contig_frozen_range",
	"alloc_contig_pages",
	"alloc_contig_range",
	"alloc_from_new_slab",
	"alloc_frozen_pages",
	"alloc_frozen_pages_nolock",
	"alloc_page_interleave",
	"alloc_page_vma",
	"alloc_pages",
	"alloc_pages_bulk",
	"alloc_pages_bulk_array_mempolicy",
	"alloc_pages_bulk_mempolicy",
	"alloc_pages_bulk_weighted_interleave",
	"alloc_pages_current",
	"alloc_pages_exact",
	"alloc_pages_exact_nid",
	"alloc_pages_mpol",
	"alloc_pages_node",
	"alloc_pages_nolock",
	"alloc_pages_preferred_many",
	"alloc_pages_vma",
	"alloc_slab_page",
	"alloc_vmap_area",
	"allocate_slab",
	"cache_alloc_refill",
	"cache_grow_begin",
	"filemap_alloc_folio",
	"folio_alloc",
	"folio_alloc_gigantic",
	"folio_alloc_mpol",
	"get_free_pages",
	"get_zeroed_page",
	"kmalloc_array",
	"kmalloc_large",
	"kmalloc_large_node",
	"kmalloc_node_trace",
	"kmalloc_nolock",
	"kmalloc_order",
	"kmalloc_order_trace",
	"kmalloc_trace",
	"kmem_cache_alloc",
	"kmem_cache_alloc_bulk",
	"kmem_cache_alloc_from_sheaf",
	"kmem_cache_alloc_lru",
	"kmem_cache_alloc_node",
	"kmem_cache_alloc_node_trace",
	"kmem_cache_alloc_trace",
	"kmem_cache_zalloc",
	"krealloc",
	"krealloc_array",
	"krealloc_node_align",
	"kvmalloc",
	"kvmalloc_node",
	"kvrealloc",
	"kvrealloc_node_align",
	"new_slab",
	"pcpu_alloc",
	"refill_objects",
	"slab_alloc",
	"slab_alloc_node",
	"try_alloc_pages",
	"vcalloc",
	"vm_area_alloc_pages",
	"vma_alloc_folio",
	"vmalloc",
	"vmalloc_32",
	"vmalloc_32_user",
	"vmalloc_array",
	"vmalloc_huge",
	"vmalloc_huge_node",
	"vmalloc_node",
	"vmalloc_user",
	"vrealloc",
	"vrealloc_node_align",
	"vzalloc",
	"vzalloc_node",
	NULL,
};

/* Functions that allocate for their callers. */
const char *const callsite_skip_wrappers[] = {
	/* copies and texts */
	"kasprintf",
	"kmemdup",
	"kmemdup_array",
	"kmemdup_nul",
	"kstrdup",
	"kstrdup_const",
	"kstrdup_quotable",
	"kstrndup",
	"kvasprintf",
	"kvasprintf_const",
	"kvmemdup",
	"memdup_user",
	"memdup_user_nul",
	"strndup_user",
	"vmemdup_user",
	/* pools, trees, memory that is freed with its device */
	"__devm_kmalloc",
	"__devres_alloc_node",
	"alloc_dr",
	"devm_kasprintf",
	"devm_kmalloc",
	"devm_kmemdup",
	"devm_kstrdup",
	"devm_kvasprintf",
	"mempool_alloc",
	"mempool_alloc_pages",
	"mempool_alloc_slab",
	"mempool_kmalloc",
	"mempool_kvmalloc",
	"radix_tree_node_alloc",
	"xas_alloc",
	"xas_nomem",
	/* network packets and their data */
	"__alloc_skb",
	"__build_skb",
	"__napi_alloc_skb",
	"__netdev_alloc_skb",
	"__pskb_copy_fclone",
	"alloc_skb",
	"alloc_skb_with_frags",
	"build_skb",
	"kmalloc_reserve",
	"napi_alloc_skb",
	"napi_build_skb",
	"napi_skb_cache_get",
	"netdev_alloc_skb",
	"pskb_expand_head",
	"skb_clone",
	"skb_copy",
	"skb_copy_expand",
	"slab_build_skb",
	"sock_alloc_send_pskb",
	"sock_alloc_send_skb",
	"sock_kmalloc",
	"sock_omalloc",
	"sock_wmalloc",
	NULL,
};

struct CallsiteSkip {
	GHashTable *names; /* (element-type utf8), owned; normalised by base_of() */
};

/* Returns the name in the source code, without suffixes of compilers (after a dot) and without the
   suffix of variants that the kernel's own allocation profiling does not count. The caller frees
   it. */
static char *base_of(const char *symbol)
{
	static const char variant[] = "_noprof";
	char *base = g_strndup(symbol, strcspn(symbol, "."));

	if (g_str_has_suffix(base, variant))
		base[strlen(base) - strlen(variant)] = '\0';
	return base;
}

CallsiteSkip *callsite_skip_new(const char *argument, GError **error)
{
	g_auto(GStrv) items = item_list_parse(argument);
	CallsiteSkip *skip;

	if (!*items) {
		g_set_error(error, filter_error_quark(), 0,
			    "'%s' names no function: give names with commas, or default", argument);
		return NULL;
	}
	skip = g_new0(CallsiteSkip, 1);
	skip->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (char **item = items; *item; item++) {
		const char *const *name = callsite_skip_wrappers;
		bool is_default = g_str_equal(*item, "default");

		if (!is_default)
			g_hash_table_add(skip->names, base_of(*item));
		for (; is_default && *name; name++)
			g_hash_table_add(skip->names, g_strdup(*name));
	}
	return skip;
}

void callsite_skip_free(CallsiteSkip *skip)
{
	if (!skip)
		return;
	g_hash_table_unref(skip->names);
	g_free(skip);
}

bool callsite_skip_has(const CallsiteSkip *skip, const char *symbol)
{
	g_autofree char *base = base_of(symbol);

	return g_strv_contains(callsite_skip_allocators, base) ||
	       (skip && g_hash_table_contains(skip->names, base));
}
