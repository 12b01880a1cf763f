/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all that forks or spawns needs around it: signals blocked until the child is ready, the
 * descriptors that a child keeps, and the end of a group of processes. No state, no allocation:
 * safe between fork and exec, and in the watchdog.
 */
#include "config.h"

#include "process/fork.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Signals. */

pid_t child_signals_fork(void)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (pid)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

void child_signals_end_with(pid_t parent, int number)
{
	prctl(PR_SET_PDEATHSIG, number);
	/* It may have ended before that. */
	if (getppid() != parent)
		_exit(1);
}

void child_signals_default(void)
{
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
}

void child_signals_unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptors. */

enum {
	KEPT_FD = 3,            /* the first descriptor except /dev/null */
	CLOSE_AT_EXEC = 1 << 2, /* CLOSE_RANGE_CLOEXEC of linux/close_range.h; since Linux 5.11 */
	DESCRIPTORS_MAX =
		1 << 20, /* the kernel's default bound (fs.nr_open); without close_range() */
};

/* The numbers from first to this one may be open. */
static unsigned last_descriptor(void)
{
	struct rlimit limit = { .rlim_cur = DESCRIPTORS_MAX };

	getrlimit(RLIMIT_NOFILE, &limit);
	return (unsigned)MIN(limit.rlim_cur, DESCRIPTORS_MAX) - 1;
}

static void close_from(unsigned first)
{
	unsigned last = last_descriptor();

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, ~0U, 0))
		return;
#endif
	for (unsigned fd = first; fd <= last; fd++)
		close((int)fd);
}

void child_files_close_at_exec(void)
{
	unsigned last = last_descriptor();

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, KEPT_FD, ~0U, CLOSE_AT_EXEC))
		return;
#endif
	for (unsigned fd = KEPT_FD; fd <= last; fd++)
		fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

bool child_files_keep_only(int *fds, unsigned count)
{
	int nothing = open("/dev/null", O_RDWR);
	bool is_kept = nothing >= 0;

	/* First out of the way of each other. */
	for (unsigned i = 0; i < count; i++)
		if (fds[i] >= 0) {
			fds[i] = fcntl(fds[i], F_DUPFD, KEPT_FD + (int)count);
			is_kept &= fds[i] >= 0;
		}
	for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
		is_kept &= dup2(nothing, standard) >= 0;
	for (unsigned i = 0; i < count; i++) {
		int wanted = KEPT_FD + (int)i;

		if (fds[i] < 0)
			close(wanted);
		else if ((fds[i] = dup2(fds[i], wanted)) >= 0)
			fcntl(wanted, F_SETFD, FD_CLOEXEC);
		else
			is_kept = false;
	}
	close_from(KEPT_FD + count);
	return is_kept;
}

/* Groups. */

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
