/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raises the program's own OOM score, and restores that of the command. One saved text; called at
 * the start by tool.c.
 */
#include "collect/run/oom_score.h"

#include "process/watchdog.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const char path[] = "/proc/self/oom_score_adj";
static const char first_to_go[] = "1000"; /* OOM_SCORE_ADJ_MAX */

enum { SCORE_CHARACTERS = 16 };

/* As read from the kernel; empty: not raised. */
static char score_before[SCORE_CHARACTERS];

bool oom_score_raise(void)
{
	char score[SCORE_CHARACTERS] = "";
	ssize_t length;
	int fd;

	if (score_before[0])
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, score, SCORE_CHARACTERS - 1);
	close(fd);
	if (length <= 0 || !setting_write(path, first_to_go))
		return false;
	memcpy(score_before, score, sizeof(score_before));
	return true;
}

void oom_score_restore(void)
{
	if (score_before[0])
		(void)setting_write(path, score_before);
}
