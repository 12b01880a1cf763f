/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

/* A column of figures of a table of groups, or of stacks; group_columns.c has their table. */
typedef struct {
	const char *id;          /* in JSON: it ends with the unit, where there is one */
	const char *title;       /* in text: it says the unit */
	const char *title_human; /* for --human, where each figure says its own */
	ValueType type;
	/* Whether it is known; NULL: always. */
	bool (*known)(const ReportModel *model);
	/* Whether people need it; NULL: always. */
	bool (*notable)(const ReportModel *model);
	Value (*value)(const ReportModel *model, const GroupRow *row);
} GroupColumn;

/* All columns, ended by one without id. */
extern const GroupColumn group_columns[];
