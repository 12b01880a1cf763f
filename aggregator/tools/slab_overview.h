/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options.h"
#include "session.h"

#include <glib.h>
#include <stdbool.h>

/* Reads what slab caches this host has, how many objects they have in use and what memory is used
   for: twice, one second apart, or as many as -d says; Ctrl-C ends that earlier. Returns false with
   error set where the kernel does not tell. */
bool slab_overview_read(const Options *options, Session *session, GError **error);
