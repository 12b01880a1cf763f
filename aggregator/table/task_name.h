/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/*
 * Returns how many bytes of a comm name its family, for kernel threads that exist per CPU or in a
 * pool: those of "kworker" in "kworker/0:1-events", of "ksoftirqd" in "ksoftirqd/3". For all other
 * names, the whole length.
 */
size_t comm_folded_length(const char *comm);

/* Returns the name of an enum KmtContext: "task", "softirq"; "interrupt" for unknown values from
   newer writers. */
const char *context_name(unsigned context);
