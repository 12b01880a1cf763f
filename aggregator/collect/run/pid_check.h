/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Whether all of these (element-type guint32) are processes of this host. Returns false with error
   set, an error of the options of one line, where one is none, or is a thread of another. root is
   "" but in tests. */
bool pids_exist(const char *root, const GArray *pids, GError **error);
