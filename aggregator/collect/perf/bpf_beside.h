/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Detects BPF programs on the tracepoints that perf events read. A program that returns 0 hides the
 * event from all perf events of the host, which do not even count it (perf_trace_run_bpf_submit(),
 * since 4.1). With a program that returns 1, events that occur while the program runs are missing.
 * So this program counts known allocations of its own thread, and asks the kernel which programs
 * are attached (PERF_EVENT_IOC_QUERY_BPF, since 4.16).
 *
 * A finding is kept for the rest of the run.
 */
typedef struct BpfBeside BpfBeside;

/* Opens a counter of the calling thread for each of the points (element-type KmemPoint, borrowed).
   Points that cannot be opened are not checked. */
BpfBeside *bpf_beside_new(const GPtrArray *points);
void bpf_beside_free(BpfBeside *beside);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfBeside, bpf_beside_free)

/* Allocates and checks the counts. Must run in the thread that opened the counters. Returns whether
   there are new findings since the last call. */
bool bpf_beside_look(BpfBeside *beside);

/* Returns the tracepoints whose events did not arrive, with the attached programs: "kmalloc (BPF
   program 12), kfree (BPF programs 12, 15)"; NULL: none. The caller frees it. */
char *bpf_beside_blind(const BpfBeside *beside);

/* Returns the tracepoints with attached programs whose events did arrive, in the same form. */
char *bpf_beside_attached(const BpfBeside *beside);
