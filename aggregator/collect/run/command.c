/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's command as a process that is forked early and waits: pipes hold and release it, and
 * report its start or why exec failed. With another user it has a relay of the terminal between.
 * live_run.c owns it.
 */
#include "config.h"

#include "collect/run/command.h"

#include "base/clock.h"
#include "collect/run/run_memory.h"
#include "process/fork.h"
#include "process/terminal_relay.h"
#include "process/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The user of -u: ids, groups and environment, read before the fork; taken in the child by calls
 * that are safe there.
 */

/* The user that a command runs as; prepared before the fork and used after it. */
typedef struct {
	bool change; /* to another user; else the other members but environment mean nothing */
	uid_t uid;
	gid_t gid;
	GArray *groups;     /* (element-type gid_t), owned */
	char **environment; /* owned */
} Identity;

enum { GROUPS_MAX = 65536 };

/* What of our environment another user's command needs: where programs are, what the terminal can
   do, language and time. */
static const char *const kept_variables[] = { "PATH", "TERM",     "COLORTERM", "NO_COLOR",
					      "LANG", "LANGUAGE", "TZ" };
static const char kept_prefix[] = "LC_";

static void identity_clear(Identity *identity)
{
	g_clear_pointer(&identity->groups, g_array_unref);
	g_clear_pointer(&identity->environment, g_strfreev);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Identity, identity_clear)

static void identity_read_groups(Identity *identity, const struct passwd *user)
{
	int count = 64;

	GArray *groups = identity->groups;

	do {
		count = MIN(count * 2, GROUPS_MAX);
		g_array_set_size(groups, (guint)count);
	} while (getgrouplist(user->pw_name, user->pw_gid, (gid_t *)(void *)groups->data, &count) <
			 0 &&
		 groups->len < GROUPS_MAX);
	g_array_set_size(groups, (guint)MIN(count, GROUPS_MAX));
}

static void identity_set(Identity *identity, const char *variable, const char *value)
{
	identity->environment = g_environ_setenv(identity->environment, variable, value, TRUE);
}

static bool is_kept(const char *variable)
{
	size_t length = strcspn(variable, "=");

	for (size_t i = 0; i < G_N_ELEMENTS(kept_variables); i++)
		if (strlen(kept_variables[i]) == length &&
		    !strncmp(variable, kept_variables[i], length))
			return true;
	return g_str_has_prefix(variable, kept_prefix);
}

static void set_environment(Identity *identity, const struct passwd *user)
{
	g_auto(GStrv) ours = g_get_environ();
	GPtrArray *kept = g_ptr_array_new();

	for (char **variable = ours; *variable; variable++)
		if (is_kept(*variable))
			g_ptr_array_add(kept, g_strdup(*variable));
	g_ptr_array_add(kept, NULL);
	identity->environment = (char **)g_ptr_array_free(kept, FALSE);
	identity_set(identity, "HOME", user->pw_dir);
	identity_set(identity, "SHELL", *user->pw_shell ? user->pw_shell : "/bin/sh");
	identity_set(identity, "USER", user->pw_name);
	identity_set(identity, "LOGNAME", user->pw_name);
}

/*
 * Looks up the user; NULL: the current one, with our environment. The environment of another user
 * has the variables that name the user, and of ours only those of a table: the rest may be secrets,
 * or paths into our home. Returns false with error set (G_OPTION_ERROR) if the user is not known,
 * or if we are not root.
 */
static bool identity_init(Identity *identity, const char *name, GError **error)
{
	const struct passwd *user;

	if (!name) {
		identity->environment = g_get_environ();
		return true;
	}
	user = getpwnam(name);
	if (!user || geteuid()) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    user ? "-u %s: only root can run a command as another user: use sudo"
				 : "-u %s: no such user",
			    name);
		return false;
	}
	identity->change = true;
	identity->uid = user->pw_uid;
	identity->gid = user->pw_gid;
	identity->groups = g_array_new(FALSE, TRUE, sizeof(gid_t));
	identity_read_groups(identity, user);
	set_environment(identity, user);
	return true;
}

/* In a child that will exec: takes the user's ids, without our keys and descriptors. Returns
   false with errno set on failure. */
static bool identity_take(const Identity *identity)
{
	const GArray *groups = identity->groups;

	if (!identity->change)
		return true;
	child_files_close_at_exec();
	if (setgroups(groups->len, (const gid_t *)(const void *)groups->data) ||
	    setgid(identity->gid) || setuid(identity->uid))
		return false;
	/* Our session's keys would be the command's, too (session-keyring(7)). Kernels without keys
	   have none. */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	return true;
}

