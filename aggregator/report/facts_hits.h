/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/facts.h"
#include "session/session.h"

/* Sets the facts about hits of probe points: about the time spans between them, and how far their
   user stacks reach. Nothing if allocations were observed. */
void facts_set_hits(Facts *facts, const Session *session);
