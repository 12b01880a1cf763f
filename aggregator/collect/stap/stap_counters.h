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

/* Returns the current counters of each CPU (element-type CpuCounters), or NULL if they cannot be
   read: the module is not loaded, or has none. sys_folder NULL: "/sys". */
GArray *stap_counters_read(const char *sys_folder, const char *module_name);
