/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/lost.h"

#include "escape.h"
#include "report/numbers.h"
#include "report/report.h"
#include "report/sampling.h"

#include <string.h>

/* Events lost in the window, by cause. */
typedef struct {
	uint64_t transport;     /* for want of a buffer */
	uint64_t not_delivered; /* counted by the kernel, but never handed over */
	uint64_t unread;
	uint64_t skipped;
	uint64_t reentrant;
	uint64_t damaged;
	uint64_t over_bound;
	uint64_t damaged_bytes; /* unreadable input, in which the events cannot be told */
	uint64_t untraced_ns;   /* of CPUs that were online: their events cannot be told, either */
} Causes;

/* Whether the end of the stream has the counters of every CPU whose last batches it has not. */
static bool is_counted_to_end(const Session *session)
{
	return run_info_number(session->info, KMT_FIELD_COUNTED_TO_END, 0) == 1 &&
	       !batch_reader_totals(session->reader).damaged_bytes;
}

/* Whether something may have been lost after the last heartbeats that nothing tells. */
static bool is_end_unknown(const Session *session)
{
	return session->cut_short || !run_info_number(session->info, KMT_FIELD_COUNTED_TO_END, 1);
}

/*
 * The counters of the batches tell every loss but that of a CPU's last ones. Where nothing else
 * tells that, the collector's own count of lost messages is all that is known: at least an event
 * each.
 */
static uint64_t transport_lost(const Session *session, const LossTotals *totals)
{
	uint64_t messages = run_info_number(session->info, KMT_FIELD_TRANSPORT_LOST, 0);
	uint64_t told_else = totals->damaged + totals->unread;

	if (totals->transport || is_counted_to_end(session))
		return totals->transport - MIN(totals->transport, told_else);
	return messages;
}

/* What the collector says at its end counts probes from before and after the window, too. */
static uint64_t skipped_probes(const Session *session, const LossTotals *totals)
{
	uint64_t all = run_info_number(session->info, KMT_FIELD_SKIPPED, 0);

	return totals->shared_until_end ? totals->skipped : MAX(all, totals->skipped);
}

static Causes causes_of(const Session *session)
{
	LossTotals totals = loss_ledger_totals(session->loss);
	uint64_t damaged_bytes = run_info_number(session->info, KMT_FIELD_DAMAGED_BYTES, 0);
	uint64_t transport = transport_lost(session, &totals);
	/* Of the whole run, of which the window may be a part. */
	uint64_t not_delivered =
		MIN(run_info_number(session->info, KMT_FIELD_NOT_DELIVERED, 0), transport);

	return (Causes){
		.transport = transport - not_delivered,
		.not_delivered = not_delivered,
		.unread = totals.unread,
		.skipped = skipped_probes(session, &totals) + totals.errors,
		.reentrant = totals.reentrant,
		.damaged = totals.damaged + session->unreadable_lines,
		.over_bound = profile_totals(session->profile).over_bound,
		.damaged_bytes =
			MAX(damaged_bytes, batch_reader_totals(session->reader).damaged_bytes),
		.untraced_ns = run_info_number(session->info, KMT_FIELD_UNTRACED_NS, 0),
	};
}

static uint64_t never_counted(const Causes *causes)
{
	return causes->transport + causes->not_delivered + causes->unread + causes->skipped +
	       causes->reentrant + causes->damaged;
}

uint64_t report_events_lost(const Session *session)
{
	Causes causes = causes_of(session);

	return never_counted(&causes) + causes.over_bound;
}

uint64_t report_events_never_counted(const Session *session)
{
	Causes causes = causes_of(session);

	return never_counted(&causes);
}

uint64_t report_events_in_all(const Session *session)
{
	Causes causes = causes_of(session);

	return profile_totals(session->profile).events + never_counted(&causes);
}

const char *report_loss_remedy(const Session *session)
{
	Causes causes = causes_of(session);
	uint64_t most =
		MAX(MAX(MAX(causes.transport, causes.over_bound), causes.not_delivered),
		    MAX(MAX(causes.skipped + causes.reentrant, causes.unread), causes.damaged));

	if (!most)
		return NULL;
	/* Damaged input is missing batches, too; no option helps against that. */
	if (causes.damaged_bytes && !is_counted_to_end(session))
		return NULL;
	if (most == causes.transport)
		return "use a larger --buffer";
	if (most == causes.over_bound)
		return "use a larger --max-memory";
	if (most == causes.not_delivered)
		return "perf events of this kernel did not hand them over, whatever the --buffer: "
		       "use --collector=stap";
	if (causes.skipped > causes.reentrant)
		return "SystemTap skipped probes: --collector=perf skips none";
	return NULL;
}

