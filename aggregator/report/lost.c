/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/lost.h"

#include "escape.h"
#include "number_text.h"
#include "report/report.h"

#include <string.h>

const char *report_loss_remedy(const Session *session, bool can_load)
{
	Losses losses = losses_of(session);
	uint64_t transport = losses.transport.high, over_bound = losses.over_bound;
	uint64_t not_delivered = losses.not_delivered.high, skipped = losses.skipped.high;
	uint64_t reentrant = losses.reentrant.high;
	uint64_t most = MAX(MAX(MAX(transport, over_bound), not_delivered),
			    MAX(MAX(skipped + reentrant, losses.unread.high), losses.damaged.high));

	if (!most)
		return NULL;
	/* Damaged input is missing batches, too; no option helps against that. */
	if (losses.damaged_bytes && !losses.counted_to_end)
		return NULL;
	if (most == transport)
		return "use a larger --buffer";
	if (most == over_bound)
		return "use a larger --max-memory";
	if (most == not_delivered)
		return can_load ? "perf events of this kernel did not hand them over, whatever the "
				  "--buffer: use --collector=stap"
				: "perf events of this kernel did not hand them over, whatever the "
				  "--buffer: --max-loss=PCT accepts a share of the events";
	if (skipped > reentrant)
		return "SystemTap skipped probes: --collector=perf skips none";
	return NULL;
}

void append_range(GString *out, LossRange events)
{
	append_count(out, events.low);
	if (events.high == events.low)
		return;
	g_string_append(out, " to ");
	append_count(out, events.high);
}

static void append_cause(GString *out, const char *name, LossRange events)
{
	g_string_append(out, name);
	append_range(out, events);
}

/* The sign stands behind the last number only, and one that reads the same is not repeated. */
static void append_share(GString *out, const Session *session, LossRange lost, LossRange uncounted)
{
	uint64_t counted = losses_counted(session);
	g_autoptr(GString) low = g_string_new(NULL);
	g_autoptr(GString) high = g_string_new(NULL);

	append_percent(low, lost.low, counted + uncounted.low);
	append_percent(high, lost.high, counted + uncounted.high);
	if (!g_string_equal(low, high))
		g_string_append_printf(out, "%.*s to ", (int)(low->len - strlen(" %")), low->str);
	g_string_append(out, high->str);
}

/* Events of a full table were counted, though in no row of their own. */
static void append_causes(GString *out, const Session *session, const Losses *losses)
{
	LossRange lost = losses_all(losses);

	/* How many events unreadable bytes held only counters that come after them show. */
	if (losses->damaged_bytes && !losses->counted_to_end)
		g_string_append(out, "at least ");
	append_range(out, lost);
	g_string_append(out, lost.high == 1 ? " event (" : " events (");
	append_share(out, session, lost, losses_uncounted(losses));
	append_cause(out, "): transport ", losses->transport);
	if (losses->not_delivered.high) {
		append_cause(out, ", not delivered by the kernel ", losses->not_delivered);
		g_string_append(out, " (a larger buffer does not help)");
	}
	if (losses->unread.high)
		append_cause(out, ", unread when the reader ended ", losses->unread);
	append_cause(out, ", skipped probes ", losses->skipped);
	append_cause(out, ", reentrancy ", losses->reentrant);
	append_cause(out, ", damaged input ", losses->damaged);
	if (losses->damaged_bytes) {
		append_cause(out, " (", loss_exactly(losses->damaged_bytes));
		g_string_append(out, " bytes)");
	}
	append_cause(out, ", memory bound ", loss_exactly(losses->over_bound));
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
	append_seconds(out, losses_of(session).untraced_ns + NS_PER_MS - 1);
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

void append_full_line(GString *out, const Session *session)
{
	Losses losses = losses_of(session);
	uint64_t counted = losses_counted(session);

	if (!losses.of_other_tasks && !losses.of_other_caches)
		return;
	g_string_append(out, "Full tables: ");
	if (losses.of_other_tasks) {
		append_percent(out, losses.of_other_tasks, counted);
		g_string_append(out, " of the events are of [other tasks]");
	}
	if (losses.of_other_caches) {
		g_string_append(out, losses.of_other_tasks ? ", " : "");
		append_percent(out, losses.of_other_caches, counted);
		g_string_append(out, losses.of_other_tasks
					     ? " of [other caches]"
					     : " of the events are of [other caches]");
	}
	g_string_append(out, ": use a larger --max-memory\n");
}

void append_bpf_line(GString *out, const Session *session)
{
	const char *attached = run_info_text(session->info, KMT_FIELD_BPF_ATTACHED);

	if (!attached || !*attached)
		return;
	g_string_append(out, "Beside BPF: ");
	escape_append(out, attached);
	g_string_append(out, ": nested events may be missing\n");
}

/* Appends the next part of the line. */
static void append_part_end(GString *out, bool any)
{
	g_string_append(out, any ? "; " : "");
}

void append_lost_line(GString *out, const Session *session)
{
	Losses losses = losses_of(session);
	bool any = losses_all(&losses).high || losses.damaged_bytes;

	g_string_append(out, "Lost: ");
	if (any)
		append_causes(out, session, &losses);
	if (losses.untraced_ns) {
		g_string_append(out, any ? "; " : "events unknown: ");
		append_untraced(out, session);
		g_string_append(out, any ? ", events unknown" : "");
	}
	if (losses.bpf_blind) {
		append_part_end(out, any || losses.untraced_ns);
		g_string_append(out, "events unknown: BPF programs held back those of ");
		escape_append(out, losses.bpf_blind);
	}
	if (losses.end_unknown) {
		append_part_end(out, any || losses.untraced_ns || losses.bpf_blind);
		append_known_until(out, session);
	}
	if (losses.has_whole_run)
		g_string_append(out, "; this includes what is known only of the whole run");
	if (losses.source_is_silent) {
		append_part_end(out, !losses_are_none(&losses));
		g_string_append(out, "not known, as this text does not show it");
	} else if (losses_are_none(&losses)) {
		g_string_append(out, "none");
	}
	g_string_append_c(out, '\n');
}
