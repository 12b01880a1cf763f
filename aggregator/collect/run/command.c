/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/run/command.h"

#include "collect/process/child_signals.h"
#include "base/clock.h"
#include "collect/run/oom_score.h"
#include "collect/host/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The user that the command runs as; prepared before the fork and used after it. */
typedef struct {
	bool change;
	uid_t uid;
	gid_t gid;
	GArray *groups;     /* (element-type gid_t), owned */
	char **environment; /* owned */
} Identity;

/* Sent by a starting child to its parent, in this order. */
typedef struct {
	uint64_t start_ns; /* just before execve */
	int exec_errno;    /* only if execve failed; otherwise the pipe ends */
} StartReport;

struct Command {
	pid_t pid;
	char *name;
	int go_fd;     /* a byte releases the child; end of file ends it */
	int report_fd; /* StartReport */
	uint64_t start_ns;
};

enum { GROUPS_MAX = 65536 };

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
		g_array_set_size(groups, count);
	} while (getgrouplist(user->pw_name, user->pw_gid, (gid_t *)(void *)groups->data, &count) <
			 0 &&
		 groups->len < GROUPS_MAX);
	g_array_set_size(groups, MIN(count, GROUPS_MAX));
}

static void identity_set(Identity *identity, const char *variable, const char *value)
{
	identity->environment = g_environ_setenv(identity->environment, variable, value, TRUE);
}

/* Copies our environment, with other values for the variables that name the user. */
static bool identity_init(Identity *identity, const char *name, GError **error)
{
	const struct passwd *user;

	identity->groups = g_array_new(FALSE, TRUE, sizeof(gid_t));
	identity->environment = g_get_environ();
	if (!name)
		return true;
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
	identity_read_groups(identity, user);
	identity_set(identity, "HOME", user->pw_dir);
	identity_set(identity, "SHELL", *user->pw_shell ? user->pw_shell : "/bin/sh");
	identity_set(identity, "USER", name);
	identity_set(identity, "LOGNAME", name);
	return true;
}

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

static bool take_identity(const Identity *identity)
{
	const GArray *groups = identity->groups;

	return !identity->change ||
	       (!setgroups(groups->len, (const gid_t *)(const void *)groups->data) &&
		!setgid(identity->gid) && !setuid(identity->uid));
}

/* Runs in the child: only calls that are safe after a fork. */
static void G_GNUC_NORETURN become_command(char **argv, const Identity *identity, int go_fd,
					   int report_fd)
{
	StartReport report;
	char go;

	watchdog_forget();
	restore_signals();
	/* First: another user may not be allowed to. */
	oom_score_restore();
	if (read(go_fd, &go, 1) != 1)
		_exit(0);
	if (take_identity(identity)) {
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

static Command *fork_held(char **argv, const Identity *identity, const int go[2],
			  const int report[2])
{
	Command *command;
	pid_t pid = child_signals_fork();

	if (!pid) {
		close(go[1]);
		close(report[0]);
		become_command(argv, identity, go[0], report[1]);
	}
	if (pid < 0)
		return NULL;
	command = g_new0(Command, 1);
	command->pid = pid;
	command->name = g_strdup(argv[0]);
	command->go_fd = go[1];
	command->report_fd = report[0];
	return command;
}

static void close_pair(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

static Command *hold(char **argv, const Identity *identity, GError **error)
{
	Command *command;
	int go[2], report[2];

	if (pipe2(go, O_CLOEXEC)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "pipe: %s", g_strerror(errno));
		return NULL;
	}
	if (pipe2(report, O_CLOEXEC)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "pipe: %s", g_strerror(errno));
		close_pair(go);
		return NULL;
	}
	command = fork_held(argv, identity, go, report);
	if (!command) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "fork: %s", g_strerror(errno));
		close_pair(go);
		close_pair(report);
		return NULL;
	}
	close(go[0]);
	close(report[1]);
	return command;
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
	close(command->go_fd);
	command->go_fd = -1;
	while (waitpid(command->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

void command_free(Command *command)
{
	if (!command)
		return;
	give_up(command);
	close(command->report_fd);
	g_free(command->name);
	g_free(command);
}

pid_t command_pid(const Command *command)
{
	return command->pid;
}

uint64_t command_start_ns(const Command *command)
{
	return command->start_ns;
}

static bool read_whole(int fd, void *to, size_t length)
{
	ssize_t got;

	do
		got = read(fd, to, length);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)length;
}

bool command_release(Command *command, GError **error)
{
	StartReport report = { 0 };
	bool began = write(command->go_fd, "", 1) == 1 &&
		     read_whole(command->report_fd, &report.start_ns, sizeof(report.start_ns));

	/* The pipe ends at the execve or when the child ends. */
	if (began &&
	    !read_whole(command->report_fd, &report.exec_errno, sizeof(report.exec_errno))) {
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
