/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/* Returns the median of the numbers, which it sorts; of an even count the upper one of both in the
   middle. count is at least 1. */
int64_t median_of_numbers(int64_t *numbers, unsigned count);
