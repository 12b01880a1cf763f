/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line of progress: counters of the last time, to print rates. live_run.c shows it at its
 * ticks.
 */
#include "collect/run/progress.h"

#include "base/clock.h"
#include "base/number_text.h"
#include "base/saturate.h"
#include "count/stack_table.h"

static const char line_start[] = "\r\033[K";

void progress_show(Progress *progress, const Session *session, uint64_t now_ns)
{
	uint64_t events = profile_totals(session->profile).events;
	LossTotals loss = loss_ledger_totals(session->loss);
	uint64_t lost = loss.transport.high + loss.reentrant.high + loss.skipped;
	uint64_t elapsed_ns = now_ns - progress->start_ns;
	uint64_t step_ns = now_ns - MAX(progress->shown_ns, progress->start_ns);
	g_autoptr(GString) rate = g_string_new(NULL), losses = g_string_new(NULL);

	if (!progress->wanted || !progress->start_ns || !step_ns || !elapsed_ns)
		return;
	append_count(rate, saturate_double((double)(events - progress->events) * NS_PER_SECOND /
					   (double)step_ns));
	append_count(losses, lost);
	g_printerr("%s%.0f s: %s events/s, %u stacks, %s lost", line_start,
		   (double)elapsed_ns / NS_PER_SECOND, rate->str,
		   stack_table_count(profile_stacks(session->profile)), losses->str);
	if (loss.probe_span_ns)
		g_printerr(", cost %.2f %% of all CPUs",
			   100.0 * (double)loss.probe_ns / (double)loss.probe_span_ns);
	progress->events = events;
	progress->shown_ns = now_ns;
}

void progress_clear(const Progress *progress)
{
	if (progress->wanted)
		g_printerr("%s", line_start);
}
