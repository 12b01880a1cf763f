/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger of losses: for each CPU the counters of its newest batch, as they were at both edges
 * of the window, and the gaps in the numbers of its batches. Late batches fill gaps again.
 * session.c enters each batch; reports, exit status and pairing read the totals. Where the period
 * changed around a loss, a range is kept instead of one number.
 */
#include "count/loss.h"

#include "base/lowest.h"
#include "record/batch.h"
#include "record/format.h"
#include "base/hot_assert.h"
#include "record/batch_writer.h"

#include <string.h>

enum {
	CPUS_MAX = 65536, /* higher numbers in a stream are damage */
	GAPS_MAX = 4,     /* remembered one by one, per CPU */
};

/* A CPU's counters at one time, in represented events. */
typedef struct {
	LossRange lost;   /* produced, but not decoded */
	LossRange unread; /* ... of these: not shown by any batch from the CPU itself */
	LossRange damaged;
	LossRange reentrant;
	uint64_t left_out_self;
	uint64_t left_out_interrupt;
	uint64_t passed_over;
	uint64_t probe_ns;
	uint64_t probe_until_ns; /* time of that probe_ns; 0: unknown */
} Counters;

/* SystemTap's own counters, as sums over all CPUs. */
typedef struct {
	uint64_t skipped;
	uint64_t errors;
	uint64_t transport_failures;
} SharedCounters;

/* Missing batches, until they arrive late. */
typedef struct {
	uint64_t from; /* the CPU's count of produced events before and after the gap */
	uint64_t to;
	uint64_t missing;  /* of these events */
	uint64_t until_ns; /* they were before */
} Gap;

/* When events of a CPU were lost for the last time. */
typedef struct {
	Gap gaps[GAPS_MAX]; /* the last one may include several */
	unsigned gaps_count;
	uint64_t until_ns; /* of other losses: they were before; 0: none */
	/* Other losses came before the end of a batch with this base time. Its end is known when
	   the next batch begins. */
	bool is_open;
	uint64_t open_base_ns;
} LastLoss;

typedef struct {
	bool after_window;
	uint32_t sampling_period_min; /* 0: no events yet */
	uint32_t sampling_period_max;
	uint32_t sampling_period; /* of the newest batch; 0: no batch */
	uint64_t produced;
	uint64_t decoded;
	uint64_t dropped_reentrant;
	uint64_t heartbeats;
	uint64_t complete_until_ns;
	Counters newest;
	Counters at_start; /* at the start of the window */
	Counters at_end;
	LastLoss last;
} Cpu;

/* Includes its nodes in the tree of Lowest, which grows by doubling. */
enum { CPU_BYTES = sizeof(Cpu) + 4 * sizeof(uint64_t) };

struct LossLedger {
	MemoryBudget *memory; /* borrowed; NULL: unbounded */
	/* (element-type guint), owned, by CPU number: position in cpus + 1; 0: not seen. A stream
	   may contain a few CPUs with high numbers. */
	GArray *places;
	GArray *cpus;             /* (element-type Cpu), owned: the CPUs seen */
	Lowest complete_until_ns; /* of cpus */
	uint64_t window_start_ns;
	uint64_t window_end_ns;
	bool after_window; /* a heartbeat from after the window was received */
	bool has_untracked_cpus;
	uint64_t skipped_until_ns; /* the last increase of shared counters was before; 0: none */
	SharedCounters newest;
	SharedCounters at_start;
	SharedCounters at_end;
};

LossLedger *loss_ledger_new(void)
{
	LossLedger *ledger = g_new0(LossLedger, 1);

	ledger->places = g_array_new(FALSE, TRUE, sizeof(guint));
	ledger->cpus = g_array_new(FALSE, TRUE, sizeof(Cpu));
	lowest_init(&ledger->complete_until_ns);
	ledger->window_end_ns = UINT64_MAX;
	return ledger;
}

void loss_ledger_free(LossLedger *ledger)
{
	if (!ledger)
		return;
	lowest_clear(&ledger->complete_until_ns);
	g_array_unref(ledger->places);
	g_array_unref(ledger->cpus);
	g_free(ledger);
}

void loss_ledger_set_memory(LossLedger *ledger, MemoryBudget *memory)
{
	ledger->memory = memory;
}

void loss_ledger_set_window(LossLedger *ledger, uint64_t start_ns, uint64_t end_ns)
{
	ledger->window_start_ns = start_ns;
	ledger->window_end_ns = end_ns;
}

