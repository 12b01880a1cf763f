/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/sampling.h"

static uint64_t period_asked(const Session *session)
{
	return run_info_number(session->info, KMT_FIELD_SAMPLING_PERIOD, 1);
}

bool sampling_is_throttled(const Session *session)
{
	return loss_ledger_totals(session->loss).sampling_period_max > period_asked(session);
}

static void append_reason(GString *out, const Session *session, const LossTotals *totals)
{
	uint64_t percent = run_info_number(session->info, KMT_FIELD_OVERHEAD_PERCENT_MAX, 0);

	g_string_append_printf(out, ", as probes took more than ");
	if (percent)
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " %% of a CPU's time", percent);
	else
		g_string_append(out, "their share of a CPU's time");
	g_string_append_printf(out, " (CPU %u; --max-overhead)", totals->sampling_cpu);
}

void append_sampling_line(GString *out, const Session *session)
{
	LossTotals totals = loss_ledger_totals(session->loss);

	if (totals.sampling_period_max <= 1)
		return;
	g_string_append_printf(out, "Sampled: sampled 1/%u", totals.sampling_period_min);
	if (totals.sampling_period_max > totals.sampling_period_min)
		g_string_append_printf(out, " to 1/%u", totals.sampling_period_max);
	if (sampling_is_throttled(session))
		append_reason(out, session, &totals);
	g_string_append(out, "; counts and bytes are scaled up\n");
}
