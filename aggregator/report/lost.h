/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session.h"

#include <glib.h>

/* Appends the line "Lost: ...", which every report ends with. */
void append_lost_line(GString *out, const Session *session);
