/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts staprun in a process group of its own, with pipes and a fixed environment, and unloads
 * modules. stap_run.c owns the child; stap_start.c unloads leftovers with the same function.
 */
#include "config.h"

#include "collect/stap/stap_child.h"

#include "base/unconst.h"
#include "process/fork.h"
#include "base/clock.h"
#include "process/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
	PIPE_BYTES = 1 << 20,
	PIPE_BYTES_MIN = 1 << 16,
	UNLOAD_PATIENCE_MS = 1500, /* for killed processes to release the module */
	UNLOAD_EVERY_MS = 50,
	UNLOAD_TRIES_MIN = 3, /* on a slow host, the first one may take all that time */
};

/* Without the caller's environment: staprun runs as root and starts helpers by name. */
static char *const environment[] = {
	(char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
	(char *)"LC_ALL=C",
	/* Without it, staprun permanently disables the kernel's optimisation of kprobes; we use
	   none. */
	(char *)"STAP_PR13193_OVERRIDE=1",
	NULL,
};

/* With a larger pipe, the kernel side can continue longer while we are busy. */
static void enlarge_pipe(int fd)
{
	int bytes = PIPE_BYTES;

	while (bytes > PIPE_BYTES_MIN && fcntl(fd, F_SETPIPE_SZ, bytes) < 0)
		bytes /= 2;
}

static pid_t fork_staprun(char **argv, int out, int err)
{
	static const char problem[] = "ERROR: it could not be executed\n";
	pid_t parent = getpid();
	pid_t pid = child_signals_fork();
	int nothing;

	if (pid)
		return pid;
	/* In the child: only calls that are safe after a fork. */
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	child_signals_default();
	child_signals_unblock();
	setpgid(0, 0);
	/* First, because the parent may be killed before it could register the group. */
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_GROUP, .group = getpid() });
	child_signals_end_with(parent, SIGTERM);
	if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
		execve(argv[0], argv, environment);
	(void)!write(err, problem, sizeof(problem) - 1);
	_exit(127);
}

static bool stap_child_fail(GError **error, const char *what)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "staprun: %s: %s", what,
		    g_strerror(errno));
	return false;
}

static void close_pair(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

bool stap_child_start(StapChild *child, char **argv, GError **error)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC))
		return stap_child_fail(error, "pipe");
	if (pipe2(err, O_CLOEXEC)) {
		close_pair(out);
		return stap_child_fail(error, "pipe");
	}
	enlarge_pipe(out[0]);
	child->pid = fork_staprun(argv, out[1], err[1]);
	if (child->pid < 0) {
		close_pair(out);
		close_pair(err);
		return stap_child_fail(error, "fork");
	}
	/* In both processes, because either may run first. */
	setpgid(child->pid, child->pid);
	close(out[1]);
	close(err[1]);
	child->stdout_fd = out[0];
	child->stderr_fd = err[0];
	g_unix_set_fd_nonblocking(child->stdout_fd, TRUE, NULL);
	g_unix_set_fd_nonblocking(child->stderr_fd, TRUE, NULL);
	return true;
}

void stap_child_close(StapChild *child)
{
	close(child->stdout_fd);
	close(child->stderr_fd);
}

char *stap_module_name(const char *path)
{
	char *name = g_path_get_basename(path);
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = '\0';
	return name;
}

char *stap_module_renamed(const char *name, pid_t pid)
{
	g_autofree char *suffix = g_strdup_printf("_%d", (int)pid);
	size_t kept = strlen(name) - MIN(strlen(name), strlen(suffix));

	/* The new name must have the same length; a shorter name is kept. */
	if (strlen(suffix) > strlen(name))
		return g_strdup(name);
	return g_strdup_printf("%.*s%s", (int)kept, name, suffix);
}

char *stap_module_folder(const char *sys_folder, const char *name)
{
	return g_build_filename(sys_folder ? sys_folder : "/sys", "module", name, NULL);
}

bool stap_module_is_loaded(const char *sys_folder, const char *name)
{
	g_autofree char *path = stap_module_folder(sys_folder, name);

	return g_file_test(path, G_FILE_TEST_IS_DIR);
}

bool stap_module_unload(const char *staprun, const char *sys_folder, const char *name)
{
	char *argv[] = { unconst(staprun), (char *)"-d", unconst(name), NULL };
	const GSpawnFlags quiet = G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL;
	uint64_t end_ns = clock_monotonic_ns() + UNLOAD_PATIENCE_MS * 1000000ULL;

	for (int tries = 1;; tries++) {
		g_spawn_sync(NULL, argv, unconst(environment), quiet, NULL, NULL, NULL, NULL, NULL,
			     NULL);
		if (!stap_module_is_loaded(sys_folder, name))
			return true;
		if (tries >= UNLOAD_TRIES_MIN && clock_monotonic_ns() >= end_ns)
			return false;
		sleep_ms(UNLOAD_EVERY_MS);
	}
}
