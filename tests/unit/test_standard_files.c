/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(standard_files);

enum { STANDARD_FILES = 3 };

static bool fails_as_when_closed(int fd)
{
	char byte = 0;

	errno = 0;
	return (fd == STDIN_FILENO ? read(fd, &byte, 1) : write(fd, &byte, 1)) < 0 &&
	       errno == EBADF;
}

/* Without some of the files, by bit. Returns how many of them it finds wrong. */
static int without(unsigned closed)
{
	int wrong = 0, flags[STANDARD_FILES], opened;

	for (int fd = 0; fd < STANDARD_FILES; fd++) {
		flags[fd] = fcntl(fd, F_GETFL);
		if (closed >> fd & 1)
			close(fd);
	}
	wrong += !standard_files_hold();
	for (int fd = 0; fd < STANDARD_FILES; fd++)
		wrong += closed >> fd & 1 ? !fails_as_when_closed(fd)
					  : fcntl(fd, F_GETFL) != flags[fd];
	/* What is opened next is none of them. */
	opened = open("/dev/null", O_RDWR | O_CLOEXEC);
	wrong += opened < STANDARD_FILES;
	close(opened);
	return wrong;
}

Test(standard_files, no_file_takes_the_place_of_one_that_is_closed)
{
	for (unsigned closed = 0; closed < 1 << STANDARD_FILES; closed++) {
		pid_t child = fork();
		int status = -1;

		cr_assert_geq(child, 0);
		if (!child)
			_exit(without(closed));
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_expect_eq(status, 0, "closed: %#x", closed);
	}
}
