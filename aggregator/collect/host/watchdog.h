/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/*
 * The watchdog is a process of ours that outlives a program that is killed, and then undoes what
 * the program can no longer undo. It has a session of its own, and reads from a socket. When the
 * program's end of it closes, the program is gone, and the watchdog undoes what is registered, kind
 * by kind, in the order below. A program has at most one; where none was started, the other
 * functions do nothing.
 */

typedef enum {
	WATCHDOG_GROUP = 1, /* a process group: is ended */
	WATCHDOG_MODULE,    /* a kernel module: is removed with staprun -d */
	WATCHDOG_FOLDER,    /* is removed with what is in it */
	WATCHDOG_FILE,      /* is removed if it is still the same file */
	WATCHDOG_PROBES,    /* a group of cache_probes.h: is removed */
	WATCHDOG_SETTING,   /* a file below /proc/sys: gets its text back */
	WATCHDOG_TERMINAL,  /* gets its modes back and leaves the alternate screen */
} WatchdogKind;

/* Something to undo; borrowed for the call. */
typedef struct {
	WatchdogKind kind;
	pid_t group;      /* WATCHDOG_GROUP */
	const char *path; /* of the folder, file, setting, terminal, or staprun; the group's name */
	const char *sys_folder;      /* WATCHDOG_MODULE: "/sys/module/NAME" while it is loaded */
	const struct termios *modes; /* WATCHDOG_TERMINAL: before */
	const char *text;            /* WATCHDOG_TERMINAL and _SETTING: what is written to it */
} WatchdogItem;

/* Starts it: before anything else is begun, while the program has one thread. Returns false with
   error set. */
bool watchdog_start(GError **error);

/* The item exists, or will in a moment. May be called between fork and exec, too. */
void watchdog_add(const WatchdogItem *item);

/* The item is undone, or has become worth keeping. */
void watchdog_withdraw(const WatchdogItem *item);

/* In a forked child that does not exec at once: it does not stand for the program. */
void watchdog_forget(void);

/* Lets it go, which it does when nothing is registered. */
void watchdog_end(void);
