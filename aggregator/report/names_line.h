/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

#include <glib.h>

/* Whether the kernel reported the slab caches of all the view's allocations that have one. */
bool all_names_are_reported(const Report *report);

/* Appends "Names: 93 % reported by the kernel, 6.9 % by size, 0.1 % unknown\n": how the slab caches
   of the view's allocations were named, and why the kernel did not report the rest where the run
   says so. Nothing where there are no allocations. */
void append_names_line(GString *out, const Report *report);
