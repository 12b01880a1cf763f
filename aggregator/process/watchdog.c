/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both sides of the watchdog: the program sends what is to be undone as datagrams; the forked
 * process keeps them in a table of 16, and undoes them kind by kind when the socket closes. In that
 * process nothing is allocated. What makes changes to the host (modules, probes, mounts, the
 * terminal, files) registers them here.
 */
#include "config.h"

#include "process/watchdog.h"

#include "base/unconst.h"
#include "process/fork.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ITEMS_MAX = 16, /* a run has about six */
	MODULE_FOLDER_BYTES = 256,
	TEXT_BYTES = 128,
	GROUP_PATIENCE_MS = 300, /* time for staprun and stap to end by themselves */
	MODULE_PATIENCE_MS = 10000,
	TRY_EVERY_MS = 50,
	END_PATIENCE_MS = 2000,
};

/* A WatchdogItem as one datagram, so that it arrives completely or not at all. */
typedef struct {
	WatchdogKind kind; /* 0: a free slot */
	bool is_withdrawn;
	pid_t group;
	dev_t device; /* of a file */
	ino_t inode;
	char path[PATH_MAX];
	char sys_folder[MODULE_FOLDER_BYTES];
	struct termios modes;
	char text[TEXT_BYTES];
} Message;

/* In the program. */
static pid_t watchdog_pid;
static int watchdog_fd = -1;

/* In the watchdog. It allocates nothing, because it is a fork without exec. */
static Message items[ITEMS_MAX];
static void (*remove_probes)(const char *group);

/* Undoing, in the watchdog. */

/* Runs a program to its end, with an empty environment. */
static void watchdog_run(const char *const argv[])
{
	char *const environment[] = { NULL };
	pid_t pid = fork();

	if (!pid) {
		child_signals_default();
		child_signals_unblock();
		execve(argv[0], unconst(argv), environment);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static void undo_group(const Message *item)
{
	process_group_end(item->group, GROUP_PATIENCE_MS);
}

/* The module cannot be removed while a process has its files open. */
static void undo_module(const Message *item)
{
	const char *slash = strrchr(item->sys_folder, '/');
	const char *const argv[] = { item->path, "-d", slash ? slash + 1 : "", NULL };
	uint64_t end_ns = clock_monotonic_ns() + MODULE_PATIENCE_MS * 1000000ULL;

	while (!access(item->sys_folder, F_OK) && clock_monotonic_ns() < end_ns) {
		watchdog_run(argv);
		if (access(item->sys_folder, F_OK))
			return;
		sleep_ms(TRY_EVERY_MS);
	}
}

static void undo_folder(const Message *item)
{
	const char *const argv[] = { "/bin/rm", "-rf", "--", item->path, NULL };

	watchdog_run(argv);
}

/* Another process may have created a file of that name since then. */
static void undo_file(const Message *item)
{
	struct stat status;

	if (!lstat(item->path, &status) && status.st_dev == item->device &&
	    status.st_ino == item->inode)
		unlink(item->path);
}

static void undo_probes(const Message *item)
{
	if (remove_probes)
		remove_probes(item->path);
}

/* The terminal may be gone or stopped; do not wait for it. */
static void undo_terminal(const Message *item)
{
	int fd = open(item->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, item->text, strlen(item->text));
	tcsetattr(fd, TCSANOW, &item->modes);
	close(fd);
}

bool setting_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written;

	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text)) > 0;
	close(fd);
	return written;
}

static void undo_setting(const Message *item)
{
	setting_write(item->path, item->text);
}

/* In the order of undoing: a user waits for the terminal; a module cannot be removed while its
   processes live; the last ones may mount something over the files. */
static const struct {
	WatchdogKind kind;
	void (*undo)(const Message *item);
} kinds[] = {
	{ WATCHDOG_TERMINAL, undo_terminal }, { WATCHDOG_GROUP, undo_group },
	{ WATCHDOG_MODULE, undo_module },     { WATCHDOG_FOLDER, undo_folder },
	{ WATCHDOG_FILE, undo_file },         { WATCHDOG_SETTING, undo_setting },
	{ WATCHDOG_PROBES, undo_probes },
};

