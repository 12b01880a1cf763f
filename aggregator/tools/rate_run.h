/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "tools/tool.h"

/* Shows what every interval of a stream had, while it comes: slabratetop's. */
extern const ToolStream rate_run_stream;
