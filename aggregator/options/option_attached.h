/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <glib.h>

/*
 * Values that are attached to their options, as in -t5, which GLib's parser does not know. words is
 * a command line up to "--", ended by NULL. Returns a copy of it in which these are words of their
 * own, -t 5; values of other options stay as they are. The caller frees it with g_strfreev().
 */
char **option_attached_split(const Tool *tool, char *const *words);
