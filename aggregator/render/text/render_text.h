/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"
#include "table/table.h"

#include <stdio.h>

/* Functions that the parts of the text renderer share. Texts are escaped, and lines end with a
   newline. */

/* The report renderer for people. */
void render_text(const ReportModel *model, FILE *out);

/* Print the layouts of the Perl tool and of slab.stp (SystemTap wiki), followed by explanations. */
void text_print_stacks(const ReportModel *model, FILE *out);
void text_print_slabstack(const ReportModel *model, FILE *out);

/* Prints a description of a recording, one line per fact: host, time, collector, and whether it is
   complete. */
void text_print_info(const ReportModel *model, FILE *out);

/* How a table is printed. */
typedef struct {
	unsigned gap;      /* spaces between columns */
	unsigned terminal; /* width of a terminal, for which the first column is cut; 0: none */
	unsigned fits;     /* width of a terminal: keys come first, whole, and figures for which
			      there is no room are left out; 0: all columns in their order */
	unsigned columns;  /* lines are cut there, in their last column; 0: they are not */
	bool human;        /* bytes in KiB, MiB ... */
	bool trims;        /* no spaces at line ends */
	bool others;       /* TABLE_OTHERS is printed, if there are more rows: "(3 others)" */
	const char *all;   /* label of TABLE_ALL; NULL: it is not printed */
	/* Appends lines below a row; NULL: there are none. */
	void (*append_below)(GString *out, const ReportModel *model, guint row);
	const ReportModel *model; /* for it */
	FILE *file;               /* each row is written to it at once; NULL: to none */
} TextLayout;

/* Appends the titles, the rows and the sums of a table. */
void append_table(GString *out, Table *table, const TextLayout *layout);

/* Returns the columns of a terminal that a line of text takes. */
glong text_width(const char *text);

/* Writes text, and clears it for the next part. */
void flush_text(GString *text, FILE *out);

/* Prints the groups of a report; returns them as a table, which the caller frees. */
void text_print_groups(const ReportModel *model, FILE *out);
Table *text_table_of_groups(const ReportModel *model);

/* Prints stacks, groups, hits or a comparison so that they fit a terminal. */
void text_print_fitted(const ReportModel *model, FILE *out);

/* Prints how two runs differ: a line per row, then both runs. */
void text_print_diff(const ReportModel *model, FILE *out);

/* Its parts: the line above the rows; the rows as a table, which the caller frees; the lines about
   noise and about both runs. */
void append_diff_head(GString *out, const ReportModel *model);
Table *text_table_of_diff(const ReportModel *model);
void append_diff_lines(GString *out, const ReportModel *model);

/* Appends what is known about the state of the host's memory in the run: "free 15.4 -> 15.1 GiB,
   slab 310 MiB (190 unreclaimable), PSI some 0 %, major faults +12, host reclaim stalls 0, OOM
   kills 0". Appends nothing if nothing is known. */
void append_memory_state(GString *out, const Facts *facts);

/* Appends how a text was read: "Read as: the output of perf script"; nothing of other inputs. */
void append_read_as_line(GString *out, const ReportModel *model);

/* Appends the verdict in lines of so many columns, and the next command, with a blank line after
   them. columns 0: no terminal. verdict NULL: nothing. */
void append_verdict(GString *out, const Verdict *verdict, unsigned columns);

/* Appends it as the first line of a report, for tools whose reports show it. */
void append_memory_line(GString *out, const ReportModel *model);

/* Appends the lines after the summary, which explain the report to later readers. The last line,
   about losses, is always there. */
void append_facts(const ReportModel *model, GString *out);

/* Appends the line about host, time and cost, "Run: guest, Linux 6.18"; nothing if none is known.
 */
void append_run_line(const ReportModel *model, GString *out);

/* Appends lines about allocations from caches that were not requested, but passed by the kernel
   side, and about allocations from unknown caches; nothing if there are none. */
void append_other_caches_lines(const ReportModel *model, GString *text);

/* What a report counts, in words. */
typedef struct {
	const char *noun;      /* "allocation" */
	const char *heading;   /* "Allocations" */
	const char *of_caches; /* "slab allocations", before "by process" */
	const char *column;    /* title of their column */
	const char *of_stack;  /* "held", after the number above a stack; NULL: Perl's line */
} CountedWords;

/* Returns the words for what the model counts: allocations, or held objects. */
const CountedWords *counted_words(const ReportModel *model);

/* Appends ", 40 ms in all, at most 12 ms, 513 bytes", as far as it is known. */
void append_hits(const ReportModel *model, const HitSums *hits, GString *text);

/* Appends how long time spans took, a line with a bar for each length; nothing if there are none.
 */
void append_lengths(const ReportModel *model, GString *out);

/* Append lines about hits of probe points: the sums of time spans, and how far user stacks reach.
 */
