/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * Returns the memory in bytes that this host can give without swapping, as MemAvailable of
 * /proc/meminfo below root ("": this host) says; kernels before 3.14 do not have it, there it is
 * what is free or holds cached files. 0: not known.
 */
uint64_t host_memory_available(const char *root);
