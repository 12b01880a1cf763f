/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "render/data/json_writer.h"
#include "report/model.h"
#include "table/table.h"

#include <stdio.h>

/* The report renderers for other programs; doc/FORMATS.md describes their formats. */

/* One JSON object on a line; doc/JSON.md contains its schema. */
void render_json(const ReportModel *model, FILE *out);

/* Writes the cells of a row into the open object. */
void json_write_row(JsonWriter *json, Table *table, guint row);

/* Write members of a comparison into the open object: how many of its rows changed, and what both
   runs recorded differently. */
void json_write_rows_compared(JsonWriter *json, const DiffRows *diff);
void json_write_recorded_differently(JsonWriter *json, const ReportModel *model);

/* Rows, one JSON object on each line. */
void render_ndjson(const ReportModel *model, FILE *out);

/* The same rows, as in RFC 4180, after a line with the names of the columns. */
void render_csv(const ReportModel *model, FILE *out);

/* Counters of an interval's run, in the text exposition format 0.0.4 of Prometheus. Expositions on
   the same stream are separated by an empty line. */
void render_prometheus(const ReportModel *model, FILE *out);

/* Stacks with what ranks them: "process;outermost;...;innermost 42". */
void render_folded(const ReportModel *model, FILE *out);

/* The file format of speedscope.app: a profile for each figure that adds up. */
void render_speedscope(const ReportModel *model, FILE *out);

/* A profile for pprof, compressed: see profile.proto. Only in builds with protobuf-c. */
void render_pprof(const ReportModel *model, FILE *out);