/* Returns a CPU by its number, or NULL if it has no batch. */
static Cpu *cpu_lookup(const LossLedger *ledger, uint32_t number)
{
	guint place =
		number < ledger->places->len ? g_array_index(ledger->places, guint, number) : 0;

	return place ? &g_array_index(ledger->cpus, Cpu, place - 1) : NULL;
}

/* Returns a CPU, adding it if new; NULL: no memory. */
static Cpu *cpu_of(LossLedger *ledger, uint32_t number)
{
	guint added = number < ledger->places->len ? 0 : number + 1 - ledger->places->len;

	if (cpu_lookup(ledger, number))
		return cpu_lookup(ledger, number);
	if (!memory_budget_take(ledger->memory, MEMORY_CPUS, CPU_BYTES + added * sizeof(guint)))
		return NULL;
	if (number >= ledger->places->len)
		g_array_set_size(ledger->places, number + 1);
	g_array_set_size(ledger->cpus, ledger->cpus->len + 1);
	g_array_index(ledger->places, guint, number) = ledger->cpus->len;
	return cpu_lookup(ledger, number);
}

static uint64_t loss_difference(uint64_t newer, uint64_t older)
{
	return newer > older ? newer - older : 0;
}

/* To call after complete_until_ns was read: the time of the measurement. */
static void read_cost(Cpu *cpu, uint64_t probe_ns)
{
	if (probe_ns == KMT_NOT_MEASURED)
		return;
	cpu->newest.probe_ns = MAX(cpu->newest.probe_ns, probe_ns);
	cpu->newest.probe_until_ns = cpu->complete_until_ns;
	/* Without a heartbeat before the window, the cost begins with the first one inside. */
	if (!cpu->at_start.probe_until_ns) {
		cpu->at_start.probe_ns = cpu->newest.probe_ns;
		cpu->at_start.probe_until_ns = cpu->newest.probe_until_ns;
	}
}

static void read_heartbeat(LossLedger *ledger, Cpu *cpu, const struct KmtHeartbeat *beat)
{
	SharedCounters *shared = &ledger->newest;
	/* Rejected messages are missing in the counters of their CPU, too: see note_gap(). */
	bool has_skipped = beat->skipped > shared->skipped || beat->errors > shared->errors;

	cpu->heartbeats++;
	cpu->complete_until_ns = MAX(cpu->complete_until_ns, beat->complete_until_ns);
	read_cost(cpu, beat->probe_ns);
	cpu->newest.passed_over = MAX(cpu->newest.passed_over, beat->passed_over);
	if (has_skipped && !ledger->after_window)
		ledger->skipped_until_ns = MAX(ledger->skipped_until_ns, beat->complete_until_ns);
	shared->skipped = MAX(shared->skipped, beat->skipped);
	shared->errors = MAX(shared->errors, beat->errors);
	shared->transport_failures = MAX(shared->transport_failures, beat->transport_failures);
	if (!ledger->after_window)
		ledger->at_end = *shared;
	ledger->after_window |= cpu->complete_until_ns > ledger->window_end_ns;
}

/* The sampling periods around a loss. */
typedef struct {
	uint32_t least;
	uint32_t most;
} Periods;

/* Between the previous batch and this one. Batches of counters have no period, and before the first
   batch there is none. */
static Periods periods_around(const Cpu *cpu, const struct KmtBatchHeader *header, bool is_reading)
{
	uint32_t now = MAX(header->sampling_period, 1);
	uint32_t before = cpu->sampling_period ? cpu->sampling_period : now;

	if (is_reading)
		now = before;
	return (Periods){ MIN(before, now), MAX(before, now) };
}

static LossRange loss_scaled(uint64_t records, Periods periods)
{
	return (LossRange){ records * periods.least, records * periods.most };
}

/* A batch, as the ledger uses it. */
typedef struct {
	const Events *events;
	uint64_t damaged; /* events that it contains, but that could not be decoded */
	Periods around;   /* ... of this and the previous batch */
	Periods own;      /* of this batch, twice */
	bool is_reading;  /* counters read at the end: emitters send no empty batches */
} Seen;