bool report_has_untraced(const Session *session)
{
	return causes_of(session).untraced_ns;
}

bool report_stream_is_incomplete(const Session *session)
{
	return is_end_unknown(session) || report_events_never_counted(session) ||
	       causes_of(session).damaged_bytes || report_has_untraced(session) ||
	       sampling_is_throttled(session) || run_info_text(session->info, KMT_FIELD_BOUND);
}

bool report_is_incomplete(const Session *session)
{
	return report_stream_is_incomplete(session) || causes_of(session).over_bound;
}

static void append_cause(GString *out, const char *name, uint64_t events)
{
	g_string_append(out, name);
	append_count(out, events);
}

static void append_causes(GString *out, const Session *session, const Causes *causes)
{
	uint64_t lost = never_counted(causes) + causes->over_bound;

	/* How many events unreadable bytes held only counters that come after them tell. */
	if (causes->damaged_bytes && !is_counted_to_end(session))
		g_string_append(out, "at least ");
	append_count(out, lost);
	g_string_append(out, lost == 1 ? " event (" : " events (");
	append_percent(out, lost, report_events_in_all(session));
	append_cause(out, "): transport ", causes->transport);
	if (causes->not_delivered) {
		append_cause(out, ", not delivered by the kernel ", causes->not_delivered);
		g_string_append(out, " (a larger buffer does not help)");
	}
	if (causes->unread)
		append_cause(out, ", unread when the reader ended ", causes->unread);
	append_cause(out, ", skipped probes ", causes->skipped);
	append_cause(out, ", reentrancy ", causes->reentrant);
	append_cause(out, ", damaged input ", causes->damaged);
	if (causes->damaged_bytes) {
		append_cause(out, " (", causes->damaged_bytes);
		g_string_append(out, " bytes)");
	}
	append_cause(out, ", memory bound ", causes->over_bound);
}

/* Until when everything is known: in wall-clock time, or since the start of the run. */
static void append_known_until(GString *out, const Session *session)
{
	uint64_t until_ns = loss_ledger_complete_until(session->loss);
	uint64_t start_ns = run_info_number(session->info, KMT_FIELD_RUN_START_NS, UINT64_MAX);
	uint64_t realtime_ns = run_info_realtime_ns(session->info, until_ns);

	g_string_append(out, "unknown after ");
	if (until_ns && realtime_ns)
		append_time(out, realtime_ns);
	else if (until_ns >= start_ns)
		append_seconds(out, until_ns - start_ns);
	else
		g_string_append(out, "the start");
}

void append_untraced(GString *out, const Session *session)
{
	const char *cpus = run_info_text(session->info, KMT_FIELD_UNTRACED_CPUS);
	bool several = !cpus || strpbrk(cpus, ",-");

	g_string_append(out, several ? "CPUs " : "CPU ");
	if (cpus) {
		escape_append(out, cpus);
		g_string_append_c(out, ' ');
	}
	g_string_append(out, "not traced for ");
	/* Rather too much than too little, and never 0.000 s. */
	append_seconds(out, causes_of(session).untraced_ns + NS_PER_MS - 1);
	g_string_append(out, several ? " in all" : "");
}

void append_early_line(GString *out, const Session *session)
{
	const char *bound = run_info_text(session->info, KMT_FIELD_BOUND);

	if (!bound)
		return;
	g_string_append(out, "Ended early: ");
	escape_append(out, bound);
	g_string_append_c(out, '\n');
}

static bool any_events_lost(const Session *session)
{
	return report_events_lost(session) || causes_of(session).damaged_bytes;
}

bool report_lost_none(const Session *session)
{
	return !any_events_lost(session) && !report_has_untraced(session) &&
	       !is_end_unknown(session);
}

void append_lost_line(GString *out, const Session *session)
{
	Causes causes = causes_of(session);
	bool any = any_events_lost(session);
	bool untraced = report_has_untraced(session);

	g_string_append(out, "Lost: ");
	if (any)
		append_causes(out, session, &causes);
	if (untraced) {
		g_string_append(out, any ? "; " : "events unknown: ");
		append_untraced(out, session);
		g_string_append(out, any ? ", events unknown" : "");
	}
	if (is_end_unknown(session)) {
		g_string_append(out, any || untraced ? "; " : "");
		append_known_until(out, session);
	}
	if (report_lost_none(session))
		g_string_append(out, "none");
	g_string_append_c(out, '\n');
}
