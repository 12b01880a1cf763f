/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

/* Whether a stack of frame lines, from any tool, is that of an inner event of a large kmalloc
   (record/inner_kmallocs.h). Other tracers print these events as well. */
bool import_is_inner(const char *stack, size_t length);

/* Counts the events of an imported stack, except inner events of large kmallocs. */
void import_count(Session *session, const EventText *events);
