/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The details of a cache from a session so far. No state; takes as long as a report. rate_screen.c
 * calls it for its own session, drill.c for that of the second collection.
 */
#include "tools/session_detail.h"

#include "record/format.h"
#include "session/losses.h"
#include "names/cgroup_names.h"
#include "session/symbols_choose.h"

/* Returns the counted time; < 0: not begun. A running stream ends at its newest event. */
static double seconds_of(const Session *session)
{
	const RunInfo *info = session->info;
	uint64_t run_ns = run_info_number(info, KMT_FIELD_RUN_START_NS, 0);
	uint64_t start_ns =
		info->sliced ? run_info_number(info, KMT_FIELD_WINDOW_START_NS, run_ns) : run_ns;
	uint64_t newest_ns = MAX(loss_ledger_complete_until(session->loss),
				 run_info_number(info, KMT_FIELD_MONOTONIC_NS, start_ns));
	uint64_t end_ns = run_info_number(info, KMT_FIELD_RUN_END_NS, newest_ns);

	if (info->sliced)
		end_ns = MIN(end_ns, run_info_number(info, KMT_FIELD_WINDOW_END_NS, end_ns));
	return start_ns ? (double)(MAX(end_ns, start_ns) - start_ns) / 1e9 : -1;
}

RateDetail *session_detail_new(Session *session, const char *cache, const Dimension *key,
			       const GArray *cells)
{
	g_autoptr(CacheNames) caches =
		cache_names_new(session->profile, session->info, session->text);
	g_autoptr(CgroupNames) cgroups = cgroup_names_new(session->text);
	Losses losses = losses_of(session);
	const RateDetailRequest request = {
		.cache = cache,
		.key = key,
		.cells = cells,
		.seconds = seconds_of(session),
		.events_lost = losses_all(&losses).high,
		.walks_different = losses_walks_different(session),
		.names_different = losses_names_different(session),
		.estimated = loss_ledger_totals(session->loss).sampling_period_max > 1,
	};
	ViewSource source = { .caches = caches, .cgroups = cgroups };

	symbols_choose(session, NULL);
	source.profile = session->profile;
	source.symbols = session->symbols;
	source.memory = session->memory;
	source.sampling = sampling_of(session->profile, session->info);
	return rate_detail_new(&source, &request);
}
