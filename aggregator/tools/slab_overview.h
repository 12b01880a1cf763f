/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>

/* Reads this host's slab caches, their objects in use, and what memory is used for: twice, one
   second apart, or as many as -d says; Ctrl-C ends it earlier. Returns false with error set where
   the kernel does not show them. */
bool slab_overview_read(const Options *options, Session *session, GError **error);
