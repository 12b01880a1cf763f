/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts and ends the processes that open, read and unwind for the program; each kind is a
 * ChildType. The only data are the ids of these processes, which the collectors leave out of their
 * counts, and the CPU time of those that have ended.
 */
#include "config.h"

#include "process/child.h"

#include "base/clock.h"
#include "base/trusted_file.h"
#include "process/stop_signal.h"
#include "process/fork.h"
#include "process/child_port.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_MS = 20,         /* how often to look whether a process works */
	KNOWN_MAX = 256,      /* ids that are remembered */
	END_PATIENCE_MS = 50, /* for a process that was killed */
	KNOWN_AFTER_S = 2,    /* its last events may be read later */
};

/* A process that was started. */
typedef struct {
	pid_t pid;         /* 0: none */
	uint64_t ended_ns; /* 0: it has not been waited for */
} Known;

static Known known[KNOWN_MAX];
static int known_used;        /* the others were never used */
static uint64_t ended_cpu_ns; /* what those that have ended took */

/* In the child. */

static void child_fail(int socket, const char *problem, const char *step)
{
	const ChildMessage message = { CHILD_MESSAGE_FAILED, 0 };
	g_autofree char *text = g_strdup_printf("%s%s: %s", problem, step, g_strerror(errno));

	child_port_send(socket, &message, text, strlen(text), -1, true);
	_exit(1);
}

/* A Ctrl-C is for the program: its children have a session of their own. */
static void leave_program(const ChildType *type, int *fds, unsigned count)
{
	child_signals_default();
	setsid();
	child_signals_unblock();
	prctl(PR_SET_NAME, type->name);
	if (!child_files_keep_only(fds, count))
		_exit(1);
}

/* Opens what was given as a place, while the process has the rights of the program. It parses
   nothing of the files before it has given them up. */
static bool open_places(int *fds, unsigned count)
{
	bool is_open = true;

	for (unsigned i = 0; i < count && is_open; i++) {
		int place = fds[i];

		if (place < 0 || !file_is_place(place))
			continue;
		fds[i] = file_place_open(place);
		is_open = fds[i] >= 0;
		close(place);
	}
	return is_open;
}

static void G_GNUC_NORETURN child_become(const ChildType *type, int *fds, unsigned count,
					 void *data, pid_t program)
{
	const ChildMessage end = { CHILD_MESSAGE_END, 0 };
	const char *problem;

	leave_program(type, fds, count);
	/* An open() may wait; giving up the rights clears this, so it is repeated. */
	child_signals_end_with(program, SIGKILL);
	if (!open_places(fds + 1, count - 1))
		child_fail(fds[0], "it cannot be opened", "");
	problem = child_sandbox_drop_privileges(type->rights);
	child_signals_end_with(program, SIGKILL);
	if (!problem && type->prepare)
		type->prepare();
	if (!problem)
		problem = child_sandbox_close(type->rights, &type->limits);
	if (problem)
		child_fail(fds[0],
			   "the process that reads files of others cannot give up its rights: ",
			   problem);
	type->run(fds[0], fds + 1, data);
	child_port_send(fds[0], &end, NULL, 0, -1, true);
	_exit(0);
}

/* In the program: what was started. */

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_usec * 1000;
}

static void child_reap(Known *process, int *status)
{
	struct rusage usage;

	if (!process->pid || process->ended_ns ||
	    wait4(process->pid, status, WNOHANG, &usage) != process->pid)
		return;
	process->ended_ns = clock_monotonic_ns();
	ended_cpu_ns += timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
}

/* Returns the CPU time that a process has taken that was not waited for. */
static uint64_t cpu_ns_of(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : clock_ns(clock);
}

uint64_t child_cpu_ns(void)
{
	uint64_t all_ns = ended_cpu_ns;

	for (int i = 0; i < known_used; i++)
		if (known[i].pid && !known[i].ended_ns)
			all_ns += cpu_ns_of(known[i].pid);
	return all_ns;
}

/* Reaps what ended late. Returns room for one more; NULL: too many are left behind. If very many
   were started in a short time, the first ones are forgotten early. */
static Known *child_room(void)
{
	const uint64_t kept_ns = (uint64_t)KNOWN_AFTER_S * NS_PER_SECOND;
	Known *oldest = NULL; /* the one that has ended for the longest time */

	for (int i = 0; i < known_used; i++) {
		int status;

		child_reap(&known[i], &status);
		if (known[i].ended_ns && (!oldest || known[i].ended_ns < oldest->ended_ns))
			oldest = &known[i];
	}
	if (oldest && oldest->ended_ns + kept_ns < clock_monotonic_ns())
		return oldest;
	return known_used < KNOWN_MAX ? &known[known_used++] : oldest;
}

