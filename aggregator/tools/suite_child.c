/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another process of this program: its arguments from a request, its pipes, its end and its last
 * message. For drill-down and recordings of the screen.
 */
#include "config.h"

#include "tools/suite_child.h"

#include "process/fork.h"
#include "base/clock.h"
#include "base/private_file.h"
#include "base/words.h"
#include "record/probe_kinds.h"
#include "process/watchdog.h"
#include "base/exit_status.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PIPE_BYTES = 1 << 20, /* a larger pipe lets it continue longer while we are busy */
	LOOK_EVERY_MS = 10,
	END_PATIENCE_MS = 3000,
	RECORDING_PATIENCE_MS = 8000, /* time to write its end and unload a module */
	MESSAGE_BYTES_MAX = 4096,
};

struct SuiteChild {
	pid_t pid;
	int stdout_fd; /* -1: none */
	int stderr_fd;
	bool is_leaving; /* a recording that was asked to end */
	bool ended;
	int status; /* as waitpid() gives it */
};

/* Arguments. */

static void add_pids(GPtrArray *words, const GArray *pids)
{
	g_autoptr(GString) list = g_string_new("--pid=");

	for (guint i = 0; i < pids->len; i++)
		g_string_append_printf(list, "%s%u", i ? "," : "", g_array_index(pids, guint32, i));
	g_ptr_array_add(words, g_strdup(list->str));
}

GPtrArray *suite_arguments_new(const SuiteRequest *request, GError **error)
{
	const CollectRequest *like = request->like;
	g_autofree char *events = probe_kinds_names(like->what.events & ~(unsigned)PROBE_FREE);
	GPtrArray *words;

	if (like->whose.scope == COLLECT_SCOPE_COMMAND) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
				    "a second collection cannot follow the command of "
				    "--only-command: use -p PID");
		return NULL;
	}
	words = g_ptr_array_new_with_free_func(g_free);
	words_add(words, "%s", g_get_prgname());
	words_add(words, "--quiet");
	words_add(words, "--collector=%s", request->collector->name);
	words_add(words, "--events=%s", events);
	words_add(words, "--max-overhead=%u", like->bounds.overhead_percent_max);
	if (like->what.sampling_period > 1)
		words_add(words, "--sample=%u", like->what.sampling_period);
	if (like->stap.walk != STACK_WALK_AUTO)
		words_add(words, "--stack-walk=%s", stack_walk_names[like->stap.walk]);
	if (like->what.cache_names != CACHE_NAMES_AUTO)
		words_add(words, "--cache-names=%s", cache_naming_names[like->what.cache_names]);
	if (like->bounds.buffer_megabytes)
		words_add(words, "--buffer=%u", like->bounds.buffer_megabytes);
	if (like->whose.scope == COLLECT_SCOPE_PIDS)
		add_pids(words, like->whose.pids);
	if (like->whose.with_interrupts)
		words_add(words, "--with-interrupts");
	if (like->whose.include_self)
		words_add(words, "--include-self");
	if (request->cgroup)
		words_add(words, "--cgroup=%s", request->cgroup);
	if (like->stap.module_path)
		words_add(words, "--module=%s", like->stap.module_path);
	if (like->stap.options)
		words_add(words, "--stap-options=%s", like->stap.options);
	return words;
}

/* Start. */

static bool suite_child_fail(GError **error, const char *what)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno),
		    "a second collection could not be started: %s: %s", what, g_strerror(errno));
	return false;
}

