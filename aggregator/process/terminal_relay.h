/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

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

/*
 * A pseudo terminal between the user's terminal and a command that runs as another user. With the
 * user's own terminal, the command could type into the user's shell (TIOCSTI of tty_ioctl(4)).
 * Three processes are forked: the relay copies bytes, sizes and keys between both
 * terminals; the leader of the command's session (terminal_session_lead()); the command. The relay
 * lives as long as the command, also when the program has ended, so that the command keeps its
 * terminal. When the command ends, the relay writes what the command wrote, and ends as the command
 * ended.
 */

/* The terminals; -1: not open. */
typedef struct {
	int outer;                 /* the user's, opened anew, so that it has flags of its own */
	int relay;                 /* the relay's end of the command's terminal */
	int inner;                 /* the command's end */
	char outer_name[PATH_MAX]; /* "": not known */
} TerminalPair;

/* From the program to the relay: one byte. The end of the socket: the program has no more use for
   the keyboard, and the relay answers with its own end when the user's modes are restored. */
typedef enum {
	RELAY_START = 'k',              /* the command may run and read the keyboard */
	RELAY_START_WITHOUT_KEYS = 'n', /* the program reads the keyboard itself */
} RelayStart;

/* From the relay to the program: the user's terminal was taken over, or restored. */
typedef struct {
	bool is_taken;
	struct termios modes; /* the user's */
} RelayChange;

/* Opens both terminals; the command's belongs to the owner. Without a terminal that the command
   could reach, returns true and opens none. Returns false with error set on failure. */
bool terminal_pair_open(TerminalPair *pair, uid_t owner, GError **error);
void terminal_pair_close(TerminalPair *pair);

/* In a fork that does not exec: becomes the relay. Returns only in the command, as
   terminal_session_lead() does. */
int terminal_relay_become(const TerminalPair *pair, int program, int pid_fd);
