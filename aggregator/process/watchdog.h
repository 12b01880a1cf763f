/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/*
 * The watchdog is a child process that undoes the program's changes if the program is killed. It
 * has its own session and reads from a socket. When the program's end of the socket closes, the
 * program has ended, and the watchdog undoes the registered items, in the order of the table in
 * watchdog.c. A program has at most one watchdog. If none was started, the other functions do
 * nothing.
 */

typedef enum {
	WATCHDOG_GROUP = 1, /* a process group: ended */
	WATCHDOG_MODULE,    /* a kernel module: removed with staprun -d */
	WATCHDOG_FOLDER,    /* removed with its content */
	WATCHDOG_FILE,      /* removed if it is still the same file */
	WATCHDOG_PROBES,    /* a group of kprobe_group.h: removed */
	WATCHDOG_SETTING,   /* a file below /proc/sys: its old text restored */
	WATCHDOG_TERMINAL,  /* its modes restored; leaves the alternate screen */
} WatchdogKind;

/* Something to undo; borrowed for the call. */
typedef struct {
	WatchdogKind kind;
	pid_t group;      /* WATCHDOG_GROUP */
	const char *path; /* of the folder, file, setting, terminal, or staprun; the group's name */
	const char *sys_folder;      /* WATCHDOG_MODULE: "/sys/module/NAME" while it is loaded */
	const struct termios *modes; /* WATCHDOG_TERMINAL: original modes */
	const char *text;            /* WATCHDOG_TERMINAL and _SETTING: text to write */
} WatchdogItem;

/* Writes a text to a file of /proc that contains a setting, as the watchdog does. Returns false if
   the write is refused. Allocates nothing. */
bool setting_write(const char *path, const char *text);

/* Starts the watchdog. Call it first, while the program has one thread. probe_remover removes a
   group of probes, of which this room knows nothing; NULL: they stay. Returns false with error
   set. */
bool watchdog_start(void (*probe_remover)(const char *group), GError **error);

/* Registers an item that exists, or will in a moment. May also be called between fork and exec. */
void watchdog_add(const WatchdogItem *item);

/* Withdraws an item that was undone or is now worth keeping. */
void watchdog_withdraw(const WatchdogItem *item);

/* Detaches a forked child that does not exec at once: the watchdog must not wait for it. */
void watchdog_forget(void);

/* Lets the watchdog end. Call it when nothing is registered any more. */
void watchdog_end(void);
