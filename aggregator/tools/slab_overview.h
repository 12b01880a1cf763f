/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options.h"
#include "session.h"

#include <glib.h>
#include <stdbool.h>

/* Reads what slab caches this host has, and how many objects they have in use: twice, one second
   apart, or as many as -d says. Returns false with error set where the kernel does not tell. */
bool slab_overview_read(const Options *options, Session *session, GError **error);
