/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <glib.h>

/* The figures by which pictures and profiles weigh stacks: those of a report that are known, add up
   and are not all 0, each once. Metrics that show another one under a second name are left out. */

typedef struct {
	const Metric *metric;
	char *id;    /* owned: as in JSON, but "time", without the unit */
	char *title; /* owned, escaped: "bytes allocated", "page faults" */
	/* VALUE_COUNT, VALUE_BYTES or VALUE_NS; the figure itself is metric_figure(). */
	ValueType type;
	uint64_t total; /* of what is shown */
} Weight;

/* Returns the weights of a report of stacks (element-type Weight), in the order of metrics[]; the
   first one, and the one that ranks stacks, are always there. Free it with g_array_unref(). */
GArray *weights_new(const ReportModel *model);

/* Returns the position of the one that ranks stacks (-s). Where its data is unknown, that is the
   first one. */
guint weights_rank(const GArray *weights, const ReportModel *model);

/* Returns the unit of a weight as other programs name it: "bytes" or "nanoseconds"; for a count,
   the name that they use for it. */
const char *weight_unit(const Weight *weight, const char *of_counts);
