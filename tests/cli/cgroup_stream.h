/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Appends a stream of tasks in several cgroups, with their slab caches. */
void cgroup_stream(GByteArray *stream);
