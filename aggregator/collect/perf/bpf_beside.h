/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * BPF programs on the tracepoints that perf events read. One that returns 0 keeps the event from
 * every perf event of the host, which does not even count it (perf_trace_run_bpf_submit(), since
 * 4.1); beside one that returns 1, events within its own run are missing. So this program counts
 * known allocations of its own thread, and asks the kernel which programs are attached
 * (PERF_EVENT_IOC_QUERY_BPF, since 4.16).
 *
 * What was seen once stays known.
 */
typedef struct BpfBeside BpfBeside;

/* Opens a counter of the calling thread for each of the points (element-type KmemPoint), which are
   borrowed. Those that cannot be opened are not looked at. */
BpfBeside *bpf_beside_new(const GPtrArray *points);
void bpf_beside_free(BpfBeside *beside);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfBeside, bpf_beside_free)

/* Allocates, and looks at what was counted; by the same thread. Returns whether there is more to
   say than the last time. */
bool bpf_beside_look(BpfBeside *beside);

/* Returns the tracepoints whose events did not arrive, and the programs that are attached there:
   "kmalloc (BPF program 12), kfree (BPF programs 12, 15)"; NULL: there are none. The caller frees
   it. */
char *bpf_beside_blind(const BpfBeside *beside);

/* The same of those whose events did arrive. */
char *bpf_beside_attached(const BpfBeside *beside);
