/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/* Appends a reading (enum KmtReading) of the state of this host's memory (KMT_BATCH_MEMORY), from
   /proc/meminfo, /proc/zoneinfo, /proc/vmstat and /proc/pressure/memory below a root folder ("":
   this host). What the kernel does not show is left out; appends nothing if it shows nothing. */
void memory_facts_append(GByteArray *out, const char *root, uint32_t reading);
