/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/facts.h"
#include "report/source.h"

#include <glib.h>

/* Appends the lines before all tables: what the numbers mean, and what is covered of the host. */
void rate_text_append_head(GString *out, const Facts *facts, const RateLayout *layout);

/* Appends a table in the layout of bcc's slabratetop: time and load, titles, rows, then the sum of
   all rows and what was lost. */
void rate_text_append(GString *out, const RateTable *table, const RateLayout *layout);
