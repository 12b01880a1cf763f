/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

#include <stdio.h>

/* What the report is grouped by unless --by says otherwise: a block for each. */
#define SLABSTACK_BLOCKS "process,cache,stack"

/*
 * The layout of the SystemTap wiki's slab.stp: how much a cache has grown, processes, stacks; then
 * what explains the report. The view must be grouped, by SLABSTACK_BLOCKS or as --by says.
 */
void report_print_slabstack(const Report *report, FILE *out);
