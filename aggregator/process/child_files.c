/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which descriptors a child keeps, for children that go on without exec and for those that exec. No
 * state; safe after a fork.
 */
#include "config.h"

#include "process/child_files.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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
