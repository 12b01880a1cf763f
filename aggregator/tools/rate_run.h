/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "tools/tool.h"

/* Shows every interval of a stream as it arrives: slabratetop's. */
extern const ToolStream rate_run_stream;