bool child_is_own(uint32_t pid)
{
	for (int i = 0; i < known_used; i++)
		if (known[i].pid && (uint32_t)known[i].pid == pid)
			return true;
	return false;
}

bool child_start(Child *child, const ChildType *type, const int *fds, unsigned count, void *data)
{
	int all[CHILD_FDS_MAX + 1] = { -1 }, pair[2];
	const pid_t program = getpid();
	Known *process = child_room();

	*child = (Child){ .socket = -1 };
	errno = EAGAIN;
	if (!process || count > CHILD_FDS_MAX ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	all[0] = pair[1];
	for (unsigned i = 0; i < count; i++)
		all[i + 1] = fds[i];
	child_sandbox_choose_user();
	child->pid = child_signals_fork();
	if (!child->pid)
		child_become(type, all, count + 1, data, program);
	close(pair[1]);
	if (child->pid < 0) {
		close(pair[0]);
		child->pid = 0;
		return false;
	}
	child->socket = pair[0];
	*process = (Known){ .pid = child->pid };
	return true;
}

static Known *child_find(pid_t pid)
{
	for (int i = 0; i < known_used; i++)
		if (known[i].pid == pid && !known[i].ended_ns)
			return &known[i];
	return NULL;
}

/* Kills a child. Returns what is known of it; NULL: it was waited for before. */
static Known *leave(Child *child)
{
	Known *process = child->pid > 0 ? child_find(child->pid) : NULL;

	if (child->socket >= 0)
		close(child->socket);
	*child = (Child){ .socket = -1 };
	if (process)
		kill(process->pid, SIGKILL);
	return process;
}

void child_leave(Child *child)
{
	leave(child);
}

int child_end(Child *child)
{
	Known *process = leave(child);
	int status = -1;

	if (!process)
		return status;
	child_reap(process, &status);
	for (int i = 0; i < END_PATIENCE_MS && !process->ended_ns; i++) {
		sleep_ms(1);
		child_reap(process, &status);
	}
	return status;
}

/* In the program: calls. */

/* Returns CHILD_ANSWERED if it may go on. waits: for a message. */
static ChildEnd look_for_end(const Child *child, uint64_t until_ns, bool waits)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct pollfd ready[] = { { .fd = child->socket, .events = POLLIN },
				  { .fd = stop_signal_fd(), .events = POLLIN } };

	if (now_ns >= until_ns)
		return CHILD_LATE;
	poll(ready, G_N_ELEMENTS(ready), waits ? (int)((until_ns - now_ns) / NS_PER_MS + 1) : 0);
	return ready[1].revents & POLLIN ? CHILD_STOPPED : CHILD_ANSWERED;
}

ChildEnd child_wait(const Child *child, uint64_t until_ns)
{
	return look_for_end(child, until_ns, true);
}

typedef struct {
	const ChildCall *call;
	Child child;
	GString *answer;
	size_t taken; /* of the answer */
	uint64_t until_ns;
	uint64_t worked_ns, cpu_ns; /* when it was seen to work, and what it took up to then */
	char *problem;              /* owned */
} Calling;

/* Once a signal came, a process is waited for while it works: one that takes no CPU time waits for
   a file system. */
static bool is_idle(Calling *calling, uint64_t now_ns)
{
	uint64_t cpu_ns = cpu_ns_of(calling->child.pid);

	if (cpu_ns != calling->cpu_ns || !calling->worked_ns)
		calling->worked_ns = now_ns;
	calling->cpu_ns = cpu_ns;
	if (now_ns - calling->worked_ns < stop_signal_patience_ns(UINT64_MAX))
		return false;
	stop_signal_waited(now_ns - calling->worked_ns);
	return true;
}

/* Returns CHILD_ANSWERED if it may go on; there may be no message yet. */
static ChildEnd wait_for_message(Calling *calling)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t look_ns = now_ns + (uint64_t)LOOK_MS * NS_PER_MS;
	ChildEnd end;

	if (!stop_signal_came() || look_ns >= calling->until_ns)
		return child_wait(&calling->child, calling->until_ns);
	if (is_idle(calling, now_ns))
		return CHILD_STOPPED;
	end = child_wait(&calling->child, look_ns);
	return end == CHILD_LATE ? CHILD_ANSWERED : end;
}

