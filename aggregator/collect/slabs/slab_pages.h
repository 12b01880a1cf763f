/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/slabs/cache_layout.h"
#include "record/event_writer.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the kernel's memory through /proc/kcore: an ELF core file whose segments are the kernel's
 * address ranges. Only x86-64 is supported. The file needs CAP_SYS_RAWIO, and is refused by a
 * kernel that is locked down for confidentiality.
 */
typedef struct KernelMemory KernelMemory;

/* Opens it below root ("": this host's). Returns NULL with error set, in words that follow a
   colon. */
KernelMemory *kernel_memory_open(const char *root, GError **error);
void kernel_memory_free(KernelMemory *memory);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(KernelMemory, kernel_memory_free)

/* Reads that many bytes at a kernel address. Returns false if they are not readable. A hole in a
   segment reads as zeros. */
bool kernel_memory_read(const KernelMemory *memory, uint64_t address, void *bytes, size_t length);

/* Returns the address at which all physical memory is mapped (page_offset_base), and that of the
   struct page of physical page 0 (vmemmap_base). */
uint64_t kernel_memory_direct_map(const KernelMemory *memory);
uint64_t kernel_memory_page_structs(const KernelMemory *memory);

/* Returns the address of a function or variable of the kernel, from /proc/kallsyms below the same
   root, which it reads each time. 0: not found, or hidden (kptr_restrict). */
uint64_t kernel_memory_symbol(const KernelMemory *memory, const char *name);

/*
 * SlabPages finds the slab cache of an object from its address, after the fact: an object lies in a
 * slab, a block of pages whose struct page points to the cache. The struct page is read from the
 * kernel's memory once for each slab; then the cache is known until the slab is freed.
 *
 * Between an allocation and the reading, a slab may be freed and its pages may become a slab of
 * another cache. So the end of every slab is recorded (SlabFree), with its cache and a time. For an
 * object that was allocated at the time t:
 *
 * 1. If its page has ends at t or later, the earliest of them has the cache: a page cannot become
 *    another slab before its slab ends.
 * 2. Otherwise the cache is what the struct page says now, if no end came up to now: the struct
 * page is read first, then all ends recorded up to then, then 1. is checked again.
 *
 * So a name is that of a slab made later only if an end is missing, and nobody notices. The user
 * compares the ends with the hits of the probe (SlabHits) whenever it reads them; where ends are
 * missing, names stay unknown. Should a kernel end slabs in other ways: each name is also compared
 * with the event, whose sizes are those of its cache; each end is compared with what is known of
 * its pages; and a page is read again after a second. A contradiction is taken as a loss.
 *
 * Memory is bounded; a page that was forgotten is read again. All times are on one clock.
 */
typedef struct SlabPages SlabPages;

/* The end of a slab, as recorded. */
typedef struct {
	uint64_t slab; /* address of its first struct page */
	uint64_t cache_address;
	uint64_t counters; /* of struct slab: see CacheLayout */
	uint64_t time_ns;
	uint32_t object_bytes, slot_bytes; /* of the cache: requested and allocated */
	EventCache name;
} SlabFree;

/* An allocated object, as recorded. */
typedef struct {
	uint64_t pointer; /* 0: the allocation failed */
	uint64_t time_ns;
	uint64_t bytes_requested, bytes_allocated;
} SlabObject;

/* What SlabPages needs of its user. */
typedef struct {
	/* Passes all ends recorded up to now to slab_pages_freed(), or calls slab_pages_forget().
	 */
	void (*read_ends)(void *user_data);
	/* Called after a contradiction, which shows that an end was lost: calls slab_pages_forget()
	   with the present time. */
	void (*end_was_lost)(void *user_data, const char *contradiction);
	void *user_data;
} SlabEnds;

/* Returns why a kernel with this layout cannot be read like that; NULL: no obstacle found. */
const char *slab_pages_problem(const CacheLayout *layout);

/* memory is borrowed. */
SlabPages *slab_pages_new(const KernelMemory *memory, const CacheLayout *layout,
			  const SlabEnds *ends);
void slab_pages_free(SlabPages *pages);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SlabPages, slab_pages_free)

/* Records the end of a slab. */
void slab_pages_freed(SlabPages *pages, const SlabFree *end);

/* Call it when ends may have been lost up to that time. */
void slab_pages_forget(SlabPages *pages, uint64_t until_ns);

/* Call it when all objects allocated up to that time have been looked up. */
void slab_pages_settle(SlabPages *pages, uint64_t until_ns);

/* Returns the cache of an object; NULL: unknown. It is valid until the next call. */
const EventCache *slab_pages_find(SlabPages *pages, const SlabObject *object);

/* Returns what contradicted too often what was recorded; NULL: nothing. From then on, all caches
   are unknown. */
const char *slab_pages_contradiction(const SlabPages *pages);

/* Returns the objects whose caches stayed unknown because ends of slabs were lost. */
uint64_t slab_pages_unknown(const SlabPages *pages);
