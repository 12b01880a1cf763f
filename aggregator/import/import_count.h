/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

/* Whether a stack, frame lines of whatever tool, is that of an inner event of a large kmalloc
   (record/inner_kmallocs.h), which other tracers print as well. */
bool import_is_inner(const char *stack, size_t length);

/* Takes events of a stack that was imported, but for inner events of large kmallocs. */
void import_count(Session *session, const EventText *events);
