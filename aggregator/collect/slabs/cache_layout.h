/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Byte offsets of the slab-cache fields in the kernel's structures; CACHE_LAYOUT_UNKNOWN: unknown.
 * The structures are private to the kernel, so neither a probe module nor a kprobe has them.
 */
enum { CACHE_LAYOUT_UNKNOWN = -1 };

typedef struct {
	long slab_cache;  /* in struct slab (before 5.17 in struct page): its cache */
	long name;        /* in struct kmem_cache */
	long object_size; /* in struct kmem_cache: requested size of an object */
	long size;        /* in struct kmem_cache: allocated size of an object */
	/* The rest may stay unknown: no kernel has all of it. */
	long counters;      /* in struct slab (or page): a word with the number of objects */
	long compound_head; /* in struct page: the first page of its block, plus 1 */
	long page_bytes;    /* size of struct page */
	long memcg_params;  /* in struct kmem_cache, if each cgroup has caches of its own (before
			       5.9) */
} CacheLayout;

extern const CacheLayout cache_layout_unknown;

/* Finds the offsets of the running kernel in its BTF, or else in the debuginfo of its vmlinux. An
   offset that neither contains stays unknown. Nothing is owned. */
void cache_layout_find(CacheLayout *layout);

/* The same for a kernel of that release, with its files below root ("": this host's). Returns the
   source of the last offset found, "BTF" or "debuginfo"; NULL: some stay unknown. */
const char *cache_layout_find_below(CacheLayout *layout, const char *root, const char *release);

/* Sets the unknown offsets from one file: BTF, or ELF with BTF or DWARF. Returns false if the file
   cannot be read. */
bool cache_layout_read_btf(CacheLayout *layout, const char *path);
bool cache_layout_read_dwarf(CacheLayout *layout, const char *path);
