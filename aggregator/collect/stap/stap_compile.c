/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of stap: started in a process group, its output read and shown as progress, ended by
 * signals of the user. A private mount shows it a System.map where the host lacks one. stap_build.c
 * calls it.
 */
#include "collect/stap/stap_build.h"

#include "collect/stap/stap_messages.h"
#include "process/fork.h"
#include "process/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	QUIET_SECONDS = 4,    /* on a known kernel, stap takes two or three */
	KILL_AFTER_MS = 2000, /* for stap to end by itself after SIGTERM */
	GONE_WITHIN_MS = 500, /* after SIGKILL */
	LAST_WORDS_MS = 100,
	SHOWN_BYTES_MAX = 300, /* of an unknown error */
};

/* A running stap, and its displayed output. */
typedef struct {
	const StapCompile *compile;
	StapMessages *messages;
	char *first_error; /* an error line that no table contains */
	gint64 started_us;
	gint64 shown_seconds; /* time of the last progress line; 0: none yet */
	bool is_terminal;
	pid_t pid;
	int output;
	int signals;
} Run;

static void keep_line(const char *line, void *user_data)
{
	Run *run = user_data;

	if (run->compile->verbose > 0)
		fprintf(stderr, "stap: %s\n", line);
	if (!run->first_error && strstr(line, "rror"))
		run->first_error = g_strndup(line, SHOWN_BYTES_MAX);
}

/* What the child needs before it becomes stap. */
typedef struct {
	pid_t parent;
	char *map; /* owned: the System.map that stap is to see; NULL: the host's */
	char *map_place;
} ChildPlan;

/* Writes a System.map for stap, which only reads the names of functions in it, if the host lacks
   one: Debian ships a file of one line instead. */
