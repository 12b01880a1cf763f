/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/collector.h"

#include <glib.h>
#include <stdbool.h>

/* Whether the processes that the request names can be told apart by the kernel side, which knows
   the pids of the first namespace only; ours may be those of a container. /proc lies below root
   ("": this host's). The error names the remedy. */
bool pid_namespace_check(const char *root, const CollectRequest *request, GError **error);
