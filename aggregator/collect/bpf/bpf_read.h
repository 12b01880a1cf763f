/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/bpf/bpf_programs.h"
#include "collect/bpf/bpf_rules.h"
#include "collect/run/collector.h"
#include "record/event_writer.h"
#include "symbols/symbol_store.h"

/* Reads the rings of the BPF programs into batches: what is once in a ring is once in a batch, too.
 */
typedef struct BpfReader BpfReader;

/* Reads the rings of that many CPUs. Everything is borrowed; text_start and text_end are the
   kernel's. Batches go to send with that user data. */
typedef struct {
	const BpfPrograms *programs;
	const CollectRequest *request;
	uint32_t cpus;
	const SymbolStore *symbols;
	BpfRules *rules; /* NULL: the kernel walks all stacks */
	uint64_t text_start, text_end;
	BatchSender send;
	void *user_data;
} BpfReaderPlan;

/* Returns a new one; free it with bpf_reader_free(). */
BpfReader *bpf_reader_new(const BpfReaderPlan *plan);
void bpf_reader_free(BpfReader *reader);

/* Reads all rings up to their ends of this moment. complete_until_ns: says in the stream that no
   earlier event will follow; 0: says nothing. */
void bpf_reader_round(BpfReader *reader, uint64_t complete_until_ns);

/* Walks of stacks so far: that the kernel had to do, although there are rules; and that both did.
 */
typedef struct {
	uint64_t by_kernel, compared, different;
} BpfWalks;

/* Returns those of all CPUs. */
BpfWalks bpf_reader_walks(const BpfReader *reader);

/* Returns the estimated time that the programs on a CPU and its part of the reader took so far. */
uint64_t bpf_reader_cost_ns(const BpfReader *reader, uint32_t cpu);