static void undo_all(void)
{
	for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
		for (size_t i = 0; i < ITEMS_MAX; i++) {
			if (items[i].kind == kinds[kind].kind)
				kinds[kind].undo(&items[i]);
		}
	}
}

/* The watchdog's main loop. */

static void watchdog_take(const Message *message)
{
	for (size_t i = 0; i < ITEMS_MAX; i++) {
		bool is_same = items[i].kind == message->kind && items[i].group == message->group &&
			       !strcmp(items[i].path, message->path) &&
			       !strcmp(items[i].sys_folder, message->sys_folder);

		if (message->is_withdrawn && is_same) {
			items[i].kind = 0;
		} else if (!message->is_withdrawn && !items[i].kind) {
			items[i] = *message;
			return;
		}
	}
}

/* A signal that ends the program must not end the watchdog while there is something to undo. */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGPIPE, SIGALRM,
				       SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU };

	child_signals_default();
	for (size_t i = 0; i < G_N_ELEMENTS(ignored); i++)
		signal(ignored[i], SIG_IGN);
	child_signals_unblock();
}

static void G_GNUC_NORETURN become_watchdog(int fd)
{
	static Message message;
	ssize_t length;

	ignore_signals();
	setsid();
	prctl(PR_SET_NAME, "kmt-watchdog");
	if (!child_files_keep_only(&fd, 1))
		_exit(1);
	while ((length = recv(fd, &message, sizeof(message), 0)) > 0 ||
	       (length < 0 && errno == EINTR)) {
		if (length == sizeof(message))
			watchdog_take(&message);
	}
	undo_all();
	_exit(0);
}

/* The program's side. */

static bool watchdog_fail(GError **error, const char *what)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno),
		    "the watchdog that cleans up after us could not be started: %s: %s", what,
		    g_strerror(errno));
	return false;
}

bool watchdog_start(void (*probe_remover)(const char *group), GError **error)
{
	int pair[2];

	remove_probes = probe_remover;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return watchdog_fail(error, "socketpair");
	/* A Ctrl-C must not end it, not even during the fork. */
	watchdog_pid = child_signals_fork();
	if (!watchdog_pid)
		become_watchdog(pair[0]);
	close(pair[0]);
	watchdog_fd = pair[1];
	if (watchdog_pid > 0)
		return true;
	watchdog_fail(error, "fork");
	watchdog_forget();
	return false;
}

/* If the item does not fit, it cannot exist either. The run continues even if the watchdog was
   killed or stopped. */
static void send_item(const WatchdogItem *item, bool is_withdrawn)
{
	Message message = { .kind = item->kind,
			    .is_withdrawn = is_withdrawn,
			    .group = item->group };
	struct stat status;

	if (watchdog_fd < 0)
		return;
	if (g_strlcpy(message.path, item->path ? item->path : "", PATH_MAX) >= PATH_MAX ||
	    g_strlcpy(message.sys_folder, item->sys_folder ? item->sys_folder : "",
		      MODULE_FOLDER_BYTES) >= MODULE_FOLDER_BYTES ||
	    g_strlcpy(message.text, item->text ? item->text : "", TEXT_BYTES) >= TEXT_BYTES)
		return;
	if (item->modes)
		message.modes = *item->modes;
	if (item->kind == WATCHDOG_FILE && !lstat(message.path, &status)) {
		message.device = status.st_dev;
		message.inode = status.st_ino;
	}
	(void)!send(watchdog_fd, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void watchdog_add(const WatchdogItem *item)
{
	send_item(item, false);
}

void watchdog_withdraw(const WatchdogItem *item)
{
	send_item(item, true);
}

void watchdog_forget(void)
{
	if (watchdog_fd >= 0)
		close(watchdog_fd);
	watchdog_fd = -1;
}

void watchdog_end(void)
{
	uint64_t end_ns = clock_monotonic_ns() + END_PATIENCE_MS * 1000000ULL;

	if (watchdog_fd < 0)
		return;
	watchdog_forget();
	while (!waitpid(watchdog_pid, NULL, WNOHANG) && clock_monotonic_ns() < end_ns)
		sleep_ms(1);
}
