/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/check.h"

/* For --check: reports who would walk the stacks, the probe module or the kernel, and the memory of
   the module's tables for it. No line without stacks. */
CheckVerdict stap_look_at_walks(const CheckHost *host, GString *text);
