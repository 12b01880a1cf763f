/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers of the signals that end a run. They count into an eventfd, which every wait of the
 * program polls, too. When the program is finishing, more signals are ignored.
 */
#include "process/stop_signal.h"

#include "base/clock.h"

#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

static int event = -1; /* counts the signals */
static volatile sig_atomic_t is_finishing, has_come;
static uint64_t waited_ns; /* in vain, since a signal came */

enum { PATIENCE_MS = 200, ALL_PATIENCE_MS = 500 };

static void ignore_all(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
		signal(numbers[i], SIG_IGN);
}

/* The first one at the end says all. Handlers of more would interrupt sleeps again and again. */
static void stop_signal_note(int number)
{
	const uint64_t one = 1;
	const int before = errno;

	(void)number;
	has_come = true;
	(void)!write(event, &one, sizeof(one));
	if (is_finishing)
		ignore_all();
	errno = before;
}

void stop_signal_catch(void)
{
	const struct sigaction action = { .sa_handler = stop_signal_note, .sa_flags = SA_RESTART };
	struct sigaction before;

	if (event < 0)
		event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	is_finishing = has_come = false;
	waited_ns = 0;
	for (gsize i = 0; event >= 0 && i < G_N_ELEMENTS(numbers); i++) {
		if (numbers[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) &&
		    before.sa_handler == SIG_IGN)
			continue;
		sigaction(numbers[i], &action, NULL);
	}
}

void stop_signal_finish(void)
{
	signal(SIGHUP, SIG_IGN);
	is_finishing = true;
	if (stop_signal_is_pending())
		ignore_all();
}

int stop_signal_fd(void)
{
	return event;
}

bool stop_signal_is_pending(void)
{
	struct pollfd ready = { .fd = event, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

unsigned stop_signal_take(void)
{
	uint64_t count = 0;

	if (event < 0 || read(event, &count, sizeof(count)) != sizeof(count))
		return 0;
	return (unsigned)MIN(count, UINT_MAX);
}

uint64_t stop_signal_patience_ns(uint64_t wanted_ns)
{
	const uint64_t all_ns = (uint64_t)ALL_PATIENCE_MS * NS_PER_MS;

	if (!has_come)
		return wanted_ns;
	return MIN(MIN(wanted_ns, (uint64_t)PATIENCE_MS * NS_PER_MS),
		   all_ns - MIN(waited_ns, all_ns));
}

void stop_signal_waited(uint64_t ns)
{
	if (has_come)
		waited_ns += ns;
}

bool stop_signal_came(void)
{
	return has_come;
}
