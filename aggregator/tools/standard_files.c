/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program that may run as root does first: closed standard files are replaced, and the limit
 * of open files is raised as far as it may be. tool.c calls it before anything is opened.
 */
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

bool standard_files_hold(void)
{
	/* The opposite direction: reading is an error instead of empty input, and writing is an
	   error instead of lost output. */
	static const int flags[] = {
		[STDIN_FILENO] = O_WRONLY,
		[STDOUT_FILENO] = O_RDONLY,
		[STDERR_FILENO] = O_RDONLY,
	};

	/* open() returns the lowest free number. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", flags[fd]) < 0)
			return false;
	return true;
}

bool standard_files_leave_room(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= FILES_NEEDED)
		return true;
	limit.rlim_cur = FILES_NEEDED;
	return limit.rlim_max >= FILES_NEEDED && !setrlimit(RLIMIT_NOFILE, &limit);
}
