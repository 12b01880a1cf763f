/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/check.h"

/* The rows of --check for the collector perf, ended by a row without topic. */
extern const CheckRow perf_checks[];
