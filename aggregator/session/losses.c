/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up all causes of loss of a session: the ledger, the facts of the stream, full tables. No
 * state: computed when asked, by reports, by the screen and for the exit status. Whether a run is
 * complete, and which remedy helps most, is decided here only.
 */
#include "session/losses.h"

#include "record/format.h"
#include "base/saturate.h"

/* Whether the end of the stream has counters for every CPU whose last batches are missing. */
static bool is_counted_to_end(const Session *session)
{
	return run_info_number(session->info, KMT_FIELD_COUNTED_TO_END, 0) == 1 &&
	       !batch_reader_totals(session->reader).damaged_bytes;
}

/* Whether there may be an undetected loss after the last heartbeats. */
static bool is_end_unknown(const Session *session)
{
	return session->cut_short || !run_info_number(session->info, KMT_FIELD_COUNTED_TO_END, 1);
}

static bool has_counters(const Session *session, const LossTotals *totals)
{
	return totals->transport.high || is_counted_to_end(session);
}

/*
 * The counters of the batches show every loss except that of a CPU's last batches. If nothing else
 * shows that loss, only the collector's count of lost messages is known: at least one event each.
 */
static LossRange transport_lost(const Session *session, const LossTotals *totals)
{
	uint64_t messages = run_info_number(session->info, KMT_FIELD_TRANSPORT_LOST, 0);

	if (has_counters(session, totals))
		return loss_without(totals->transport, loss_add(totals->damaged, totals->unread));
	return loss_exactly(messages);
}

/* The part that the kernel did not deliver. It is of the whole run, and the window may be
   shorter. */
static LossRange not_delivered(const Session *session, LossRange transport)
{
	uint64_t events = run_info_number(session->info, KMT_FIELD_NOT_DELIVERED, 0);

	return (LossRange){ MIN(events, transport.low), MIN(events, transport.high) };
}

/* The collector's final count includes probes before and after the window. */
static uint64_t skipped_probes(const Session *session, const LossTotals *totals)
{
	uint64_t all = run_info_number(session->info, KMT_FIELD_SKIPPED, 0);

	return totals->shared_until_end ? totals->skipped : MAX(all, totals->skipped);
}

/* Whether a slice is shown together with losses that are known only for the whole run. */
static bool has_whole_run(const Session *session, const LossTotals *totals, const Losses *losses)
{
	if (!session->info->sliced)
		return false;
	return losses->untraced_ns || losses->bpf_blind || losses->damaged_bytes ||
	       (losses->transport.high && !has_counters(session, totals)) || losses->missed.high ||
	       (losses->skipped.high && !totals->shared_until_end);
}

/* An empty text takes back what was feared. */
static const char *bpf_blind(const Session *session)
{
	const char *blind = run_info_text(session->info, KMT_FIELD_BPF_BLIND);

	return blind && *blind ? blind : NULL;
}

/* Events that found no room in a table: of the profile (held objects of a kernel's record, too), of
   pairing, or of time spans. */
static uint64_t over_bound(const Session *session, const ProfileTotals *counted)
{
	const Counter *counter = session->counter;

	return saturate_sum(counted->over_bound,
			    counter->over_bound ? counter->over_bound(session) : 0);
}

static uint64_t user_lines_without_room(const Session *session)
{
	return user_maps_losses(session->user_maps)->dropped +
	       user_names_dropped(session->user_names);
}

static uint64_t user_lines_unreadable(const Session *session)
{
	return user_maps_losses(session->user_maps)->invalid +
	       user_names_invalid(session->user_names);
}

Losses losses_of(const Session *session)
{
	LossTotals totals = loss_ledger_totals(session->loss);
	uint64_t damaged_bytes = run_info_number(session->info, KMT_FIELD_DAMAGED_BYTES, 0);
	LossRange transport = transport_lost(session, &totals);
	LossRange unreadable = loss_exactly(session->unreadable_lines);
	ProfileTotals counted = session_totals(session);

	Losses losses = {
		.transport = loss_without(transport, not_delivered(session, transport)),
		.not_delivered = not_delivered(session, transport),
		.unread = totals.unread,
		.skipped = loss_exactly(skipped_probes(session, &totals) + totals.errors),
		.missed = loss_exactly(run_info_number(session->info, KMT_FIELD_PROBES_MISSED, 0)),
		.reentrant = totals.reentrant,
		.damaged = loss_add(totals.damaged, unreadable),
		.over_bound = over_bound(session, &counted),
		.of_past_tasks = counted.of_past_tasks,
		.of_other_tasks = counted.of_other_tasks,
		.of_other_caches = counted.of_other_caches,
		.user_lines = user_lines_without_room(session),
		.user_lines_unreadable = user_lines_unreadable(session),
		.damaged_bytes =
			MAX(damaged_bytes, batch_reader_totals(session->reader).damaged_bytes),
		.untraced_ns = run_info_number(session->info, KMT_FIELD_UNTRACED_NS, 0),
		.counted_to_end = is_counted_to_end(session),
		.end_unknown = is_end_unknown(session),
		.bpf_blind = bpf_blind(session),
		.source_is_silent = session->source_is_silent,
	};

	losses.has_whole_run = has_whole_run(session, &totals, &losses);
	return losses;
}

