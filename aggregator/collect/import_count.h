/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session.h"

/* Takes events of a stack that was imported, but for inner events of large kmallocs
   (record/inner_kmallocs.h), which other tracers print as well. */
void import_count(Session *session, const EventText *events);
