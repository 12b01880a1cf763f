/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "rates/rate_chart.h"
#include "session/session.h"

/* A ChartFeed makes the chart of a run for formats that show one. */
typedef struct ChartFeed ChartFeed;

/* Starts to listen to the session, until the feed is freed; before its first bytes. Returns NULL if
   the format has no chart, or not of these events. */
ChartFeed *chart_feed_new(Session *session, const Options *options);
void chart_feed_free(ChartFeed *feed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ChartFeed, chart_feed_free)

/* The stream has ended. Returns the chart, which belongs to the feed. feed may be NULL: NULL. */
RateChart *chart_feed_finish(ChartFeed *feed);