/* The latest time that a batch shows. */
static uint64_t end_of(const Events *events)
{
	uint64_t end_ns = events->header->base_time_ns;

	if (events->events_count)
		end_ns = event_time_ns(events, &events->events[events->events_count - 1]);
	for (size_t i = 0; i < events->heartbeats_count; i++)
		end_ns = MAX(end_ns, events->heartbeats[i].complete_until_ns);
	return end_ns;
}

/* A late batch may belong to a gap. */
static void fill_gap(LastLoss *last, const Seen *seen)
{
	const struct KmtBatchHeader *header = seen->events->header;
	uint64_t produced = header->events_total;
	Gap *gap = last->gaps, *end = last->gaps + last->gaps_count;

	while (gap < end && (produced <= gap->from || produced > gap->to))
		gap++;
	if (gap == end)
		return;
	gap->missing -= MIN(gap->missing, header->events - seen->damaged);
	if (gap->missing)
		return;
	last->gaps_count--;
	memmove(gap, gap + 1, (size_t)(&last->gaps[last->gaps_count] - gap) * sizeof(*gap));
}

static void add_gap(LastLoss *last, const Gap *gap)
{
	Gap *newest;

	if (last->gaps_count < GAPS_MAX) {
		last->gaps[last->gaps_count++] = *gap;
		return;
	}
	newest = &last->gaps[GAPS_MAX - 1];
	newest->to = gap->to;
	newest->missing += gap->missing;
	newest->until_ns = MAX(newest->until_ns, gap->until_ns);
}

/* Batches are missing before this one, or it was missing itself. */
static void note_gap(Cpu *cpu, const Seen *seen, uint64_t produced_before)
{
	const struct KmtBatchHeader *header = seen->events->header;
	uint64_t to = loss_difference(header->events_total, header->events);
	const Gap gap = {
		.from = produced_before,
		.to = to,
		.missing = loss_difference(to, produced_before),
		.until_ns = seen->is_reading ? UINT64_MAX : end_of(seen->events),
	};

	if (header->events_total <= produced_before)
		fill_gap(&cpu->last, seen);
	else if (gap.missing && !cpu->after_window)
		add_gap(&cpu->last, &gap);
}

/* Damaged and reentrant events were lost before the end of their batch. Emitters write a heartbeat
   just before that end. */
static void note_inside(Cpu *cpu, const Seen *seen, uint64_t reentrant)
{
	LastLoss *last = &cpu->last;
	uint64_t base_ns = seen->events->header->base_time_ns;

	if (last->is_open && base_ns > last->open_base_ns) {
		last->until_ns = MAX(last->until_ns, base_ns);
		last->is_open = false;
	}
	if ((!seen->damaged && !reentrant) || cpu->after_window)
		return;
	last->is_open = seen->damaged || !seen->events->heartbeats_count;
	last->open_base_ns = base_ns;
	if (!last->is_open)
		last->until_ns = MAX(last->until_ns, end_of(seen->events));
}

/* Updates the number of events that were produced, but not decoded. A late batch reduces it. */
static void settle_lost(Cpu *cpu, const Seen *seen, uint64_t missing_before)
{
	Counters *newest = &cpu->newest;
	uint64_t missing = loss_difference(cpu->produced, cpu->decoded);
	uint64_t more = loss_difference(missing, missing_before);
	uint64_t damaged = MIN(more, seen->damaged);
	LossRange before = loss_scaled(more - damaged, seen->around);

	newest->lost = loss_add(newest->lost, loss_add(before, loss_scaled(damaged, seen->own)));
	newest->lost = loss_without(
		newest->lost, loss_scaled(loss_difference(missing_before, missing), seen->own));
	if (!missing)
		newest->lost = loss_exactly(0);
	newest->unread = seen->is_reading ? loss_add(newest->unread, before) : loss_exactly(0);
}

static Seen seen_of(const Cpu *cpu, const Events *events, uint64_t decoded)
{
	const struct KmtBatchHeader *header = events->header;
	bool is_reading = !header->events && !header->heartbeats;
	Periods around = periods_around(cpu, header, is_reading);
	uint32_t own = is_reading ? around.most : MAX(header->sampling_period, 1);

	return (Seen){
		.events = events,
		.damaged = loss_difference(header->events, decoded),
		.around = around,
		.own = { own, own },
		.is_reading = is_reading,
	};
}

