/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_chart.h"
#include "render/data/json_writer.h"

/* Writes the member "chart" of the open object: render/picture/page/data.js describes it. */
void json_write_chart(JsonWriter *json, const GArray *series, const RateChart *chart);
