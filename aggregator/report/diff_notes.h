/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/facts.h"

/* Returns what two runs recorded differently, as facts (element-type FactId): rows may differ for
   that reason. The caller unrefs it. */
GArray *diff_notes_new(const Facts *older, const Facts *newer);
