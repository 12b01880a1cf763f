/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns GLib's ways to end for want of memory into one line and a documented exit status. It hooks
 * GLib's log and print handlers and SIGABRT, and replaces slices by malloc() before GLib's
 * constructor runs. What runs after a failure allocates nothing.
 */
#include "base/exit_status.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Nothing here allocates. */
static void write_text(const char *text)
{
	ssize_t written = write(STDERR_FILENO, text, strlen(text));

	(void)written;
}

/* A GLogFunc. What is fatal is almost always that GLib has no memory. */
static void end_if_fatal(const char *domain, GLogLevelFlags level, const char *message,
			 void *user_data)
{
	const char *no_memory = strstr(message, "failed to allocate");

	if (!(level & G_LOG_FLAG_FATAL)) {
		g_log_default_handler(domain, level, message, user_data);
		return;
	}
	write_text(program_invocation_short_name);
	write_text(no_memory ? ": out of memory: " : ": ");
	write_text(no_memory ? no_memory : message);
	write_text("\n");
	_exit(EXIT_FAILED);
}

/* A GPrintFunc. stdout is for reports. If GLib's g_strerror() has no memory to convert a message,
   it would print this failure there. */
static void print_on_stderr(const char *text)
{
	write_text(program_invocation_short_name);
	write_text(": ");
	write_text(text);
}

/* Without memory for a lock or a thread's own data, GLib prints a line and calls abort(). Every
   other abort() ends the program as usual, as this handler returns. */
static void end_if_no_memory(int signal_number)
{
	(void)signal_number;
	if (errno != ENOMEM)
		return;
	write_text(program_invocation_short_name);
	write_text(": out of memory\n");
	_exit(EXIT_FAILED);
}

/* Until 2.76, GLib calls abort() if there is no memory for a slice, and prints two lines of its
   own. It chooses between slices and malloc() in its constructor: this is the only time before it.
 */
static void prefer_malloc(void)
{
	G_GNUC_BEGIN_IGNORE_DEPRECATIONS
	g_slice_set_config(G_SLICE_CONFIG_ALWAYS_MALLOC, TRUE);
	G_GNUC_END_IGNORE_DEPRECATIONS
}

__attribute__((section(".preinit_array"),
	       used)) static void (*const before_glib)(void) = prefer_malloc;

void out_of_memory_ends_program(void)
{
	g_log_set_default_handler(end_if_fatal, NULL);
	g_set_print_handler(print_on_stderr);
	signal(SIGABRT, end_if_no_memory);
}
