/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

#include <glib.h>

/* Of which slab caches a stream has every allocation: the kernel side may have let those of others
   through, but need not. */

/* Returns their names, ended by NULL; NULL: all caches. The caller frees them with g_strfreev(). */
char **recorded_caches(const Session *session);

/* Appends a line that names them where the report is about others, too. */
void append_recorded_caches(GString *out, const Report *report);
