/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "render/data/json_writer.h"
#include "report/model.h"
#include "table/table.h"

#include <stdio.h>

/* The report renderer for programs: one JSON object on a line. doc/JSON.md contains its schema. */
void render_json(const ReportModel *model, FILE *out);

/* Parts of reports: all facts; the frames of a stack, innermost first; the comparison of two
   runs. */
void json_write_facts(JsonWriter *json, const char *name, const Facts *facts);
void json_write_frames(JsonWriter *json, const StackRows *stacks, uint32_t row);
void json_write_diff(JsonWriter *json, const ReportModel *model, FILE *out);

/* Writes what slab caches hold (element-type HeldCheckRow), compared with /proc/slabinfo. */
void json_write_held_compared(JsonWriter *json, GArray *rows);

/* Writes the members of a rate table into the open object; doc/JSON.md describes them. */
void json_write_interval(JsonWriter *json, const IntervalSource *interval, const Facts *facts,
			 FILE *out);

/* Write the cells of a row into the open object, and all rows as an array of objects. out: gets
   what is complete, so that large tables are never in memory; or NULL. */
void json_write_row(JsonWriter *json, Table *table, guint row);
void json_write_rows(JsonWriter *json, const char *name, Table *table, FILE *out);

/* Writes the names of the keys of groups. */
void json_write_by(JsonWriter *json, const GroupRows *groups);
