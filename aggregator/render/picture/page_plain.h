/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <glib.h>
#include <stdbool.h>

/* What the page shows in words, and where no script runs. */

/* Returns the lines that a text report with --details ends with, each "Label: text", as a list that
   ends with NULL; free it with g_strfreev(). */
char **page_lines(const ReportModel *model);

/* Returns the lines that compare what was traced with how slab caches grew; free it likewise. */
char **page_growth(const ReportModel *model);

/* Whether nothing was lost, and nothing may have been. */
bool page_is_complete(const ReportModel *model);

/* Whether what was lost is known, and not more than the report may lack (--max-loss). */
bool page_loss_is_small(const ReportModel *model);

/* Returns those lines among them that say that figures are not exact or not complete; free it
   likewise. */
char **page_warnings(const ReportModel *model);

/* Appends " of filp, dentry" if the report is about certain slab caches. */
void page_append_caches(const ReportModel *model, GString *out);

/* Appends the title of the page: what was counted, and on which host. Escaped for HTML, as is the
   next one. */
void page_append_title(const ReportModel *model, GString *out);

/* Appends the answer, the first stacks and the facts as lines of text. */
void page_append_plain(const ReportModel *model, GString *out);
