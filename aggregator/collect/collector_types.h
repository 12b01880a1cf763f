/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/collector.h"

/*
 * Returns the collector of that name, or NULL; "auto" is the best one this build has. Which one
 * a host can use is found out when it starts: the error then names the remedy.
 */
const CollectorType *collector_type_lookup(const char *name);
