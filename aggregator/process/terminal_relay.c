/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the user's terminal and that of a command: terminal_relay.h. While the command is in the
 * foreground, the user's terminal passes each key, and the command's terminal makes signals of
 * them. One struct has the state of the relay's process, which turns a poll() loop until the
 * command ends. Calls only what is safe after a fork.
 */
#include "config.h"

#include "process/terminal_relay.h"

#include "process/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CHUNK_BYTES = 4096,
	LOOK_EVERY_MS =
		250, /* a shell that moves a running job to the foreground sends no signal */
};

typedef struct {
	char bytes[CHUNK_BYTES];
	size_t at, length;
} Chunk;

typedef struct {
	int outer;   /* -1: it is gone */
	int inner;   /* the relay's end of the command's terminal; -1: hung up */
	int program; /* -1: it has ended or has no more use for the keyboard */
	int session;
	int signals;
	pid_t leader;
	pid_t command; /* its group has this number, too */
	Chunk output;  /* to the user */
	Chunk keys;    /* to the command */
	bool is_released;
	bool has_keys;        /* the command may read the keyboard */
	bool wants_keys;      /* it does so whenever the job is in the foreground */
	bool is_taken;        /* the user's terminal is in our modes */
	bool has_modes;       /* the command's terminal got the user's modes */
	struct termios modes; /* the user's, while it is taken */
	bool has_ended;
	int status; /* of the command that has ended */
} Relay;

/* In the program. */

static bool terminal_relay_fail(GError **error, const char *what)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno),
		    "-u: no terminal for the command (%s: %s): redirect its input and output, or "
		    "run the program without a terminal, as with setsid(1)",
		    what, g_strerror(errno));
	return false;
}

/* A descriptor of its own: its flags do not change those of the shell's. */
static int open_outer(int *standard)
{
	int fd = -1;

	for (*standard = STDIN_FILENO; *standard <= STDERR_FILENO; (*standard)++)
		if (isatty(*standard))
			break;
	fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && *standard <= STDERR_FILENO) {
		g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", *standard);

		fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	}
	return fd;
}

static void copy_size(int outer, int inner)
{
	struct winsize size;

	if (!ioctl(outer, TIOCGWINSZ, &size))
		ioctl(inner, TIOCSWINSZ, &size);
}

static bool open_inner(TerminalPair *pair, uid_t owner)
{
	char name[PATH_MAX];

	pair->relay = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (pair->relay < 0 || grantpt(pair->relay) || unlockpt(pair->relay) ||
	    ptsname_r(pair->relay, name, sizeof(name)))
		return false;
	pair->inner = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (pair->inner < 0 || fchown(pair->inner, owner, (gid_t)-1))
		return false;
	copy_size(pair->outer, pair->inner);
	return true;
}

bool terminal_pair_open(TerminalPair *pair, uid_t owner, GError **error)
{
	int standard;

	*pair = (TerminalPair){ .outer = -1, .relay = -1, .inner = -1 };
	pair->outer = open_outer(&standard);
	if (pair->outer < 0)
		return standard > STDERR_FILENO || terminal_relay_fail(error, "the user's");
	if (standard > STDERR_FILENO ||
	    ttyname_r(standard, pair->outer_name, sizeof(pair->outer_name)))
		pair->outer_name[0] = '\0';
	if (open_inner(pair, owner))
		return true;
	terminal_relay_fail(error, "a pseudo terminal");
	terminal_pair_close(pair);
	return false;
}