/* Sent by a starting child to its parent, in this order. */
typedef struct {
	uint64_t start_ns; /* just before execve */
	int exec_errno;    /* only if execve failed; otherwise the pipe ends */
} StartReport;

enum { RELAY_PATIENCE_MS = 1000 };

struct Command {
	pid_t pid;
	pid_t child; /* the command, or the relay of its terminal */
	char *name;
	int go_fd;      /* a byte releases the child; end of file ends it */
	int report_fd;  /* with a relay the command's pid; StartReport */
	int relay_fd;   /* go_fd of a relay; -1: none, or it has no more to say */
	char *terminal; /* the user's; NULL: not known */
	uint64_t start_ns;
};

/* Returns why the program cannot be found, or NULL if it is found. */
static const char *program_problem(const char *program)
{
	g_autofree char *path = NULL;

	if (!*program)
		return "its name is empty";
	path = g_find_program_in_path(program);
	if (path)
		return NULL;
	if (!strchr(program, '/'))
		return "no such program in PATH";
	if (g_file_test(program, G_FILE_TEST_IS_DIR))
		return "it is a folder";
	return access(program, F_OK) ? g_strerror(errno) : "it is not executable";
}

static bool check_program(const char *program, GError **error)
{
	const char *problem = program_problem(program);

	if (problem)
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "the command '%s' cannot be run: %s", program, problem);
	return !problem;
}

bool command_check(char **argv, const char *user, GError **error)
{
	g_auto(Identity) identity = { 0 };

	return check_program(argv[0], error) && identity_init(&identity, user, error);
}

/* Undoes the signal settings that the command must not inherit. */
static void restore_signals(void)
{
	static const int handled[] = {
		SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGPIPE, SIGXFSZ
	};
	struct sigaction action;

	for (size_t i = 0; i < G_N_ELEMENTS(handled); i++) {
		/* Keep nohup's SIGHUP. */
		if (handled[i] == SIGHUP && !sigaction(SIGHUP, NULL, &action) &&
		    action.sa_handler == SIG_IGN)
			continue;
		signal(handled[i], SIG_DFL);
	}
	child_signals_unblock();
}

/* Runs in the child: only calls that are safe after a fork. */
static void G_GNUC_NORETURN become_command(char **argv, const Identity *identity, int go_fd,
					   int report_fd)
{
	StartReport report;
	char go;

	restore_signals();
	if (read(go_fd, &go, 1) != 1)
		_exit(0);
	if (identity_take(identity)) {
		report.start_ns = clock_monotonic_ns();
		if (write(report_fd, &report.start_ns, sizeof(report.start_ns)) > 0)
			execvpe(argv[0], argv, identity->environment);
	} else {
		report.start_ns = 0;
		(void)!write(report_fd, &report.start_ns, sizeof(report.start_ns));
	}
	report.exec_errno = errno;
	(void)!write(report_fd, &report.exec_errno, sizeof(report.exec_errno));
	_exit(127);
}

/* What a starting command and the program say to each other; -1: not open. */
typedef struct {
	int go[2];         /* the child's end, the program's end: a pipe, or a relay's socket */
	int report[2];     /* the program's end, the child's end */
	TerminalPair pair; /* of a relay */
} Channels;

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void channels_clear(Channels *channels)
{
	for (int end = 0; end < 2; end++) {
		close_fd(&channels->go[end]);
		close_fd(&channels->report[end]);
	}
	terminal_pair_close(&channels->pair);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Channels, channels_clear)

static bool has_relay(const Channels *channels)
{
	return channels->pair.outer >= 0;
}

static bool channels_open(Channels *channels, const Identity *identity, GError **error)
{
	int refused;

	if (identity->change && !terminal_pair_open(&channels->pair, identity->uid, error))
		return false;
	refused = has_relay(channels)
			  ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channels->go)
			  : pipe2(channels->go, O_CLOEXEC);
	if (!refused && !pipe2(channels->report, O_CLOEXEC))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "pipe: %s", g_strerror(errno));
	return false;
}

static void G_GNUC_NORETURN become_child(char **argv, const Identity *identity,
					 const Channels *channels)
{
	int go = channels->go[0];

	watchdog_forget();
	/* First: another user may not be allowed to. */
	oom_score_restore();
	close(channels->go[1]);
	close(channels->report[0]);
	if (has_relay(channels))
		go = terminal_relay_become(&channels->pair, go, channels->report[1]);
	become_command(argv, identity, go, channels->report[1]);
}

