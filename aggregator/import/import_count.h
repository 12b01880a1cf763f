/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

/* How importers pass on what they read. A stack is that of a traced function: frames of tracers
   above it are dropped first (symbols/known_functions.h), unless nothing else is left. */

/* Counts the events of an imported stack, except inner events of large kmallocs
   (record/inner_kmallocs.h): other tracers print them as well. */
void import_count(Session *session, const EventText *events);

/* Takes held objects from a record of the kernel. */
void import_take_held(Session *session, const HeldObjects *objects);