void append_spans_line(const ReportModel *model, GString *out);
void append_user_stacks_line(const ReportModel *model, GString *out);

/* Returns their noun: of probe points, that of the preset. */
const char *counted_noun(const ReportModel *model);

/* Appends the lines above a stack of held objects: "714 held, 137,088 bytes, ages 0.100 s to 18.500
   s:", of paired allocations also what was freed. */
void append_held_stack(GString *out, const ReportModel *model, const ViewStack *stack);

/* Appends a line about slab caches that hold more than /proc/slabinfo counts, and those that do
   not; nothing if no cache was compared. rows: (element-type HeldCheckRow), or NULL. */
void append_held_compared(GString *out, const GArray *rows);

/* Appends the lines about paired allocations; nothing if they were not paired. */
void append_held_lines(const ReportModel *model, GString *out);

/* Appends "1 row", "2,000 rows". */
void append_number_of(GString *out, uint64_t count, const char *noun);

/* Appends the line "bytes: requested 1, allocated 2, wasted 1; failed 0". */
void append_bytes(GString *out, const ReportModel *model, const RowSums *sums);

/* Appends "[softirq] 61 %, httpd[2211] 12 %, 148 others 27 %", at most so many by name. Returns
   false, appending nothing, if no process is known. */
enum { PROCESSES_SHOWN = 5 };
bool append_processes(GString *out, const GArray *processes, uint64_t allocations, guint shown_max);

/* Appends " (sampled, +-3.1 %)" to the allocations of a row; nothing if they are exact. */
void append_sampled(GString *out, const RowSums *sums);

/* Appends the line about what each filter dropped. */
void append_dropped_line(const ReportModel *model, GString *out);

/* Appends a line with the reason why nothing is shown; nothing if something is shown. */
void append_nothing_left_line(const ReportModel *model, GString *out);

/* Returns the number of filters that dropped anything. */
guint drops_effective(const ReportModel *model);

/* A line about missing data, or nothing if nothing is missing. "Lost: ...": ends every report.
   "Full tables: ...": events of tasks or caches that did not fit into a table. "Beside BPF: ...":
   BPF programs were attached to tracepoints that still delivered events. "Sampled: ...": not every
   event was taken. "Stack walks ...": how many were compared with the kernel's. "Cache names ...":
   how many were compared with those that probes recorded. */
typedef void FactLineOfRun(GString *out, const Facts *facts);
FactLineOfRun append_lost_line, append_full_line, append_bpf_line, append_sampling_line,
	append_walks_line, append_compared_names_line;

/* Appends the line "Lost:". all: also with the causes of which there are no events. */
void append_lost_causes(GString *out, const Facts *facts, bool all);

/* Appends the line of text that begins with a fact: "Clock: tsc"; nothing if the fact is unknown,
   or a count of 0, or a flag that is not set. human: bytes in KiB, MiB, GiB. */
void append_fact_line(GString *out, const Facts *facts, FactId id, bool human);

/* Appends "12,000", or "12,000 to 15,000" if the exact number is unknown. */
void append_range(GString *out, LossRange events);

/* Appends the border of a class of lengths: "500 ns", "20 us". */
void append_length(GString *out, uint64_t ns);

/* Appends the line "Covered: kmalloc; not covered: pages". */
void append_covered(GString *out, const Facts *facts);

/* Appends "CPU 1 not traced for 0.412 s", for a run with an untraced CPU. */
void append_untraced(GString *out, const Facts *facts);

/*
 * Appends a comparison of churn and growth: a line per matched cache, largest change first, at most
 * 5, then a line with the sum:
 *
 * kmalloc-192: in use 1,000 -> 1,250 (+250, +48,000 bytes, /proc/slabinfo) in 60.000 s;
 * 25,000 allocations traced; net growth is 1 % of them
 */
void append_growth_lines(GString *out, const SlabGrowth *growth);

/* The same, with at most so many caches. */
void append_most_growth(GString *out, const SlabGrowth *growth, guint lines_max);

/* Appends how long a watch was, and between which of its readings the changes are; nothing of a
   run. */
void append_watch_line(GString *out, const WatchSpan *watch);

/*
 * Appends the verdict, where all memory is, then two tables, fastest growth first: slab caches, and
 * caches that the kernel shrinks if memory is short. Columns: CACHE IN-USE SIZE CHANGE/s. SIZE is
 * the memory of all slabs of a cache; CHANGE/s is the growth of its objects in use. A line counts
 * the caches above rows_max.
 */
void append_slab_table(GString *out, const SlabTable *slabs, const Verdict *verdict);

/* Appends a table in the layout of bcc's slabratetop: time and load, titles, rows, then the sum of
   all rows and the losses. */
void rate_text_append(GString *out, const RateTable *rates, const Facts *facts,
		      const RateLayout *layout);
