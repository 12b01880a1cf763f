/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <glib.h>
#include <stdint.h>

/*
 * What is known about this host's slab caches: the names of merged ones, from /sys/kernel/slab, and
 * how many objects each has in use, from /proc/slabinfo, which root may read. Both lie below a root
 * folder ("": this host), so that tests bring theirs. A kernel may have neither.
 */

/* Returns the names, as KMT_BATCH_CACHE_NAMES has them, without their batch; NULL: there are none.
   The caller frees it. Takes some ms: no file is opened. */
GString *slab_facts_names(const char *root);

/* Returns the text of /proc/slabinfo, or NULL. The caller frees it. It makes the kernel lock and
   walk all its caches, so it is not for polling. */
GString *slab_facts_slabinfo(const char *root);

/* Appends what /proc/meminfo says (KMT_BATCH_MEMINFO), where it can be read. */
void slab_facts_append_memory(GByteArray *out, const char *root, uint32_t reading);

/* Appends which caches the kernel shrinks when memory runs short (KMT_BATCH_RECLAIMABLE), where it
   says so below /sys/kernel/slab. */
void slab_facts_append_reclaimable(GByteArray *out, const char *root);

/* Appends the batches of a reading (enum KmtReading); those of the start begin with the names. */
void slab_facts_append(GByteArray *out, const char *root, uint32_t reading);