void terminal_pair_close(TerminalPair *pair)
{
	int *const fds[] = { &pair->outer, &pair->relay, &pair->inner };

	for (size_t i = 0; i < G_N_ELEMENTS(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* In the relay: the user's terminal. */

static bool is_foreground(const Relay *relay)
{
	pid_t group = tcgetpgrp(relay->outer);

	/* ENOTTY: it is not our controlling terminal, so there is no job control. */
	return group < 0 ? relay->outer >= 0 && errno == ENOTTY : group == getpgrp();
}

static void terminal_relay_ask(const Relay *relay, SessionRequestKind kind, int number)
{
	SessionRequest request = { .kind = kind, .number = number };

	(void)!send(relay->session, &request, sizeof(request), MSG_NOSIGNAL);
}

static void tell_program(const Relay *relay)
{
	RelayChange change = { .is_taken = relay->is_taken, .modes = relay->modes };

	if (relay->program >= 0)
		(void)!send(relay->program, &change, sizeof(change), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* What the command's terminal does to output, the user's need not do; but the program also prints
   lines. */
static void follow_output_modes(const Relay *relay)
{
	struct termios inner, outer;

	if (!relay->is_taken || tcgetattr(relay->inner, &inner) || tcgetattr(relay->outer, &outer))
		return;
	if ((inner.c_oflag & OPOST) == (outer.c_oflag & OPOST))
		return;
	outer.c_oflag = inner.c_oflag & OPOST ? relay->modes.c_oflag
					      : relay->modes.c_oflag & ~(tcflag_t)OPOST;
	tcsetattr(relay->outer, TCSANOW, &outer);
}

static void take_outer(Relay *relay)
{
	struct termios modes;

	if (!relay->is_taken && tcgetattr(relay->outer, &relay->modes))
		return;
	/* Before the job is in the foreground, they may be those of the shell's editor. */
	if (!relay->has_modes)
		relay->has_modes = !tcsetattr(relay->inner, TCSANOW, &relay->modes);
	modes = relay->modes;
	modes.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL |
				     IUCLC | IXON | IXANY | IXOFF);
	modes.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	relay->is_taken = true;
	tell_program(relay);
	/* Again, if it is taken: a shell that stopped only the program has set its own. */
	tcsetattr(relay->outer, TCSANOW, &modes);
}

/* If another job is in the foreground, the terminal has the modes of that one. */
static void restore_outer(Relay *relay)
{
	if (!relay->is_taken)
		return;
	if (is_foreground(relay))
		tcsetattr(relay->outer, TCSANOW, &relay->modes);
	relay->is_taken = false;
	tell_program(relay);
}

/* The command's terminal. */

/* A program that reads gets end of file instead of waiting for ever. */
static void end_keys(Relay *relay)
{
	struct termios inner;

	restore_outer(relay);
	if (!relay->has_keys || relay->inner < 0)
		return;
	relay->has_keys = false;
	terminal_relay_ask(relay, SESSION_FOREGROUND, 0);
	relay->keys.length = 0;
	if (tcgetattr(relay->inner, &inner) || !(inner.c_lflag & ICANON))
		return;
	relay->keys.bytes[0] = (char)inner.c_cc[VEOF];
	relay->keys.at = 0;
	relay->keys.length = 1;
}

/* Puts the command where the job is. Without the keyboard it stays in the foreground. */
static void place_command(Relay *relay)
{
	bool in_front = relay->wants_keys && is_foreground(relay);

	if (!relay->has_keys)
		return;
	if (in_front)
		take_outer(relay);
	terminal_relay_ask(relay, in_front ? SESSION_FOREGROUND : SESSION_BACKGROUND, 0);
}

/* A pipe among the standard files: a pager at its other end may need the keyboard, so the command
   gets it when it asks. */
static bool begins_in_foreground(void)
{
	struct stat status;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &status) && S_ISFIFO(status.st_mode))
			return false;
	return isatty(STDIN_FILENO);
}

/* Job control. */

/* Stops the whole job as the kernel would do. Returns whether it was stopped: it is not if no shell
   could continue it. */
static bool stop_job(int number)
{
	sigset_t stop, before, pending;

	sigemptyset(&stop);
	sigaddset(&stop, number);
	sigprocmask(SIG_UNBLOCK, &stop, &before);
	kill(0, number);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !sigpending(&pending) && sigismember(&pending, SIGCONT);
}

static void terminal_relay_resume(Relay *relay)
{
	place_command(relay);
	terminal_relay_ask(relay, SESSION_SIGNAL, SIGCONT);
}

static void command_stopped(Relay *relay, int number)
{
	bool asks_for_keys = number == SIGTTIN || number == SIGTTOU;

	/* A command that nobody sees may be stopped by anybody who may signal it; that must not
	   stop the program. If the program has ended, there is no job any more. */
	if (relay->program < 0 || !(relay->is_taken || asks_for_keys))
		return;
	relay->wants_keys |= asks_for_keys;
	if (asks_for_keys && is_foreground(relay)) {
		terminal_relay_resume(relay);
		return;
	}
	restore_outer(relay);
	if (!stop_job(number) && asks_for_keys)
		end_keys(relay);
	terminal_relay_resume(relay);
}

static void session_spoke(Relay *relay)
{
	int status;

	/* A leader that was killed has hung up the command. */
	if (recv(relay->session, &status, sizeof(status), 0) != sizeof(status))
		status = SIGKILL;
	if (WIFSTOPPED(status)) {
		command_stopped(relay, WSTOPSIG(status));
		return;
	}
	relay->has_ended = true;
	relay->status = status;
}

/* Signals of the whole job are meant for the command, too; but the relay's own are not. */
static void take_signals(Relay *relay)
{
	struct signalfd_siginfo info;

	while (read(relay->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			copy_size(relay->outer, relay->inner);
		else if (!relay->is_released || info.ssi_pid == (uint32_t)getpid())
			continue;
		else if (info.ssi_signo == SIGCONT)
			terminal_relay_resume(relay);
		else
			terminal_relay_ask(relay, SESSION_SIGNAL, (int)info.ssi_signo);
	}
}

/* The program's end of the socket is closed, or it releases the command. */
static void program_spoke(Relay *relay)
{
	char how;

	if (recv(relay->program, &how, sizeof(how), 0) == sizeof(how)) {
		relay->is_released = relay->has_keys = true;
		if (how == RELAY_START_WITHOUT_KEYS)
			end_keys(relay);
		else
			place_command(relay);
		return;
	}
	if (!relay->is_released) {
		close(relay->session);
		while (waitpid(relay->leader, NULL, 0) < 0 && errno == EINTR)
			continue;
		_exit(0);
	}
	end_keys(relay);
	close(relay->program);
	relay->program = -1;
}

/* Bytes. */

/* The command's terminal makes a signal of a key for the command's group. As if there were one
   terminal, the program's job gets it, too. */
static void signal_job(const Relay *relay)
{
	static const struct {
		int key, number;
	} signals[] = { { VINTR, SIGINT }, { VQUIT, SIGQUIT } };
	struct termios inner;

	if (tcgetattr(relay->inner, &inner) || !(inner.c_lflag & ISIG) ||
	    tcgetpgrp(relay->inner) != relay->command)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
		int key = inner.c_cc[signals[i].key];

		if (key != _POSIX_VDISABLE && memchr(relay->keys.bytes, key, relay->keys.length))
			kill(0, signals[i].number);
	}
}

static bool terminal_relay_pull(int fd, Chunk *chunk)
{
	ssize_t got = read(fd, chunk->bytes, sizeof(chunk->bytes));

	chunk->at = 0;
	chunk->length = got > 0 ? (size_t)got : 0;
	return got > 0;
}

static void terminal_relay_push(int fd, Chunk *chunk)
{
	ssize_t put = write(fd, chunk->bytes + chunk->at, chunk->length);

	if (put <= 0)
		return;
	chunk->at += (size_t)put;
	chunk->length -= (size_t)put;
}

static void take_keys(Relay *relay)
{
	/* The shell took the terminal without stopping us. */
	if (!is_foreground(relay))
		relay->is_taken = false;
	else if (terminal_relay_pull(relay->outer, &relay->keys))
		signal_job(relay);
}

static bool take_output(Relay *relay)
{
	if (!terminal_relay_pull(relay->inner, &relay->output))
		return false;
	follow_output_modes(relay);
	return true;
}

static void hang_up(Relay *relay)
{
	close(relay->outer);
	close(relay->inner);
	relay->outer = relay->inner = -1;
	relay->is_taken = false;
	relay->keys.length = relay->output.length = 0;
}

/* The relay. */

enum { WITH_SIGNALS, WITH_SESSION, WITH_PROGRAM, WITH_OUTER, WITH_INNER, WITH_ALL };

static bool is_in_background(const Relay *relay)
{
	return relay->is_released && relay->has_keys && relay->wants_keys && !relay->is_taken &&
	       relay->outer >= 0;
}

static void wait_for_any(const Relay *relay, struct pollfd ready[WITH_ALL])
{
	bool wants_keys = relay->is_taken && !relay->keys.length && !relay->has_ended;
	bool wants_output = !relay->output.length && !relay->has_ended;

	ready[WITH_SIGNALS] = (struct pollfd){ .fd = relay->signals, .events = POLLIN };
	ready[WITH_SESSION] =
		(struct pollfd){ .fd = relay->has_ended ? -1 : relay->session, .events = POLLIN };
	ready[WITH_PROGRAM] = (struct pollfd){ .fd = relay->program, .events = POLLIN };
	ready[WITH_OUTER] = (struct pollfd){
		.fd = relay->outer,
		.events = (short)((wants_keys ? POLLIN : 0) | (relay->output.length ? POLLOUT : 0))
	};
	ready[WITH_INNER] = (struct pollfd){
		.fd = relay->has_ended ? -1 : relay->inner,
		.events = (short)((wants_output ? POLLIN : 0) | (relay->keys.length ? POLLOUT : 0))
	};
	if (poll(ready, WITH_ALL, is_in_background(relay) ? LOOK_EVERY_MS : -1) < 0)
		memset(ready, 0, WITH_ALL * sizeof(*ready));
}

static void terminal_relay_turn(Relay *relay)
{
	struct pollfd ready[WITH_ALL];

	wait_for_any(relay, ready);
	if (ready[WITH_INNER].revents & POLLIN)
		take_output(relay);
	if (ready[WITH_INNER].revents & POLLOUT)
		terminal_relay_push(relay->inner, &relay->keys);
	if (ready[WITH_OUTER].revents & POLLOUT)
		terminal_relay_push(relay->outer, &relay->output);
	if (ready[WITH_OUTER].revents & POLLIN)
		take_keys(relay);
	if (ready[WITH_SIGNALS].revents)
		take_signals(relay);
	if (ready[WITH_SESSION].revents)
		session_spoke(relay);
	if (ready[WITH_PROGRAM].revents)
		program_spoke(relay);
	if (is_in_background(relay) && is_foreground(relay))
		place_command(relay);
	if (ready[WITH_OUTER].revents & (POLLHUP | POLLERR | POLLNVAL))
		hang_up(relay);
}

static void G_GNUC_NORETURN end_as_command(int status)
{
	struct rlimit none = { 0, 0 };
	sigset_t last;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&last);
	sigaddset(&last, WTERMSIG(status));
	kill(getpid(), WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &last, NULL);
	_exit(1);
}

static int open_signals(void)
{
	static const int taken[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < G_N_ELEMENTS(taken); i++)
		sigaddset(&signals, taken[i]);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Keeps what the relay needs, and learns the command's pid. */
static void become_relay(Relay *relay, const TerminalPair *pair, int program, int session)
{
	int kept[] = { pair->outer, pair->relay, program, session };

	relay->wants_keys = begins_in_foreground();
	child_signals_default();
	if (!child_files_keep_only(kept, G_N_ELEMENTS(kept)))
		_exit(1);
	relay->outer = kept[0];
	relay->inner = kept[1];
	relay->program = kept[2];
	relay->session = kept[3];
	relay->signals = open_signals();
	if (recv(relay->session, &relay->command, sizeof(relay->command), 0) !=
	    sizeof(relay->command))
		_exit(1);
}

int terminal_relay_become(const TerminalPair *pair, int program, int pid_fd)
{
	static Relay relay;
	int pair_of_sockets[2];

	prctl(PR_SET_NAME, "kmt-terminal");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair_of_sockets))
		_exit(1);
	relay.leader = fork();
	if (!relay.leader) {
		close(pair_of_sockets[0]);
		close(program);
		return terminal_session_lead(pair->inner, pair_of_sockets[1], pid_fd);
	}
	if (relay.leader < 0)
		_exit(1);
	close(pair_of_sockets[1]);
	become_relay(&relay, pair, program, pair_of_sockets[0]);
	/* What the command wrote before its end can be read now, without waiting. */
	while (!relay.has_ended ||
	       (relay.outer >= 0 && (relay.output.length || take_output(&relay))))
		terminal_relay_turn(&relay);
	restore_outer(&relay);
	end_as_command(relay.status);
}
