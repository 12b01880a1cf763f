/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command as another user, without a collection: `run_as SECONDS USER CMD ARG...` runs it as the
 * programs do with -u. After that many seconds (0: never), or at SIGINT or SIGTERM, the program
 * ends and leaves the command alone. Its last line says how the command ended.
 */
#include "base/clock.h"
#include "process/watchdog.h"
#include "collect/run/command.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { LOOK_EVERY_MS = 20 };

static volatile sig_atomic_t was_asked_to_end;

static void on_signal(int number)
{
	(void)number;
	was_asked_to_end = 1;
}

/* Returns whether the command has ended. */
static bool look(const Command *command, int *status)
{
	struct pollfd change = { .fd = command_relay_fd(command), .events = POLLIN };

	if (poll(&change, 1, LOOK_EVERY_MS) > 0 && !command_take_change(command))
		g_usleep(LOOK_EVERY_MS * 1000);
	return waitpid(command_child(command), status, WNOHANG) == command_child(command);
}

static void print_end(bool has_ended, int status)
{
	if (!has_ended)
		puts("END running");
	else if (WIFSIGNALED(status))
		printf("END signal %d\n", WTERMSIG(status));
	else
		printf("END status %d\n", WEXITSTATUS(status));
}

static int run(char **argv, double seconds, const char *user)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Command) command = command_hold(argv, user, &error);
	uint64_t end_ns =
		seconds > 0 ? clock_monotonic_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX;
	bool has_ended = false;
	int status = 0;

	if (!command || !command_release(command, false, &error)) {
		fprintf(stderr, "%s\n", error->message);
		return 1;
	}
	while (!has_ended && !was_asked_to_end && clock_monotonic_ns() < end_ns)
		has_ended = look(command, &status);
	command_leave_terminal(command);
	print_end(has_ended, status);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	int result;

	if (argc < 4 || !watchdog_start(NULL, NULL))
		return 2;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	result = run(argv + 3, g_ascii_strtod(argv[1], NULL), argv[2]);
	watchdog_end();
	return result;
}
