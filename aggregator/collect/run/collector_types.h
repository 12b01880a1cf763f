/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"

#include <glib.h>

/* Returns the collector of that name, or NULL. Later stages do not depend on which collector
   recorded a stream. */
const CollectorType *collector_type_lookup(const char *name);

/* Returns what --collector takes, "auto, stap, perf"; the caller frees the text. */
char *collector_type_names(void);

/* Returns the best collector that could start at once on that host: the first ready one in the
   table, or the last one if none is ready. Appends why the better ones are not ready: "SystemTap:
   not installed". */
const CollectorType *collector_choose(const struct CheckHost *host, GString *why);
