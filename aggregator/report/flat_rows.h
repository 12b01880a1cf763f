/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The contents of a report as the rows of one table, for databases and spreadsheets: each row has
 * the run that it comes from, the keys of its group, and its figures. The columns are the same in
 * all rows.
 */
typedef struct FlatRows FlatRows;

typedef struct {
	const char *name; /* with the unit as suffix */
	ValueType type;
} FlatColumn;

/* Returns the rows of a model, which must outlive them, before the first one. Free them with
   flat_rows_free(). */
FlatRows *flat_rows_new(const ReportModel *model);
void flat_rows_free(FlatRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FlatRows, flat_rows_free)

/* Returns the columns (element-type FlatColumn), borrowed. */
const GArray *flat_rows_columns(const FlatRows *rows);

/* Goes to the next row. Returns its values, one for each column, valid until the next call; NULL:
   there are no more rows. */
const Value *flat_rows_next(FlatRows *rows);
