/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"
#include "report/slab_growth.h"

#include <stdio.h>

/* What a stream tells of /proc/slabinfo at its start and at its end, for people. */

/* Appends how much the caches that were asked for have grown meanwhile, and how much of that was
   traced; nothing where none was asked for. */
void append_growth_of_report(GString *out, const Report *report);

/* Prints all caches, what grows most first: as many of them as the options say, or
   SLAB_TABLE_ROWS. */
void report_print_slab_table(const Report *report, FILE *out);
