/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The leader of the command's session, between the relay and the command. It starts the command,
 * passes signals on, and reports how it stops or ends. Calls only what is safe after a fork.
 */
#include "config.h"

#include "process/terminal_relay.h"

#include "process/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
	int terminal;
	int relay;
	int go; /* a byte releases the command; -1: it was released */
	int child_signals;
	pid_t command;
} Session;

static int open_child_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Returns whether the command has ended. */
static bool report_changes(const Session *session)
{
	struct signalfd_siginfo info;
	int status;

	while (read(session->child_signals, &info, sizeof(info)) > 0)
		continue;
	while (waitpid(session->command, &status, WUNTRACED | WNOHANG) > 0) {
		(void)!send(session->relay, &status, sizeof(status), MSG_NOSIGNAL);
		if (WIFEXITED(status) || WIFSIGNALED(status))
			return true;
	}
	return false;
}

/* The command was not waited for yet, so its pid is its own. */
static void terminal_session_obey(Session *session, const SessionRequest *request)
{
	if (request->kind == SESSION_SIGNAL) {
		kill(-session->command, request->number);
		return;
	}
	tcsetpgrp(session->terminal,
		  request->kind == SESSION_FOREGROUND ? session->command : getpgrp());
	if (session->go < 0)
		return;
	(void)!write(session->go, "", 1);
	close(session->go);
	session->go = -1;
}

/* A command that was not released ends now. The end of the leader hangs up a running one. */
static void G_GNUC_NORETURN give_up(const Session *session)
{
	if (session->go >= 0) {
		close(session->go);
		while (waitpid(session->command, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	_exit(0);
}

static void G_GNUC_NORETURN terminal_session_serve(Session *session)
{
	struct pollfd ready[] = {
		{ .fd = session->child_signals, .events = POLLIN },
		{ .fd = session->relay, .events = POLLIN },
	};

	for (;;) {
		SessionRequest request;

		poll(ready, G_N_ELEMENTS(ready), -1);
		if (ready[0].revents && report_changes(session))
			_exit(0);
		if (!ready[1].revents)
			continue;
		if (recv(session->relay, &request, sizeof(request), 0) != sizeof(request))
			give_up(session);
		terminal_session_obey(session, &request);
	}
}

static void use_terminal(int terminal)
{
	setpgid(0, 0);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (isatty(fd))
			dup2(terminal, fd);
}

int terminal_session_lead(int terminal, int relay, int pid_fd)
{
	Session session = { 0 };
	int kept[3];
	int go[2];

	prctl(PR_SET_NAME, "kmt-session");
	if (setsid() < 0 || ioctl(terminal, TIOCSCTTY, 0) || pipe2(go, O_CLOEXEC))
		_exit(1);
	session.command = fork();
	if (!session.command) {
		close(go[1]);
		use_terminal(terminal);
		return go[0];
	}
	if (session.command < 0)
		_exit(1);
	setpgid(session.command, session.command);
	(void)!write(pid_fd, &session.command, sizeof(session.command));
	(void)!send(relay, &session.command, sizeof(session.command), MSG_NOSIGNAL);
	kept[0] = terminal;
	kept[1] = relay;
	kept[2] = go[1];
	child_signals_default();
	if (!child_files_keep_only(kept, G_N_ELEMENTS(kept)))
		_exit(1);
	session.terminal = kept[0];
	session.relay = kept[1];
	session.go = kept[2];
	session.child_signals = open_child_signals();
	terminal_session_serve(&session);
}
