/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

#include <glib.h>

/* Returns the collector of that name, or NULL. Which one recorded a stream, nothing behind it
   needs to know. */
const CollectorType *collector_type_lookup(const char *name);

/* Returns their names, "stap, perf"; the caller frees the text. */
char *collector_type_names(void);

/* Returns the best collector that would begin at once on that host: the first one of the table
   that is ready, the last one in any case. Appends why the better ones are not:
   "SystemTap: not installed". */
const CollectorType *collector_choose(const struct CheckHost *host, GString *why);
