/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "record/event_reader.h"

#include <glib.h>

/*
 * LossLedger keeps, per CPU, what the stream's cumulative counters say was produced against what
 * was decoded. The difference is the loss, exact up to the newest batch of each CPU.
 *
 * Only what was lost inside the window counts: a gap between two batches of a CPU is judged by
 * the times of the batches around it. Every CPU's numbers include those of damaged batches.
 */
typedef struct LossLedger LossLedger;

/* A number of events that is known to lie between two bounds, both included; equal ones: exactly.
 */
typedef struct {
	uint64_t low;
	uint64_t high;
} LossRange;

/* Returns the range of a number that is known. */
static inline LossRange loss_exactly(uint64_t events)
{
	return (LossRange){ events, events };
}

static inline LossRange loss_add(LossRange a, LossRange b)
{
	return (LossRange){ a.low + b.low, a.high + b.high };
}

/* Returns what is left of a without the part b of it. */
static inline LossRange loss_without(LossRange a, LossRange b)
{
	return (LossRange){ a.low - MIN(a.low, b.low), a.high - MIN(a.high, b.high) };
}

/*
 * Events, except where the name says otherwise. If a CPU took one of N events, each lost one stands
 * for N events. A loss lies between two batches of its CPU: where these have different periods, it
 * is a range from the smaller one to the larger one.
 */
typedef struct {
	LossRange transport; /* produced, but their batch never arrived, or arrived damaged */
	LossRange unread;    /* ... the part of them that only the counters read at the end show */
	LossRange damaged;   /* ... the part of them that arrived in damaged batches */
	LossRange reentrant; /* dropped by the emitter: its buffer was busy */
	uint64_t skipped;    /* probe hits that SystemTap skipped */
	uint64_t errors;     /* soft errors in the probe module */
	uint64_t transport_failures; /* messages that found the transport buffer full */
	bool shared_until_end;       /* the three above cover the whole window */
	uint64_t left_out_self;      /* no loss: the collector's own processes */
	uint64_t left_out_interrupt; /* no loss: interrupts under a process filter */
	/* Time spent in probes, between the first and the last heartbeat around the window. Spans
	   of 0: it was not measured. */
	uint64_t probe_ns;              /* of all CPUs together */
	uint64_t probe_span_ns;         /* ... and how long they were watched, together */
	uint64_t probe_ns_busiest;      /* of the CPU that spent the largest share */
	uint64_t probe_span_ns_busiest; /* ... and how long it was watched */
	uint32_t probe_cpu_busiest;
	/* One of so many events was taken: least and most of all CPUs; 0: there was no event. */
	uint32_t sampling_period_min;
	uint32_t sampling_period_max;
	uint32_t sampling_cpu; /* that had the most */
	uint32_t cpus;         /* that wrote any batch */
} LossTotals;

LossLedger *loss_ledger_new(void);
void loss_ledger_free(LossLedger *ledger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LossLedger, loss_ledger_free)

/* The memory of each CPU is taken from that budget, which is borrowed; one that is refused is not
   kept. Without it nothing is bounded. */
void loss_ledger_set_memory(LossLedger *ledger, MemoryBudget *memory);

/* Only what happened from start_ns to end_ns (monotonic) counts. */
void loss_ledger_set_window(LossLedger *ledger, uint64_t start_ns, uint64_t end_ns);

/* Enters a batch; decoded: how many of its events count as decoded. */
void loss_ledger_enter(LossLedger *ledger, const Events *events, uint64_t decoded);

/* Returns the memory in use, in bytes. */
size_t loss_ledger_memory(const LossLedger *ledger);

LossTotals loss_ledger_totals(const LossLedger *ledger);

/* Returns the heartbeats seen so far of the CPU that has sent fewest, of those that sent any batch;
   *cpus (if not NULL) is how many those are. Collectors use it to see that every CPU is live, or
   drained. */
uint64_t loss_ledger_heartbeats(const LossLedger *ledger, uint32_t *cpus);

/* The time until which that CPU has said that all its events were sent; 0: it has not. */
uint64_t loss_ledger_cpu_complete_until(const LossLedger *ledger, uint32_t number);

/* The time until which every CPU that sent a batch has said that all its events were sent. */
uint64_t loss_ledger_complete_until(const LossLedger *ledger);
