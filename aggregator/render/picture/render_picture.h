/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <stdio.h>

/* The report renderers for people who look; doc/FORMATS.md describes them. */

/* A page that needs nothing else: facts, table, flame graph, call tree. */
void render_html(const ReportModel *model, FILE *out);

/* A flame graph, weighed by what ranks stacks: SVG with its own search and zoom. */
void render_svg(const ReportModel *model, FILE *out);
