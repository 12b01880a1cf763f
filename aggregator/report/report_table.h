/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"
#include "table/table.h"

/* The rows of a report as a Table. What a report counts and how it ranks is known by then: views,
   groups, comparisons and intervals have the rows and their sums. */

/* Returns the rows of a model, which must outlive them; for TABLE_FLAT each begins with the run
   that it comes from. TABLE_PAGE: those of a comparison. Free them with table_free(). */
Table *report_table_new(const ReportModel *model, TableUse use);

/* Returns the caches of an interval. Its sum is the row TABLE_ALL. */
Table *interval_table_new(const IntervalSource *interval, TableUse use);

/* Adds the columns of labels to a table of the model: of groups, or of a comparison. In text, a
   label of many lines comes last. */
void report_table_add_keys(Table *table, const ReportModel *model, TableUse use);
