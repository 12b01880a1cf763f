/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * A kernel that cannot time perf events by CLOCK_MONOTONIC (perf_event_attr.use_clockid, since 4.1)
 * uses the scheduler's clock, which runs at the same rate. An event of our own between two readings
 * of CLOCK_MONOTONIC gives the offset.
 */

/* Sets the offset to add to perf's times to get CLOCK_MONOTONIC. Returns false if it cannot be
   measured. */
bool perf_clock_offset(int64_t *offset_ns);
