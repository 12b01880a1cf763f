/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * Returns the memory in bytes that this host can provide without swapping: MemAvailable of
 * /proc/meminfo below root ("": this host). Before kernel 3.14, which added it: free memory plus
 * cached files. 0: unknown.
 */
uint64_t host_memory_available(const char *root);
