/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/fork.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

static int status_of(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "%#x", (unsigned)status);
	return WEXITSTATUS(status);
}

Test(fork, a_child_whose_parent_has_ended_ends_at_once)
{
	const pid_t another = getpid() + 1;
	pid_t pid = child_signals_fork();

	cr_assert_geq(pid, 0);
	if (!pid) {
		child_signals_end_with(another, SIGKILL);
		_exit(7);
	}
	cr_expect_eq(status_of(pid), 1);
}

/* Leaves a child behind, which writes a byte once it is bound to this process. */
static void leave_child(const int pipe[2])
{
	const pid_t parent = getpid();
	char byte;

	if (!child_signals_fork()) {
		child_signals_end_with(parent, SIGKILL);
		child_signals_unblock();
		(void)!write(pipe[1], "", 1);
		for (;;)
			pause();
	}
	_exit(read(pipe[0], &byte, 1) == 1 ? 0 : 1);
}

/* Nobody has the pipe open once the child is gone. */
Test(fork, a_child_gets_the_signal_when_its_parent_ends)
{
	int ends[2];
	pid_t pid;
	struct pollfd end = { .events = POLLIN };

	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	cr_assert_geq(pid, 0);
	if (!pid)
		leave_child(ends);
	cr_expect_eq(status_of(pid), 0);
	close(ends[1]);
	end.fd = ends[0];
	cr_assert_eq(poll(&end, 1, PATIENCE_MS), 1);
	cr_expect(end.revents & POLLHUP);
	close(ends[0]);
}