static void read_header(Cpu *cpu, const Seen *seen)
{
	const struct KmtBatchHeader *header = seen->events->header;
	Counters *newest = &cpu->newest;
	uint64_t produced_before = cpu->produced;
	uint64_t missing_before = loss_difference(cpu->produced, cpu->decoded);
	uint64_t dropped = loss_difference(header->dropped_reentrant, cpu->dropped_reentrant);

	cpu->decoded += header->events - seen->damaged;
	cpu->produced = MAX(cpu->produced, header->events_total);
	cpu->dropped_reentrant += dropped;
	cpu->sampling_period = seen->own.most;
	settle_lost(cpu, seen, missing_before);
	note_gap(cpu, seen, produced_before);
	note_inside(cpu, seen, dropped);
	newest->damaged = loss_add(newest->damaged, loss_scaled(seen->damaged, seen->own));
	newest->reentrant = loss_add(newest->reentrant, loss_scaled(dropped, seen->around));
	newest->left_out_self = MAX(newest->left_out_self, header->left_out_self);
	newest->left_out_interrupt = MAX(newest->left_out_interrupt, header->left_out_interrupt);
}

/*
 * Events missing between the last batch before an edge of the window and the first batch after it
 * may have been inside. They count as lost in the window: rather too many than too few.
 */
static void place_in_window(LossLedger *ledger, Cpu *cpu, uint64_t time_ns)
{
	if (time_ns < ledger->window_start_ns) {
		cpu->at_start = cpu->newest;
		ledger->at_start = ledger->newest;
	}
	if (!cpu->after_window)
		cpu->at_end = cpu->newest;
	cpu->after_window = time_ns > ledger->window_end_ns;
}

static void note_sampling(const LossLedger *ledger, Cpu *cpu, const struct KmtBatchHeader *header)
{
	uint32_t period = MAX(header->sampling_period, 1);

	if (!header->events || cpu->after_window || header->base_time_ns < ledger->window_start_ns)
		return;
	if (!cpu->sampling_period_min || period < cpu->sampling_period_min)
		cpu->sampling_period_min = period;
	cpu->sampling_period_max = MAX(cpu->sampling_period_max, period);
}

void loss_ledger_enter(LossLedger *ledger, const Events *events, uint64_t decoded)
{
	const struct KmtBatchHeader *header = events->header;
	Cpu *cpu;
	Seen seen;

	if (header->cpu >= CPUS_MAX)
		return;
	cpu = cpu_of(ledger, header->cpu);
	ledger->has_untracked_cpus |= !cpu;
	if (!cpu)
		return;
	/* A damaged record count would hide later losses, so the header's count is the maximum. */
	seen = seen_of(cpu, events, decoded);
	read_header(cpu, &seen);
	for (size_t i = 0; i < events->heartbeats_count; i++)
		read_heartbeat(ledger, cpu, &events->heartbeats[i]);
	lowest_set(&ledger->complete_until_ns,
		   g_array_index(ledger->places, guint, header->cpu) - 1, cpu->complete_until_ns);
	place_in_window(ledger, cpu, header->base_time_ns);
	note_sampling(ledger, cpu, header);
}

static double loss_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void add_cost(LossTotals *totals, const Cpu *cpu, uint32_t number)
{
	uint64_t probe_ns = loss_difference(cpu->at_end.probe_ns, cpu->at_start.probe_ns);
	uint64_t span_ns =
		loss_difference(cpu->at_end.probe_until_ns, cpu->at_start.probe_until_ns);

	totals->probe_ns += probe_ns;
	totals->probe_span_ns += span_ns;
	if (totals->probe_span_ns_busiest &&
	    loss_share(probe_ns, span_ns) <=
		    loss_share(totals->probe_ns_busiest, totals->probe_span_ns_busiest))
		return;
	totals->probe_ns_busiest = probe_ns;
	totals->probe_span_ns_busiest = span_ns;
	totals->probe_cpu_busiest = number;
}

static void add_sampling(LossTotals *totals, const Cpu *cpu, uint32_t number)
{
	uint32_t least = cpu->sampling_period_min;

	if (!least)
		return;
	if (!totals->sampling_period_min || least < totals->sampling_period_min)
		totals->sampling_period_min = least;
	if (cpu->sampling_period_max <= totals->sampling_period_max)
		return;
	totals->sampling_period_max = cpu->sampling_period_max;
	totals->sampling_cpu = number;
}

static void add_since(LossRange *total, LossRange end, LossRange start)
{
	*total = loss_add(*total, loss_without(end, start));
}

