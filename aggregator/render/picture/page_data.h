/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_chart.h"
#include "render/data/json_writer.h"
#include "render/picture/page_strings.h"
#include "report/model.h"
#include "report/slab_readings.h"

#include <stdio.h>

/* Writes the member "chart" of the open object: render/picture/page/data.js describes it. */
void json_write_chart(JsonWriter *json, const GArray *series, const RateChart *chart);

/* Writes the member "diff" of the page's data, of a model with a comparison; page/data.js describes
   it. */
void page_diff_write(JsonWriter *json, const ReportModel *model, PageNames *names);

/* Writes the members of all memory into the page's data: "balance" with all its parts, "caches"
   with all that use memory, unless fewer were asked for, and those of cgroups. */
void page_overview_write(JsonWriter *json, const SlabTable *slabs);

/* Writes the member "charts" of the page's data. */
void page_watch_write(JsonWriter *json, const WatchCharts *watch);

/* Writes the data of the page as JSON for a script element; page/data.js describes their shape. */
void page_data_write(const ReportModel *model, FILE *out);
