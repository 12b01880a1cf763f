/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_events.h"

#include <glib.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Detects BPF programs on the tracepoints that perf events read. A program that returns 0 hides the
 * event from all perf events of the host, which do not even count it (perf_trace_run_bpf_submit()
 * and perf_syscall_enter(), since 4.1). With a program that returns 1, events that occur while the
 * program runs are missing. So this program asks the kernel which programs are attached
 * (PERF_EVENT_IOC_QUERY_BPF, since 4.16), and counts whether events arrive while they are.
 *
 * A program whose instructions can return only other numbers than 0 hides nothing. Of any other
 * program, only known events prove that it hides them: the allocators' tracepoints have some at
 * each look. At any other tracepoint, none may have happened.
 *
 * Functions have no such programs: each probe of perf's PMUs has its own.
 */
typedef struct BpfBeside BpfBeside;

/* Returns a new one; free it with bpf_beside_free(). */
BpfBeside *bpf_beside_new(void);
void bpf_beside_free(BpfBeside *beside);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfBeside, bpf_beside_free)

/* Adds a tracepoint by its number in tracefs; its name is borrowed. A tracepoint that cannot be
   opened is not checked. */
void bpf_beside_watch(BpfBeside *beside, const char *name, uint16_t id);

/* Adds a probe point (borrowed) if it is a tracepoint. */
void bpf_beside_watch_point(BpfBeside *beside, const PointEvent *event);

/* Allocates, asks and counts. */
void bpf_beside_look(BpfBeside *beside);

/* Returns whether each exit of a program, of its functions, too, follows an instruction that sets
   the result to a constant other than 0, which no jump leaves out. Count: of the instructions, as
   the kernel hands them out. */
bool bpf_beside_lets_pass(const struct bpf_insn *program, uint32_t count);

/* Returns the tracepoints of which no event arrived while a program was attached that may hide
   them, with the programs: "kmalloc (BPF program 12), kfree (BPF programs 12, 15)"; NULL: none.
   While the same programs are attached, a later event takes a tracepoint off the list. The caller
   frees it. */
char *bpf_beside_blind(const BpfBeside *beside);

/* Returns the other tracepoints with programs, in the same form. */
char *bpf_beside_attached(const BpfBeside *beside);
