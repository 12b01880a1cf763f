/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A KmallocClass is one of the caches behind kmalloc(), whatever its kernel calls it: size-1024,
 * kmalloc-1024 and kmalloc-1k are one class, size-1024(DMA) and dma-kmalloc-1k another.
 */
typedef struct {
	char prefix[40]; /* as newer kernels have it: "kmalloc-", "kmalloc-cg-", "dma-kmalloc-" */
	uint64_t bytes;  /* of an object */
} KmallocClass;

/* How a class has been written; the newest first. */
typedef enum {
	KMALLOC_SPELLING_UNITS, /* "kmalloc-1k", from 4.20 */
	KMALLOC_SPELLING_BYTES, /* "kmalloc-1024" */
	KMALLOC_SPELLING_SIZE,  /* "size-1024", "size-1024(DMA)": SLAB up to 3.6 */
	KMALLOC_SPELLINGS,
} KmallocSpelling;

/* Returns whether the name, in any of the spellings, is that of a class. */
bool kmalloc_class_parse(const char *name, KmallocClass *class);

/* Appends its name in that spelling. Returns false, appending nothing, where that has no word for
   it. */
bool kmalloc_class_append(GString *out, const KmallocClass *class, KmallocSpelling spelling);

/* Returns how many bytes of a name are those of its cache: kernels before 5.9 have copies of a
   cache for cgroups, as "dentry(12:user.slice)". */
size_t cache_name_folded_bytes(const char *name);
