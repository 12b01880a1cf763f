/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <stdio.h>

/* What the parts of the renderer of text share. Texts are escaped, and lines end with '\n'. */

/* The renderer of reports for people. */
void render_text(const ReportModel *model, FILE *out);

/* Prints the Perl tool's layout, and the SystemTap wiki's one of slab.stp; then what explains
   them. */
void text_print_stacks(const ReportModel *model, FILE *out);
void text_print_slabstack(const ReportModel *model, FILE *out);

/* Prints what a recording is, a line for each fact: host, time, collector, and whether it is
   whole. */
void text_print_info(const ReportModel *model, FILE *out);

/* Prints a table of groups, a line for each row and one for the others. */
void text_print_table(const ReportModel *model, FILE *out);

/* Appends the lines after the summary: what explains a report to somebody who was not there. The
   last one, which shows what was lost, always is. */
void append_facts(const ReportModel *model, GString *out);

/* Appends "requested 1, allocated 2, wasted 1". */
void append_bytes(GString *out, const ReportModel *model, const StackSummary *summary);

/* Appends "[softirq] 61 %, httpd[2211] 12 %, 148 others 27 %". Returns false, appending nothing,
   where no process is known. */
bool append_processes(GString *out, const GArray *processes, uint64_t allocations);

/* Appends " (sampled, +-3.1 %)" to the allocations of a row; nothing where they are exact. */
void append_sampled(GString *out, const RowSums *sums);

/* Appends the line that shows what each filter dropped. */
void append_dropped_line(const ReportModel *model, GString *out);

/* Appends the line that says why nothing is shown. Nothing where something is. */
void append_nothing_left_line(const ReportModel *model, GString *out);

/* Returns how many filters dropped anything. */
guint drops_effective(const ReportModel *model);

/* A line of what is missing, or nothing where nothing is: "Lost: ...", which every report ends
   with; "Full tables: ..." where events are of tasks or caches that found no
   room; "Beside BPF: ..." where programs were attached to tracepoints whose events arrived;
   "Memory: ..." where --max-memory left no room; "Sampled: ..." where not every event was taken. */
typedef void FactLineOfRun(GString *out, const Facts *facts);
FactLineOfRun append_lost_line, append_full_line, append_bpf_line, append_memory_bound_line,
	append_sampling_line;

/* Appends "Clock: tsc", the label and the text of a fact; nothing where it is not known. */
void append_fact_line(GString *out, const Facts *facts, FactId id);

/* Appends "12,000", or "12,000 to 15,000" where that is all that is known. */
void append_range(GString *out, LossRange events);

/* Appends "CPU 1 not traced for 0.412 s", of a run in which one was not. */
void append_untraced(GString *out, const Facts *facts);

/*
 * Appends what separates churn from growth, a line for each matched cache, those that changed most
 * first, at most 5, and then one for all together:
 *
 * kmalloc-192: in use 1,000 -> 1,250 (+250, +48,000 bytes, /proc/slabinfo) in 60.000 s; 25,000
 * allocations traced; net growth is 1 % of them
 */
void append_growth_lines(GString *out, const SlabGrowth *growth);

/*
 * Appends a line of the host's memory, then the slab caches, what grows most first: CACHE IN-USE
 * SIZE CHANGE/s; and apart from them those that the kernel shrinks when memory runs short. SIZE is
 * the memory of all slabs of a cache, CHANGE/s how much its objects in use grew or shrank. Caches
 * beyond rows_max are counted in a line, and the last line says what to do next.
 */
void append_slab_table(GString *out, const SlabTable *table);

/* Appends the lines before all tables: what the numbers mean, and what is covered of the host. */
void rate_text_append_head(GString *out, const Facts *facts, const RateLayout *layout);

/* Appends a table in the layout of bcc's slabratetop: time and load, titles, rows, then the sum of
   all rows and what was lost. */
void rate_text_append(GString *out, const RateTable *table, const RateLayout *layout);
