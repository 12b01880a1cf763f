/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

/* A column of figures of a table of groups; columns.c has their table. */
typedef struct {
	const char *title;       /* says the unit */
	const char *title_human; /* for --human, where each figure says its own */
	/* Whether there is anything to show; NULL: always. */
	bool (*shown)(const Report *report);
	void (*append)(const Report *report, const GroupRow *row, GString *out);
} Column;

/* All columns, ended by one without title. */
extern const Column columns[];
