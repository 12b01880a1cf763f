/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends a group of processes, first politely, then by SIGKILL, and waits a bounded time. Sleeps that
 * no signal makes longer. Engines and the watchdog call it, also after a fork.
 */
#include "process/process_group.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

enum { LOOK_EVERY_MS = 10, DIES_WITHIN_MS = 500 };

/* To a point in time: what nanosleep() leaves after a signal contains the timer's slack, so many
   signals in a row would make it longer and longer. */
void sleep_ms(unsigned milliseconds)
{
	uint64_t end_ns = clock_monotonic_ns() + milliseconds * 1000000ULL;
	const struct timespec end = { .tv_sec = (time_t)(end_ns / 1000000000),
				      .tv_nsec = (long)(end_ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		continue;
}

bool process_group_wait(pid_t group, unsigned patience_ms)
{
	uint64_t end_ns = clock_monotonic_ns() + patience_ms * 1000000ULL;

	while (!kill(-group, 0) || errno != ESRCH) {
		if (clock_monotonic_ns() >= end_ns)
			return false;
		sleep_ms(LOOK_EVERY_MS);
	}
	return true;
}

void process_group_end(pid_t group, unsigned patience_ms)
{
	kill(-group, SIGTERM);
	if (process_group_wait(group, patience_ms))
		return;
	kill(-group, SIGKILL);
	process_group_wait(group, DIES_WITHIN_MS);
}
