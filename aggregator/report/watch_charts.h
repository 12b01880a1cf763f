/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/watch_log.h"

#include <glib.h>
#include <stdint.h>

/*
 * A watch over time: the parts of the balance, slab caches, and the kernel memory of cgroups, in
 * bytes, at its readings. All readings may be too many for a picture, so some are left out.
 */
enum { WATCH_POINTS = 400, WATCH_SERIES = 12 };

typedef struct {
	char *name;     /* not escaped, owned */
	GArray *values; /* (element-type double), one for each time; NAN: it was not there */
} WatchSeries;

/* One chart; its series are the largest, and those that grew most. */
typedef struct {
	const char *name;  /* "Slab caches" */
	GPtrArray *series; /* (element-type WatchSeries), owned */
} WatchChart;

enum { WATCH_BALANCE, WATCH_CACHES, WATCH_CGROUPS, WATCH_CHARTS };

typedef struct {
	GArray *times; /* (element-type HistoryTime) */
	WatchChart charts[WATCH_CHARTS];
} WatchCharts;

/* Returns the charts of a watch. page_bytes: of its kernel. Free them with watch_charts_free(). */
WatchCharts *watch_charts_new(const WatchLog *log, uint64_t page_bytes);

/* charts may be NULL. */
void watch_charts_free(WatchCharts *charts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WatchCharts, watch_charts_free)