/* Returns CHILD_LOST with the problem set, or not: then the process has ended. */
static ChildEnd take_piece(Calling *calling, const char *body, size_t bytes)
{
	if (bytes > calling->call->answer_bytes_max - calling->taken) {
		calling->problem =
			g_strdup_printf("reading it gave more than %" G_GSIZE_FORMAT " MB",
					calling->call->answer_bytes_max >> 20);
		return CHILD_LOST;
	}
	g_string_append_len(calling->answer, body, (gssize)bytes);
	calling->taken += bytes;
	return CHILD_ANSWERED;
}

/* Gives the file that the child asks for. It may get two answers, if the opener was late. */
static void give_file(const Calling *calling, uint64_t question, const char *body, size_t bytes)
{
	const ChildMessage answer = { CHILD_MESSAGE_FILE, question };
	const ChildCall *call = calling->call;
	const int socket = calling->child.socket;
	g_autofree char *path = g_strndup(body, (gsize)bytes);

	if (!call->give || !call->give(path, socket, &answer, call->give_data))
		child_port_send(socket, &answer, NULL, 0, -1, false);
}

static ChildEnd take_answer(Calling *calling)
{
	char body[CHILD_BODY_BYTES_MAX];
	ChildMessage message = { 0 };
	ChildEnd end = CHILD_ANSWERED;

	while (end == CHILD_ANSWERED && message.type != CHILD_MESSAGE_END) {
		ssize_t bytes = child_port_receive(calling->child.socket, &message, body,
						   sizeof(body), NULL);

		if (bytes < 0)
			end = errno == EAGAIN ? wait_for_message(calling) : CHILD_LOST;
		else if (message.type == CHILD_MESSAGE_PIECE)
			end = take_piece(calling, body, (size_t)bytes);
		else if (message.type == CHILD_MESSAGE_FAILED)
			calling->problem = g_strndup(body, (gsize)bytes);
		else if (message.type == CHILD_MESSAGE_ASK)
			give_file(calling, message.value, body, (size_t)bytes);
		end = calling->problem ? CHILD_LOST : end;
		/* A child that sends and sends has no more time than another one. */
		if (bytes >= 0 && end == CHILD_ANSWERED && message.type != CHILD_MESSAGE_END)
			end = look_for_end(&calling->child, calling->until_ns, false);
	}
	return end;
}

static char *problem_of(const ChildCall *call, ChildEnd end, int status)
{
	if (end == CHILD_LATE)
		return g_strdup_printf("reading it took longer than %g s",
				       (double)call->patience_ns / NS_PER_SECOND);
	if (end == CHILD_STOPPED)
		return g_strdup("a signal ended the reading");
	if (status < 0)
		return g_strdup("the process that read it was lost");
	if (WIFSIGNALED(status))
		return g_strdup_printf("the process that read it was ended by signal %d (%s)",
				       WTERMSIG(status), strsignal(WTERMSIG(status)));
	return g_strdup_printf("the process that read it ended with status %d",
			       WEXITSTATUS(status));
}

/* Gives a process that closed its socket time to end by itself, with its status. One that has
   answered is not waited for: there may be hundreds. */
static int end_of(Calling *calling, ChildEnd end)
{
	Known *process = child_find(calling->child.pid);
	int status = -1;

	if (end == CHILD_ANSWERED) {
		leave(&calling->child);
		return status;
	}
	for (int i = 0; end == CHILD_LOST && process && i < END_PATIENCE_MS; i++) {
		child_reap(process, &status);
		if (process->ended_ns)
			break;
		sleep_ms(1);
	}
	return process && process->ended_ns ? (child_end(&calling->child), status)
					    : child_end(&calling->child);
}

ChildEnd child_call(const ChildCall *call, GString *answer, char **problem)
{
	Calling calling = { .call = call,
			    .answer = answer,
			    .until_ns = clock_monotonic_ns() + call->patience_ns };
	ChildEnd end;
	int status;

	*problem = NULL;
	if (!stop_signal_patience_ns(1)) {
		*problem = problem_of(call, CHILD_STOPPED, 0);
		return CHILD_STOPPED;
	}
	if (!child_start(&calling.child, call->type, call->fds, call->fds_count, call->data)) {
		*problem = g_strdup_printf("no process could be started to read it: %s",
					   g_strerror(errno));
		return CHILD_LOST;
	}
	end = take_answer(&calling);
	status = end_of(&calling, end);
	if (end != CHILD_ANSWERED)
		*problem = calling.problem ? calling.problem : problem_of(call, end, status);
	return end;
}
