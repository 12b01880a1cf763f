/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Appends a reading (enum KmtReading) of the state of this host's memory (KMT_BATCH_MEMORY), from
   /proc/meminfo, /proc/zoneinfo, /proc/vmstat, /proc/pressure/memory and /proc/net/sockstat below
   a root folder ("": this host). What the kernel does not show is left out; appends nothing if it
   shows nothing. */
void memory_facts_append(GByteArray *out, const char *root, uint32_t reading);

/* What a balance of all memory needs, too, and what stays the same while the host runs. */
typedef struct {
	bool stacks_in_vmalloc; /* kernel stacks are vmalloc memory */
	uint64_t ram_bytes;     /* with what the kernel reserved at boot; 0: unknown */
	bool balloon_in_total;  /* a balloon driver leaves its pages in MemTotal */
} MemoryLayout;

/* Reads /proc/kallsyms and /proc/iomem, which takes about 10 ms. */
MemoryLayout memory_layout_read(const char *root);

/* Appends a reading like memory_facts_append(), with the layout. */
void memory_facts_append_balance(GByteArray *out, const char *root, uint32_t reading,
				 const MemoryLayout *layout);

/*
 * The facts about this host's slab caches: the names of merged ones, from /sys/kernel/slab, and the
 * number of objects in use, from /proc/slabinfo, which only root may read. Both lie below a root
 * folder ("": this host), so that tests can provide them. A kernel may have neither.
 */

/* Returns the names in the format of KMT_BATCH_CACHE_NAMES, without the batch; NULL: none. The
   caller frees it. Takes some ms: opens no file. */
GString *slab_facts_names(const char *root);

/* Returns the text of /proc/slabinfo, or NULL. The caller frees it. Not for polling: the kernel
   locks and walks all its caches. */
GString *slab_facts_slabinfo(const char *root);

/* Appends which caches the kernel shrinks when memory runs short (KMT_BATCH_RECLAIMABLE), if
   /sys/kernel/slab shows it. */
void slab_facts_append_reclaimable(GByteArray *out, const char *root);

/* Appends the batches of a reading (enum KmtReading). Those of the start begin with the names, and
   have a line "# sheaves: OBJECTS NAME" behind the list for each cache with sheaves (since Linux
   6.18): how many free objects they hold at most, which the list counts as in use. */
void slab_facts_append(GByteArray *out, const char *root, uint32_t reading);
