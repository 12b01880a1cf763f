/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/cache_name.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A KmallocClass is one of the caches of kmalloc(), independent of the kernel's spelling:
 * size-1024, kmalloc-1024 and kmalloc-1k are one class, size-1024(DMA) and dma-kmalloc-1k another.
 */
typedef struct {
	char prefix[40]; /* as in newer kernels: "kmalloc-", "kmalloc-cg-", "dma-kmalloc-" */
	uint64_t bytes;  /* object size */
} KmallocClass;

/* The spellings of a class, newest first. */
typedef enum {
	KMALLOC_SPELLING_UNITS, /* "kmalloc-1k", from 4.20 */
	KMALLOC_SPELLING_BYTES, /* "kmalloc-1024" */
	KMALLOC_SPELLING_SIZE,  /* "size-1024", "size-1024(DMA)": SLAB up to 3.6 */
	KMALLOC_SPELLINGS,
} KmallocSpelling;

/* Returns whether the name is a kmalloc class, in any spelling. */
bool kmalloc_class_parse(const char *name, KmallocClass *class);

/* Appends its name in this spelling. Returns false, appending nothing, if the spelling has no name
   for it. */
bool kmalloc_class_append(GString *out, const KmallocClass *class, KmallocSpelling spelling);