static bool read_whole(int fd, void *to, size_t length)
{
	ssize_t got;

	do
		got = read(fd, to, length);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)length;
}

/* The channels' ends of the program become the command's. */
static Command *command_new(char **argv, pid_t child, Channels *channels)
{
	Command *command = g_new0(Command, 1);

	command->pid = command->child = child;
	command->name = g_strdup(argv[0]);
	command->go_fd = channels->go[1];
	command->relay_fd = has_relay(channels) ? command->go_fd : -1;
	command->report_fd = channels->report[0];
	if (*channels->pair.outer_name)
		command->terminal = g_strdup(channels->pair.outer_name);
	channels->go[1] = channels->report[0] = -1;
	return command;
}

static Command *hold(char **argv, const Identity *identity, GError **error)
{
	g_auto(Channels) channels = { .go = { -1, -1 },
				      .report = { -1, -1 },
				      .pair = { .outer = -1, .relay = -1, .inner = -1 } };
	g_autoptr(Command) command = NULL;
	pid_t child;

	if (!channels_open(&channels, identity, error))
		return NULL;
	child = child_signals_fork();
	if (!child)
		become_child(argv, identity, &channels);
	if (child < 0) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "fork: %s", g_strerror(errno));
		return NULL;
	}
	command = command_new(argv, child, &channels);
	close_fd(&channels.report[1]);
	if (command->relay_fd < 0 ||
	    read_whole(command->report_fd, &command->pid, sizeof(command->pid)))
		return g_steal_pointer(&command);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
		    "the terminal of the command '%s' could not be set up", argv[0]);
	return NULL;
}

Command *command_hold(char **argv, const char *user, GError **error)
{
	g_auto(Identity) identity = { 0 };

	if (!check_program(argv[0], error) || !identity_init(&identity, user, error))
		return NULL;
	return hold(argv, &identity, error);
}

/* Ends the child if it still waits: it reads the end of the pipe. */
static void give_up(Command *command)
{
	if (command->go_fd < 0)
		return;
	if (command->relay_fd < 0)
		close(command->go_fd);
	command_leave_terminal(command);
	command->go_fd = -1;
	while (waitpid(command->child, NULL, 0) < 0 && errno == EINTR)
		continue;
}

void command_free(Command *command)
{
	if (!command)
		return;
	give_up(command);
	command_leave_terminal(command);
	close(command->report_fd);
	g_free(command->terminal);
	g_free(command->name);
	g_free(command);
}

pid_t command_pid(const Command *command)
{
	return command->pid;
}

pid_t command_child(const Command *command)
{
	return command->child;
}

uint64_t command_start_ns(const Command *command)
{
	return command->start_ns;
}

int command_relay_fd(const Command *command)
{
	return command->relay_fd;
}

bool command_take_change(const Command *command)
{
	RelayChange change;
	WatchdogItem item = { .kind = WATCHDOG_TERMINAL,
			      .path = command->terminal,
			      .modes = &change.modes };

	if (recv(command->relay_fd, &change, sizeof(change), 0) != sizeof(change))
		return false;
	if (!command->terminal)
		return true;
	if (change.is_taken)
		watchdog_add(&item);
	else
		watchdog_withdraw(&item);
	return true;
}

void command_leave_terminal(Command *command)
{
	struct pollfd answer = { .fd = command->relay_fd, .events = POLLIN };

	if (command->relay_fd < 0)
		return;
	shutdown(command->relay_fd, SHUT_WR);
	while (poll(&answer, 1, RELAY_PATIENCE_MS) > 0 && command_take_change(command))
		continue;
	close_fd(&command->relay_fd);
}

bool command_release(Command *command, bool without_keys, GError **error)
{
	StartReport report = { 0 };
	char go = without_keys ? RELAY_START_WITHOUT_KEYS : RELAY_START;
	ssize_t sent = command->relay_fd < 0 ? write(command->go_fd, &go, 1)
					     : send(command->go_fd, &go, 1, MSG_NOSIGNAL);
	bool began = sent == 1 &&
		     read_whole(command->report_fd, &report.start_ns, sizeof(report.start_ns));

	/* The pipe ends at the execve or when the child ends. */
	if (began &&
	    !read_whole(command->report_fd, &report.exec_errno, sizeof(report.exec_errno))) {
		if (command->relay_fd < 0)
			close(command->go_fd);
		command->go_fd = -1;
		command->start_ns = report.start_ns;
		return true;
	}
	give_up(command);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "the command '%s' cannot be run: %s",
		    command->name,
		    began ? g_strerror(report.exec_errno) : "it was killed before it began");
	return false;
}
