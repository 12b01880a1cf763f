/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "temporary.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

/* What the tests of killed processes wait for: long enough for any host, and for nothing. */

enum { PROCESS_TRIES = 3000, PROCESS_TRY_US = 10000 };

static inline bool process_wait_for_file(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	for (int i = 0; i < PROCESS_TRIES && access(path, F_OK); i++)
		g_usleep(PROCESS_TRY_US);
	return !access(path, F_OK);
}

static inline bool process_wait_until_no_file(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	for (int i = 0; i < PROCESS_TRIES && !access(path, F_OK); i++)
		g_usleep(PROCESS_TRY_US);
	return access(path, F_OK);
}

/* A zombie that init has not reaped yet is on its way out as well. */
static inline bool process_wait_until_gone(pid_t pid)
{
	for (int i = 0; i < PROCESS_TRIES && !kill(pid, 0); i++)
		g_usleep(PROCESS_TRY_US);
	return kill(pid, 0) && errno == ESRCH;
}

/* Reads a pid that a script wrote with "echo". */
static inline pid_t process_read_pid(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *text = NULL;
	pid_t pid;

	text = file_read(path, NULL);
	pid = (pid_t)g_ascii_strtoll(text, NULL, 10);
	cr_assert_gt(pid, 1);
	return pid;
}
