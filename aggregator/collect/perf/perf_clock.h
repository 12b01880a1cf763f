/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Where perf events cannot be timed by CLOCK_MONOTONIC (perf_event_attr.use_clockid, since 4.1),
 * they have the scheduler's clock, which runs as fast. Its distance is found by an event of our own
 * between two readings of the other clock.
 */

/* What is to be added to perf's own times, so that they are CLOCK_MONOTONIC's. Returns false when
   it cannot be found. */
bool perf_clock_offset(int64_t *offset_ns);
