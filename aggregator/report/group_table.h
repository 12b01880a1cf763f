/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

#include <glib.h>

/*
 * The table of report->groups: a line of titles, a line per row, every one complete, and one for
 * all rows that are not shown. Figures stand to the right, names after them; a stack comes last,
 * its frames below each other. Nothing is printed where there is no row.
 */
void group_table_print(const Report *report, FILE *out);
