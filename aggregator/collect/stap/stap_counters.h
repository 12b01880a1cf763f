/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_writer.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The probe module's counters, read from the module itself: what its last batches would have held,
 * had anybody read them. They can be read as long as the module is loaded, whether its reader
 * lives, sleeps or was killed.
 */

/* Returns what each CPU's counters say now (element-type CpuCounters), or NULL when they cannot be
   read: the module is gone, or has none. sys_folder NULL: "/sys". */
GArray *stap_counters_read(const char *sys_folder, const char *module_name);
