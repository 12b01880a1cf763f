/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/facts.h"
#include "session/session.h"

/* Sets the facts about the state of the host's memory from the readings of a stream: of the whole
   run, whatever part of it is shown. Facts of the end, and changes, stay unknown until its reading
   has come. */
void facts_set_memory_state(Facts *facts, const Session *session);
