/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

#include <glib.h>

/*
 * The lines after the summary: what explains a report to somebody who was not there. A table in
 * facts.c orders them and says when each is shown; the last one, which shows what was lost, always
 * is.
 */
void append_facts(const Report *report, GString *out);

/* Appends "requested 1, allocated 2, wasted 1". */
void append_bytes(GString *out, const Report *report, const StackSummary *summary);

/* Returns the sums over what is shown: stacks, or rows of a table. */
const StackSummary *shown_sums(const Report *report);

/* Whether the stream has the sizes of its allocations; text formats do not. */
bool bytes_are_known(const Report *report);

/* Appends "[softirq] 61 %, httpd[2211] 12 %, 148 others 27 %". Returns false, appending nothing,
   where no process is known. */
bool append_processes(GString *out, const GArray *processes, uint64_t allocations);
