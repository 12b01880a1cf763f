/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/bpf/bpf_ring.h"
#include "collect/bpf/bpf_walk.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The BPF programs in the kernel, and their memory, mapped into this program. All goes away with
 * the descriptors, so nothing is left behind however the program ends.
 */
typedef struct BpfPrograms BpfPrograms;

/* What one run needs of them. */
typedef struct {
	struct kmt_bpf_config config;
	unsigned events; /* bits of ProbeKindBit */
	bool verbose;    /* print what libbpf and the kernel say */
} BpfPlan;

/* Loads the programs of a plan; they do not run yet. Returns NULL with error set. */
BpfPrograms *bpf_programs_load(const BpfPlan *plan, GError **error);

/* Detaches them, if they are attached, and frees everything. */
void bpf_programs_free(BpfPrograms *programs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfPrograms, bpf_programs_free)

/* Attaches them: records arrive from now on. */
bool bpf_programs_attach(BpfPrograms *programs, GError **error);

/* Detaches them, and waits until none is running any more. */
void bpf_programs_detach(BpfPrograms *programs);

/* Returns how many runs the kernel left out so far, because the program was at work already. */
uint64_t bpf_programs_missed(const BpfPrograms *programs);

/* A state, and its ring. */
typedef struct {
	struct kmt_bpf_state *state;
	const uint8_t *ring;
	uint64_t ring_bytes; /* a power of two */
} BpfRing;

/* Returns the ring of a CPU for events in tasks, or that for events that interrupt them. */
BpfRing bpf_programs_ring(const BpfPrograms *programs, uint32_t cpu, bool is_nested);

/* Counts the events of a process, if not those of all are. */
void bpf_programs_count(BpfPrograms *programs, uint32_t tgid);

/* Returns what the programs walk stacks by; NULL: the plan has no rules, or the kernel has not what
   they need. */
struct kmt_bpf_walk *bpf_programs_walk(const BpfPrograms *programs);

/* Sets walk->measured. Returns false if that failed. */
bool bpf_programs_measure(BpfPrograms *programs);

/* Copies kernel memory. Returns false if it cannot be read. Overwrites walk->rules. */
bool bpf_programs_read_kernel(BpfPrograms *programs, uint64_t address, void *to, size_t bytes);

/* Returns the memory in the kernel beside the rings, of that many CPUs. */
uint64_t bpf_programs_bytes(unsigned cpus);
