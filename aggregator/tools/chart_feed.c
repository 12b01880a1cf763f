/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A RateFeed of short intervals whose tables go into a RateChart, beside a report whose format
 * shows a chart.
 */
#include "tools/rate_feed.h"

#include "options/tool_description.h"

/* Short enough for the picture of a command that runs for some seconds. */
#define FIRST_INTERVAL_S 0.05

struct ChartFeed {
	RateFeed *feed;
	RateChart *chart;
	GArray *cells; /* (element-type CellFilter): those of the command line */
	double interval_s;
	bool finished;
};

static void take_table(RateTable *given, void *user_data)
{
	ChartFeed *feed = user_data;
	g_autoptr(RateTable) table = given;

	if (!rate_chart_take(feed->chart, table) || feed->finished)
		return;
	feed->interval_s *= 2;
	rate_feed_set_interval(feed->feed, feed->interval_s);
}

ChartFeed *chart_feed_new(Session *session, const Options *options)
{
	ChartFeed *feed;
	RateFeedOptions request = {
		.interval_s = FIRST_INTERVAL_S,
		.sort = &metrics[METRIC_BYTES_ALLOCATED],
		.recorded = options_read_input(options),
		.counts_all = true,
		.bytes_max = memory_budget_floor(session->memory, MEMORY_INTERVALS),
		.sink = take_table,
	};

	/* Probe points have no slab caches, and kernel records no times. */
	if (!(options->output.renderer->traits & RENDER_CHART) ||
	    options->tool->bit == TOOL_STACK_TOP || options->input.kernel.record)
		return NULL;
	feed = g_new0(ChartFeed, 1);
	feed->chart = rate_chart_new();
	feed->interval_s = FIRST_INTERVAL_S;
	/* More conditions follow when the stream has ended: too late for its tables. */
	feed->cells = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	g_array_append_vals(feed->cells, options->choice.cells->data, options->choice.cells->len);
	request.cells = feed->cells;
	request.user_data = feed;
	feed->feed = rate_feed_new(session, &request);
	return feed;
}

void chart_feed_free(ChartFeed *feed)
{
	if (!feed)
		return;
	rate_feed_free(feed->feed);
	rate_chart_free(feed->chart);
	g_array_unref(feed->cells);
	g_free(feed);
}

RateChart *chart_feed_finish(ChartFeed *feed)
{
	if (!feed)
		return NULL;
	if (!feed->finished)
		rate_feed_finish(feed->feed);
	feed->finished = true;
	return feed->chart;
}
