/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "record/event_reader.h"

#include <glib.h>
#include <stdint.h>

/*
 * LossLedger compares, per CPU, the produced events (the stream's cumulative counters) with the
 * decoded events. The difference is the loss, exact up to the newest batch of each CPU.
 *
 * Only losses inside the window count: the times of the batches around a gap decide. Every CPU's
 * numbers include damaged batches.
 */
typedef struct LossLedger LossLedger;

/* A number of events between two bounds, inclusive. Equal bounds: an exact number. */
typedef struct {
	uint64_t low;
	uint64_t high;
} LossRange;

/* Returns the range of an exact number. */
static inline LossRange loss_exactly(uint64_t events)
{
	return (LossRange){ events, events };
}

static inline LossRange loss_add(LossRange a, LossRange b)
{
	return (LossRange){ a.low + b.low, a.high + b.high };
}

/* Returns a minus its part b. */
static inline LossRange loss_without(LossRange a, LossRange b)
{
	return (LossRange){ a.low - MIN(a.low, b.low), a.high - MIN(a.high, b.high) };
}

/*
 * Numbers of events, except where the name has another unit. If a CPU took one of N events, each
 * lost event represents N events. A loss lies between two batches of its CPU: if their periods
 * differ, it is a range from the smaller to the larger period.
 */
typedef struct {
	LossRange transport;         /* produced, but the batch never arrived, or arrived damaged */
	LossRange unread;            /* ... of these: shown only by the counters read at the end */
	LossRange damaged;           /* ... of these: in batches that arrived damaged */
	LossRange reentrant;         /* dropped by the emitter: its buffer was busy */
	uint64_t skipped;            /* probe hits that SystemTap skipped */
	uint64_t errors;             /* soft errors in the probe module */
	uint64_t transport_failures; /* messages rejected because the transport buffer was full */
	bool shared_until_end;       /* the three above cover the whole window */
	uint64_t left_out_self;      /* no loss: the collector's own processes */
	uint64_t left_out_interrupt; /* no loss: interrupts under a process filter */
	uint64_t passed_over;        /* no loss: arrived, but did not count */
	/* Time spent in probes, from the first to the last heartbeat around the window. Span 0: not
	   measured. */
	uint64_t probe_ns;              /* sum over all CPUs */
	uint64_t probe_span_ns;         /* ... and the time they were observed, as a sum */
	uint64_t probe_ns_busiest;      /* of the CPU with the largest share */
	uint64_t probe_span_ns_busiest; /* ... and the time it was observed */
	uint32_t probe_cpu_busiest;
	/* Sampling period: minimum and maximum over all CPUs; 0: no events. */
	uint32_t sampling_period_min;
	uint32_t sampling_period_max;
	uint32_t sampling_cpu; /* CPU with the maximum */
	uint32_t cpus;         /* CPUs with at least one batch */
} LossTotals;

/* Returns a new one; free it with loss_ledger_free(). */
LossLedger *loss_ledger_new(void);
void loss_ledger_free(LossLedger *ledger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LossLedger, loss_ledger_free)

/* Sets the budget (borrowed) for the memory of each CPU; a CPU without memory is not tracked.
   Without a budget memory is not limited. */
void loss_ledger_set_memory(LossLedger *ledger, MemoryBudget *memory);

/* Limits counting to start_ns..end_ns (monotonic). */
void loss_ledger_set_window(LossLedger *ledger, uint64_t start_ns, uint64_t end_ns);

/* Adds a batch; decoded: how many of its events count as decoded. */
void loss_ledger_enter(LossLedger *ledger, const Events *events, uint64_t decoded);

/* Returns the sums over all CPUs. */
LossTotals loss_ledger_totals(const LossLedger *ledger);

/* Appends the newest counters of each CPU, for a stream that goes on from here: batches before its
   window, which begins at start_ns. A reader of that stream takes the events up to here neither as
   received nor as lost. */
void loss_ledger_write_counters(const LossLedger *ledger, uint64_t start_ns, GByteArray *out);

/* Returns the newest sum of skipped probe hits, and of rejected messages, since the probes were
   live, independent of the window. */
uint64_t loss_ledger_all_skipped(const LossLedger *ledger);
uint64_t loss_ledger_all_transport_failures(const LossLedger *ledger);

/* Returns an upper bound of the time of the last event that was lost in or before the window: every
   such event was before it. 0: nothing was lost; UINT64_MAX: no bound is known, for example because
   only the counters read at the end show the loss. */
uint64_t loss_ledger_last_loss_ns(const LossLedger *ledger);

/* Returns the smallest number of heartbeats of any CPU that sent a batch; *cpus (if not NULL): the
   number of these CPUs. Collectors check with it that every CPU is live, or drained. */
uint64_t loss_ledger_heartbeats(const LossLedger *ledger, uint32_t *cpus);

/* Returns the time until which the CPU reported that all its events were sent; 0: never. */
uint64_t loss_ledger_cpu_complete_until(const LossLedger *ledger, uint32_t number);

/* Returns the number of CPUs that sent a batch. */
uint32_t loss_ledger_cpus(const LossLedger *ledger);

/* Returns the minimum of these times over all CPUs that sent a batch. */
uint64_t loss_ledger_complete_until(const LossLedger *ledger);
