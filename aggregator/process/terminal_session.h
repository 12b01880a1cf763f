/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <sys/types.h>

/*
 * The leader of a command's own session, whose terminal is the inner end of a pseudo terminal. It
 * is the command's parent: only a group of processes with a parent in its session can be stopped
 * from the keyboard (POSIX: a group that is not orphaned). It passes each change of the command's
 * state to the relay, and does what the relay asks for.
 */

/* From the relay. */
typedef enum {
	/* The first request of these two releases the command. */
	SESSION_FOREGROUND = 1, /* it may read its terminal */
	SESSION_BACKGROUND,     /* reading stops it */
	SESSION_SIGNAL,         /* a signal for the command's group */
} SessionRequestKind;

typedef struct {
	SessionRequestKind kind;
	int number; /* of SESSION_SIGNAL */
} SessionRequest;

/*
 * In a fork that does not exec: forks the command and serves the relay until the command has ended
 * or the relay's end of the socket is closed. The relay gets the command's pid, as pid_t, and
 * then the status of each change, as waitpid() gives it, as an int. pid_fd gets the pid, too.
 * Returns only in the command: a descriptor with a byte as soon as the command may run, and with
 * end of file if the command must not run. The terminals among its standard files are now its own.
 */
int terminal_session_lead(int terminal, int relay, int pid_fd);
