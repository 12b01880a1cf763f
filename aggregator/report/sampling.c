/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/sampling.h"

#include "number_text.h"

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

/* Appends the line without its end. Returns whether there is one. */
static bool append_sampling(GString *out, const Session *session)
{
	LossTotals totals = loss_ledger_totals(session->loss);

	if (totals.sampling_period_max <= 1)
		return false;
	g_string_append_printf(out, "Sampled: sampled 1/%u", totals.sampling_period_min);
	if (totals.sampling_period_max > totals.sampling_period_min)
		g_string_append_printf(out, " to 1/%u", totals.sampling_period_max);
	if (sampling_is_throttled(session))
		append_reason(out, session, &totals);
	g_string_append(out, "; counts and bytes are scaled up");
	return true;
}

void append_sampling_line(GString *out, const Session *session)
{
	if (append_sampling(out, session))
		g_string_append_c(out, '\n');
}

void append_sampling_line_of_view(GString *out, const Session *session, const View *view)
{
	double margin = margin_percent(view->variance.allocations, view->before.allocations);

	if (!append_sampling(out, session))
		return;
	if (margin > 0) {
		g_string_append(out, "; margin of the total +-");
		append_margin(out, margin);
		g_string_append(out, " % (95 %)");
	}
	g_string_append_c(out, '\n');
}

void append_sampled(GString *out, const Variance *variance, uint64_t allocations)
{
	double margin = margin_percent(variance->allocations, allocations);

	if (margin <= 0)
		return;
	g_string_append(out, " (sampled, +-");
	append_margin(out, margin);
	g_string_append(out, " %)");
}
