/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/process/child_work.h"

#include "collect/process/child_files.h"
#include "collect/process/child_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The memory that both processes have. */
typedef struct {
	gsize length;
	char bytes[CHILD_WORK_BYTES_MAX];
} Result;

struct ChildWork {
	pid_t pid;
	bool is_over;
	int status; /* of the process, when it is over */
	Result *result;
};

static void G_GNUC_NORETURN become_worker(Result *result, ChildWorker worker, gpointer user_data)
{
	int fds[] = { STDERR_FILENO };
	GBytes *bytes;

	child_signals_default();
	child_signals_unblock();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Processes that this one starts must not write the result. */
	madvise(result, sizeof(*result), MADV_DONTFORK);
	child_files_keep_only(fds, G_N_ELEMENTS(fds));
	dup2(fds[0], STDERR_FILENO);
	bytes = worker(user_data);
	result->length = g_bytes_get_size(bytes);
	if (result->length > CHILD_WORK_BYTES_MAX)
		_exit(1);
	memcpy(result->bytes, g_bytes_get_data(bytes, NULL), result->length);
	_exit(0);
}

ChildWork *child_work_start(ChildWorker worker, gpointer user_data)
{
	Result *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ChildWork *work;
	pid_t pid;

	if (result == MAP_FAILED)
		return NULL;
	pid = child_signals_fork();
	if (!pid)
		become_worker(result, worker, user_data);
	if (pid < 0) {
		munmap(result, sizeof(*result));
		return NULL;
	}
	work = g_new0(ChildWork, 1);
	work->pid = pid;
	work->result = result;
	return work;
}

/* Takes the status of the process, if it has ended. */
static void reap(ChildWork *work, int options)
{
	pid_t pid = 0;

	while (!work->is_over && (pid = waitpid(work->pid, &work->status, options)) < 0 &&
	       errno == EINTR)
		continue;
	work->is_over |= pid != 0;
}

bool child_work_is_over(ChildWork *work)
{
	reap(work, WNOHANG);
	return work->is_over;
}

static void work_free(ChildWork *work)
{
	munmap(work->result, sizeof(*work->result));
	g_free(work);
}

GBytes *child_work_finish(ChildWork *work)
{
	GBytes *bytes = NULL;

	reap(work, 0);
	if (WIFEXITED(work->status) && !WEXITSTATUS(work->status))
		bytes = g_bytes_new(work->result->bytes, work->result->length);
	work_free(work);
	return bytes;
}

void child_work_cancel(ChildWork *work)
{
	if (!work)
		return;
	if (!work->is_over)
		kill(work->pid, SIGKILL);
	reap(work, 0);
	work_free(work);
}