static LossRange not_arrived(const Losses *losses)
{
	return loss_add(losses->transport, losses->not_delivered);
}

LossRange losses_uncounted(const Losses *losses)
{
	LossRange kernel = not_arrived(losses);
	LossRange probes = loss_add(losses->skipped, losses->reentrant);
	LossRange input = loss_add(losses->unread, losses->damaged);

	return loss_add(loss_add(kernel, probes), loss_add(input, losses->missed));
}

LossRange losses_all(const Losses *losses)
{
	return loss_add(losses_uncounted(losses), loss_exactly(losses->over_bound));
}

uint64_t losses_counted(const Session *session)
{
	return session_totals(session).events;
}

uint64_t losses_received(const Session *session)
{
	return saturate_sum(losses_counted(session), loss_ledger_totals(session->loss).passed_over);
}

double losses_percent(const Session *session, uint64_t lost)
{
	double received = (double)losses_received(session);

	return lost ? 100 * (double)lost / (received + (double)lost) : 0;
}

uint64_t losses_last_ns(const Session *session)
{
	Losses losses = losses_of(session);
	LossTotals totals = loss_ledger_totals(session->loss);
	bool has_timeless_loss =
		losses.source_is_silent || run_info_text(session->info, KMT_FIELD_FREES_NOT_SEEN) ||
		losses.missed.high || losses.end_unknown || losses.bpf_blind ||
		losses.damaged_bytes || losses.untraced_ns || session->unreadable_lines ||
		(not_arrived(&losses).high && !totals.transport.high) ||
		losses.skipped.high > totals.skipped + totals.errors;

	return has_timeless_loss ? UINT64_MAX : loss_ledger_last_loss_ns(session->loss);
}

bool losses_exceed(const Session *session, double percent_max)
{
	Losses losses = losses_of(session);
	uint64_t lost = losses_uncounted(&losses).high;
	bool has_uncountable_loss = losses.end_unknown || losses.bpf_blind ||
				    losses.damaged_bytes || losses.untraced_ns ||
				    session->unreadable_lines || losses.user_lines_unreadable ||
				    run_info_text(session->info, KMT_FIELD_BOUND);

	return has_uncountable_loss || losses_percent(session, lost) > percent_max;
}

bool losses_by_full_tables(const Losses *losses)
{
	return losses->over_bound || losses->of_other_tasks || losses->of_other_caches ||
	       losses->user_lines;
}

uint64_t losses_walks_different(const Session *session)
{
	return run_info_number(session->info, KMT_FIELD_WALKS_DIFFERENT, 0);
}

uint64_t losses_names_different(const Session *session)
{
	return run_info_number(session->info, KMT_FIELD_NAMES_DIFFERENT, 0);
}

bool losses_make_incomplete(const Session *session, double percent_max)
{
	Losses losses = losses_of(session);

	return losses_exceed(session, percent_max) || losses_by_full_tables(&losses) ||
	       memory_budget_is_full(session->memory);
}

bool losses_are_many(const Session *session)
{
	const Losses losses = losses_of(session);
	const uint64_t all = losses_received(session) + losses_uncounted(&losses).high;

	return (double)losses_all(&losses).high * 100 > (double)all;
}

const char *losses_remedy(const Session *session, bool can_load)
{
	Losses losses = losses_of(session);
	uint64_t transport = losses.transport.high, over_bound = losses.over_bound;
	uint64_t not_delivered = losses.not_delivered.high, skipped = losses.skipped.high;
	uint64_t reentrant = losses.reentrant.high;
	uint64_t most = MAX(MAX(MAX(transport, over_bound), not_delivered),
			    MAX(MAX(skipped + reentrant, losses.unread.high),
				MAX(losses.damaged.high, losses.missed.high)));

	if (!most)
		return NULL;
	/* Damaged input also contains missing batches, and no option helps against damage. */
	if (losses.damaged_bytes && !losses.counted_to_end)
		return NULL;
	if (most == transport)
		return session->imported ? "record with larger buffers (perf record -m)"
					 : "use a larger --buffer";
	if (most == over_bound)
		return "use a larger --max-memory";
	if (most == not_delivered)
		return can_load ? "use --collector=stap"
				: "--max-loss=PCT accepts a share of the events";
	if (skipped > reentrant)
		return "SystemTap skipped probes: --collector=perf skips none";
	return NULL;
}
