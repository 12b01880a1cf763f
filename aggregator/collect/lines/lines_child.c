/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/lines/lines_child.h"

#include "base/clock.h"
#include "collect/process/child_files.h"
#include "collect/process/child_sandbox.h"
#include "collect/process/child_signals.h"
#include "collect/lines/debug_lines.h"
#include "collect/lines/debug_object.h"
#include "symbols/line_table.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PIECE_BYTES = 1 << 16,
	ANSWER_BYTES_MAX = 256 << 20,
};

/* A kernel's file has up to 1.5 GB. It is mapped; compressed sections of it are not. */
static const ChildLimits limits = {
	.address_space_bytes = (uint64_t)16 << 30,
	.data_bytes = (uint64_t)2 << 30,
};

/* In the child. */

static void write_all(int fd, GString *text)
{
	gsize done = 0;

	while (done < text->len) {
		ssize_t bytes = write(fd, text->str + done, text->len - done);

		if (bytes < 0 && errno != EINTR)
			_exit(1);
		done += bytes > 0 ? (gsize)bytes : 0;
	}
	g_string_truncate(text, 0);
}

static void append_frames(GString *out, const LinesRequest *request, uint64_t offset,
			  const DebugFrame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		line_table_append_line(out, request->key, offset,
				       &(LineFrame){
					       .function = frames[i].function,
					       .root = frames[i].root,
					       .file = frames[i].file,
					       .line = (uint32_t)MAX(frames[i].line, 0),
				       });
}

static bool find_address(DebugObject *object, const LinesRequest *request, const LinesPlace *place,
			 Dwarf_Addr *address)
{
	switch (request->kind) {
	case CODE_OF_KERNEL:
		return debug_object_kernel_address(object, place->offset, address);
	case CODE_OF_MODULE:
		return debug_object_section_address(object, request->section, place->offset,
						    address);
	case CODE_OF_PROGRAM:
		*address = place->address;
		return true;
	}
	return false;
}

static void answer_request(DebugObject *object, DebugLines *lines, const LinesRequest *request,
			   GString *out)
{
	DebugFrame frames[DEBUG_DEPTH_MAX];

	for (guint i = 0; i < request->places->len; i++) {
		const LinesPlace *place = &g_array_index(request->places, LinesPlace, i);
		Dwarf_Addr address;

		if (!find_address(object, request, place, &address))
			continue;
		append_frames(out, request, place->offset, frames,
			      debug_lines_find(lines, address, frames));
	}
}

/* Opens the file of a job. Returns NULL, and says why, if it is not the right one. */
static DebugObject *open_object(const LinesJob *job, GString *out)
{
	DebugObject *object = debug_object_new(job->fd);
	g_autofree char *found = object ? debug_object_build_id(object) : NULL;
	bool is_wrong = found && strcmp(found, job->build_id) != 0;
	bool has_debug = object && !is_wrong && debug_object_dwarf(object);

	/* The vmlinux of Debian's headers has neither build id nor debug data. */
	if (is_wrong || (has_debug && !found))
		g_string_append_printf(out, ANSWER_BUILD_ID " %s\n",
				       found ? found : ANSWER_NO_BUILD_ID);
	else if (!has_debug)
		g_string_append(out, ANSWER_NO_DEBUG "\n");
	return out->len ? NULL : object;
}

/* Lets the debug data have the file that they refer to. Returns false if they need one, and it was
   not given or is another one. */
static bool complete(DebugObject *object, const LinesJob *job)
{
	g_autofree char *build_id = NULL;
	const char *name;

	if (job->supplement == SUPPLEMENT_MISSING ||
	    !debug_object_supplement(object, &name, &build_id))
		return true;
	return job->supplement == SUPPLEMENT_GIVEN &&
	       debug_object_set_supplement(object, job->supplement_fd);
}

static void append_reference(GString *out, DebugObject *object)
{
	g_autofree char *build_id = NULL;
	const char *name;

	if (debug_object_supplement(object, &name, &build_id))
		g_string_append_printf(out, ANSWER_REFERS " %s %s\n", build_id, name);
}

