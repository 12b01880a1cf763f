/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/unwind/unwind_keeper.h"

#include "collect/process/child_files.h"
#include "collect/process/child_sandbox.h"
#include "collect/process/child_signals.h"
#include "collect/unwind/unwind_object.h"
#include "collect/unwind/unwind_worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const ChildLimits limits = {
	.address_space_bytes = (uint64_t)2 << 30,
	.data_bytes = (uint64_t)2 << 30,
};

static void G_GNUC_NORETURN become_worker(UnwindShared *shared, int socket, pid_t keeper,
					  int number)
{
	prctl(PR_SET_NAME, "kmt-unwind");
	child_signals_end_with(keeper, SIGKILL);
	unwind_object_prepare();
	child_sandbox_close(&limits);
	unwind_worker_run(shared, socket, (uint64_t)number);
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static bool has_program_ended(int socket)
{
	struct pollfd end = { .fd = socket };

	return poll(&end, 1, 0) > 0 && end.revents & POLLHUP;
}

static void G_GNUC_NORETURN become_keeper(UnwindShared *shared, int socket)
{
	pid_t keeper = getpid();

	child_signals_default();
	/* A Ctrl-C is for the program. */
	setsid();
	child_signals_unblock();
	prctl(PR_SET_NAME, "kmt-unwind-keep");
	child_files_keep_only(&socket, 1);
	child_sandbox_drop_privileges();
	for (int i = 0; i < UNWIND_WORKERS_MAX && !has_program_ended(socket); i++) {
		pid_t worker = fork();

		if (!worker)
			become_worker(shared, socket, keeper, i);
		if (worker < 0)
			break;
		wait_for(worker);
		shared->suspects[i] = shared->busy_object;
		shared->busy_object = 0;
	}
	_exit(0);
}

pid_t unwind_keeper_start(UnwindShared *shared, int socket)
{
	pid_t pid = child_signals_fork();

	if (!pid)
		become_keeper(shared, socket);
	return pid;
}
