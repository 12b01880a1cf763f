/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/facts.h"
#include "session/session.h"
#include "table/row_sums.h"

/* Sets the facts about hits of probe points: about the time spans between them, and how far their
   user stacks reach. Nothing if allocations were observed. kept: the sums before filters of stacks.
 */
void facts_set_hits(Facts *facts, const Session *session, const RowSums *kept);