static void answer_requests(DebugObject *object, const LinesJob *job, GString *out, int pipe)
{
	DebugLines *lines = debug_lines_new(debug_object_dwarf(object));

	g_string_append_printf(out, ANSWER_BUILD_ID " %s\n", job->build_id);
	for (guint i = 0; i < job->count; i++) {
		answer_request(object, lines, &job->requests[i], out);
		write_all(pipe, out);
	}
}

/* The process ends with the answer: it frees nothing. */
static void answer(const LinesJob *job, int pipe)
{
	GString *out = g_string_new(NULL);
	DebugObject *object = open_object(job, out);

	if (object && complete(object, job))
		answer_requests(object, job, out, pipe);
	else if (object)
		append_reference(out, object);
	write_all(pipe, out);
}

static void G_GNUC_NORETURN become_reader(LinesJob job, int pipe, pid_t program)
{
	int fds[] = { pipe, job.fd, job.supplement_fd };
	struct itimerval timer = { .it_value.tv_sec = job.patience_s };

	child_signals_default();
	child_signals_unblock();
	prctl(PR_SET_NAME, "kmt-lines");
	child_files_keep_only(fds, job.supplement == SUPPLEMENT_GIVEN ? 3 : 2);
	job.fd = fds[1];
	job.supplement_fd = fds[2];
	child_sandbox_drop_privileges();
	child_signals_end_with(program, SIGKILL);
	child_sandbox_close(&limits);
	setitimer(ITIMER_REAL, &timer, NULL);
	answer(&job, fds[0]);
	_exit(0);
}

/* In the program. */

/* Appends what arrives until the end. Returns false if it takes too long, or is too much. */
static bool read_answer(GString *answer, int fd, unsigned patience_s)
{
	uint64_t until_ns = clock_monotonic_ns() + (patience_s + 1) * NS_PER_SECOND;
	char piece[PIECE_BYTES];
	ssize_t bytes = 1;

	while (bytes && answer->len < ANSWER_BYTES_MAX) {
		uint64_t now_ns = clock_monotonic_ns();
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		if (now_ns >= until_ns)
			return false;
		if (poll(&ready, 1, (int)((until_ns - now_ns) / NS_PER_MS + 1)) < 1)
			continue;
		bytes = read(fd, piece, sizeof(piece));
		if (bytes > 0)
			g_string_append_len(answer, piece, bytes);
	}
	return !bytes;
}

static LinesOutcome failed(char *problem)
{
	return (LinesOutcome){ .result = LINES_FAILED, .problem = problem };
}

/* Why a process ended early; NULL: it did not. */
static char *problem_of(const LinesJob *job, bool is_whole, int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return g_strdup_printf("reading it took longer than %u s", job->patience_s);
	if (!is_whole)
		return g_strdup_printf("reading it took longer than %u s, or gave more than %u MB "
				       "of lines",
				       job->patience_s, (unsigned)ANSWER_BYTES_MAX >> 20);
	if (WIFSIGNALED(status))
		return g_strdup_printf("the process that read it was ended by signal %d (%s)",
				       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return g_strdup_printf("the process that read it ended with status %d",
				       WEXITSTATUS(status));
	return NULL;
}

static LinesOutcome wait_for(GString *out, pid_t pid, int pipe, const LinesJob *job)
{
	g_autoptr(GString) text = g_string_new(NULL);
	bool is_whole = read_answer(text, pipe, job->patience_s);
	char *problem;
	int status = 0;

	/* One that was taken over may close the pipe and stay. One that has ended keeps its
	   status. */
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	problem = problem_of(job, is_whole, status);
	return problem ? failed(problem)
		       : lines_answer_take(out, (TextPart){ text->str, text->len }, job);
}

LinesOutcome lines_child_read(GString *out, const LinesJob *job)
{
	const pid_t program = getpid();
	LinesOutcome outcome;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return failed(g_strdup(g_strerror(errno)));
	pid = child_signals_fork();
	if (!pid)
		become_reader(*job, ends[1], program);
	close(ends[1]);
	outcome = pid < 0 ? failed(g_strdup(g_strerror(errno))) : wait_for(out, pid, ends[0], job);
	close(ends[0]);
	return outcome;
}