static void add_cpu(LossTotals *totals, const Cpu *cpu, uint32_t number)
{
	const Counters *start = &cpu->at_start;
	const Counters *end = &cpu->at_end;

	totals->cpus++;
	add_since(&totals->transport, end->lost, start->lost);
	add_since(&totals->unread, end->unread, start->unread);
	add_since(&totals->damaged, end->damaged, start->damaged);
	add_since(&totals->reentrant, end->reentrant, start->reentrant);
	add_sampling(totals, cpu, number);
	totals->left_out_self += loss_difference(end->left_out_self, start->left_out_self);
	totals->left_out_interrupt +=
		loss_difference(end->left_out_interrupt, start->left_out_interrupt);
	totals->passed_over += loss_difference(end->passed_over, start->passed_over);
	add_cost(totals, cpu, number);
}

LossTotals loss_ledger_totals(const LossLedger *ledger)
{
	LossTotals totals = { 0 };

	for (guint number = 0; number < ledger->places->len; number++) {
		const Cpu *cpu = cpu_lookup(ledger, number);

		if (cpu)
			add_cpu(&totals, cpu, number);
	}
	totals.skipped = loss_difference(ledger->at_end.skipped, ledger->at_start.skipped);
	totals.errors = loss_difference(ledger->at_end.errors, ledger->at_start.errors);
	totals.transport_failures = loss_difference(ledger->at_end.transport_failures,
						    ledger->at_start.transport_failures);
	totals.shared_until_end = ledger->after_window;
	return totals;
}

uint64_t loss_ledger_last_loss_ns(const LossLedger *ledger)
{
	uint64_t until_ns = ledger->has_untracked_cpus ? UINT64_MAX : ledger->skipped_until_ns;

	for (guint i = 0; i < ledger->cpus->len; i++) {
		const LastLoss *last = &g_array_index(ledger->cpus, Cpu, i).last;

		until_ns = MAX(until_ns, last->is_open ? UINT64_MAX : last->until_ns);
		for (unsigned gap = 0; gap < last->gaps_count; gap++)
			until_ns = MAX(until_ns, last->gaps[gap].until_ns);
	}
	return until_ns;
}

uint64_t loss_ledger_heartbeats(const LossLedger *ledger, uint32_t *cpus)
{
	uint64_t fewest = UINT64_MAX;

	for (guint i = 0; i < ledger->cpus->len; i++)
		fewest = MIN(fewest, g_array_index(ledger->cpus, Cpu, i).heartbeats);
	if (cpus)
		*cpus = ledger->cpus->len;
	return ledger->cpus->len ? fewest : 0;
}

uint64_t loss_ledger_cpu_complete_until(const LossLedger *ledger, uint32_t number)
{
	const Cpu *cpu = cpu_lookup(ledger, number);

	return cpu ? cpu->complete_until_ns : 0;
}

uint32_t loss_ledger_cpus(const LossLedger *ledger)
{
	return ledger->cpus->len;
}

uint64_t loss_ledger_complete_until(const LossLedger *ledger)
{
	return ledger->cpus->len ? lowest_value(&ledger->complete_until_ns) : 0;
}

/* The cost is left out: the first heartbeat of the new stream begins its measurement. */
void loss_ledger_write_counters(const LossLedger *ledger, uint64_t start_ns, GByteArray *out)
{
	for (guint number = 0; number < ledger->places->len; number++) {
		const Cpu *cpu = cpu_lookup(ledger, number);
		CpuCounters counters = { .cpu = number };
		struct KmtHeartbeat beat = {
			.complete_until_ns = start_ns,
			.skipped = ledger->newest.skipped,
			.errors = ledger->newest.errors,
			.transport_failures = ledger->newest.transport_failures,
			.probe_ns = KMT_NOT_MEASURED,
		};

		if (!cpu)
			continue;
		counters.events_total = cpu->produced;
		counters.dropped_reentrant = cpu->dropped_reentrant;
		counters.left_out_self = cpu->newest.left_out_self;
		counters.left_out_interrupt = cpu->newest.left_out_interrupt;
		beat.passed_over = cpu->newest.passed_over;
		batch_write_heartbeat(out, &counters, cpu->sampling_period, beat, start_ns - 1);
	}
}

uint64_t loss_ledger_all_skipped(const LossLedger *ledger)
{
	return ledger->newest.skipped;
}

uint64_t loss_ledger_all_transport_failures(const LossLedger *ledger)
{
	return ledger->newest.transport_failures;
}
