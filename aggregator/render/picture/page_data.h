/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <stdio.h>

/* Writes the data of the page as JSON for a script element; page/data.js describes their shape. */
void page_data_write(const ReportModel *model, FILE *out);
