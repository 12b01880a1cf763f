/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/process/child_files.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	KEPT_FD = 3,             /* the first descriptor except /dev/null */
	DESCRIPTORS_MAX = 65536, /* closed one by one without close_range() */
};

static void close_from(unsigned first)
{
	struct rlimit limit = { .rlim_cur = DESCRIPTORS_MAX };

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, ~0U, 0))
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &limit);
	for (unsigned fd = first; fd < MIN(limit.rlim_cur, DESCRIPTORS_MAX); fd++)
		close((int)fd);
}

void child_files_keep_only(int *fds, unsigned count)
{
	int nothing = open("/dev/null", O_RDWR);

	/* First out of the way of each other. */
	for (unsigned i = 0; i < count; i++)
		fds[i] = fcntl(fds[i], F_DUPFD, KEPT_FD + (int)count);
	for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
		dup2(nothing, standard);
	for (unsigned i = 0; i < count; i++) {
		fds[i] = dup2(fds[i], KEPT_FD + (int)i);
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	}
	close_from(KEPT_FD + count);
}
