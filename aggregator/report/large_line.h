/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session.h"

#include <glib.h>

/* Appends the line that says that large kmallocs may be counted twice: the kernel traces them
   twice, and its symbols, by which that shows, were not in the stream. Nothing where that is not
   so. */
void append_large_line(GString *out, const Session *session);
