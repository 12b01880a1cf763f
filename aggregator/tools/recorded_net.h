/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/net_check.h"

#include <stddef.h>

/* Reads a recording once through, and compares what each of its caches has in all, allocations less
   frees, with the readings of /proc/slabinfo at its ends. Returns the verdicts, or NULL where the
   file cannot be read twice; the caller frees them. */
NetCheck *recorded_net_check(const char *path, size_t memory_bytes_max);
