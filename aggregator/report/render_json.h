/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <stdio.h>

/* The renderer of reports for programs: an object of JSON on a line. doc/JSON.md has its schema. */
void render_json(const ReportModel *model, FILE *out);