static bool plan_child(const StapCompile *compile, ChildPlan *plan, GError **error)
{
	enum { MAP_BYTES_MIN = 64 << 10 };
	g_autofree char *place = g_strconcat("/boot/System.map-", compile->kernel_release, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	struct stat file;

	if (!compile->functions || !compile->functions->len ||
	    (!stat(place, &file) && file.st_size >= MAP_BYTES_MIN))
		return true;
	for (guint i = 0; i < compile->functions->len; i++)
		g_string_append_printf(text, "ffffffff80000000 T %s\n",
				       (const char *)compile->functions->pdata[i]);
	plan->map = g_build_filename(compile->folder, "System.map", NULL);
	plan->map_place = g_steal_pointer(&place);
	return g_file_set_contents(plan->map, text->str, -1, error);
}

static void plan_clear(ChildPlan *plan)
{
	g_free(plan->map);
	g_free(plan->map_place);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ChildPlan, plan_clear)

/* In the child: shows stap the file at the place of System.map. The mounts end with the child. If
   that fails, stap says what it does not find. */
static void show_map(const ChildPlan *plan)
{
	int file;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	if (!mount(plan->map, plan->map_place, NULL, MS_BIND, NULL))
		return;
	if (mount("tmpfs", "/boot", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return;
	file = open(plan->map_place, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (file >= 0)
		close(file);
	mount(plan->map, plan->map_place, NULL, MS_BIND, NULL);
}

/* In the child: joins both outputs, unblocks all signals, and makes the child end with the parent.
   Registers it with the watchdog first, because the parent may be killed before it could. */
static void prepare_child(gpointer data)
{
	const ChildPlan *plan = data;

	if (plan->map)
		show_map(plan);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	setpgid(0, 0);
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_GROUP, .group = getpid() });
	child_signals_unblock();
	child_signals_end_with(plan->parent, SIGTERM);
}

static bool stap_compile_start(Run *run, GError **error)
{
	const StapCompile *compile = run->compile;
	g_autofree char *home = g_strconcat("HOME=", compile->home, NULL);
	g_autofree char *cache = g_strconcat("SYSTEMTAP_DIR=", compile->home, NULL);
	g_autofree char *temporary = g_strconcat("TMPDIR=", compile->folder, NULL);
	char *environment[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
				(char *)"LC_ALL=C",
				home,
				cache,
				temporary,
				NULL };
	g_auto(ChildPlan) plan = { .parent = getpid() };

	if (!plan_child(compile, &plan, error))
		return false;
	if (!g_spawn_async_with_pipes(compile->folder, compile->argv, environment,
				      G_SPAWN_DO_NOT_REAP_CHILD, prepare_child, &plan, &run->pid,
				      NULL, NULL, &run->output, error))
		return false;
	/* In both processes, because either may run first. */
	setpgid(run->pid, run->pid);
	return true;
}

static void show_progress(Run *run)
{
	gint64 seconds = (g_get_monotonic_time() - run->started_us) / G_USEC_PER_SEC;

	if (seconds < QUIET_SECONDS || seconds == run->shown_seconds ||
	    (run->shown_seconds && !run->is_terminal))
		return;
	run->shown_seconds = seconds;
	fprintf(stderr,
		"%s%s: compiling the probes for %s (first time on this kernel, takes a minute or "
		"two) "
		"… %d s%s",
		run->is_terminal ? "\r" : "", g_get_prgname(), run->compile->kernel_release,
		(int)seconds, run->is_terminal ? "" : "\n");
	fflush(stderr);
}

static void end_progress(const Run *run, const char *how)
{
	gint64 seconds = (g_get_monotonic_time() - run->started_us) / G_USEC_PER_SEC;

	if (!run->shown_seconds)
		return;
	if (run->is_terminal)
		fputs("\n", stderr);
	else
		fprintf(stderr, "%s: compiling %s after %d s\n", g_get_prgname(), how,
			(int)seconds);
}

/* Reads the available output. Returns false at its end. */
static bool read_output(const Run *run)
{
	char bytes[4096];
	ssize_t length = read(run->output, bytes, sizeof(bytes));

	if (length < 0)
		return errno == EINTR || errno == EAGAIN;
	stap_messages_feed(run->messages, bytes, (gsize)length);
	return length > 0;
}

/* Ends stap and everything in its process group. */
static void end_group(Run *run)
{
	gint64 deadline_us = g_get_monotonic_time() + KILL_AFTER_MS * G_GINT64_CONSTANT(1000);
	struct pollfd fd = { .fd = run->output, .events = POLLIN };

	kill(-run->pid, SIGTERM);
	while (g_get_monotonic_time() < deadline_us) {
		if (poll(&fd, 1, 100) > 0 && !read_output(run))
			break;
	}
	kill(-run->pid, SIGKILL);
}

/* It stays a zombie, so that no other process can get its process group id. */
static bool stap_is_gone(const Run *run)
{
	siginfo_t ended = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)run->pid, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid;
}

/* Returns whether stap's output was read to its end; false: a signal came. */
static bool read_all(Run *run)
{
	struct pollfd fds[] = { { .fd = run->output, .events = POLLIN },
				{ .fd = run->signals, .events = POLLIN } };
	struct signalfd_siginfo signal_info;
	bool is_open = true;

	while (is_open && !stap_is_gone(run)) {
		bool is_ready = poll(fds, G_N_ELEMENTS(fds), 200) > 0;

		if (is_ready && fds[0].revents)
			is_open = read_output(run);
		if (is_ready && fds[1].revents & POLLIN &&
		    read(run->signals, &signal_info, sizeof(signal_info)) >= 0)
			return false;
		show_progress(run);
	}
	return true;
}

/* Waits for stap to end, and ends its remaining children: the compiler may still run, with or
   without stap's output. Returns stap's status. */
static int stap_compile_reap(const Run *run)
{
	struct pollfd fd = { .fd = run->output, .events = POLLIN };
	siginfo_t ended;
	int status = 0;

	while (waitid(P_PID, (id_t)run->pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	kill(-run->pid, SIGKILL);
	while (poll(&fd, 1, LAST_WORDS_MS) > 0 && read_output(run))
		continue;
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	process_group_wait(run->pid, GONE_WITHIN_MS);
	watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_GROUP, .group = run->pid });
	return status;
}

static bool stap_compile_fail(const Run *run, int status, bool *poisoned, GError **error)
{
	const char *failure = stap_messages_totals(run->messages).failure;

	*poisoned = stap_messages_may_be_poisoned_cache(run->messages);
	if (*poisoned && run->compile->functions)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "SystemTap finds no such probe point in kernel %s: check its spelling "
			    "('man stapprobes'), and whether that program or tracepoint exists",
			    run->compile->kernel_release);
	else if (failure)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", failure);
	else if (WIFSIGNALED(status))
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "compiling the probes failed: stap was ended by signal %d (%s): see "
			    "dmesg, and run it again",
			    WTERMSIG(status), g_strsignal(WTERMSIG(status)));
	else
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "compiling the probes failed: %s; -v shows all that stap says",
			    run->first_error ? run->first_error : "stap gave no reason");
	return false;
}

static bool run_with_signals(Run *run, bool *poisoned, GError **error)
{
	bool is_interrupted;
	int status;

	if (!stap_compile_start(run, error))
		return false;
	is_interrupted = !read_all(run);
	if (is_interrupted)
		end_group(run);
	status = stap_compile_reap(run);
	stap_messages_finish(run->messages);
	close(run->output);
	if (is_interrupted) {
		end_progress(run, "was interrupted");
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
				    "interrupted while compiling");
		return false;
	}
	end_progress(run, status == 0 ? "done" : "failed");
	return status == 0 || stap_compile_fail(run, status, poisoned, error);
}

/* The interrupting signals, except those that were ignored when the program started. */
static sigset_t interrupting_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t set;

	sigemptyset(&set);
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
		struct sigaction action;

		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, numbers[i]);
	}
	return set;
}

bool stap_compile_run(const StapCompile *compile, bool *poisoned, GError **error)
{
	sigset_t blocked = interrupting_signals();
	sigset_t before;
	Run run = { .compile = compile,
		    .started_us = g_get_monotonic_time(),
		    .is_terminal = isatty(STDERR_FILENO) };
	bool is_done;

	*poisoned = false;
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	run.signals = signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK);
	run.messages = stap_messages_new(keep_line, &run);
	stap_messages_set_pair(run.messages, compile->kernel_release, compile->stap_version);
	is_done = run_with_signals(&run, poisoned, error);
	stap_messages_free(run.messages);
	g_free(run.first_error);
	if (run.signals >= 0)
		close(run.signals);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return is_done;
}
