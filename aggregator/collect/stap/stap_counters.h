/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_writer.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Reads the probe module's counters from the module itself: the content of the last batches that
 * nobody read. They can be read while the module is loaded, even if its reader was stopped or
 * killed.
 */

typedef struct {
	GArray *cpus; /* (element-type CpuCounters), owned */
	/* Stacks whose walk was compared with the kernel's, and of these with another result; 0 if
	   the module does not report them. */
	uint64_t walks_compared;
	uint64_t walks_different;
} StapCounters;

/* Returns the current counters, or NULL if they cannot be read: the module is not loaded, or has
   none. sys_folder NULL: "/sys". */
StapCounters *stap_counters_read(const char *sys_folder, const char *module_name);
void stap_counters_free(StapCounters *counters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapCounters, stap_counters_free)
