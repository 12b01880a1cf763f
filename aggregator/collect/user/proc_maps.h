/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Appends the executable mappings of all processes, or all mappings with with_data, as lines of a
 * `maps` batch (user_map_line.h). Each line gets this time, in ns: when the recording began, so
 * that it counts for all events.
 * Build ids are read from the files, each file once. /proc lies below root ("": this host's).
 * Processes that cannot be read are left out; returns how many could be.
 */
unsigned proc_maps_write(GString *out, const char *root, uint64_t time_ns, bool with_data);