/* Runs in the child: only calls that are safe after a fork, because there may be other threads. */
static void G_GNUC_NORETURN become_program(const char *path, char **arguments, pid_t parent,
					   int out, int err)
{
	static const char problem[] = "this program could not be started a second time\n";
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	watchdog_forget();
	child_signals_default();
	setpgid(0, 0);
	/* Ends it as after Ctrl-C. It undoes its changes itself, or its own watchdog does. */
	child_signals_end_with(parent, SIGTERM);
	child_signals_unblock();
	if (dup2(nothing, STDIN_FILENO) >= 0 &&
	    dup2(out >= 0 ? out : nothing, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execv(path, arguments);
	(void)!write(err, problem, sizeof(problem) - 1);
	_exit(127);
}

static void close_pair(const int pair[2])
{
	if (pair[0] >= 0)
		close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
}

static SuiteChild *child_new(pid_t pid, const int out[2], const int err[2])
{
	SuiteChild *child = g_new0(SuiteChild, 1);

	/* In both processes, because either may run first. */
	setpgid(pid, pid);
	child->pid = pid;
	child->stdout_fd = out[0];
	child->stderr_fd = err[0];
	if (out[1] >= 0) {
		close(out[1]);
		fcntl(out[0], F_SETPIPE_SZ, PIPE_BYTES);
	}
	close(err[1]);
	g_unix_set_fd_nonblocking(err[0], TRUE, NULL);
	return child;
}

SuiteChild *suite_child_start(const SuiteRequest *request, char **arguments, bool with_stdout,
			      GError **error)
{
	const char *path = request->program ? request->program : "/proc/self/exe";
	int out[2] = { -1, -1 }, err[2];
	pid_t parent = getpid(), pid;

	if (pipe2(err, O_CLOEXEC)) {
		suite_child_fail(error, "pipe");
		return NULL;
	}
	if (with_stdout && pipe2(out, O_CLOEXEC)) {
		suite_child_fail(error, "pipe");
		close_pair(err);
		return NULL;
	}
	pid = child_signals_fork();
	if (!pid)
		become_program(path, arguments, parent, out[1], err[1]);
	if (pid > 0)
		return child_new(pid, out, err);
	suite_child_fail(error, "fork");
	close_pair(out);
	close_pair(err);
	return NULL;
}

guint32 suite_child_pid(const SuiteChild *child)
{
	return (guint32)child->pid;
}

int suite_child_stdout(const SuiteChild *child)
{
	return child->stdout_fd;
}

/* End. */

void suite_child_interrupt(SuiteChild *child)
{
	/* No other process can get its pid until we have waited for it. */
	if (!child->ended)
		kill(child->pid, SIGINT);
}

bool suite_child_wait(SuiteChild *child, unsigned patience_ms)
{
	uint64_t end_ns = clock_monotonic_ns() + patience_ms * 1000000ULL;

	while (!child->ended) {
		pid_t waited = waitpid(child->pid, &child->status, WNOHANG);

		child->ended = waited == child->pid || (waited < 0 && errno == ECHILD);
		if (!child->ended && clock_monotonic_ns() >= end_ns)
			return false;
		if (!child->ended)
			sleep_ms(LOOK_EVERY_MS);
	}
	return true;
}

void suite_child_free(SuiteChild *child)
{
	if (!child)
		return;
	/* A child that waits for a reader of its pipe must see that the reader has closed it. */
	if (child->stdout_fd >= 0)
		close(child->stdout_fd);
	if (!suite_child_wait(child, 0)) {
		suite_child_interrupt(child);
		if (!suite_child_wait(child, END_PATIENCE_MS))
			kill(child->pid, SIGKILL);
		suite_child_wait(child, END_PATIENCE_MS);
	}
	close(child->stderr_fd);
	g_free(child);
}

/* Returns the last line that it printed, without its name; NULL: none. */
static char *last_line(SuiteChild *child)
{
	g_autofree char *prefix = g_strconcat(g_get_prgname(), ": ", NULL);
	char text[MESSAGE_BYTES_MAX + 1];
	ssize_t length = read(child->stderr_fd, text, MESSAGE_BYTES_MAX);
	const char *line;

	if (length <= 0)
		return NULL;
	text[length] = '\0';
	g_strchomp(text);
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return g_strdup(g_str_has_prefix(line, prefix) ? line + strlen(prefix) : line);
}

char *suite_child_problem(SuiteChild *child)
{
	char *said;

	if (WIFEXITED(child->status) && (WEXITSTATUS(child->status) == EXIT_COMPLETE ||
					 WEXITSTATUS(child->status) == EXIT_INCOMPLETE))
		return NULL;
	said = last_line(child);
	if (said)
		return said;
	if (WIFSIGNALED(child->status))
		return g_strdup_printf("the second collection was ended by signal %d (%s)",
				       WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
	return g_strdup("the second collection failed");
}

/* Recordings. */

SuiteChild *suite_recording_start(const char *path, const SuiteRequest *request, GError **error)
{
	g_autoptr(GPtrArray) words = NULL;

	/* The child would detect this, too, but too late for a message. */
	if (!private_file_check(path, false, error))
		return NULL;
	words = suite_arguments_new(request, error);
	if (!words)
		return NULL;
	words_add(words, "--stacks");
	words_add(words, "--record=%s%s", *path == '-' ? "./" : "", path);
	g_ptr_array_add(words, NULL);
	return suite_child_start(request, (char **)words->pdata, false, error);
}

void suite_recording_leave(SuiteChild *recording)
{
	if (!recording->is_leaving)
		suite_child_interrupt(recording);
	recording->is_leaving = true;
}

bool suite_recording_stop(SuiteChild *recording, GError **error)
{
	g_autoptr(SuiteChild) child = recording;
	g_autofree char *problem = NULL;

	suite_recording_leave(child);
	problem = suite_child_wait(child, RECORDING_PATIENCE_MS)
			  ? suite_child_problem(child)
			  : g_strdup("the recording did not end in time: its data is in the file "
				     ".part");
	if (problem)
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, problem);
	return !problem;
}
