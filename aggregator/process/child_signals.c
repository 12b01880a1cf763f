/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a fork needs around it: signals blocked until the child is ready, default handlers in the
 * child, an end with the parent. All that forks or spawns uses it.
 */
#include "config.h"

#include "process/child_signals.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

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
