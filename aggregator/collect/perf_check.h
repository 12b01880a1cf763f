/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/check.h"

/* What --check looks at for the collector perf, ended by a row without topic. */
extern const CheckRow perf_checks[];
