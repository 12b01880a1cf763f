/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Byte offsets of the slab-cache fields in the kernel's structures, each CACHE_LAYOUT_UNKNOWN when
 * it is not known. The structures are private to the kernel, so
 * neither a probe module nor a kprobe knows them by itself.
 */
enum { CACHE_LAYOUT_UNKNOWN = -1 };

typedef struct {
	long slab_cache;  /* of struct slab, or before 5.17 of struct page: its cache */
	long name;        /* of struct kmem_cache */
	long object_size; /* likewise: of an object as asked for */
	long size;        /* likewise: what it takes in its slab */
} CacheLayout;

extern const CacheLayout cache_layout_unknown;

/* Finds the offsets of the running kernel: from its BTF, or else from the debuginfo of its vmlinux.
   What neither has stays unknown. Nothing is owned. */
void cache_layout_find(CacheLayout *layout);

/* The same for a kernel of that release, whose files lie below root ("": this host's). Returns the
   source of the last one found, "BTF" or "debuginfo"; NULL: some stay unknown. */
const char *cache_layout_find_below(CacheLayout *layout, const char *root, const char *release);

/* The same from one file, for what is not known yet; false: it could not be read. path is that of
   BTF, or of an ELF file with BTF or with DWARF. */
bool cache_layout_read_btf(CacheLayout *layout, const char *path);
bool cache_layout_read_dwarf(CacheLayout *layout, const char *path);
