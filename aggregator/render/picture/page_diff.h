/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "render/data/json_writer.h"
#include "render/picture/page_names.h"
#include "report/model.h"

/* Writes the member "diff" of the page's data, of a model with a comparison; page/data.js describes
   it. */
void page_diff_write(JsonWriter *json, const ReportModel *model, PageNames *names);
